"""The pytest plugin: a stand-in as a fixture.

pytest loads this module in every project that has dryline installed, so it imports nothing that pytest has not
imported already until a fixture is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dryline.testing import DrylineInProcess, DrylineServer


def pytest_addoption(parser: pytest.Parser) -> None:
    """The plugin's options."""
    group = parser.getgroup("dryline")
    group.addoption("--dryline-scenario", default="empty", help="what each test starts from: empty, demo or a file")
    group.addoption("--dryline-seed", type=int, default=None, help="ids and simulated content repeat from run to run")


def _options(config: pytest.Config) -> dict[str, Any]:
    scenario = config.getoption("--dryline-scenario")
    if scenario not in ("empty", "demo"):
        scenario = str(Path(config.invocation_params.dir, scenario))
    return {"scenario": scenario, "seed": config.getoption("--dryline-seed")}


@pytest.fixture(scope="session")
def dryline_server(pytestconfig: pytest.Config) -> Iterator[DrylineServer]:
    """A real server on a free port, for the whole session; under pytest-xdist one a worker."""
    from dryline.testing import DrylineServer

    with DrylineServer(**_options(pytestconfig)) as server:
        yield server


@pytest.fixture
def dryline(dryline_server: DrylineServer, monkeypatch: pytest.MonkeyPatch) -> DrylineServer:
    """The session's server with a reset world; the vendor's client finds it through the environment."""
    dryline_server.reset()
    for name, value in dryline_server.environment.items():
        monkeypatch.setenv(name, value)
    return dryline_server


@pytest.fixture(scope="session")
def _dryline_process(pytestconfig: pytest.Config) -> Iterator[DrylineInProcess]:
    from dryline.testing import DrylineInProcess

    with DrylineInProcess(**_options(pytestconfig)) as process:
        yield process


@pytest.fixture
def dryline_in_process(_dryline_process: DrylineInProcess) -> DrylineInProcess:
    """A reset world without a socket: the fastest start a test can have."""
    _dryline_process.reset()
    return _dryline_process

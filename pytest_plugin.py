"""The pytest plugin: a stand-in as a fixture, and what was asked of it where a test fails.

pytest loads this module in every project that has dryline installed, so it imports nothing that pytest has not
imported already until a fixture is used.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from dryline.testing import DrylineInProcess, StandIn


class Option(NamedTuple):
    """An option of the command line, `--dryline-NAME`, and of the configuration, `dryline_NAME`."""

    name: str
    help: str
    default: Any = None
    type: Literal["string", "bool"] = "string"


OPTIONS = (
    Option(
        "scenario", "what each test starts from: empty, demo, another that ships, or a state document's file", "empty"
    ),
    Option("seed", "ids and simulated content repeat from run to run"),
    Option("strict", "refuse body members that the API does not have", False, "bool"),
    Option("journal", "how many requests a failing test shows, the newest; 0 is none", "50"),
    Option("command", "the command of a dryline in another environment, to start servers with"),
    Option("url", "the address of a server that runs already, to use instead of starting one"),
    Option("token", "that server's admin token"),
)


def pytest_addoption(parser: pytest.Parser) -> None:
    """The plugin's options."""
    group = parser.getgroup("dryline")
    for option in OPTIONS:
        action: dict[str, Any] = {"action": "store_true"} if option.type == "bool" else {"metavar": option.name.upper()}
        group.addoption(f"--dryline-{option.name}", default=None, help=option.help, **action)
        parser.addini(f"dryline_{option.name}", option.help, type=option.type, default=option.default)


def pytest_configure(config: pytest.Config) -> None:
    """The plugin's marker."""
    config.addinivalue_line(
        "markers",
        "dryline(scenario, strict, export_mode, export_delay_ms, calls_per_minute): what the test's world starts from.",
    )


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """To the report of a test that fails, what was asked of its stand-ins."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    driver = sys.modules.get("dryline.testing.driver")
    if not report.failed or call.when == "teardown" or driver is None:
        return
    newest = _number(item.config, "journal")
    worlds = dict.fromkeys(one for one in getattr(item, "funcargs", {}).values() if isinstance(one, driver.Driver))
    for world in worlds if newest else ():
        try:
            told = world.journal(newest)
        except Exception as error:  # its server may have ended: the test's own failure is what matters
            told = f"Not to be had: {error}"
        report.sections.append((f"Requests to {str(world)[1:-1]}", told))


@pytest.fixture(scope="session")
def dryline_server(pytestconfig: pytest.Config) -> Iterator[StandIn]:
    """A real server on a free port, for the whole session; under pytest-xdist one a worker. Nothing resets it."""
    from dryline.testing import DrylineServer, connect

    if url := _asked(pytestconfig, "url"):
        with _plainly():
            server = connect(url, _asked(pytestconfig, "token"))
        yield server
        return
    started = DrylineServer(command=_asked(pytestconfig, "command"), **_settings(pytestconfig))
    with _plainly():
        started.start()
    yield started
    started.stop()


@pytest.fixture
def dryline(dryline_server: StandIn, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> StandIn:
    """The session's server with a reset world; the vendor's client finds it through the environment."""
    scenario = None
    if _asked(request.config, "url"):
        if hasattr(request.config, "workerinput"):
            pytest.fail("Parallel workers would reset the one server of --dryline-url: give each test a team.", False)
        scenario = _scenario(request.config)
    _begin(dryline_server, request, scenario)
    for name, value in dryline_server.environment.items():
        monkeypatch.setenv(name, value)
    return dryline_server


@pytest.fixture(scope="session")
def _dryline_process(pytestconfig: pytest.Config) -> Iterator[DrylineInProcess]:
    from dryline.testing import DrylineInProcess

    process = DrylineInProcess(**_settings(pytestconfig))
    with _plainly():
        process.start()
    yield process
    process.stop()


@pytest.fixture
def dryline_in_process(_dryline_process: DrylineInProcess, request: pytest.FixtureRequest) -> DrylineInProcess:
    """A reset world without a socket: the fastest start a test can have."""
    _begin(_dryline_process, request)
    return _dryline_process


def _begin(world: StandIn, request: pytest.FixtureRequest, scenario: str | None = None) -> None:
    """The world that a test starts from, by the markers on it, its class and its module; the nearest counts."""
    asked: dict[str, Any] = {}
    for marker in reversed([*request.node.iter_markers("dryline")]):
        if marker.args:
            pytest.fail("@pytest.mark.dryline takes its values by their names.", False)
        asked |= marker.kwargs
    if "scenario" in asked:
        scenario = _found(asked.pop("scenario"), request.path.parent)
    with _plainly():
        world.reset(scenario)
        if asked:
            _settled(world.settings, asked)


def _settled(settings: Callable[..., object], asked: dict[str, Any]) -> None:
    try:
        settings(**asked)
    except TypeError as error:
        pytest.fail(f"@pytest.mark.dryline: {str(error).split('() ')[-1]}.", False)


@contextmanager
def _plainly() -> Iterator[None]:
    """What cannot work is a line for who runs the tests, not a traceback of dryline's."""
    from dryline.settings import BadSetting
    from dryline.testing import DrylineError

    try:
        yield
    except (BadSetting, DrylineError) as error:
        pytest.fail(f"dryline: {error}", False)


def _asked(config: pytest.Config, name: str) -> Any:
    """An option's value: of the command line, or else of the configuration."""
    value = config.getoption(f"--dryline-{name}")
    return config.getini(f"dryline_{name}") if value is None else value


def _number(config: pytest.Config, name: str) -> int | None:
    value = _asked(config, name)
    try:
        return int(value) if value else None
    except ValueError:
        raise pytest.UsageError(f"dryline_{name} must be a number, not {value!r}.") from None


def _settings(config: pytest.Config) -> dict[str, Any]:
    return {
        "scenario": _scenario(config),
        "seed": _number(config, "seed"),
        "strict": _asked(config, "strict"),
    }


def _scenario(config: pytest.Config) -> str:
    """The scenario; a file's path is taken from where pytest was started, or from where the configuration lies."""
    on_the_line = config.getoption("--dryline-scenario") is not None
    ini = config.inipath.parent if config.inipath else config.rootpath
    return _found(_asked(config, "scenario"), Path(config.invocation_params.dir) if on_the_line else ini)


def _found(scenario: str, folder: Path) -> str:
    """A scenario's name as it is, a file's path from `folder`."""
    shipped = {file.stem for file in (Path(__file__).parent / "data").glob("*.json")}
    return scenario if scenario in {"empty", *shipped} else str(folder / scenario)

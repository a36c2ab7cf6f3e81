"""The pytest plugin: a stand-in as a fixture, and its request log in the report of a failing test.

pytest loads this module in every project that has dryline installed. Until a fixture is used, it imports only modules
that pytest has imported already.
"""

from __future__ import annotations

import contextlib
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, NamedTuple

import pytest

if TYPE_CHECKING:
    from dryline.testing import DrylineInProcess, StandIn


_FAILED = pytest.StashKey[bool]()  # set for a test that failed


class Option(NamedTuple):
    """An option of the command line (`--dryline-NAME`) and of the configuration (`dryline_NAME`)."""

    name: str
    help: str
    default: Any = None
    type: Literal["string", "bool"] = "string"


OPTIONS = (
    Option(
        "scenario",
        "the scenario of each test: empty, demo, another shipped one, or the file of a state document",
        "empty",
    ),
    Option("seed", "a number that makes ids and simulated content repeat"),
    Option("strict", "refuse unknown members and query parameters of requests", False, "bool"),
    Option("journal", "how many of the newest requests the report of a failing test shows; 0 shows none", "50"),
    Option("command", "the dryline command of another environment, used to start servers"),
    Option("url", "the address of a running server, used instead of starting one"),
    Option("token", "that server's admin token"),
    Option(
        "isolate",
        "point the vendor's client at an address that does not exist wherever no stand-in is used",
        False,
        "bool",
    ),
)


# Settings of the vendor's client that reach nothing: no name below .invalid resolves (RFC 6761).
NOWHERE = {"BRAINBASE_LABS_BASE_URL": "http://no-stand-in-here.invalid", "BRAINBASE_LABS_API_KEY": "dryline-local-key"}


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("dryline")
    for option in OPTIONS:
        action: dict[str, Any] = {"action": "store_true"} if option.type == "bool" else {"metavar": option.name.upper()}
        group.addoption(f"--dryline-{option.name}", default=None, help=option.help, **action)
        parser.addini(f"dryline_{option.name}", option.help, type=option.type, default=option.default)


def pytest_configure(config: pytest.Config) -> None:
    """Add the plugin's marker, and keep the session away from the real service if the option `isolate` is set."""
    config.addinivalue_line(
        "markers",
        "dryline(scenario, strict, export_mode, export_delay_ms, calls_per_minute): the start of the test's world.",
    )
    if _option(config, "isolate"):
        patch = pytest.MonkeyPatch()
        for name, value in NOWHERE.items():
            patch.setenv(name, value)
        config.add_cleanup(patch.undo)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Generator[None, Any, None]:
    """Add the newest requests to the report of a failing test."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if report.failed:
        item.stash[_FAILED] = True
    driver = sys.modules.get("dryline.testing.driver")
    if not report.failed or call.when == "teardown" or driver is None:
        return
    newest = _int_option(item.config, "journal")
    worlds = dict.fromkeys(one for one in getattr(item, "funcargs", {}).values() if isinstance(one, driver.Driver))
    for world in worlds if newest else ():
        try:
            text = world.journal(newest)
        except Exception as error:  # the server may have ended; do not hide the test's own failure
            text = f"The request log is not available: {error}"
        report.sections.append((f"Requests to {str(world)[1:-1]}", text))


@pytest.fixture(scope="session")
def dryline_server(pytestconfig: pytest.Config) -> Iterator[StandIn]:
    """Start a server on a free port for the session; with pytest-xdist one for each worker. Nothing resets it."""
    from dryline.testing import DrylineServer, connect

    if url := _option(pytestconfig, "url"):
        with _failing_without_traceback():
            server = connect(url, _option(pytestconfig, "token"))
        yield server
        return
    started = DrylineServer(command=_option(pytestconfig, "command"), **_settings(pytestconfig))
    with _failing_without_traceback():
        started.start()
    yield started
    started.stop()


@pytest.fixture
def dryline(
    dryline_server: StandIn, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StandIn]:
    """Reset the session's server and point the vendor's client to it through the environment."""
    scenario = None
    if _option(request.config, "url"):
        if hasattr(request.config, "workerinput"):
            pytest.fail(
                "Parallel workers would reset the same server of --dryline-url. Create a team for each test instead; "
                "clock, settings and snapshots are the server's.",
                False,
            )
        scenario = _scenario(request.config)
    _begin(dryline_server, request, scenario)
    for name, value in dryline_server.environment.items():
        monkeypatch.setenv(name, value)
    yield dryline_server
    _finish(dryline_server, request)


@pytest.fixture(scope="session")
def _dryline_process(pytestconfig: pytest.Config) -> Iterator[DrylineInProcess]:
    from dryline.testing import DrylineInProcess

    process = DrylineInProcess(**_settings(pytestconfig))
    with _failing_without_traceback():
        process.start()
    yield process
    process.stop()


@pytest.fixture
def dryline_in_process(
    _dryline_process: DrylineInProcess, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DrylineInProcess]:
    """Reset a world that is called without a socket. This is the fastest start for a test.

    Only clients of this fixture reach it. The environment points any other client at an address that does not exist,
    never at the real service.
    """
    _begin(_dryline_process, request)
    for name, value in NOWHERE.items():
        monkeypatch.setenv(name, value)
    yield _dryline_process
    _finish(_dryline_process, request)


def _begin(world: StandIn, request: pytest.FixtureRequest, scenario: str | None = None) -> None:
    """Reset the world as the markers of the test, its class and its module say; the nearest marker wins."""
    options: dict[str, Any] = {}
    for marker in reversed([*request.node.iter_markers("dryline")]):
        if marker.args:
            pytest.fail("@pytest.mark.dryline takes keyword arguments only.", False)
        options |= marker.kwargs
    if "scenario" in options:
        scenario = _resolve_scenario(options.pop("scenario"), request.path.parent)
    with _failing_without_traceback():
        world.reset(scenario)
        if options:
            try:
                world.settings(**options)
            except TypeError as error:
                pytest.fail(f"@pytest.mark.dryline: {str(error).split('() ')[-1]}.", False)


def _finish(world: StandIn, request: pytest.FixtureRequest) -> None:
    """Remove the snapshots that the test created, and fail a passed test whose fault rules were not applied."""
    from urllib.parse import quote

    from dryline.testing.plane import DrylineError
    from dryline.testing.traffic import created_through

    created = created_through(world)
    try:
        unused = world.unused_faults() if created.fault_ids and not request.node.stash.get(_FAILED, False) else []
        for name in created.snapshots:
            with contextlib.suppress(DrylineError):  # the test may have deleted it
                world.plane("DELETE", f"/snapshots/{quote(name, safe='')}")
    except DrylineError:  # the test ended the server
        unused = []
    created.fault_ids.clear()
    created.snapshots.clear()
    for rule in unused:
        target = " ".join(str(rule[name]) for name in ("method", "path", "preset") if rule.get(name))
        times = f"{rule['hits']} of {rule['times']} times" if rule.get("times") else "never"
        pytest.fail(
            f"The fault on {target or 'every request'} was applied {times}. "
            "If that is meant, pass unused_ok=True to fault().",
            False,
        )


@contextlib.contextmanager
def _failing_without_traceback() -> Iterator[None]:
    """Fail the test with one line instead of a traceback of dryline's code."""
    from dryline.settings import BadSetting
    from dryline.testing import DrylineError

    try:
        yield
    except (BadSetting, DrylineError) as error:
        pytest.fail(f"dryline: {error}", False)


def _option(config: pytest.Config, name: str) -> Any:
    """Return an option's value from the command line, else from the configuration."""
    value = config.getoption(f"--dryline-{name}")
    return config.getini(f"dryline_{name}") if value is None else value


def _int_option(config: pytest.Config, name: str) -> int | None:
    value = _option(config, name)
    try:
        return int(value) if value else None
    except ValueError:
        raise pytest.UsageError(f"dryline_{name} must be a number, not {value!r}.") from None


def _settings(config: pytest.Config) -> dict[str, Any]:
    return {
        "scenario": _scenario(config),
        "seed": _int_option(config, "seed"),
        "strict": _option(config, "strict"),
    }


def _scenario(config: pytest.Config) -> str:
    """Return the scenario. A path is relative to the working directory or, in the configuration, to its file."""
    on_the_line = config.getoption("--dryline-scenario") is not None
    ini = config.inipath.parent if config.inipath else config.rootpath
    return _resolve_scenario(_option(config, "scenario"), Path(config.invocation_params.dir) if on_the_line else ini)


def _resolve_scenario(scenario: str, folder: Path) -> str:
    """Return the name of a shipped scenario unchanged, and a file's path relative to `folder`."""
    shipped = {file.stem for file in (Path(__file__).parent / "data").glob("*.json")}
    return scenario if scenario in {"empty", *shipped} else str(folder / scenario)

"""The work of the plugin's fixtures. A module apart, so that the plugin imports nothing until it is used."""

from __future__ import annotations

import contextlib
import traceback
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar
from urllib.parse import quote, urlsplit

import pytest

from dryline.settings import BadSetting
from dryline.testing import journal
from dryline.testing.gate import REFUSED
from dryline.testing.plane import LONGEST_TIMEOUT_S, DrylineError, require_timeout
from dryline.testing.servers import DrylineInProcess, DrylineServer, Started
from dryline.testing.stand_in import Driver, StandIn, connect
from dryline.testing.traffic import created_by
from dryline.world.processes import ended_by_owner

if TYPE_CHECKING:
    from dryline.pytest_plugin import Gate

# The packages whose frames stand in the traceback of a request that they keep, and their names.
PATCHES = {
    "respx": "respx",
    "pytest_httpx": "pytest-httpx",
    "responses": "responses",
    "pytest_socket": "pytest-socket",
}

World = TypeVar("World", bound=StandIn)
UNCHECKED = pytest.StashKey[bool]()  # set for a test that failed or was skipped: its faults may be unused


class SessionServer(DrylineServer):
    """The server of a test session. Clients reach it through the plugin's gate, if there is one."""

    def __init__(self, gate: Gate | None, **settings: Any) -> None:
        if gate is not None:
            settings["public_url"] = gate.url
        super().__init__(**settings)
        self._gate = gate

    def _start_serving(self) -> None:
        super()._start_serving()
        if self._gate is None:
            return
        address = urlsplit(self.url)
        self._gate.server = (address.hostname or "", address.port or 0)
        self._running.enter_context(ended_by_owner(self._leave_gate))
        self._url = self._gate.url
        self._gate.open()

    def _leave_gate(self) -> None:
        if self._gate is not None:
            self._gate.server = None

    def open_gate(self) -> None:
        """Answer the requests of the running test."""
        if self._gate is not None:
            self._gate.open()


def start_server(config: pytest.Config, gate: Gate | None) -> StandIn:
    """Start the server of a session, or return the one of the option `url`."""
    with _failing_without_traceback():
        if url := _option(config, "url"):
            server = connect(url, _option(config, "token"), timeout_s=_timeout_s(config))
            newest = server.requests(limit=1)
            created_by(server).newest_number = (newest[0]["number"] or 0) if newest else 0
            return server
        return SessionServer(gate, command=_option(config, "command"), **_server_settings(config)).start()


def start_in_process(config: pytest.Config) -> DrylineInProcess:
    """Start the stand-in without a socket for a session."""
    with _failing_without_traceback():
        return DrylineInProcess(**_server_settings(config)).start()


def yield_and_stop(world: World, ignored: list[list[str]], notes: list[str]) -> Iterator[World]:
    """Yield a stand-in, and stop it. Adds the names that the API does not have to `ignored`, those of each request.

    `notes` are for the end of the session.
    """
    if world._other_version and world._other_version not in notes:
        notes.append(world._other_version)
    yield world
    _collect_ignored_names(world)
    ignored += created_by(world).ignored
    if isinstance(world, Started):
        created_by(world).fault_ids.clear()  # those of tests are checked after each one
        world.stop()


@contextlib.contextmanager
def reset_for_test(world: StandIn, request: pytest.FixtureRequest) -> Iterator[None]:
    """Reset a stand-in for a test, and check and tidy up what the test created."""
    scenario = None
    if not isinstance(world, Started):  # the server of the option `url`
        if hasattr(request.config, "workerinput"):
            pytest.fail(
                "Parallel workers would reset the same server of --dryline-url. Create a team for each test instead; "
                "clock, settings and snapshots are the server's.",
                pytrace=False,
            )
        scenario = _configured_scenario(request.config)
    elif isinstance(world, SessionServer):
        world.open_gate()
    options = _marker_options(request.node)
    if "scenario" in options:
        scenario = _resolve_scenario(options.pop("scenario"), request.path.parent)
    _collect_ignored_names(world)
    with _failing_without_traceback():
        world.reset(scenario)
        if options:
            try:
                world.settings(**options)
            except TypeError as error:
                pytest.fail(f"@pytest.mark.dryline: {str(error).split('() ')[-1]}.", pytrace=False)
    yield
    _check_and_tidy_up(world, request.node)


def sections_of_failed_test(item: pytest.Item, call: pytest.CallInfo[None], gate: Gate | None) -> list[tuple[str, str]]:
    """Return what a failing test's report says of its stand-ins, and note that it failed."""
    item.stash[UNCHECKED] = True
    newest = _int_option(item.config, "journal") or 0
    sections: list[tuple[str, str]] = []
    values = getattr(item, "funcargs", {}).values() if newest and call.when != "teardown" else ()
    for world in dict.fromkeys(value for value in values if isinstance(value, Driver)):
        try:
            sections += journal.report_sections(world, newest)
        except Exception as error:  # the server may have ended; do not hide the test's own failure
            sections.append((f"Requests to {str(world)[1:-1]}", f"The request log is not available: {error}"))
    sentence = item.stash.get(REFUSED, None)
    if sentence is None and call.excinfo and "_dryline_session_server" in getattr(item, "fixturenames", ()):
        sentence = _describe_patch(call.excinfo.value, gate)
    return [*sections, ("dryline", sentence)] if sentence else sections


def _describe_patch(error: BaseException, gate: Gate | None) -> str | None:
    """Return which tool has patched the client and kept a request from dryline; None if none of these did."""
    chain: list[BaseException] = []
    while error not in chain:
        chain.append(error)
        error = error.__cause__ or error.__context__ or error
    # A request to another address, which the tool has refused, is the test's own affair.
    is_to_dryline = gate is None or any(f":{gate.number}" in str(one) for one in chain)
    for one in chain:
        for frame, _ in traceback.walk_tb(one.__traceback__):
            package = frame.f_globals.get("__name__", "").partition(".")[0]
            if package == "pytest_socket" or (package in PATCHES and is_to_dryline):
                tool = PATCHES[package]
                return f"{tool} kept a request of this test from dryline: see Beside other tools in docs/recipes.md."
    return None


def _marker_options(item: pytest.Item) -> dict[str, Any]:
    """Return the options of the markers of a test, its class and its module; the nearest marker wins."""
    options: dict[str, Any] = {}
    for marker in reversed([*item.iter_markers("dryline")]):
        if marker.args:
            pytest.fail("@pytest.mark.dryline takes keyword arguments only.", pytrace=False)
        options |= marker.kwargs
    options.pop("isolate", None)
    return options


def _check_and_tidy_up(world: StandIn, item: pytest.Item) -> None:
    """Remove faults and snapshots of the test, and fail a passed test whose fault rules were not applied."""
    created = created_by(world)
    try:
        unused = world.unused_faults() if created.fault_ids and not item.stash.get(UNCHECKED, False) else []
        world.plane("DELETE", "/faults")
        for name in created.snapshots:
            with contextlib.suppress(DrylineError):  # the test may have deleted it
                world.plane("DELETE", f"/snapshots/{quote(name, safe='')}")
    except DrylineError:  # the test ended the server
        unused = []
    created.fault_ids.clear()
    created.snapshots.clear()
    if unused:
        newest = _int_option(item.config, "journal")
        log = [world.journal(newest)] if newest else []
        pytest.fail("\n".join([*(journal.format_unused_fault(world, rule) for rule in unused), *log]), pytrace=False)


def _collect_ignored_names(world: StandIn) -> None:
    """Keep the names that the API does not have, of requests since the last call."""
    created = created_by(world)
    with contextlib.suppress(DrylineError):  # a test has ended the server
        entries = world.plane("GET", "/requests", query={"after": created.newest_number, "limit": 10_000})
        created.newest_number = max((entry["number"] or 0 for entry in entries), default=created.newest_number)
        created.ignored += [entry["ignored"] for entry in entries if entry["ignored"]]


@contextlib.contextmanager
def _failing_without_traceback() -> Iterator[None]:
    """Fail the test with one line instead of a traceback of dryline's code."""
    try:
        yield
    except (BadSetting, DrylineError) as error:
        pytest.fail(f"dryline: {error}", pytrace=False)


def _resolve_scenario(scenario: str, folder: Path) -> str:
    """Return the name of a shipped scenario unchanged, and a file's path relative to `folder`."""
    shipped = {file.stem for file in (Path(__file__).parents[1] / "data").glob("*.json")}
    return scenario if scenario in {"empty", *shipped} else str(folder / scenario)


def _option(config: pytest.Config, name: str) -> Any:
    """Return an option's value from the command line, else from the configuration."""
    value = config.getoption(f"--dryline-{name}")
    return config.getini(f"dryline_{name.replace('-', '_')}") if value is None else value


def _int_option(config: pytest.Config, name: str) -> int | None:
    value = _option(config, name)
    try:
        return int(value) if value else None
    except ValueError:
        raise pytest.UsageError(f"dryline_{name} must be a number, not {value!r}.") from None


def _timeout_s(config: pytest.Config) -> float:
    value = _option(config, "timeout")
    try:
        return require_timeout(float(value))
    except (ValueError, DrylineError):
        longest = f"{LONGEST_TIMEOUT_S:,.0f}"
        message = f"dryline_timeout must be a number of seconds above 0 and at most {longest}, not {value!r}."
        raise pytest.UsageError(message) from None


def _server_settings(config: pytest.Config) -> dict[str, Any]:
    return {
        "timeout_s": _timeout_s(config),
        "scenario": _configured_scenario(config),
        "seed": _int_option(config, "seed"),
        "strict": _option(config, "strict"),
        "webhook_hosts": (_option(config, "webhook-hosts") or "").replace(",", " ").split(),
    }


def _configured_scenario(config: pytest.Config) -> str:
    """Return the scenario. A path is relative to the working directory or, in the configuration, to its file."""
    on_the_line = config.getoption("--dryline-scenario") is not None
    ini = config.inipath.parent if config.inipath else config.rootpath
    return _resolve_scenario(_option(config, "scenario"), Path(config.invocation_params.dir) if on_the_line else ini)

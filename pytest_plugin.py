"""The pytest plugin: a stand-in as a fixture, and a session that does not reach the real service.

pytest loads this module in every project that has dryline installed. Until a fixture is used or a request comes in, it
imports only modules that pytest has imported already. PYTEST_DONT_REWRITE: it has no test assertion to explain.
"""

from __future__ import annotations

import contextlib
import json
import os
import select
import signal
import socket
import sys
import threading
from collections.abc import Generator, Iterator, Mapping
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest
from iniconfig import IniConfig, ParseError  # a part of pytest

if TYPE_CHECKING:
    from dryline.testing import DrylineInProcess, StandIn

# Each is a flag (`--dryline-NAME`) and an option of the configuration (`dryline_NAME`), with a default and a help.
OPTIONS: dict[str, tuple[str | bool | None, str]] = {
    "scenario": ("empty", "the scenario of each test: a shipped one, such as demo, or a state document's file"),
    "seed": (None, "a number; ids and simulated content repeat"),
    "strict": (False, "refuse body members and query parameters that the API does not have"),
    "journal": ("50", "how many requests the report of a failing test shows; 0 shows none"),
    "webhook-hosts": (None, "hosts besides loopback that webhooks and flows may call, separated by commas"),
    "command": (None, "start servers with this command of another environment"),
    "url": (None, "use this running server"),
    "token": (None, "that server's admin token"),
    "timeout": ("30", "how many seconds a helper waits for an answer"),
}
URL, KEY = "BRAINBASE_LABS_BASE_URL", "BRAINBASE_LABS_API_KEY"
# The files in which pytest looks for its configuration, each with the section that it needs there, if any.
CONFIGURATION_FILES: dict[str, str | None] = {
    **dict.fromkeys(("pytest.toml", ".pytest.toml", "pytest.ini", ".pytest.ini")),
    "pyproject.toml": "tool.pytest",
    "tox.ini": "pytest",
    "setup.cfg": "tool:pytest",
}
# The session's address and what it replaced, for processes that inherit it, such as the workers of pytest-xdist.
_INHERITED = "_DRYLINE_REPLACED"

# The address that the vendor's client gets for the session, and the variables that this replaces.
_isolation: pytest.StashKey[tuple[str, dict[str, str | None]]] = pytest.StashKey()
_gate: pytest.StashKey[Gate] = pytest.StashKey()
_ignored: pytest.StashKey[list[list[str]]] = pytest.StashKey()  # names that the API does not have, for each request
_refused: pytest.StashKey[list[str]] = pytest.StashKey()  # passing tests whose requests were refused
_notes: pytest.StashKey[list[str]] = pytest.StashKey()  # sentences for the end of the session
_suspended: pytest.StashKey[pytest.MonkeyPatch] = pytest.StashKey()  # of a test that is not isolated


class Gate:
    """A port in place of the real service, from the start of the session to its end.

    A thread accepts each connection. While a test uses the session's server, the connection is passed on to it; at all
    other times its request is refused with a sentence.
    """

    def __init__(self) -> None:
        self._listening = socket.create_server(("127.0.0.1", 0), backlog=1024)
        self.number: int = self._listening.getsockname()[1]
        self.url = f"http://127.0.0.1:{self.number}"
        self.item: pytest.Item | None = None  # the test that runs
        self.server: tuple[str, int] | None = None  # the address of the session's server while that runs
        self._is_open = False
        self._lock = threading.Lock()
        self._passed_on: set[socket.socket] = set()  # connections of clients with the server
        self._end, self._ended = socket.socketpair()  # the second has something to read once the first is closed
        self._thread = threading.Thread(target=self._accept_all, name="dryline-gate", daemon=True)
        self._thread.start()

    def begin_test(self, item: pytest.Item) -> None:
        """Let a test use the server if it has the fixture, and refuse its requests otherwise."""
        self.item = item
        if "_dryline_session_server" in getattr(item, "fixturenames", ()):
            self.open()
        else:
            self._shut()

    def open(self) -> None:
        """Let requests reach the server."""
        self._is_open = True

    def _shut(self) -> None:
        """Refuse requests, also those of clients that have a connection with the server."""
        with self._lock:
            self._is_open = False
            for connection in self._passed_on:
                with contextlib.suppress(OSError):  # the client has gone
                    connection.shutdown(socket.SHUT_RDWR)

    def admit(self, connection: socket.socket) -> tuple[str, int] | None:
        """Return the address of the server for a new connection, or None if its request is refused."""
        with self._lock:
            address = self.server if self._is_open else None
            if address is not None:
                self._passed_on.add(connection)
            return address

    def forget(self, connection: socket.socket) -> None:
        """Forget a connection before it is closed."""
        with self._lock:
            self._passed_on.discard(connection)

    def close(self) -> None:
        """Give the port back. In a forked child, which has no such thread, the parent keeps it."""
        self._end.close()
        if self._thread.is_alive():
            self._thread.join()
        self._listening.close()

    def _accept_all(self) -> None:
        if hasattr(signal, "pthread_sigmask"):  # not on Windows
            # A signal that this thread got would not wake the main thread: Ctrl-C would wait for the test's end.
            signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals())
        while self._ended not in select.select([self._listening, self._ended], (), ())[0]:
            try:
                connection, _ = self._listening.accept()
            except Exception:  # the client has gone, or a test has replaced socket.socket
                continue
            from dryline.testing.gate import serve_connection  # noqa: PLC0415  # 25 ms with the others

            threading.Thread(target=serve_connection, args=(connection, self), daemon=True).start()
        self._ended.close()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the plugin's options."""
    group = parser.getgroup("dryline")
    for name, (default, help) in OPTIONS.items():
        is_flag = default is False
        group.addoption(f"--dryline-{name}", default=None, help=help, action="store_true" if is_flag else "store")
        kind: Literal["bool", "string"] = "bool" if is_flag else "string"
        parser.addini(f"dryline_{name.replace('-', '_')}", help, type=kind, default=default)
    parser.addini("dryline_isolate", "keep the vendor's client from the real service", type="bool", default=True)


@pytest.hookimpl(tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config, args: list[str]) -> None:
    """Give the vendor's client another address before a conftest.py can make one.

    Raises UsageError if the value of an option has replaced the project's configuration.
    """
    _require_own_configuration(early_config, args)
    switch = os.environ.get("DRYLINE_ISOLATE") or str(early_config.getini("dryline_isolate"))
    if switch.lower() in ("0", "false", "no", "off"):
        return
    url = early_config.known_args_namespace.dryline_url or early_config.getini("dryline_url")
    url = url or _find_gate(early_config).url
    variables = {URL: url, KEY: "dryline-local-key", **_direct_variables(url)}
    replaced = {name: os.environ.get(name) for name in variables}
    outer_url, replaced_before = json.loads(os.environ.get(_INHERITED, '["", {}]'))
    isolation = url, replaced | replaced_before if outer_url == replaced[URL] else replaced
    early_config.stash[_isolation] = isolation
    variables[_INHERITED] = json.dumps(isolation)
    early_config.add_cleanup(_set_variables(variables).undo)


def _require_own_configuration(config: pytest.Config, args: list[str]) -> None:
    """Raise UsageError if pytest reads its configuration elsewhere because of a path that is the value of an option.

    pytest looks for its configuration before it knows the options of plugins, and takes a path behind a blank for one
    of tests.
    """
    flags = {f"--dryline-{name}" for name, (default, _) in OPTIONS.items() if default is not False}
    values = [(flag, value) for flag, value in pairwise(args) if flag in flags and os.path.exists(value)]
    if not values or config.known_args_namespace.inifilename:
        return
    paths = (path.partition("::")[0] for path in config.known_args_namespace.file_or_dir)
    folders = [_absolute_folder(path) for path in paths if os.path.exists(path)]
    common = Path(os.path.commonpath(folders)) if folders else config.invocation_params.dir
    # If pytest finds nothing from their common folder upwards, it looks from each folder, unless --rootdir names one.
    starts = [common] if config.known_args_namespace.rootdir else [common, *map(Path, folders)]
    if _find_configuration(starts, config.inipath) != config.inipath:
        options = " ".join(f"{flag}={value}" for flag, value in values)
        configuration = f"the configuration {config.inipath}" if config.inipath else "no configuration"
        raise pytest.UsageError(
            f"Write {options}, without a blank. pytest takes a path behind a blank for one of tests, and reads "
            f"{configuration} because of it."
        )


def _absolute_folder(path: str) -> str:
    """Return the absolute path of a folder, or of the folder of a file."""
    absolute = os.path.abspath(path)
    return absolute if os.path.isdir(absolute) else os.path.dirname(absolute)


def _find_configuration(starts: list[Path], inipath: Path | None) -> Path | None:
    """Return the first file with a section for pytest from a folder upwards, or `inipath` at its folder."""
    for start in starts:
        for folder in (start, *start.parents):
            if inipath and folder == inipath.parent:
                return inipath
            for name in CONFIGURATION_FILES:
                if _has_configuration(folder / name):
                    return folder / name
    return None


def _has_configuration(file: Path) -> bool:
    """Return whether a file exists and has the section for pytest. Of a file that cannot be read, pytest says so."""
    section = CONFIGURATION_FILES[file.name]
    if section is None or not file.is_file():
        return file.is_file()
    text = file.read_text(errors="replace")
    try:
        if file.suffix == ".toml":
            import tomllib  # noqa: PLC0415  # pytest imports it only for such a file

            return bool(tomllib.loads(text).get("tool", {}).get("pytest"))
        return section in IniConfig(file, text)
    except (ParseError, ValueError):
        return True


def pytest_configure(config: pytest.Config) -> None:
    """Add the plugin's marker."""
    output = getattr(config, "workeroutput", {})
    config.stash[_ignored] = output.setdefault("dryline_ignored", [])
    config.stash[_refused] = output.setdefault("dryline_refused", [])
    config.stash[_notes] = output.setdefault("dryline_notes", [])
    config.addinivalue_line(
        "markers",
        "dryline(scenario, strict, export_mode, export_delay_ms, export_outcome, export_error, calls_per_minute, "
        "isolate): the start of the test's world. With isolate=False, clients that the test makes reach the real "
        "service.",
    )


def pytest_report_header(config: pytest.Config) -> list[str]:
    """Name the address that was replaced."""
    if not (isolation := config.stash.get(_isolation, None)):
        return []
    url, replaced = isolation
    service = replaced[URL] or "the real service"
    return [f"dryline: the vendor's client uses {url}, not {service} (DRYLINE_ISOLATE=0 switches this off)"]


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Refuse the requests of a test without a fixture, and restore the variables for one whose marker says so."""
    if gate := item.config.stash.get(_gate, None):
        gate.begin_test(item)

    own_marks = [mark for mark in item.own_markers if mark.name == "dryline"]
    sets_up_world = any(mark.kwargs.keys() - {"isolate"} for mark in own_marks)
    has_fixture = not {"dryline", "dryline_in_process"}.isdisjoint(getattr(item, "fixturenames", ()))
    if sets_up_world and not has_fixture:
        item.warn(pytest.PytestWarning("The mark dryline does nothing: the test has no fixture that it is for."))

    marks = (mark.kwargs["isolate"] for mark in item.iter_markers("dryline") if "isolate" in mark.kwargs)
    is_isolated = next(marks, True)  # the nearest mark counts
    isolation = item.config.stash.get(_isolation, None)
    if not is_isolated and isolation:
        _, replaced = isolation
        item.stash[_suspended] = _set_variables(replaced)


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_teardown(item: pytest.Item) -> Generator[None, None, None]:
    """Answer requests again, as fixtures of a wider scope may end now, and set the variables again."""
    if _was_refused(item):
        item.config.stash[_refused].append(item.nodeid)
    if gate := item.config.stash.get(_gate, None):
        gate.open()
    yield
    if patch := item.stash.get(_suspended, None):
        patch.undo()


def _was_refused(item: pytest.Item) -> bool:
    """Return whether a request of a test was kept from the real service, and no report of the test has said so."""
    if "dryline.testing.gate" not in sys.modules:  # no request has come in
        return False
    from dryline.testing.fixtures import UNCHECKED  # noqa: PLC0415  # see above
    from dryline.testing.gate import REFUSED  # noqa: PLC0415  # see above

    return REFUSED in item.stash and UNCHECKED not in item.stash


@pytest.hookimpl(hookwrapper=True, tryfirst=True)
def pytest_runtest_makereport(
    item: pytest.Item, call: pytest.CallInfo[None]
) -> Generator[None, pytest.TestReport, None]:
    """Add the newest requests to the report of a failing test, and as its last line why one was refused."""
    outcome = yield
    report: pytest.TestReport = outcome.get_result()
    if report.skipped and "dryline.testing" in sys.modules:
        from dryline.testing.fixtures import UNCHECKED  # noqa: PLC0415  # see above

        item.stash[UNCHECKED] = True
    if report.failed and "dryline.testing" in sys.modules:
        from dryline.testing.fixtures import sections_of_failed_test  # noqa: PLC0415  # 25 ms with the others

        report.sections += sections_of_failed_test(item, call, item.config.stash.get(_gate, None))


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: Any, error: object) -> None:
    """Take over what a worker of pytest-xdist has counted."""
    output = getattr(node, "workeroutput", {})
    node.config.stash[_ignored] += output.get("dryline_ignored", [])
    node.config.stash[_refused] += output.get("dryline_refused", [])
    node.config.stash[_notes] += output.get("dryline_notes", [])


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    """Name a server of another version.

    Count the requests with names that the API does not have, and name passing tests whose requests were refused.
    """
    for note in sorted({*config.stash[_notes]}):
        terminalreporter.write_line(note, yellow=True)
    if refused := config.stash[_refused]:
        tests = f"{refused[0]} and {len(refused) - 1} more" if len(refused) > 1 else refused[0]
        sentence = f"dryline kept requests of passing tests from the real service: {tests}. Add the fixture dryline."
        terminalreporter.write_line(sentence, yellow=True)
    if ignored := config.stash[_ignored]:
        from dryline.testing.journal import format_ignored  # noqa: PLC0415  # 25 ms with the others

        terminalreporter.write_line(format_ignored(ignored), yellow=True)


@pytest.fixture(scope="session")
def _dryline_session_server(pytestconfig: pytest.Config) -> Iterator[StandIn]:
    from dryline.testing.fixtures import start_server, yield_and_stop  # noqa: PLC0415  # 25 ms with the others

    server = start_server(pytestconfig, pytestconfig.stash.get(_gate, None))
    yield from yield_and_stop(server, pytestconfig.stash[_ignored], pytestconfig.stash[_notes])


@pytest.fixture(scope="session")
def dryline_server(_dryline_session_server: StandIn) -> StandIn:
    """Start a server on a free port; with pytest-xdist one for each worker. Nothing resets it."""
    return _dryline_session_server


@pytest.fixture
def dryline(
    _dryline_session_server: StandIn, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[StandIn]:
    """Reset the session's server and point the vendor's client to it through the environment."""
    from dryline.testing.fixtures import reset_for_test  # noqa: PLC0415  # 25 ms with the others

    with reset_for_test(_dryline_session_server, request):
        _set_variables(_dryline_session_server.environment, monkeypatch)
        yield _dryline_session_server


@pytest.fixture(scope="session")
def _dryline_session_in_process(pytestconfig: pytest.Config) -> Iterator[DrylineInProcess]:
    from dryline.testing.fixtures import start_in_process, yield_and_stop  # noqa: PLC0415  # 25 ms with the others

    yield from yield_and_stop(start_in_process(pytestconfig), pytestconfig.stash[_ignored], pytestconfig.stash[_notes])


@pytest.fixture
def dryline_in_process(
    _dryline_session_in_process: DrylineInProcess, request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[DrylineInProcess]:
    """Reset a world that is called without a socket, the fastest start. Only clients of this fixture reach it."""
    from dryline.testing.fixtures import reset_for_test  # noqa: PLC0415  # 25 ms with the others

    gate = _find_gate(request.config)
    gate.item = request.node
    with reset_for_test(_dryline_session_in_process, request):
        _set_variables(
            {URL: gate.url, KEY: _dryline_session_in_process.api_key, **_direct_variables(gate.url)}, monkeypatch
        )
        yield _dryline_session_in_process


def _find_gate(config: pytest.Config) -> Gate:
    """Return the session's gate, which begins when it is first needed."""
    if _gate not in config.stash:
        config.stash[_gate] = Gate()
        config.add_cleanup(config.stash[_gate].close)
    return config.stash[_gate]


def _direct_variables(url: str) -> dict[str, str]:
    """Return the variables with which clients reach a server without the proxy that the environment names, if any."""
    if not any(name[-6:].lower() == "_proxy" for name in os.environ):
        return {}
    from dryline.world.proxies import direct_variables  # noqa: PLC0415  # 25 ms with the others

    return direct_variables(url)


def _set_variables(values: Mapping[str, str | None], patch: pytest.MonkeyPatch | None = None) -> pytest.MonkeyPatch:
    """Set environment variables, or remove those that are None. Undoing the patch restores them."""
    patch = patch or pytest.MonkeyPatch()
    for name, value in values.items():
        patch.delenv(name, raising=False) if value is None else patch.setenv(name, value)
    return patch

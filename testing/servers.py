"""Stand-ins that a test starts: on a socket, by a command, or in the same process without a socket."""

from __future__ import annotations

import json
import os
import secrets
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import fields
from importlib import import_module
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

from dryline.settings import DEFAULT_API_KEY, END_WITH, BadSetting, Settings, flag_of, make_settings
from dryline.testing import journal
from dryline.testing.plane import TIMEOUT_S, DrylineError, NoReply, PlaneReply, Sender, in_process, over_http
from dryline.testing.real_files import real_files
from dryline.testing.stand_in import StandIn
from dryline.world.processes import ended_by_owner
from dryline.world.real_time import monotonic

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from dryline.testing.transports import Transport

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

# How long a command may take to start serving, which may include installing dryline, and to end.
START_S, END_S = 120.0, 10.0

_NOT_RUNNING = "The stand-in does not run."


class Started(StandIn):
    """A stand-in that runs within a `with` block, or from `start` to `stop`.

    Takes every field of `dryline.settings.Settings` (docs/settings.md) as a keyword. Its state is temporary unless
    `data_dir` is passed, and empty unless `scenario` is.
    """

    def __init__(self, *, timeout_s: float = TIMEOUT_S, **settings: Any) -> None:
        super().__init__(timeout_s=timeout_s)
        self._process_id: int | None = None  # of the process that has started it, while it runs
        self._sender: Sender
        defaults = {"scenario": "empty", "ephemeral": "data_dir" not in settings}
        self._settings: dict[str, Any] = defaults | settings
        self._token = settings.get("admin_token")
        node = settings.get("node")
        default_key = f"dl_{node}_local-key" if node else DEFAULT_API_KEY
        self.api_key = (settings.get("api_keys") or (default_key,))[0]
        self._running = ExitStack()

    def start(self) -> Self:
        """Start. Raises BadSetting for settings that cannot work."""
        try:
            with real_files():
                self._start_serving()
        except BaseException:
            self._running.close()
            raise
        self._process_id = os.getpid()
        return self

    def _start_serving(self) -> None:
        raise NotImplementedError

    def _enter_in_this_process(self, how: Literal["running_app", "in_thread"]) -> Any:
        """Enter a context manager of `dryline.serving.server`, named `how`, with these settings."""
        # Imported by name, so that a type checker of another project does not read the whole server.
        try:
            server = import_module("dryline.serving.server")
        except ModuleNotFoundError as error:
            raise DrylineError(
                f"dryline's server needs {error.name}, which is not installed. Start a server of another environment: "
                'DrylineServer(command="…/bin/dryline"), or --dryline-command=…/bin/dryline for the fixtures. Or use a '
                "running one: connect(url), or --dryline-url=ADDRESS."
            ) from None
        settings = make_settings(self._settings)
        return self._running.enter_context(getattr(server, how)(settings))

    def stop(self) -> None:
        """Finish the requests in progress, stop, and remove a temporary world. A forked child leaves it running.

        Raises DrylineError afterwards if a rule of `fault()` was never applied, or less than `times` times.
        """
        unused = self._describe_unused_faults()
        self._process_id = None
        self._running.close()
        if unused:
            raise DrylineError("\n".join(unused))

    def _describe_unused_faults(self) -> list[str]:
        """Return why rules were not applied. A server that has ended has none."""
        if not self._created.fault_ids or self._process_id is None or self._is_in_forked_child:
            return []
        with suppress(DrylineError):
            return [journal.format_unused_fault(self, rule) for rule in self.unused_faults()]
        return []

    def _require_running(self) -> None:
        """Raise DrylineError if the stand-in has not been started or has been stopped."""
        if self._process_id is None:
            raise DrylineError(_NOT_RUNNING)

    @property
    def app(self) -> WSGIApplication:
        """The WSGI application. Raises DrylineError if the server runs in another process."""
        self._require_running()
        if self._is_in_forked_child:
            raise DrylineError(f"{self} runs in the parent process; only its address can be used.")
        return super().app

    @property
    def _is_in_forked_child(self) -> bool:
        """Whether this is a copy in a forked child, which must not touch the parent's database."""
        return self._process_id != os.getpid()

    def _send(self, *arguments: Any, **options: Any) -> PlaneReply:
        self._require_running()
        sender = over_http(self.url) if self._is_in_forked_child else self._sender
        return sender(*arguments, **options)

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, kind: object, *exc: object) -> None:
        if kind is not None:  # the block's own error matters more than rules that it has not come to
            self._created.fault_ids.clear()
        self.stop()

    def transport(self) -> Transport:
        """Return a transport for `httpx.Client`, without a socket."""
        from dryline.testing.transports import Transport  # noqa: PLC0415  # an optional package

        self._require_running()
        return Transport(self)

    def async_transport(self) -> Transport:
        """Return a transport for `httpx.AsyncClient`, without a socket."""
        return self.transport()


class DrylineServer(Started):
    """A stand-in on a socket, on a free port unless `port` is passed, served by a thread of this process.

    With `command`, such as `path/to/venv/bin/dryline`, that program runs as a process of its own; pass a list if the
    path contains a blank. A helper waits for an answer for 30 s, or `timeout_s`. `settings` are those of
    docs/settings.md, such as `scenario="demo"`.
    """

    def __init__(
        self, *, command: str | Sequence[str] | None = None, timeout_s: float = TIMEOUT_S, **settings: Any
    ) -> None:
        settings.setdefault("port", 0)
        super().__init__(timeout_s=timeout_s, **settings)
        self._command = shlex.split(command) if isinstance(command, str) else command
        self._url: str | None = None

    @property
    def url(self) -> str:  # type: ignore[override]  # it is there when the server has started
        """The address of the server. Raises DrylineError before the start."""
        if self._url is None:
            raise DrylineError(_NOT_RUNNING)
        return self._url

    def _start_serving(self) -> None:
        if self._command is None:
            server = self._enter_in_this_process("in_thread")
            self._application, self._url, self._sender = server.app, server.url, in_process(server.app, server.url)
        else:
            command = [*self._command, "serve", *serve_flags(self._settings)]
            self._url = self._running.enter_context(_process_in_block(command))
            self._sender = over_http(self._url)
            # After `_sender`, and before the server counts as running, which `plane` would require.
            health = json.loads(self._sender("GET", "/_dryline/health", {}, timeout_s=self.timeout_s).content)
            self._compare_version(health["version"])


class DrylineInProcess(Started):
    """A stand-in without a socket."""

    url = "http://dryline.local"

    def __init__(self, *, timeout_s: float = TIMEOUT_S, **settings: Any) -> None:
        settings["allowed_hosts"] = (*settings.get("allowed_hosts", ()), urlsplit(self.url).netloc)
        super().__init__(timeout_s=timeout_s, **settings)

    def _require_running(self) -> None:
        """Raise DrylineError if the stand-in does not run, or runs in the parent process, where nothing reaches it."""
        super()._require_running()
        if self._is_in_forked_child:
            raise DrylineError("The stand-in runs in the parent process, without a socket.")

    def _start_serving(self) -> None:
        self._application = self._enter_in_this_process("running_app")
        self._application.world.address = self.url
        self._sender = in_process(self._application, self.url)
        exchange = import_module("dryline.world.exchange")

        def send_to_own_inbox(*arguments: Any, **options: Any) -> Any:
            try:
                reply = self._sender(*arguments, **options)
            except NoReply as error:
                raise exchange.Unanswered(str(error)) from None
            return exchange.HttpResponse(reply.status, {}, reply.content)

        self._application.world.outgoing.own_host = urlsplit(self.url).hostname
        self._application.world.outgoing.send_to_own_inbox = send_to_own_inbox

    def _transport(self) -> dict[str, Any]:
        return {"transport": self.transport()}


def transport(**settings: Any) -> Transport:
    """Start a stand-in and return an httpx transport to it. `transport().dryline` is the stand-in; closing ends it.

    `httpx.Client(transport=testing.transport(), base_url="http://dryline.local")`.
    """
    from dryline.testing.transports import Transport  # noqa: PLC0415  # an optional package

    return Transport(DrylineInProcess(**settings).start(), owned=True)


def async_transport(**settings: Any) -> Transport:
    """Start a stand-in and return an httpx transport for `httpx.AsyncClient`."""
    return transport(**settings)


def serve_flags(settings: dict[str, Any]) -> list[str]:
    """Return settings as the flags of `dryline serve`. Raises BadSetting for one that has no flag."""
    words: list[str] = []
    declared = {setting.name: setting for setting in fields(Settings)}
    for name, value in settings.items():
        flag = flag_of(declared[name]) if name in declared else "--" + name.replace("_", "-")
        if flag is None:
            raise BadSetting(f"{name} has no flag: call settings({name}=…) once the server runs.")
        if isinstance(value, bool):
            words += [flag] if value else []
        elif isinstance(value, list | tuple):
            words += [word for each in value for word in (flag, str(each))]
        elif value is not None:
            words += [flag, str(value)]
    return words


@contextmanager
def _process_in_block(command: list[str]) -> Iterator[str]:
    """Start a server and yield its address; end it with the block. Raises BadSetting if it does not start.

    It takes no setting from the variables of this process, and ends with this process, however that ends.
    """
    variables = {name: value for name, value in os.environ.items() if not name.startswith("DRYLINE_")}
    variables[END_WITH] = str(os.getpid())
    ready = Path(tempfile.gettempdir(), f"dryline-ready-{secrets.token_hex(16)}.json")  # the server removes it
    with tempfile.TemporaryFile() as output:
        command = [*command, "--ready-file", str(ready)]
        try:
            # In a process group of its own, so that a launcher such as uvx ends with it.
            process = subprocess.Popen(command, stdout=output, stderr=output, env=variables, start_new_session=True)
        except OSError as error:
            raise BadSetting(f"{command[0]} cannot be started: {error.strerror}.") from None

        def end() -> None:
            _end_process(process)
            ready.unlink(missing_ok=True)

        with ended_by_owner(end):
            yield _wait_for_address(process, ready, output)


def _wait_for_address(process: subprocess.Popen[bytes], ready: Path, output: IO[bytes]) -> str:
    deadline = monotonic() + START_S
    while not ready.exists():
        if process.poll() is not None:
            raise BadSetting(_output_text(output) or f"The server ended at once, with exit code {process.returncode}.")
        if monotonic() > deadline:
            raise BadSetting(f"The server does not answer after {START_S:g} s: {_output_text(output)}")
        time.sleep(0.01)
    url: str = json.loads(ready.read_text())["url"]
    return url


def _output_text(output: IO[bytes]) -> str:
    output.seek(0)
    return output.read().decode(errors="replace").strip()


def _end_process(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            deadline = monotonic() + END_S  # Popen.wait would ask a clock that tests may have stopped
            while process.poll() is None and monotonic() < deadline:
                time.sleep(0.01)

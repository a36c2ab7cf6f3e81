"""Stand-ins that a test starts: on a socket, in this process or by a command, and without a socket."""

from __future__ import annotations

import json
import os
import shlex
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self
from urllib.parse import urlsplit

from dryline.settings import DEFAULT_API_KEY, BadSetting
from dryline.testing.plane import DrylineError, by_call, over_http
from dryline.testing.stand_in import StandIn

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

    from dryline.testing.transports import AsyncTransport, Transport

# How long a command may take to serve, in seconds: it may have to install dryline first. And to end.
START_S, END_S = 120.0, 10.0
# Flags whose names are not their settings'; `dryline serve --help` has them.
_FLAGS = {"api_keys": "--api-key", "cors_origins": "--cors-origin", "allowed_hosts": "--allowed-host"}
# What only a server of this process is told at its start; `settings` tells the others.
_LIVE = ("export_mode", "export_delay_ms", "calls_per_minute")


class Started(StandIn):
    """A stand-in that lives as long as this object's `with`, or from `start` to `stop`.

    Every keyword of `dryline.settings.Settings` may be given; state is ephemeral and empty unless `data_dir` or
    `scenario` says more.
    """

    def __init__(self, *, scenario: str = "empty", seed: int | None = None, **settings: Any) -> None:
        self._settings = {"scenario": scenario, "seed": seed, "ephemeral": "data_dir" not in settings} | settings
        self._token = settings.get("admin_token")
        node = settings.get("node")
        usual = f"dl_{node}_local-key" if node else DEFAULT_API_KEY
        self.api_key = (settings.get("api_keys") or (usual,))[0]
        self._running = ExitStack()
        self._application: Any = None

    def start(self) -> Self:
        """Open the world and let its jobs run. Raises BadSetting when the settings cannot work."""
        self._begin()
        return self

    def _begin(self) -> None:
        raise NotImplementedError

    def _in_this_process(self, how: Literal["running", "in_thread"]) -> Any:
        """What `dryline.serving.server` opens for these settings."""
        # Imported by name: who only checks types need not have the whole server read.
        try:
            server = import_module("dryline.serving.server")
        except ModuleNotFoundError as error:
            raise DrylineError(
                f"dryline's server cannot run in this environment, which has no {error.name}. Start one of another: "
                'DrylineServer(command="…/bin/dryline"), or connect(url) to one that runs.'
            ) from None
        settings = import_module("dryline.settings").Settings(**self._settings)
        return self._running.enter_context(getattr(server, how)(settings))

    def stop(self) -> None:
        """Answer what is being asked, then end it; an ephemeral world is removed."""
        self._running.close()

    def __enter__(self) -> Self:
        return self.start()

    def __exit__(self, *exc: object) -> None:
        self.stop()

    @property
    def app(self) -> WSGIApplication:
        """The application, for other tools that call one. Raises DrylineError where it is in another process."""
        if self._application is None:
            return super().app
        app: WSGIApplication = self._application
        return app

    def transport(self) -> Transport:
        """An httpx transport that calls this stand-in without a socket."""
        from dryline.testing.transports import Transport

        return Transport(self)

    def async_transport(self) -> AsyncTransport:
        """The same for httpx.AsyncClient."""
        from dryline.testing.transports import AsyncTransport

        return AsyncTransport(self)


class DrylineServer(Started):
    """A stand-in on a socket, on a free port unless `port` is given: for clients in any process and language.

    A thread of this process serves it; with `command`, such as `path/to/venv/bin/dryline`, a process of that does, in
    an environment of its own. `with DrylineServer() as dryline: …` works in unittest too.
    """

    def __init__(
        self, *, command: str | None = None, scenario: str = "empty", seed: int | None = None, **settings: Any
    ) -> None:
        super().__init__(scenario=scenario, seed=seed, **{"port": 0} | settings)
        self._command = command

    def _begin(self) -> None:
        if self._command is None:
            server = self._in_this_process("in_thread")
            self._application, self.url, self._way = server.app, server.url, by_call(server.app, server.url)
        else:
            command = [*shlex.split(self._command), "serve", *flags(self._settings)]
            self.url = self._running.enter_context(_serving(command))
            self._way = over_http(self.url)


class DrylineInProcess(Started):
    """A stand-in without a socket: `client()`, `async_client()` and the transports call it directly."""

    url = "http://dryline.local"

    def __init__(self, *, scenario: str = "empty", seed: int | None = None, **settings: Any) -> None:
        hosts = (*settings.pop("allowed_hosts", ()), urlsplit(self.url).netloc)
        super().__init__(scenario=scenario, seed=seed, allowed_hosts=hosts, **settings)

    def _begin(self) -> None:
        self._application = self._in_this_process("running")
        self._application.world.address = self.url
        self._way = by_call(self._application, self.url)

    def _http(self, kind: Literal["Client", "AsyncClient"]) -> dict[str, Any]:
        import httpx

        if kind == "Client":
            return {"http_client": httpx.Client(transport=self.transport(), base_url=self.url)}
        return {"http_client": httpx.AsyncClient(transport=self.async_transport(), base_url=self.url)}


def transport(**settings: Any) -> Transport:
    """An httpx transport on a stand-in of its own; `transport().dryline` drives it, and closing it ends it.

    `httpx.Client(transport=testing.transport(), base_url="http://dryline.local")`.
    """
    from dryline.testing.transports import Transport

    return Transport(DrylineInProcess(**settings).start(), owned=True)


def async_transport(**settings: Any) -> AsyncTransport:
    """The same for httpx.AsyncClient."""
    from dryline.testing.transports import AsyncTransport

    return AsyncTransport(DrylineInProcess(**settings).start(), owned=True)


def flags(settings: dict[str, Any]) -> list[str]:
    """Settings as the flags of `dryline serve`. Raises BadSetting for one that has none."""
    words: list[str] = []
    for name, value in settings.items():
        if name in _LIVE:
            raise BadSetting(f"A server that a command starts is told {name} by settings({name}=…), once it runs.")
        flag = _FLAGS.get(name, "--" + name.replace("_", "-"))
        if isinstance(value, bool):
            words += [flag] if value else []
        elif isinstance(value, list | tuple):
            words += [word for each in value for word in (flag, str(each))]
        elif value is not None:
            words += [flag, str(value)]
    return words


@contextmanager
def _serving(command: list[str]) -> Iterator[str]:
    """The address of a server that a command starts, ended with the block. Raises BadSetting when it does not serve."""
    with tempfile.TemporaryDirectory(prefix="dryline-ready-") as name:
        ready, said = Path(name, "ready.json"), Path(name, "said")
        command = [*command, "--ready-file", str(ready)]
        with said.open("wb") as out:
            try:
                # In a group of its own: what starts dryline, such as uvx, is ended with it.
                process = subprocess.Popen(command, stdout=out, stderr=out, start_new_session=True)
            except OSError as error:
                raise BadSetting(f"{command[0]} cannot be started: {error.strerror}.") from None
        try:
            yield _address(process, ready, said)
        finally:
            _end(process)


def _address(process: subprocess.Popen[bytes], ready: Path, said: Path) -> str:
    deadline = time.monotonic() + START_S
    while not ready.exists():
        if process.poll() is not None:
            raise BadSetting(said.read_text(errors="replace").strip() or f"It ended at once ({process.returncode}).")
        if time.monotonic() > deadline:
            raise BadSetting(f"It does not serve after {START_S:g} s: {said.read_text(errors='replace').strip()}")
        time.sleep(0.01)
    url: str = json.loads(ready.read_text())["url"]
    return url


def _end(process: subprocess.Popen[bytes]) -> None:
    for number in (signal.SIGTERM, signal.SIGKILL):
        if process.poll() is None:
            os.killpg(process.pid, number)
            try:
                process.wait(END_S)
            except subprocess.TimeoutExpired:
                continue

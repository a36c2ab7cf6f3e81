"""Serving an application on a socket: waitress, errors in the API's form, the start-up message, a clean end."""

from __future__ import annotations

import errno
import gc
import json
import logging
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from waitress import wasyncore
from waitress.channel import HTTPChannel
from waitress.server import create_server
from waitress.task import ErrorTask, WSGITask

from dryline import __version__
from dryline.models.teams import ApiKey
from dryline.schemas.base import camel
from dryline.settings import BadSetting, Settings
from dryline.world.directory import address_in
from dryline.world.files import write_whole

if TYPE_CHECKING:
    from dryline.app import Dryline
    from dryline.world.world import World


class ApiErrorTask(ErrorTask):
    """What waitress itself refuses (a garbled request line, headers too large) has the API's error body too."""

    def execute(self) -> None:
        """Answer and close the connection."""
        error = self.request.error
        body = orjson.dumps({"error": f"{error.reason}: {error.body}"})
        self.status = f"{error.code} {error.reason}"
        self.response_headers.append(("Content-Type", "application/json"))
        self.set_close_on_finish()
        self.content_length = len(body)
        self.write(body)


class ApiTask(WSGITask):
    """A request. Its connection stays open after an answer without a body (204), which waitress takes for endless."""

    def build_response_header(self) -> bytes:
        """The answer's head."""
        head = super().build_response_header()
        closing = self.request.headers.get("CONNECTION", "").lower() == "close"
        if self.version == "1.1" and not self.has_body and not closing:
            self.close_on_finish = False
            head = head.replace(b"Connection: close\r\n", b"", 1)
        return head


class Channel(HTTPChannel):
    """A connection."""

    task_class = ApiTask
    error_task_class = ApiErrorTask


class Server:
    """An application on a socket. Binds when made; `run` answers until `stop` or a signal.

    Raises BadSetting when the address cannot be had. `listening` is a socket that is bound already.
    """

    def __init__(self, app: Dryline, listening: socket.socket | None = None) -> None:
        settings = app.world.settings
        self.app = app
        self.socket = listening or bind(settings)
        self._map: dict[int, Any] = {}
        self._waitress: Any = create_server(
            app,
            map=self._map,
            sockets=[self.socket],
            threads=settings.threads,
            ident="dryline",
            # Flask refuses larger bodies in the API's form; this only keeps a runaway upload off the disk.
            max_request_body_size=max(settings.max_body_mb * 1_000_000, 1 << 30),
            connection_limit=1000,
            channel_timeout=300,
        )
        self._waitress.channel_class = Channel
        # That a request waits for a thread is no news; in other projects' tests it would only be noise.
        logging.getLogger("waitress.queue").setLevel(logging.ERROR)

    @property
    def url(self) -> str:
        """Where it answers."""
        host, port = self.socket.getsockname()[:2]
        shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"

    def run(self) -> None:
        """Answer requests; returns after `stop`, SIGTERM or Ctrl-C, when running requests are answered."""
        try:
            self._waitress.run()
        finally:
            self._waitress.task_dispatcher.shutdown()
            self._close()

    def stop(self) -> None:
        """End `run`, from another thread."""
        self._waitress.trigger.pull_trigger(self._close)

    def _close(self) -> None:
        # In the loop's own thread: an empty map ends the loop.
        wasyncore.close_all(self._map, ignore_all=True)


def bind(settings: Settings) -> socket.socket:
    """The listening socket. Raises BadSetting when the address cannot be had."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((settings.host, settings.port), family=family, backlog=1024)
    except OSError as error:
        where = f"Cannot listen on {settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(f"{where}: the port is in use. Choose another with --port; 0 picks a free one.") from error
        raise BadSetting(f"{where}: {error.strerror or error}.") from error


@contextmanager
def running(settings: Settings) -> Iterator[Dryline]:
    """An application whose jobs run, closed at the end. Raises BadSetting when the settings cannot work."""
    from dryline.app import create_app

    with closing(create_app(settings)) as app:
        app.jobs.start()
        yield app


@contextmanager
def in_thread(settings: Settings) -> Iterator[Server]:
    """A server that a thread of this process runs. Raises BadSetting when the settings cannot work."""
    with running(settings) as app:
        server = Server(app)
        thread = threading.Thread(target=server.run, name="dryline-server", daemon=True)
        thread.start()
        try:
            yield server
        finally:
            server.stop()
            thread.join()


def serve(app: Dryline, listening: socket.socket, ready_file: Path | None = None) -> None:
    """Serve on a socket that is bound until told to end, in the foreground. Raises BadSetting."""
    set_up_logging(app.world.settings.log_format)
    # What the start has made stays: no collection need look at it again.
    gc.freeze()
    gc.enable()
    address = address_in(app.world.directory)
    server = None
    try:
        server = Server(app, listening)
        app.jobs.start()
        write_whole(address, server.url.encode(), durable=False)  # for the command line, which finds the server by it
        announce(app, server.url)
        if ready_file is not None:
            _write_ready(ready_file, {"url": server.url, "apiKey": app.world.settings.api_keys[0]})
        server.run()
    except (KeyboardInterrupt, SystemExit):
        if server is not None:  # told to end before the loop was entered
            server.stop()
    finally:
        for path in filter(None, (address, ready_file)):
            with suppress(OSError):
                path.unlink(missing_ok=True)
        app.close()


def _write_ready(path: Path, ready: dict[str, str]) -> None:
    try:
        write_whole(path, orjson.dumps(ready), durable=False)
    except OSError as error:
        raise BadSetting(f"Cannot write --ready-file {path}: {error.strerror}.") from error


def announce(app: Dryline, url: str) -> None:
    """Tell the person who started it where it is and what to use."""
    world, settings = app.world, app.world.settings
    if settings.log_format == "json":
        fields = {"url": url, "data": str(world.directory), "ephemeral": settings.ephemeral, "new": world.is_new}
        logging.getLogger("dryline").info("started", extra={"fields": fields})
        return
    lines = [
        f"dryline {__version__} answers on {url}",
        f"  API key     {', '.join(settings.api_keys)}" + _other_keys(world),
        f"  docs        {url}/docs",
        f"  data        {world.directory}" + _told_of_data(world),
    ]
    if world.clock.frozen:
        lines.append(f"  clock       stands still at {world.clock.stamp()}, as it was left")
    if changed := world.changed_live():
        kept = ", ".join(f"{camel(name)} {json.dumps(value)}" for name, value in changed.items())
        lines.append(f"  settings    {kept}, as they were left: a reset takes them back")
    if not settings.loopback and settings.admin_token is None:
        lines.append(f"  /_dryline   closed: {settings.host} is not loopback and no --admin-token is set")
    print("\n".join(lines), flush=True)


def _told_of_data(world: World) -> str:
    settings = world.settings
    if settings.ephemeral:
        unused = "" if settings.data_dir == Settings.data_dir else f"; --data-dir {settings.data_dir} is not used"
        return f"  (temporary: removed at the end{unused})"
    if world.is_new:
        return f"  (new: {settings.scenario})"
    return f"  (as it was left: --scenario {settings.scenario} fills a new directory, or this one at a reset)"


def _other_keys(world: World) -> str:
    if world.settings.any_key:
        return "  (any other key works too)"
    with world.active():
        others = ApiKey.select().count() - len(set(world.settings.api_keys))
    return f"  (and {others} that the world has: dryline keys list)" if others > 0 else ""


class JsonLines(logging.Formatter):
    """One JSON object a line."""

    def format(self, record: logging.LogRecord) -> str:
        """The line."""
        line = {"time": self.formatTime(record), "level": record.levelname, "message": record.getMessage()}
        line |= getattr(record, "fields", {})
        if record.exc_info:
            line["exception"] = self.formatException(record.exc_info)
        return json.dumps(line)


def set_up_logging(form: str) -> None:
    """Log to standard error, as text or as JSON lines."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines() if form == "json" else logging.Formatter("%(asctime)s %(levelname)s %(message)s"))
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    logging.getLogger("waitress").setLevel(logging.ERROR)

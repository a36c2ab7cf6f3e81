"""Serving an application on a socket: waitress, errors in the API's form, the start-up message, a clean end."""

from __future__ import annotations

import gc
import json
import logging
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from waitress import wasyncore

from dryline.lanes import Lanes
from dryline.listener import Listener, allow_more_files, most_connections
from dryline.settings import BadSetting, Settings
from dryline.world.files import write_whole

if TYPE_CHECKING:
    from dryline.app import Dryline

# How long running requests may take to be answered when the server ends, in seconds.
GRACE_S = 1.2
ENDINGS = (signal.SIGTERM, signal.SIGINT)


class Server:
    """An application on a socket. Binds when made; `run` answers until `stop`.

    Raises BadSetting when the address cannot be had.
    """

    def __init__(self, app: Dryline) -> None:
        settings = app.world.settings
        self.app = app
        self.socket = bind(settings)
        app.world.outgoing.own.append(self.socket.getsockname()[:2])
        self._map: dict[int, Any] = {}
        self._lanes = Lanes(app.world, settings.threads)
        self._listener = Listener(
            app,
            self.socket,
            self._lanes,
            most_connections(),
            map=self._map,
            ident="dryline",
            # Flask refuses larger bodies in the API's form; this only keeps a runaway upload off the disk.
            max_request_body_size=max(settings.max_body_mb * 1_000_000, 1 << 30),
            max_request_header_size=64 * 1024,
            # What a slow reader has not fetched yet lies in a temporary file: no thread waits for it.
            outbuf_high_watermark=1 << 30,
            channel_timeout=300,
        )
        self._told_to_end = False
        self._stopping = threading.RLock()  # a signal's handler may find its own thread in it

    @property
    def url(self) -> str:
        """Where it answers."""
        host, port = self.socket.getsockname()[:2]
        shown = {"0.0.0.0": "127.0.0.1", "::": "::1"}.get(host, host)
        return f"http://[{shown}]:{port}" if ":" in shown else f"http://{shown}:{port}"

    def run(self) -> None:
        """Answer requests; returns soon after `stop`, when running requests are answered or GRACE_S have passed."""
        try:
            while not self._told_to_end:
                self._look(1)
            deadline = time.monotonic() + GRACE_S
            self._listener.accepting = False
            while self._listener.busy and time.monotonic() < deadline:
                self._look(0.1)
            self._lanes.end(deadline)
        finally:
            with self._stopping:  # whoever wakes the loop is through with it
                self._told_to_end = True
                wasyncore.close_all(self._map, ignore_all=True)

    def _look(self, timeout_s: float) -> None:
        # Not select, which ends the process when a file's number passes 1023.
        wasyncore.loop(timeout_s, use_poll=True, map=self._map, count=1)

    def stop(self) -> None:
        """End `run`, from another thread or from a signal's handler. Told again, it does nothing."""
        with self._stopping:
            if not self._told_to_end:
                self._told_to_end = True
                self.app.world.ending.set()
                self._listener.pull_trigger()


def bind(settings: Settings) -> socket.socket:
    """The listening socket. Raises BadSetting when the address cannot be had."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((settings.host, settings.port), family=family, backlog=1024)
    except OSError as error:
        raise BadSetting(f"Cannot listen on {settings.host}:{settings.port}: {error.strerror or error}.") from error


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


def serve(app: Dryline, ready_file: Path | None = None) -> None:
    """Serve until told to end, in the foreground."""

    set_up_logging(app.world.settings.log_format)
    # What the start has made stays: no collection need look at it again.
    gc.freeze()
    gc.enable()
    allow_more_files()
    address = app.world.directory / "address"
    try:
        server = Server(app)
        for number in ENDINGS:
            signal.signal(number, lambda *_: server.stop())
        app.jobs.start()
        address.write_text(server.url)  # for the command line, which finds the running server by it
        announce(app, server.url)
        if ready_file is not None:
            write_whole(ready_file, orjson.dumps({"url": server.url, "apiKey": app.world.settings.api_keys[0]}))
        server.run()
    finally:
        address.unlink(missing_ok=True)
        app.close()
        for number in ENDINGS:  # told again while the interpreter ends, it ends all the same
            signal.signal(number, signal.SIG_IGN)


def announce(app: Dryline, url: str) -> None:
    """Tell the person who started it where it is and what to use."""
    world, settings = app.world, app.world.settings
    lines = [
        f"dryline answers on {url}",
        f"  API key     {', '.join(settings.api_keys)}" + ("  (any other key works too)" if settings.any_key else ""),
        f"  docs        {url}/docs",
        f"  data        {world.directory}" + ("  (removed at the end)" if settings.ephemeral else ""),
    ]
    if not settings.loopback and settings.admin_token is None:
        lines.append(f"  /_dryline   closed: {settings.host} is not loopback and no --admin-token is set")
    if settings.log_format == "json":
        logging.getLogger("dryline").info(
            "started", extra={"fields": {"url": url, "data": str(world.directory), "ephemeral": settings.ephemeral}}
        )
    else:
        print("\n".join(lines), flush=True)


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

"""Serving an application on a socket: waitress, errors in the API's form, the start-up message, a clean end."""

from __future__ import annotations

import errno
import gc
import json
import logging
import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager, nullcontext, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

import orjson
from waitress import wasyncore

from dryline import __version__
from dryline.models.teams import ApiKey, Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.schemas.base import camel
from dryline.serving.access_log import AccessLog
from dryline.serving.lanes import Lanes
from dryline.serving.listener import Listener, raise_file_limit
from dryline.serving.log_setup import set_up_logging, standard_error
from dryline.settings import BadSetting, Settings
from dryline.storage.files import write_whole
from dryline.world.directory import address_in

if TYPE_CHECKING:
    from dryline.app import Dryline
    from dryline.world.world import World

# How long running requests may take to be answered when the server ends, in seconds.
GRACE_S = 1.2
ENDINGS = tuple(getattr(signal, name) for name in ("SIGTERM", "SIGINT", "SIGHUP") if hasattr(signal, name))


class Server:
    """An application on a socket. Binds when made; `run` answers until `stop`.

    Raises BadSetting when the address cannot be had. `listening` is a socket that is bound already.
    """

    def __init__(self, app: Dryline, listening: socket.socket | None = None) -> None:
        settings = app.world.settings
        self.app = app
        self.socket = listening or bind(settings)
        app.world.outgoing.own.append(self.socket.getsockname()[:2])
        app.world.address = self.url
        self._map: dict[int, Any] = {}
        self._lanes = Lanes(app.world, settings.threads)
        self._listener = Listener(
            app,
            self.socket,
            self._lanes,
            map=self._map,
            ident="dryline",
            # A proxy may pass the path of --public-url on, or strip it: what is below it is found either way.
            url_prefix=settings.public_path,
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
        self._lanes.start_loop()
        try:
            while not self._told_to_end:
                self._look(1)
                self._lanes.start_missing_threads()
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
                self._listener.wake()


def bind(settings: Settings) -> socket.socket:
    """The listening socket. Raises BadSetting when the address cannot be had."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        return socket.create_server((settings.host, settings.port), family=family, backlog=1024)
    except OSError as error:
        where = f"Cannot listen on {settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(
                f"{where}: the port is in use. Choose another with --port, or a free one with --port 0 "
                "(make run ARGS='--port 0')."
            ) from error
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
    with running(settings) as app, served(app) as server:
        yield server


@contextmanager
def served(app: Dryline, listening: socket.socket | None = None) -> Iterator[Server]:
    """An application's server, likewise. Raises BadSetting when its address cannot be had."""
    server = Server(app, listening)
    thread = threading.Thread(target=server.run, name="dryline-server", daemon=True)
    thread.start()
    try:
        yield server
    finally:
        server.stop()
        thread.join()


def serve(app: Dryline, listening: socket.socket, ready_file: Path | None = None) -> None:
    """Serve on a socket that is bound until told to end, in the foreground. Raises BadSetting."""
    settings = app.world.settings
    set_up_logging(settings.log_format, node=settings.node, quiet=settings.quiet)
    # What the start has made stays: no collection need look at it again.
    gc.freeze()
    gc.enable()
    # The loop answers beside threads that may be at work for long: it gets the interpreter back after 1 ms, not 5.
    sys.setswitchinterval(0.001)
    raise_file_limit()
    address = address_in(app.world.directory)
    told: set[int] = set()

    def end(number: int, frame: Any) -> None:
        told.add(number)
        server.stop()

    try:
        server = Server(app, listening)
        for number in ENDINGS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup has SIGHUP ignored
                signal.signal(number, end)
        app.jobs.start()
        write_whole(address, server.url.encode(), durable=False)  # for the command line, which finds the server by it
        announce(app, server.url)
        if ready_file is not None:
            _write_ready(ready_file, {"url": server.url, "apiKey": settings.api_keys[0]})
        with nullcontext() if settings.quiet else AccessLog(app.world, settings.log_format, standard_error()):
            server.run()
    finally:
        for path in filter(None, (address, ready_file)):
            with suppress(OSError):
                path.unlink(missing_ok=True)
        app.close()
        if signal.SIGINT in told and not settings.quiet:  # to a person; a script that ends it mixes outputs
            _say(_farewell(app.world))
        for number in ENDINGS:  # told again while the interpreter ends, it ends all the same
            signal.signal(number, signal.SIG_IGN)


def _write_ready(path: Path, ready: dict[str, str]) -> None:
    try:
        write_whole(path, orjson.dumps(ready), durable=False)
    except OSError as error:
        raise BadSetting(f"Cannot write --ready-file {path}: {error.strerror}.") from error


def announce(app: Dryline, url: str) -> None:
    """Tell the person who started it where it is, what world it has and how to stop it."""
    world, settings = app.world, app.world.settings
    if settings.quiet:
        return
    if settings.log_format == "json":
        fields = {
            **{"url": url, "version": __version__, "data": str(world.directory), "world": _world(world)},
            **{"ephemeral": settings.ephemeral, "new": world.is_new},
        }
        logging.getLogger("dryline").info("started", extra={"fields": fields})
        return
    lines = [
        f"dryline {__version__}{f', node {settings.node},' if settings.node else ''} answers on {url}",
        f"  world       {_world(world)}",
        f"  API key     {', '.join(settings.api_keys)}" + _other_keys(world),
        f"  console     {url}/",
        f"  docs        {url}/docs",
        f"  data        {world.directory}" + _told_of_data(settings),
    ]
    if world.clock.of(None).is_frozen:
        lines.append(f"  clock       stands still at {world.clock.stamp()}, as it was left")
    if changed := world.changed_settings():
        kept = ", ".join(f"{camel(name)} {json.dumps(value)}" for name, value in changed.items())
        lines.append(f"  settings    {kept}, as they were left: a reset takes them back")
    if not settings.loopback and settings.admin_token is None:
        lines.append(f"  /_dryline   closed: {settings.host} is not loopback and no --admin-token is set")
    _say("\n".join([*lines, "  stop        Ctrl-C"]))


def _say(text: str) -> None:
    """Tell the person who started it, if anybody: it serves without a reader, or room for what they would read, too."""
    try:
        print(text, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # else the end tries again, and fails


def _farewell(world: World) -> str:
    """What is left of it."""
    kept = "the temporary data are gone" if world.settings.ephemeral else f"the state is kept in {world.directory}"
    return f"\ndryline has ended: {kept}."


def _world(world: World) -> str:
    """What it has: new and filled, or opened."""
    with world.active():
        workers, teams = _number(Worker.select().count(), "worker"), Team.select().count()
        if teams > 1:  # more than a key shows
            workers += f" of {teams} teams"
        if not world.is_new:
            scenario = f"--scenario {world.settings.scenario}"
            return f"opened, {workers}  (as it was left: {scenario} fills a new directory, or this one at a reset)"
        calls = _number(VoiceLog.select().count(), "call")
    return f"new {world.settings.scenario}: {workers}, {calls}"


def _number(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _told_of_data(settings: Settings) -> str:
    if not settings.ephemeral:
        return ""
    unused = "" if settings.data_dir == Settings.data_dir else f"; --data-dir {settings.data_dir} is not used"
    return f"  (temporary: removed at the end{unused})"


def _other_keys(world: World) -> str:
    if world.settings.any_key:
        return "  (any other key works too)"
    with world.active():
        others = ApiKey.select().count() - len(set(world.settings.api_keys))
    return f"  (and {others} that the world has: dryline keys list)" if others > 0 else ""

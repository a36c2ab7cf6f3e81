"""The server as a process in the foreground: signals, the files with its address, and what it prints."""

from __future__ import annotations

import ctypes
import gc
import json
import logging
import os
import resource
import signal
import socket
import sys
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from dryline import __version__
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.serving.log_output import set_up_logging
from dryline.serving.server import FILES_OF_A_CONNECTION, MAX_CONNECTIONS, HttpServer
from dryline.settings import BadSetting
from dryline.storage.directory import address_in
from dryline.storage.files import write_whole
from dryline.world.wording import camel, count

if TYPE_CHECKING:
    from dryline.app import Dryline
    from dryline.storage.ready_file import ReadyFile
    from dryline.world.world import World

M_MMAP_THRESHOLD, M_ARENA_MAX = -3, -8  # of glibc's malloc.h
STOP_SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)


def serve(app: Dryline, listening: socket.socket, ready_file: ReadyFile | None = None) -> None:
    """Serve an application on a bound socket until a signal. Raises BadSetting."""
    settings = app.world.settings
    _share_heap_among_threads()
    set_up_logging(app)
    # The objects of the start live as long as the process: the garbage collector need not visit them again.
    gc.freeze()
    gc.enable()
    # The event loop gets the interpreter back from a busy thread after 1 ms, not 5.
    sys.setswitchinterval(0.001)
    raise_file_limit()

    received: set[int] = set()

    def stop(number: int, frame: Any) -> None:
        received.add(number)
        server.stop()

    try:
        server = HttpServer(app, listening)
        for number in STOP_SIGNALS:
            if signal.getsignal(number) is not signal.SIG_IGN:  # nohup ignores SIGHUP
                signal.signal(number, stop)
        app.jobs.start()
        _write_address(address_in(app.world.directory), server.url)
        announce(app, server.url)
        if ready_file is not None:
            ready_file.write(server.url, settings.api_keys[0])
        server.run()
    finally:
        with suppress(OSError):
            address_in(app.world.directory).unlink(missing_ok=True)
        with suppress(BadSetting):
            if ready_file is not None:
                ready_file.remove()
        app.close()
        logging.shutdown()  # writes the last lines
        if signal.SIGINT in received and not settings.quiet:  # from a person; other signals are from programs
            _print_stopped(app)
        for number in STOP_SIGNALS:  # a second signal must not break off the interpreter's exit
            signal.signal(number, signal.SIG_IGN)


def _print_stopped(app: Dryline) -> None:
    """Print that the server has stopped, and where its state is."""
    state = f"The state is in {app.world.directory}."
    if app.world.settings.ephemeral:
        state = "The temporary data is removed."
    _print(f"\ndryline has stopped. {state}")


def _share_heap_among_threads() -> None:
    """Let all threads share one heap of glibc, and give blocks above 64 KB back to the system when they are freed.

    Each thread would keep in a heap of its own what its largest request took, 35 MB with 16 threads. glibc takes this
    only before there are threads.
    """
    with suppress(OSError, AttributeError):  # another C library
        ctypes.CDLL(None).mallopt(M_ARENA_MAX, 1)
        ctypes.CDLL(None).mallopt(M_MMAP_THRESHOLD, 65_536)


def raise_file_limit() -> None:
    """Let the process open as many files as its connections need, within the system's hard limit."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    needed = FILES_OF_A_CONNECTION * MAX_CONNECTIONS
    if soft != resource.RLIM_INFINITY and soft < needed:
        limit = needed if hard == resource.RLIM_INFINITY else min(needed, hard)
        with suppress(OSError, ValueError):
            resource.setrlimit(resource.RLIMIT_NOFILE, (limit, hard))


def _write_address(path: Path, url: str) -> None:
    """Write the file by which the command line finds this server. A server on a full disk still answers reads."""
    try:
        write_whole(path, url.encode())
    except OSError as error:
        log = logging.getLogger("dryline")
        log.warning("Cannot write %s: %s. Commands find this server only with --url %s.", path, error.strerror, url)


def announce(app: Dryline, url: str) -> None:
    """Print the start message: the URL, the world, and how to stop the server."""
    world, settings = app.world, app.world.settings
    if settings.quiet:
        return
    if settings.log_format == "json":
        members = {"url": url, "version": __version__, "data": str(world.directory), "world": _describe_world(world)}
        world.events.add("started", **members, ephemeral=settings.ephemeral, new=world.is_new)
        return
    node = f", node {settings.node}," if settings.node else ""
    other_keys = "  (any other is valid, too)" if settings.any_key else ""
    removal = "  (temporary: removed at the stop)" if settings.ephemeral else ""
    lines = [
        f"dryline {__version__}{node} answers on {url}",
        f"  world       {_describe_world(world)}",
        f"  API key     {', '.join(settings.api_keys)}{other_keys}",
        f"  console     {url}/",
        f"  docs        {url}/docs",
        f"  data        {world.directory}{removal}",
    ]
    if world.clock.is_frozen:
        lines.append(f"  clock       frozen at {world.clock.stamp()} before the last stop")
    if changed := world.settings_changed_since_start():
        values = ", ".join(f"{camel(name)} {json.dumps(value)}" for name, value in changed.items())
        lines.append(f"  settings    {values}, changed before the last stop: a reset undoes this")
    if not settings.loopback and settings.admin_token is None:
        lines.append(f"  /_dryline   closed: {settings.host} is not loopback and no --admin-token is set")
    _print("\n".join([*lines, "  stop        Ctrl-C"]))


def _print(text: str) -> None:
    """Print text. A closed pipe or a full disk does not stop the server."""
    try:
        print(text, flush=True)
    except OSError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # or the interpreter's exit fails in its flush


def _describe_world(world: World) -> str:
    """Return the world in a line: whether it is new, and its size."""
    with world.active():
        teams = Team.select().count()
        workers = count(Worker.select().count(), "worker")
        if teams > 1:
            workers += f" of {teams} teams"
        if not world.is_new:
            return f"existing, {workers}  (a reset loads {world.settings.scenario})"
        calls = count(VoiceLog.select().count(), "call")
    return f"new {world.settings.scenario}: {workers}, {calls}"

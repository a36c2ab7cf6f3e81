"""Recordings are made when somebody listens, and kept while there is room. Their removal: jobs/transitions.py."""

from __future__ import annotations

import contextlib
import logging
import os
import threading
import time
from concurrent.futures import Future
from pathlib import Path

from dryline.models.recording_addresses import FILES
from dryline.models.recordings import IN_PROGRESS
from dryline.simulator.recordings import AudibleCall, is_whole, write
from dryline.simulator.speech import Beeps, SpeechFailed, Voice, voice_of
from dryline.storage.current_world import WorldLocal
from dryline.storage.errors import NotReady
from dryline.storage.files import part_of, rename
from dryline.world.world import World

log = logging.getLogger("dryline")

AT_ONCE = 2  # recordings that are made at the same time
PATIENCE_S = 60.0  # real time that the speech of one recording may take
# Real time for which nobody is asked to speak again who could not: not every turn of every call waits for it.
PAUSE_S = 60.0


class Studio:
    """Makes the files of one world. Who asks for one that is being made waits for that."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._making: dict[str, Future[None]] = IN_PROGRESS.of(world)
        self._lock = threading.Lock()
        self._seats = threading.BoundedSemaphore(AT_ONCE)
        self._voice = voice_of(world.settings.speech, world.ending.is_set)
        self._silent_until = 0.0  # by time.monotonic()

    def file(self, log_id: str, call: AudibleCall) -> Path:
        """The file of a log's call. Raises NotReady when the server ends, and OSError."""
        if not isinstance(self._voice, Beeps) and (
            time.monotonic() >= self._silent_until or is_whole(_path(log_id, call, self._voice))
        ):
            try:
                return self._file(log_id, call, self._voice)
            except SpeechFailed as error:
                _demand_going_on(self.world)
                self._silent_until = time.monotonic() + PAUSE_S
                log.warning("The recording of %s is made of tones: %s.", log_id, error)
        return self._file(log_id, call, Beeps())

    def _file(self, log_id: str, call: AudibleCall, voice: Voice) -> Path:
        path = _path(log_id, call, voice)
        with self._lock:
            others = self._making.get(path.name)
            if others is None:
                if is_whole(path):
                    return path
                mine = self._making[path.name] = Future()
        if others is not None:
            others.result()
            return path
        try:
            with self._seats:
                self._make(path, call, voice)
        except BaseException as error:
            mine.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._making[path.name]
        mine.set_result(None)
        return path

    def _make(self, path: Path, call: AudibleCall, voice: Voice) -> None:
        """Write the file, whole or not at all: in place of an older one of the log, and of those heard longest ago."""
        FILES.folder.mkdir(exist_ok=True)
        part = part_of(path)
        deadline = time.monotonic() + PATIENCE_S

        def go_on() -> None:
            _demand_going_on(self.world)
            if time.monotonic() > deadline and not isinstance(voice, Beeps):
                raise SpeechFailed(f"speaking took longer than {PATIENCE_S:g} s")

        try:
            with part.open("wb") as file:
                write(call, file, voice, go_on)
            rename(part, path, durable=False)  # what a power cut takes is made anew
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        for older in path.parent.glob(f"{path.name.partition('.')[0]}.*.wav"):
            if older != path:
                _remove(older)
        make_room(path, self.world.settings.recordings_mb * 1_000_000)


STUDIO = WorldLocal(Studio)


def file_of(world: World, log_id: str, call: AudibleCall) -> Path:
    """The file of a log's call, made if it is not there. Raises NotReady when the server ends, and OSError."""
    return STUDIO.of(world).file(log_id, call)


def heard(path: Path) -> None:
    """Set the access time of a file that is played. The modification time stays: it says when the file was made."""
    with contextlib.suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def make_room(made: Path, most: int) -> None:
    """Remove the files played longest ago until all take `most` bytes, or only the one just `made` is left."""
    files = []
    for path in made.parent.glob("*.wav"):
        with contextlib.suppress(OSError):
            status = path.stat()
            files.append((status.st_atime_ns, status.st_size, path))
    size = sum(size for _, size, _ in files)
    for _, file_size, path in sorted(files):
        if size <= most:
            return
        if path != made and _remove(path):
            size -= file_size


def _demand_going_on(world: World) -> None:
    if world.ending.is_set():
        raise NotReady("The server ends.")


def _path(log_id: str, call: AudibleCall, voice: Voice) -> Path:
    """Return the path of a recording. A log that changes, or another voice, has another file."""
    return FILES.path(log_id, f".{call.mark(voice)}.wav")


def _remove(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # where files in use stay
        return False
    return True

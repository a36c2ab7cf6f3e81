"""The files of recordings: written when they are first run, and removed when they take too much room.

Those without a log are removed by jobs/transitions.py.
"""

from __future__ import annotations

import contextlib
import io
import logging
import os
import threading
import time
from concurrent.futures import Future
from pathlib import Path

from dryline.models.deployments import Deployment
from dryline.models.recordings import FILES, IN_PROGRESS
from dryline.simulator.recordings import AudibleCall, is_whole, speakers_of, write, write_line
from dryline.simulator.speech import Beeps, SpeechFailed, Voice, printable, voice_of
from dryline.storage.current_world import WorldLocal
from dryline.storage.errors import NotReady
from dryline.storage.files import part_of
from dryline.world.world import World

log = logging.getLogger("dryline")

MAX_PARALLEL = 2  # recordings that are written at the same time
MAX_SPEECH_S = 60.0  # real time for the speech of one recording
# Real time without speech after the speech program has failed, so that not every recording waits for it.
PAUSE_S = 60.0


class RecordingFiles:
    """Writes the recordings of one world. A second request for a file that is being written waits for it."""

    def __init__(self, world: World) -> None:
        self.world = world
        self._in_progress: dict[str, Future[None]] = IN_PROGRESS.of(world)
        self._lock = threading.Lock()
        self._slots = threading.BoundedSemaphore(MAX_PARALLEL)
        self.voice = voice_of(world.settings.speech, world.ending.is_set)
        self._silent_until = 0.0  # by time.monotonic()

    def file(self, log_id: str, call: AudibleCall) -> Path:
        """Return the file of a log's call. Raises NotReady when the server ends, and OSError."""
        if not isinstance(self.voice, Beeps) and (
            time.monotonic() >= self._silent_until or is_whole(_path(log_id, call, self.voice))
        ):
            try:
                return self._file(log_id, call, self.voice)
            except SpeechFailed as error:
                _require_running(self.world)
                self._silent_until = time.monotonic() + PAUSE_S
                log.warning("The recording of %s has tones instead of speech: %s.", log_id, error)
        return self._file(log_id, call, Beeps())

    def _file(self, log_id: str, call: AudibleCall, voice: Voice) -> Path:
        path = _path(log_id, call, voice)
        with self._lock:
            running = self._in_progress.get(path.name)
            if running is None:
                if is_whole(path):
                    return path
                future = self._in_progress[path.name] = Future()
        if running is not None:
            running.result()
            return path
        try:
            with self._slots:
                self._write(path, call, voice)
        except BaseException as error:
            future.set_exception(error)
            raise
        finally:
            with self._lock:
                del self._in_progress[path.name]
        future.set_result(None)
        return path

    def _write(self, path: Path, call: AudibleCall, voice: Voice) -> None:
        """Write a file whole or not at all. It replaces an older one of the log, and those run longest ago."""
        FILES.folder.mkdir(exist_ok=True)
        part = part_of(path)
        deadline = time.monotonic() + MAX_SPEECH_S

        def check() -> None:
            _require_running(self.world)
            if time.monotonic() > deadline and not isinstance(voice, Beeps):
                raise SpeechFailed(f"speaking took longer than {MAX_SPEECH_S:g} s")

        try:
            with part.open("wb") as file:
                write(call, file, voice, check)
            part.replace(path)
        finally:
            with contextlib.suppress(OSError):
                part.unlink(missing_ok=True)
        for older in path.parent.glob(f"{path.name.partition('.')[0]}.*.wav"):
            if older != path:
                _remove(older)
        make_room(path, self.world.settings.recordings_mb * 1_000_000)


RECORDING_FILES = WorldLocal(RecordingFiles)


def file_of(world: World, log_id: str, call: AudibleCall) -> Path:
    """Return the file of a log's call, and write it if necessary. Raises NotReady when the server ends, and OSError."""
    return RECORDING_FILES.of(world).file(log_id, call)


def speaks_words(world: World) -> bool:
    """Return whether recordings have words. Without a speech program they have beeps."""
    return not isinstance(RECORDING_FILES.of(world).voice, Beeps)


def spoken_line(world: World, text: str, deployment: Deployment | None) -> bytes:
    """Return a line of an agent as a WAV file, in the voice of its recordings. Raises NotReady."""
    agent, _ = speakers_of(deployment, "", deployment.id if deployment else "")
    file = io.BytesIO()
    try:
        write_line(printable(text), agent, file, RECORDING_FILES.of(world).voice)
    except SpeechFailed as error:
        raise NotReady(f"The line could not be spoken: {error}.") from None
    return file.getvalue()


def mark_as_played(path: Path) -> None:
    """Set the access time of a file that is run. The modification time stays: it says when the file was made."""
    with contextlib.suppress(OSError):
        os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))


def make_room(newest: Path, max_bytes: int) -> None:
    """Remove the files run longest ago until all take `max_bytes`, or only the `newest` is left."""
    files = []
    for path in newest.parent.glob("*.wav"):
        with contextlib.suppress(OSError):
            status = path.stat()
            files.append((status.st_atime_ns, status.st_size, path))
    size = sum(size for _, size, _ in files)
    for _, file_size, path in sorted(files):
        if size <= max_bytes:
            return
        if path != newest and _remove(path):
            size -= file_size


def _require_running(world: World) -> None:
    if world.ending.is_set():
        raise NotReady("The server is stopping.")


def _path(log_id: str, call: AudibleCall, voice: Voice) -> Path:
    """Return the path of a recording. A log that changes, or another voice, has another file."""
    return FILES.path(log_id, f".{call.mark(voice)}.wav")


def _remove(path: Path) -> bool:
    try:
        path.unlink(missing_ok=True)
    except OSError:  # Windows keeps files that are open
        return False
    return True

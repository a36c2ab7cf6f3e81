"""The files of recordings: written when they are first played, and removed when they take too much room."""

import contextlib
import io
import logging
import os
import threading
import time
import wave
from pathlib import Path

from dryline.models.deployments import Deployment
from dryline.models.recordings import FILES, IN_PROGRESS
from dryline.simulator.recordings import AudibleCall, speakers_of, write
from dryline.simulator.speech import RATE, Beeps, SpeechFailed, Voice, natural_s, printable, voice_of
from dryline.storage.current_world import WorldLocal
from dryline.storage.errors import NotReady
from dryline.storage.files import matching, part_of
from dryline.world.world import World

log = logging.getLogger("dryline")


class RecordingFiles:
    """Writes the recordings of one world, one at a time."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.voice = voice_of(world.settings.speech, world.ending.is_set)
        self._lock = threading.Lock()

    def file(self, log_id: str, call: AudibleCall) -> Path:
        """Return the file of a log's call, to be played. Raises NotReady when the server ends, and OSError."""
        path = _path(log_id, call, self.voice)
        if not path.exists():
            with self._lock:
                if not path.exists():
                    path = self._write_words_or_tones(log_id, call)
        with contextlib.suppress(OSError):  # the access time says when it was played last
            os.utime(path, ns=(time.time_ns(), path.stat().st_mtime_ns))
        return path

    def _write_words_or_tones(self, log_id: str, call: AudibleCall) -> Path:
        try:
            return self._write(_path(log_id, call, self.voice), call, self.voice)
        except SpeechFailed as error:
            self._require_running()
            log.warning("The recording of %s has tones instead of speech: %s.", log_id, error)
            return self._write(_path(log_id, call, Beeps()), call, Beeps())

    def _write(self, path: Path, call: AudibleCall, voice: Voice) -> Path:
        """Write a file whole or not at all. It replaces an older one of the log, and those played longest ago."""
        FILES.folder.mkdir(exist_ok=True)
        part, in_progress = part_of(path), IN_PROGRESS.of(self.world)
        in_progress.add(path.name)
        try:
            with part.open("w+b") as file:
                write(call, file, voice, self._require_running)
            part.replace(path)
        finally:
            part.unlink(missing_ok=True)
            in_progress.discard(path.name)
        for older in matching(path.parent, f"{path.name.partition('.')[0]}.*.wav"):
            if older != path:
                older.unlink(missing_ok=True)
        make_room(path, self.world.settings.recordings_mb * 1_000_000)
        return path

    def _require_running(self) -> None:
        if self.world.ending.is_set():
            raise NotReady("The server is stopping.")


RECORDING_FILES = WorldLocal(RecordingFiles)


def speaks_words(world: World) -> bool:
    """Return whether recordings have words. Without a speech program they have beeps."""
    return not isinstance(RECORDING_FILES.of(world).voice, Beeps)


def spoken_line(world: World, text: str, deployment: Deployment | None) -> bytes:
    """Return a line of an agent as a WAV file with one channel, in the voice of its recordings. Raises NotReady."""
    agent, _ = speakers_of(deployment, "", deployment.id if deployment else "")
    line, file = printable(text), io.BytesIO()
    try:
        samples = RECORDING_FILES.of(world).voice.say(line, natural_s(line), agent)
    except SpeechFailed as error:
        raise NotReady(f"The line could not be spoken: {error}.") from None
    with wave.open(file, "wb") as out:
        out.setparams((1, 2, RATE, 0, "NONE", ""))
        out.writeframes(samples.tobytes())
    return file.getvalue()


def make_room(newest: Path, max_bytes: int) -> None:
    """Remove the files played longest ago until all take `max_bytes`, or only the `newest` is left."""
    files = []
    for path in matching(newest.parent, "*.wav"):
        with contextlib.suppress(OSError):
            status = path.stat()
            files.append((status.st_atime_ns, status.st_size, path))
    size = sum(size for _, size, _ in files)
    for _, file_size, path in sorted(files):
        if size > max_bytes and path != newest:
            path.unlink(missing_ok=True)
            size -= file_size


def _path(log_id: str, call: AudibleCall, voice: Voice) -> Path:
    """Return the path of a recording. A log that changes, or another voice, has another file."""
    return FILES.path(log_id, f".{call.mark(voice)}.wav")

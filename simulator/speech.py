"""Speech in recordings: espeak-ng, a program of the user's, or placeholder beeps. Setting: `--speech`."""

from __future__ import annotations

import io
import math
import os
import re
import shlex
import shutil
import signal
import subprocess
import tempfile
import wave
from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from itertools import accumulate, pairwise
from pathlib import Path
from typing import Any, NamedTuple
from zlib import crc32

from dryline.settings import speech_command
from dryline.storage.files import read
from dryline.world.real_time import monotonic

RATE = 8_000  # samples a second, as on a telephone: two channels of 16 bit take less than 2 MB a minute
TURN_S = 10.0  # real time that a program has for one turn
_POLL_S = 0.2  # between looks whether the server is stopping
_ESPEAK = ["--stdin", "--stdout", "-b", "1", "-v", "{voice}", "-s", "{words_a_minute}"]
# espeak-ng's voice variants, female and male. Agent and caller never have the same kind.
_VARIANTS = (("f2", "f3", "f4", "f5"), ("m1", "m3", "m7", "m8"))
_BEEPS_HZ = ((520, 560, 500, 540), (330, 350, 310, 370))  # likewise
_BEEP_PEAK, _FADE = 10_000, 160  # samples
_SLOWEST, _FASTEST = 0.6, 2.4  # speeds; 1 is natural
_PLACEHOLDER = re.compile(r"{(\w+)}")


class SpeechFailed(Exception):
    """The program made no speech. The message is the second half of a sentence."""


class Speaker(NamedTuple):
    """The speaker of a turn. `kind` and `number` choose a voice; `language` is a code such as en-US, or empty."""

    role: str
    language: str
    kind: int
    number: int


def printable(text: str) -> str:
    """Return the text with each run of blanks, line breaks and control characters as one blank."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def natural_s(text: str) -> float:
    """Return about how many seconds espeak-ng takes for a text. A digit is a whole word."""
    return 0.3 + (len(text) + 6 * sum(c.isdigit() for c in text)) / 19


def speakers(voice: str, caller: str, language: str) -> tuple[Speaker, Speaker]:
    """Return agent and caller, the same two for the same voice id and number."""
    voice_hash, caller_hash = (crc32(text.encode(errors="replace")) for text in (voice, caller))
    kind = voice_hash & 1
    agent = Speaker("agent", language, kind, (voice_hash >> 1) % 4)
    return agent, Speaker("caller", language, 1 - kind, (caller_hash >> 1) % 4)


class Beeps:
    """Placeholders for speech: a beep for each word, at the speaker's own pitch."""

    mark = "tones"

    def say(self, text: str, seconds: float, speaker: Speaker) -> array[int]:
        """Return one beep for each word, as long as its share of the text."""
        count, hertz = round(seconds * RATE), _BEEPS_HZ[speaker.kind][speaker.number]
        samples = array("h", bytes(2 * count))
        for word in re.finditer(r"\S+", text):
            start, end = (offset * count // len(text) for offset in word.span())
            samples[start:end] = _beep(hertz, end - start)
        return samples


def _beep(hertz: int, count: int) -> array[int]:
    """Return a sine that begins and ends softly, so that nothing clicks."""
    step = 2 * math.pi * hertz / RATE
    fade = min(_FADE, count // 2) or 1
    loudness = (_BEEP_PEAK * min(1, index / fade, (count - 1 - index) / fade) for index in range(count))
    return array("h", [int(peak * math.sin(step * index)) for index, peak in enumerate(loudness)])


class SpeechProgram:
    """A program that reads text and writes a WAV file. Voices with the same `mark` make the same sound of a text.

    It is run once for each turn. `settings.speech_command` describes the placeholders in its words.
    """

    def __init__(self, words: list[str], mark: str, is_stopping: Callable[[], bool] = lambda: False) -> None:
        self.mark = mark
        self._words = words
        self._is_stopping = is_stopping

    def say(self, text: str, seconds: float, speaker: Speaker) -> array[int]:
        """Return the text spoken in about this time. Raises SpeechFailed."""
        command, stdin = self._command(text, seconds, speaker), text.encode(errors="replace")
        name = os.path.basename(command[0])
        with tempfile.TemporaryDirectory(prefix="dryline-speech-") as folder:
            out = Path(folder, "speech.wav")
            content = _run([word.replace("{out}", str(out)) for word in command], stdin, self._is_stopping)
            return _read_wave(read(out) if out.exists() else content, name)

    def _command(self, text: str, seconds: float, speaker: Speaker) -> list[str]:
        """Fill in the placeholders of each word. No shell reads them."""
        speed = min(max(natural_s(text) / seconds, _SLOWEST), _FASTEST)
        values = {"speed": f"{speed:.2f}", "role": speaker.role, "language": speaker.language or "en"}
        if self.mark == "espeak-ng":
            voice = _espeak_voice(self._words[0], speaker.language)
            values["voice"] = f"{voice}+{_VARIANTS[speaker.kind][speaker.number]}"
            values["words_a_minute"] = str(round(175 * speed))
        words = [_PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), word) for word in self._words]
        # With a blank before it, no program takes a text that begins with a dash for an option.
        argument = f" {text}" if text.startswith("-") else text
        return [argument if word == "{text}" else word for word in words]


Voice = Beeps | SpeechProgram


def voice_of(setting: str, is_stopping: Callable[[], bool] = lambda: False) -> Voice:
    """Return the voice for a value of `--speech`. Its program is killed once `is_stopping` returns true."""
    command = speech_command(setting)
    if command is not None:
        return SpeechProgram(command, f"command: {shlex.join(command)}", is_stopping)
    espeak = shutil.which("espeak-ng") if setting == "auto" else None
    return SpeechProgram([espeak, *_ESPEAK], "espeak-ng", is_stopping) if espeak else Beeps()


def _run(command: list[str], stdin: bytes, is_stopping: Callable[[], bool]) -> bytes:
    """Return a program's standard output.

    Its environment has none of the server's settings, the admin token among them. Raises SpeechFailed when it fails,
    takes longer than TURN_S, or is killed because the server stops.
    """
    name = os.path.basename(command[0])
    options: Any = dict.fromkeys(("stdin", "stdout", "stderr"), subprocess.PIPE)
    options["env"] = {key: value for key, value in os.environ.items() if not key.startswith("DRYLINE_")}
    try:
        # In a group of its own, so that its child processes are killed with it.
        process = subprocess.Popen(command, start_new_session=True, **options)
    except (OSError, ValueError) as error:
        raise SpeechFailed(f"{name} does not start: {error}") from None
    with process:
        deadline, unsent = monotonic() + TURN_S, stdin
        while True:
            try:
                stdout, stderr = process.communicate(unsent or None, timeout=min(_POLL_S, TURN_S))
                break
            except subprocess.TimeoutExpired:  # a second `communicate` goes on with the input of the first
                unsent = b""
                if is_stopping() or monotonic() > deadline:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL)
                    raise SpeechFailed(f"{name} took longer than {TURN_S:g} s for one turn") from None
    if process.returncode:
        reason = stderr.decode(errors="replace").strip().rpartition("\n")[2]
        raise SpeechFailed(f"{name} ended with {process.returncode}: {reason[:200]}")
    return stdout


def _read_wave(content: bytes, name: str) -> array[int]:
    """Return the first channel of a WAV file, at RATE. Raises SpeechFailed."""
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            if width != 2 or not RATE <= rate <= 96_000:
                needed = f"16 bit at {RATE} to 96000 Hz"
                raise SpeechFailed(f"{name} gave {8 * width} bit at {rate} Hz; needed are {needed}")
            frames = file.readframes(len(content))  # from a pipe, the length in the header may be wrong
    except (wave.Error, EOFError, RuntimeError) as error:
        raise SpeechFailed(f"{name} gave no WAV file ({str(error) or 'it ends too soon'})") from None
    samples = array("h", frames[: len(frames) // (2 * channels) * 2 * channels])[::channels]
    # Each new sample is the mean of those that it replaces.
    sums = list(accumulate(samples, initial=0))
    borders = [index * rate // RATE for index in range(len(samples) * RATE // rate + 1)]
    return array("h", [(sums[end] - sums[start]) // (end - start) for start, end in pairwise(borders)])


@lru_cache(maxsize=256)
def _espeak_voice(program: str, code: str) -> str:
    """Return espeak-ng's voice file for a language code, for its main form, or else for American English."""
    listed = _run([program, "--voices"], b"", lambda: False).decode(errors="replace")
    rows = [line.split() for line in listed.splitlines()]
    files = {row[1].lower(): row[4] for row in rows if len(row) > 4}
    code = code.lower().replace("_", "-")
    return next((files[name] for name in (code, code.partition("-")[0]) if name in files), "en-us")

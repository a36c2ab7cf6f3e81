"""Speech in recordings: espeak-ng, a program of the user's, or placeholder beeps. Setting: `--speech`.

A program is run once for each turn, and a second time when the first result does not fit the turn's time.
"""

from __future__ import annotations

import io
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
from pathlib import Path
from typing import NamedTuple, Protocol
from zlib import crc32

from dryline.settings import speech_command
from dryline.simulator import tones
from dryline.traffic.real_time import monotonic

TURN_S = 10.0  # real time that a program has for one turn
_POLL_S = 0.2  # between looks whether the server is stopping

# espeak-ng's voice variants, female and male. Agent and caller never have the same kind.
_VARIANTS = (("f2", "f3", "f4", "f5"), ("m1", "m3", "m7", "m8"))
_BEEPS_HZ = ((520, 560, 500, 540), (330, 350, 310, 370))  # likewise
_SLOWEST, _FASTEST = 0.6, 2.4  # speeds; 1 is natural
_SHORTEST_FIT, _FIT = 0.85, 0.95  # shares of a turn's time: shorter speech is made again, to take the second one
_RATES = range(8_000, 96_001)
_SILENT = 250  # softer samples before and after the words are cut off
_PLACEHOLDER = re.compile(r"{(\w+)}")


class SpeechFailed(Exception):
    """The program made no speech. The message is the second half of a sentence."""


class Speech(NamedTuple):
    """Samples, and how many of them make a second."""

    samples: array[int]
    rate: int


class Speaker(NamedTuple):
    """The speaker of a turn. `kind` and `number` choose a voice; `language` is a code such as en-US, or empty."""

    role: str
    language: str
    kind: int
    number: int


class Voice(Protocol):
    """Text to speech. Voices with the same `mark` make the same sound of a text."""

    mark: str

    def say(self, text: str, seconds: float, speaker: Speaker) -> Speech:
        """Return the text, which is as from `printable`, spoken in about this time. Raises SpeechFailed."""


def printable(text: str) -> str:
    """Return the text with each run of blanks, line breaks and control characters as one blank."""
    return " ".join("".join(c if c.isprintable() else " " for c in text).split())


def speakers(voice: str, caller: str, language: str) -> tuple[Speaker, Speaker]:
    """Return agent and caller, the same two for the same voice id and number."""
    voice_hash, caller_hash = (crc32(text.encode(errors="replace")) for text in (voice, caller))
    kind = voice_hash & 1
    agent = Speaker("agent", language, kind, (voice_hash >> 1) % 4)
    return agent, Speaker("caller", language, 1 - kind, (caller_hash >> 1) % 4)


def voice_of(setting: str, is_stopping: Callable[[], bool] = lambda: False) -> Voice:
    """Return the voice for a value of `--speech`. Its program is killed once `is_stopping` returns true."""
    command = speech_command(setting)
    if command is not None:
        return SpeechCommand(command, is_stopping)
    espeak = shutil.which("espeak-ng") if setting == "auto" else None
    return Espeak(espeak, is_stopping) if espeak else Beeps()


class Beeps:
    """A beep for each word, at the speaker's own pitch."""

    mark = "tones"

    def say(self, text: str, seconds: float, speaker: Speaker) -> Speech:
        hertz = _BEEPS_HZ[speaker.kind][speaker.number]
        return Speech(tones.beeps(text, round(seconds * tones.RATE), hertz), tones.RATE)


class SpeechProgram:
    """A program that reads text and writes a WAV file."""

    mark: str
    knows_speed = True

    def __init__(self, is_stopping: Callable[[], bool]) -> None:
        self._is_stopping = is_stopping

    def say(self, text: str, seconds: float, speaker: Speaker) -> Speech:
        """Return the text spoken in about this time, loud, without silence at its ends. Raises SpeechFailed."""
        speed = _clamp(natural_s(text) / seconds)
        speech = self._run(text, speed, speaker)
        share = len(speech.samples) / speech.rate / seconds
        if self.knows_speed and not _SHORTEST_FIT <= share <= 1:
            new_speed = _clamp(speed * share / _FIT)
            if new_speed != speed:
                speech = self._run(text, new_speed, speaker)
        return Speech(tones.amplify(speech.samples), speech.rate)

    def command(self, text: str, speed: float, speaker: Speaker) -> list[str]:
        """Return the program and its arguments. The text is on its standard input; `{out}` is a file to write."""
        raise NotImplementedError

    def _run(self, text: str, speed: float, speaker: Speaker) -> Speech:
        command, stdin = self.command(text, speed, speaker), text.encode(errors="replace")
        if any("{out}" in word for word in command):
            with tempfile.TemporaryDirectory(prefix="dryline-speech-") as folder:
                out = Path(folder, "speech.wav")
                run([word.replace("{out}", str(out)) for word in command], stdin, self._is_stopping)
                try:
                    content = out.read_bytes()
                except OSError:
                    raise SpeechFailed(f"{command[0]} wrote no file") from None
        else:
            content = run(command, stdin, self._is_stopping)
        return read_wave(content, os.path.basename(command[0]))


class Espeak(SpeechProgram):
    """espeak-ng, in the speaker's language."""

    mark = "espeak-ng"

    def __init__(self, path: str, is_stopping: Callable[[], bool] = lambda: False) -> None:
        super().__init__(is_stopping)
        self._path = path

    def command(self, text: str, speed: float, speaker: Speaker) -> list[str]:
        voice = f"{espeak_language(self._path, speaker.language)}+{_VARIANTS[speaker.kind][speaker.number]}"
        return [self._path, "--stdin", "--stdout", "-b", "1", "-v", voice, "-s", str(round(175 * speed))]


class SpeechCommand(SpeechProgram):
    """A program of the user's. `settings.speech_command` describes the placeholders of its arguments."""

    def __init__(self, words: list[str], is_stopping: Callable[[], bool] = lambda: False) -> None:
        super().__init__(is_stopping)
        self._words = words
        self.mark = f"command: {shlex.join(words)}"
        self.knows_speed = any("{speed}" in word for word in words)

    def command(self, text: str, speed: float, speaker: Speaker) -> list[str]:
        """Fill in the placeholders of each word. No shell reads them."""
        values = {"speed": f"{speed:.2f}", "role": speaker.role, "language": speaker.language or "en"}
        words = [_PLACEHOLDER.sub(lambda match: values.get(match[1], match[0]), word) for word in self._words]
        # With a blank before it, no program takes a text that begins with a dash for an option.
        argument = f" {text}" if text.startswith("-") else text
        return [argument if word == "{text}" else word for word in words]


def natural_s(text: str) -> float:
    """Return about how many seconds espeak-ng takes for a text. A digit is a whole word."""
    return 0.3 + (len(text) + 6 * sum(c.isdigit() for c in text)) / 19


def run(command: list[str], stdin: bytes, is_stopping: Callable[[], bool] = lambda: False) -> bytes:
    """Return a program's standard output.

    Its environment has none of the server's settings, the admin token among them. Raises SpeechFailed when it fails,
    takes longer than TURN_S, or is killed because the server stops.
    """
    name = os.path.basename(command[0])
    environment = {key: value for key, value in os.environ.items() if not key.startswith("DRYLINE_")}
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=environment,
            start_new_session=True,  # a group of its own, so that its child processes are killed with it
        )
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
                        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
                    raise SpeechFailed(f"{name} took longer than {TURN_S:g} s for one turn") from None
    if process.returncode:
        lines = stderr.decode(errors="replace").strip().splitlines()
        raise SpeechFailed(f"{name} ended with {process.returncode}" + (f": {lines[-1][:200]}" if lines else ""))
    return stdout


def read_wave(content: bytes, name: str) -> Speech:
    """Return the first channel of a WAV file, without the silence at its ends. Raises SpeechFailed.

    The length in the header may be wrong, as it is when a program writes to a pipe.
    """
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            if width != 2 or rate not in _RATES:
                raise SpeechFailed(
                    f"{name} gave {8 * width} bit at {rate} Hz; needed are 16 bit at {_RATES[0]} to {_RATES[-1]} Hz"
                )
            frames = file.readframes(len(content))
    except (wave.Error, EOFError, RuntimeError) as error:
        raise SpeechFailed(f"{name} gave no WAV file ({str(error) or 'it ends too soon'})") from None
    samples = array("h", frames[: len(frames) // (2 * channels) * 2 * channels])[::channels]
    start = next((at for at, sample in enumerate(samples) if abs(sample) > _SILENT), len(samples))
    end = next((at for at in range(len(samples), start, -1) if abs(samples[at - 1]) > _SILENT), start)
    return Speech(samples[start:end], rate)


@lru_cache(maxsize=256)
def espeak_language(program: str, code: str) -> str:
    """Return espeak-ng's name of a language: of this code, of its main form, or else of American English."""
    code = code.lower().replace("_", "-")
    known = _espeak_languages(program)
    for name in (code, code.partition("-")[0]):
        if name and name in known and name != "en":
            return name
    return "en-us" if "en-us" in known else "en"


@lru_cache(maxsize=4)
def _espeak_languages(program: str) -> frozenset[str]:
    lines = run([program, "--voices"], b"").decode(errors="replace").splitlines()[1:]
    return frozenset(line.split()[1].lower() for line in lines if len(line.split()) > 1)


def _clamp(speed: float) -> float:
    return min(max(speed, _SLOWEST), _FASTEST)

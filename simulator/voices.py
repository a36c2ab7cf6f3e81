"""Who speaks in recordings: the machine's own speech program, any other, or else a murmur. Setting: `--speech`.

A program is run once for each turn, as fast as the turn's time asks for, and once more where it was far off.
"""

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
import time
import wave
from array import array
from collections.abc import Callable
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple, Protocol
from zlib import crc32

from dryline.settings import speech_command
from dryline.simulator import sounds
from dryline.simulator.sounds import PEAK, RATE

AGENT, CALLER = "agent", "caller"
TURN_S = 10.0  # real time that a program has for one turn
_LOOK_S = 0.2  # how often it is looked whether the server ends meanwhile

# Variants of espeak-ng's voices: those of women and of men. Agent and caller are never of one kind.
_KINDS = (("f2", "f3", "f4", "f5"), ("m1", "m3", "m7", "m8"))
_PITCHES = ((205, 190, 220, 178), (120, 108, 132, 98))  # of the murmur, in hertz, likewise
_SLOWEST, _FASTEST = 0.6, 2.4  # speeds, where 1 is natural
_CLOSE = (0.93, 1.05)  # how long a turn may have become, against its time, to be stretched and not spoken again
_STRETCHED = (0.88, 1.15)  # more than this would sound odd
_PLACE = re.compile(r"{(\w+)}")
_HUSH = 250  # what is softer is silence before and after the words


class SpeechFailed(Exception):
    """The program did not speak. The message says why, in a sentence's second half."""


class Speaker(NamedTuple):
    """Who says a turn. `kind` and `nth` choose among the voices; `language` is a code such as en-US, or empty."""

    role: str
    language: str
    kind: int
    nth: int


class Voice(Protocol):
    """What turns text into sound. `mark` names it: where it is the same, so is the sound of a text."""

    mark: str

    def say(self, text: str, count: int, speaker: Speaker) -> array[int]:
        """The text as `count` samples. Raises SpeechFailed."""


def speakers(voice: str, caller: str, language: str) -> tuple[Speaker, Speaker]:
    """Agent and caller: the same two for the same voice id and number."""
    mark = crc32(voice.encode(errors="replace"))
    kind = mark & 1
    other = crc32(caller.encode(errors="replace"))
    return Speaker(AGENT, language, kind, (mark >> 1) % 4), Speaker(CALLER, language, 1 - kind, (other >> 1) % 4)


def voice_of(setting: str, ending: Callable[[], bool] = lambda: False) -> Voice:
    """What `--speech` asks for. A program is cut off once `ending` says so."""
    voice = _program(setting)
    if voice is None:
        return Murmur()
    voice.ending = ending
    return voice


def _program(setting: str) -> Program | None:
    template = speech_command(setting)
    if template is not None:
        return Command(template)
    if setting == "tones":
        return None
    if path := shutil.which("espeak-ng"):
        return Espeak(path)
    if path := shutil.which("flite"):
        return Flite(path)
    return None


class Murmur:
    """Syllables without words. A caller's digits are key tones."""

    mark = "tones"

    def say(self, text: str, count: int, speaker: Speaker) -> array[int]:
        """The text as `count` samples."""
        return sounds.murmur(text, count, _PITCHES[speaker.kind][speaker.nth], keys=speaker.role == CALLER)


class Program:
    """A speech program. What it says is brought to the turn's time, to RATE, and to one loudness."""

    mark: str
    adjustable = True  # whether it is told how fast to speak
    ending: Callable[[], bool] = staticmethod(lambda: False)

    def say(self, text: str, count: int, speaker: Speaker) -> array[int]:
        """The text as `count` samples. Raises SpeechFailed."""
        text = " ".join("".join(c if c.isprintable() else " " for c in text).split())
        if not text:
            return sounds.silence(count)
        speed = _within(_natural_s(text) * RATE / count, _SLOWEST, _FASTEST)
        samples, rate = self._spoken(text, speed, speaker)
        length = len(samples) * RATE / rate / count
        if self.adjustable and not _CLOSE[0] <= length <= _CLOSE[1]:
            again = _within(speed * length, _SLOWEST, _FASTEST)
            if again != speed:
                samples, rate = self._spoken(text, again, speaker)
                length = len(samples) * RATE / rate / count
        return sounds.clamped(at_our_rate(samples, rate, _within(length, *_STRETCHED)), count)

    def _spoken(self, text: str, speed: float, speaker: Speaker) -> tuple[array[int], int]:
        command, by_input = self.run(text, speed, speaker), text.encode(errors="replace")
        if any("{out}" in word for word in command):
            with tempfile.TemporaryDirectory(prefix="dryline-speech-") as folder:
                out = Path(folder, "speech.wav")
                _run([word.replace("{out}", str(out)) for word in command], by_input, self.ending)
                try:
                    heard = out.read_bytes()
                except OSError:
                    raise SpeechFailed(f"{command[0]} wrote no file") from None
        else:
            heard = _run(command, by_input, self.ending)
        return read_wave(heard, command[0])

    def run(self, text: str, speed: float, speaker: Speaker) -> list[str]:
        """The program and its arguments; the text comes by its standard input. `{out}` is a file to write."""
        raise NotImplementedError


class Espeak(Program):
    """espeak-ng, in the speaker's language."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.mark = "espeak-ng"

    def run(self, text: str, speed: float, speaker: Speaker) -> list[str]:
        """The text is on standard input: no word of it is taken for an option."""
        voice = f"{espeak_language(self.path, speaker.language)}+{_KINDS[speaker.kind][speaker.nth]}"
        return [self.path, "--stdin", "--stdout", "-b", "1", "-v", voice, "-s", str(round(175 * speed))]


class Flite(Program):
    """flite, which speaks English. Its quick voice, at two pitches: the others take as long as they speak."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.mark = "flite"

    def run(self, text: str, speed: float, speaker: Speaker) -> list[str]:
        """The text is on standard input."""
        pitch, slower = (150, 95)[speaker.kind], round(1 / speed, 3)
        features = ["--setf", f"int_f0_target_mean={pitch}", "--setf", f"duration_stretch={slower}"]
        return [self.path, "-voice", "kal", *features, "-f", "/dev/stdin", "-o", "{out}"]


class Command(Program):
    """A program of the user's own; settings.py has the placeholders."""

    def __init__(self, template: list[str]) -> None:
        self.template = template
        self.mark = f"command: {shlex.join(template)}"
        self.adjustable = any("{speed}" in word for word in template)

    def run(self, text: str, speed: float, speaker: Speaker) -> list[str]:
        """The template filled in, word by word: no shell reads it."""
        values = {"speed": f"{speed:.2f}", "role": speaker.role, "language": speaker.language or "en"}
        filled = [_PLACE.sub(lambda place: values.get(place[1], place[0]), word) for word in self.template]
        return [text if word == "{text}" else word for word in filled]


def _natural_s(text: str) -> float:
    """How long it takes to say, in seconds, by measure of espeak-ng: a digit is a whole word."""
    return 0.3 + (len(text) + 6 * sum(c.isdigit() for c in text)) / 19


def _run(command: list[str], by_input: bytes, ending: Callable[[], bool] = lambda: False) -> bytes:
    """What a program writes, told this. Raises SpeechFailed when it fails, takes longer than TURN_S, or at the end."""
    name = os.path.basename(command[0])
    try:
        process = subprocess.Popen(
            command,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,  # so that what it has started ends with it
        )
    except (OSError, ValueError) as error:
        raise SpeechFailed(f"{name} does not start: {error}") from None
    with process:
        deadline, left = time.monotonic() + TURN_S, by_input
        while True:
            try:
                written, complaint = process.communicate(left or None, timeout=min(_LOOK_S, TURN_S))
                break
            except subprocess.TimeoutExpired:  # asked again, it goes on where it was, and must not be told again
                left = b""
                if ending() or time.monotonic() > deadline:
                    with suppress(ProcessLookupError):
                        os.killpg(process.pid, signal.SIGKILL) if hasattr(os, "killpg") else process.kill()
                    raise SpeechFailed(f"{name} took longer than {TURN_S:g} s for one turn") from None
    if process.returncode:
        said = complaint.decode(errors="replace").strip().splitlines()
        raise SpeechFailed(f"{name} ended with {process.returncode}" + (f": {said[-1][:200]}" if said else ""))
    return written


def read_wave(content: bytes, name: str) -> tuple[array[int], int]:
    """The samples of a WAV file, of its first channel, without the silence around them, and their rate.

    A length that the header has wrong, as where it was written to a pipe, is passed over. Raises SpeechFailed.
    """
    name = os.path.basename(name)
    try:
        with wave.open(io.BytesIO(content)) as file:
            channels, width, rate = file.getnchannels(), file.getsampwidth(), file.getframerate()
            if width != 2 or not RATE <= rate <= 96_000:
                raise SpeechFailed(f"{name} gave {8 * width} bit at {rate} Hz; wanted are 16 bit at {RATE} Hz or more")
            frames = file.readframes(len(content))
    except (wave.Error, EOFError, RuntimeError) as error:
        raise SpeechFailed(f"{name} gave no WAV file ({error or 'it ends too soon'})") from None
    samples = array("h", frames[: len(frames) // (2 * channels) * 2 * channels])[::channels]
    return _without_silence(samples), rate


def _without_silence(samples: array[int]) -> array[int]:
    first = next((at for at, sample in enumerate(samples) if abs(sample) > _HUSH), len(samples))
    behind = next((at for at in range(len(samples), first, -1) if abs(samples[at - 1]) > _HUSH), first)
    return samples[first:behind]


def at_our_rate(samples: array[int], rate: int, shrink: float) -> array[int]:
    """The samples at RATE, as loud as PEAK, in 1/`shrink` of their time.

    160 samples are made of each `step`; for each of these 160 the filter against what RATE cannot hold is one pass over
    slices, where a loop over samples would take four times as long.
    """
    if not samples:
        return samples
    step = max(round(160 * rate * shrink / RATE), 1)
    taps = _low_pass(step / 160)
    reach = len(taps) // 2
    loud = PEAK / max(max(samples), -min(samples))
    weights = [loud * tap for tap in taps[reach:]]
    rounds = -(-len(samples) // step)
    padded = sounds.silence(reach) + samples + sounds.silence(rounds * step + 2 * reach - len(samples))
    made = sounds.silence(rounds * 160)
    for phase in range(160):
        first = phase * step // 160
        columns = [padded[first + tap :: step][:rounds] for tap in range(2 * reach + 1)]
        made[phase::160] = array("h", _weighed(columns, weights))
    return made[: len(samples) * 160 // step]


def _weighed(columns: list[array[int]], weights: list[float]) -> list[int]:
    if len(weights) == 1:
        (w0,) = weights
        return [int(w0 * sample) for sample in columns[0]]
    w0, w1, w2, w3, w4 = weights
    a, b, c, d, middle, e, f, g, h = columns
    return [
        int(w0 * m + w1 * (s + t) + w2 * (r + u) + w3 * (q + v) + w4 * (p + w))
        for p, q, r, s, m, t, u, v, w in zip(a, b, c, d, middle, e, f, g, h, strict=True)
    ]


@lru_cache(maxsize=64)
def _low_pass(fold: float) -> tuple[float, ...]:
    """A filter for one of every `fold` samples: nine taps of a windowed sinc; one where nothing is to be filtered."""
    if fold < 1.2:
        return (1.0,)
    cut = 0.9 / fold
    taps = []
    for at in range(-4, 5):
        sinc = cut if at == 0 else math.sin(math.pi * cut * at) / (math.pi * at)
        taps.append(sinc * (0.54 + 0.46 * math.cos(math.pi * at / 5)))
    return tuple(tap / sum(taps) for tap in taps)


@lru_cache(maxsize=256)
def espeak_language(program: str, code: str) -> str:
    """The language that espeak-ng has for a code: this one, its main form, or else American English."""
    code = code.lower().replace("_", "-")
    known = _espeak_languages(program)
    for wanted in (code, code.partition("-")[0]):
        if wanted and wanted in known and wanted != "en":
            return wanted
    return "en-us" if "en-us" in known else "en"


@lru_cache(maxsize=4)
def _espeak_languages(program: str) -> frozenset[str]:
    lines = _run([program, "--voices"], b"").decode(errors="replace").splitlines()[1:]
    return frozenset(line.split()[1].lower() for line in lines if len(line.split()) > 1)


def _within(value: float, least: float, most: float) -> float:
    return min(max(value, least), most)

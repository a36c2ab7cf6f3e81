"""Sounds of the telephone, made with the standard library: signals, and the murmur of people nobody has a voice for.

Each is an array of 16-bit samples, RATE of them a second. Waves are tables of one period that are repeated, so that
nearly all of a sound is copied and hardly any of it computed.
"""

from __future__ import annotations

import math
import re
from array import array
from collections.abc import Iterator
from functools import lru_cache
from zlib import crc32

RATE = 8000
PEAK = 14_000  # of a voice: loud enough, far from clipping
_SIGNAL = 7_000  # the peak of a signal

RINGING = (440, 480)  # hertz: what who calls hears until the other end is picked up
BUSY = (480, 620)
BEEP = (1000,)

_KEYS = {
    key: (row, column)
    for row, keys in ((697, "123"), (770, "456"), (852, "789"), (941, "*0#"))
    for key, column in zip(keys, (1209, 1336, 1477), strict=True)
}
# The first two formants of a vowel, in hertz.
_VOWELS = {"a": (730, 1090), "e": (530, 1840), "i": (350, 2290), "o": (570, 840), "u": (330, 870)}
_LIKE = str.maketrans("yäàâáåæéèêëíìîïóòôöøúùûü", "iaaaaaaeeeeiiiiooooouuuu")
_SHORT = ",;:\u2013\u2014-"  # with the dashes
_PIECES = re.compile(r"[^\W\d_]+|\d|[.!?…]+|[,;:\u2013\u2014-]+")
_NUCLEI = re.compile("[aeiou]+")
# How long things last, in syllables.
_BETWEEN_WORDS, _COMMA, _STOP, _KEY = 0.25, 0.9, 1.6, 0.9
_FADE_IN_S, _FADE_OUT_S = 0.012, 0.04


def silence(count: int) -> array[int]:
    """So many samples of it."""
    return array("h", bytes(2 * count))


def tone(hertz: tuple[int, ...], count: int) -> array[int]:
    """So many samples of a signal."""
    return _faded(_repeated(_sines(hertz), count))


def key_tone(key: str, count: int) -> array[int]:
    """What a telephone's key sounds like: one of 0 to 9, * and #."""
    return tone(_KEYS[key], count)


def murmur(text: str, count: int, pitch_hz: int, *, keys: bool) -> array[int]:
    """What `text` sounds like through a wall: its syllables, its pauses, in a voice of that pitch.

    The first syllable begins it and the last one ends it. With `keys`, digits are typed. Without anything to say it is
    silence.
    """
    units = list(_units(text, keys))
    while units and units[-1][0] is None:
        units.pop()
    made = silence(count)
    if not units:
        return made
    scale = count / sum(length for _, length, _ in units)
    at, said = 0.0, sum(sound is not None for sound, _, _ in units)
    nth = 0
    for sound, length, rise in units:
        first, end = int(at * scale), int((at + length) * scale)
        at += length
        if sound is None or end <= first:
            continue
        made[first:end] = _voiced(sound, end - first, pitch_hz * (1.1 - 0.2 * nth / said) * rise)
        nth += 1
    return made


def clamped(samples: array[int], count: int) -> array[int]:
    """Exactly so many samples: cut with a fade, or followed by silence."""
    if len(samples) <= count:
        return samples + silence(count - len(samples))
    return _faded(samples[:count])


def _units(text: str, keys: bool) -> Iterator[tuple[str | None, float, float]]:
    """The syllables of a text, keys and pauses (None): what it is, how long, and by how much its pitch is raised."""
    pieces = _PIECES.findall(text.lower().translate(_LIKE))
    for place, piece in enumerate(pieces):
        asks = "?" in "".join(pieces[place + 1 : place + 2])
        if piece in _KEYS and keys:
            yield piece, _KEY, 1.0
        elif piece[0].isalnum():
            # What is written without these vowels has a syllable for every two letters.
            nuclei = _NUCLEI.findall(piece) or [
                "aeiou"[crc32(piece[at:].encode()) % 5] for at in range(0, len(piece), 2)
            ]
            for nth, nucleus in enumerate(nuclei):
                last = nth == len(nuclei) - 1
                stress = 1 + (crc32(piece.encode()) + nth) % 7 / 70
                yield (
                    nucleus[0],
                    0.75 + 0.1 * min(len(nucleus), 3) + 0.2 * last,
                    stress * (1.25 if asks and last else 1),
                )
        else:
            yield None, _COMMA if piece[0] in _SHORT else _STOP, 1.0
            continue
        yield None, _BETWEEN_WORDS, 1.0


def _voiced(sound: str, count: int, pitch_hz: float) -> array[int]:
    if sound in _KEYS:
        return key_tone(sound, count)
    return _faded(_repeated(_vowel(sound, round(RATE / pitch_hz)), count))


@lru_cache(maxsize=512)
def _vowel(vowel: str, period: int) -> array[int]:
    """One period of a vowel: harmonics up to the telephone's 3.4 kHz, the stronger the nearer to a formant."""
    pitch_hz = RATE / period
    formants = _VOWELS[vowel]
    wave = [0.0] * period
    for harmonic in range(1, int(3400 / pitch_hz) + 1):
        hertz = harmonic * pitch_hz
        strength = 0.25 / harmonic + sum(math.exp(-(((hertz - formant) / 160) ** 2)) for formant in formants)
        # Phases that grow with the square keep the peaks of the harmonics apart.
        phase = math.pi * harmonic * harmonic / 20
        step = 2 * math.pi * harmonic / period
        for at in range(period):
            wave[at] += strength * math.sin(step * at + phase)
    scale = PEAK / max(map(abs, wave))
    return array("h", [int(scale * sample) for sample in wave])


@lru_cache(maxsize=32)
def _sines(hertz: tuple[int, ...]) -> array[int]:
    """A period of these sines together."""
    steps = [2 * math.pi * each / RATE for each in hertz]
    scale = _SIGNAL / len(hertz)
    period = RATE // math.gcd(RATE, *hertz)
    return array("h", [int(scale * sum(math.sin(step * at) for step in steps)) for at in range(period)])


def _repeated(period: array[int], count: int) -> array[int]:
    return (period * (count // len(period) + 1))[:count]


def _faded(samples: array[int]) -> array[int]:
    """The samples without a click at either end. Changes them."""
    risen, fallen = (min(int(RATE * seconds), len(samples) // 2) for seconds in (_FADE_IN_S, _FADE_OUT_S))
    for at in range(risen):
        samples[at] = samples[at] * at // risen
    for at in range(1, fallen + 1):
        samples[-at] = samples[-at] * (at - 1) // fallen
    return samples

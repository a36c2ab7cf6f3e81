"""Telephone signals and placeholder beeps for speech, as arrays of 16-bit samples, made with the standard library."""

from __future__ import annotations

import math
from array import array
from functools import lru_cache

RATE = 16_000  # samples a second of a recording without a speech program
RINGING = (440, 480)  # hertz
BUSY = (480, 620)
BEEP = (1000,)  # of a voicemail

_SIGNAL_PEAK, _SPEECH_PEAK = 7_000, 10_000
_FADE_IN_S, _FADE_OUT_S = 0.012, 0.04


def silence(count: int) -> array[int]:
    """Return `count` samples of silence."""
    return array("h", bytes(2 * count))


def tone(hertz: tuple[int, ...], count: int, rate: int, peak: int = _SIGNAL_PEAK) -> array[int]:
    """Return `count` samples of these frequencies together."""
    period = _period(hertz, rate, peak)
    return _fade((period * (count // len(period) + 1))[:count], rate)


def beeps(text: str, count: int, hertz: int) -> array[int]:
    """Return one beep for each word, as long as its share of the text; `count` samples at RATE."""
    samples = silence(count)
    words = text.split()
    letters = sum(len(word) + 1 for word in words) - 1
    at = 0
    for word in words:
        start, end = at * count // letters, (at + len(word)) * count // letters
        samples[start:end] = tone((hertz,), end - start, RATE, _SPEECH_PEAK)
        at += len(word) + 1
    return samples


def fit(samples: array[int], count: int, rate: int) -> array[int]:
    """Return exactly `count` samples: cut with a fade-out, or followed by silence."""
    if len(samples) <= count:
        return samples + silence(count - len(samples))
    return _fade(samples[:count], rate)


@lru_cache(maxsize=64)
def _period(hertz: tuple[int, ...], rate: int, peak: int) -> array[int]:
    """Return one period of the sum of these sines. Repeating it is faster than computing each sample."""
    steps = [2 * math.pi * each / rate for each in hertz]
    scale = peak / len(hertz)
    count = rate // math.gcd(rate, *hertz)
    return array("h", [int(scale * sum(math.sin(step * at) for step in steps)) for at in range(count)])


def _fade(samples: array[int], rate: int) -> array[int]:
    """Fade both ends in place, so that nothing clicks. Return the samples."""
    fade_in, fade_out = (min(int(rate * seconds), len(samples) // 2) for seconds in (_FADE_IN_S, _FADE_OUT_S))
    for at in range(fade_in):
        samples[at] = samples[at] * at // fade_in
    for at in range(1, fade_out + 1):
        samples[-at] = samples[-at] * (at - 1) // fade_out
    return samples

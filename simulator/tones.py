"""Telephone signals and placeholder beeps for speech, as arrays of 16-bit samples, made with the standard library."""

from __future__ import annotations

import math
from array import array
from functools import cache, lru_cache
from operator import add
from random import Random

RATE = 16_000  # samples a second of a recording without a speech program. Speech has the rate of its program
RINGING = (440, 480)  # hertz
BUSY = (480, 620)
BEEP = (1000,)  # of a voicemail

SPEECH_PEAK = 28_000  # -1.4 dBFS
_SIGNAL_PEAK, _BEEP_PEAK = 7_000, 10_000
_LARGEST_GAIN = 2  # 6 dB
OTHER_EAR = 0.2  # of a voice is heard on the other channel
_NOISE_PEAK, _NOISE_SAMPLES = 57, 1 << 16  # -60 dBFS; repeated after some seconds
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
        samples[start:end] = tone((hertz,), end - start, RATE, _BEEP_PEAK)
        at += len(word) + 1
    return samples


def cut(samples: array[int], count: int, rate: int) -> array[int]:
    """Return at most `count` samples, with a fade-out where they are cut."""
    return samples if len(samples) <= count else _fade(samples[:count], rate)


def amplify(samples: array[int]) -> array[int]:
    """Return speech up to 6 dB louder, at most at SPEECH_PEAK."""
    gain = min(SPEECH_PEAK / max(max(samples, default=1), -min(samples, default=-1), 1), _LARGEST_GAIN)
    return scale(samples, int(gain * 8) / 8) if gain > 1 else samples


def scale(samples: array[int], factor: float) -> array[int]:
    """Return each sample times a factor."""
    return array("h", map(_multiples(factor).__getitem__, samples))


def line_noise(first: int, count: int, channel: int) -> array[int]:
    """Return `count` samples of a telephone line's noise from the sample `first` on."""
    noise = _noise(channel)
    start = first % _NOISE_SAMPLES
    return (noise[start:] + noise * (count // _NOISE_SAMPLES + 1))[:count]


def mix(target: array[int], at: int, samples: array[int]) -> None:
    """Add samples to a channel in place, from its sample `at` on. What is too loud is clipped."""
    part = slice(at, at + len(samples))
    try:
        target[part] = array("h", map(add, target[part], samples))
    except OverflowError:
        sums = map(add, target[part], samples)
        target[part] = array("h", [min(max(one, -32_768), 32_767) for one in sums])


@lru_cache(maxsize=16)
def _multiples(factor: float) -> array[int]:
    """Return each possible sample times a factor, clipped. A negative sample counts from the end, as indexes do."""
    samples = (*range(32_768), *range(-32_768, 0))
    return array("h", [min(max(int(sample * factor), -32_768), 32_767) for sample in samples])


@cache
def _noise(channel: int) -> array[int]:
    return array("h", Random(channel).choices(range(-_NOISE_PEAK, _NOISE_PEAK + 1), k=_NOISE_SAMPLES))


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

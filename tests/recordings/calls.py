"""A call written by hand, and measures of its recording."""

import math

RATE = 8_000
AGENT, CALLER = 0, 1
NEUTRAL = "https://recordings.dryline.invalid/{}.wav"
# A call by hand: whole seconds, both speak, once at the same time.
SAID = [
    {"role": "assistant", "content": "Hello, this is the clinic. How can I help?", "start": 1.0, "end": 4.0},
    {"role": "user", "content": "I would like to book a cleaning, please.", "start": 5.0, "end": 8.0},
    {"role": "assistant", "content": "Of course, one moment.", "start": 7.5, "end": 9.25},
]
CALL = {
    "status": "completed",
    "direction": "inbound",
    "call_sid": "CA1",
    "duration": 11,
    "messages": {"messages": SAID},
    "recording_url": NEUTRAL.format("CA1"),
    "start_time": "2026-01-02T00:00:00.000Z",
    "end_time": "2026-01-02T00:00:11.000Z",
}


def loudness(channel, start, end):
    """Return the root mean square of the samples between two seconds."""
    samples = channel[round(start * RATE) : round(end * RATE)]
    return math.sqrt(sum(sample * sample for sample in samples) / len(samples))


def is_silent(channel, start, end):
    """Return whether there is nothing between two seconds."""
    return not any(channel[round(start * RATE) : round(end * RATE)])

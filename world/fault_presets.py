"""Faults that programs meet in the field, ready to be switched on by name."""

from __future__ import annotations

from typing import Any, NamedTuple


class Preset(NamedTuple):
    """What happens, in a sentence, and the rule that does it (`world/faults.py`)."""

    title: str
    rule: dict[str, Any]


PRESETS = {
    "rate-limited": Preset("429 with Retry-After: 1", {"status": 429, "headers": {"Retry-After": "1"}}),
    "unavailable-twice": Preset("503 twice, then all is well", {"status": 503, "times": 2}),
    "answer-lost": Preset("the write is done, its answer is lost", {"phase": "after", "drop": True, "times": 1}),
    "slow": Preset("every answer takes three seconds longer", {"delay_ms": 3_000}),
    "cut-off": Preset("the connection is cut without an answer", {"drop": True}),
    "half-an-answer": Preset("the answer breaks off in the middle", {"malformed": "truncated"}),
}

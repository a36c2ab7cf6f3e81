"""Ready-made fault rules, by name."""

from typing import Any, NamedTuple


class Preset(NamedTuple):
    """A title, and the values of a rule (`traffic/faults.py`); nested values have wire names."""

    title: str
    rule: dict[str, Any]


PRESETS = {
    "rate-limited": Preset(
        "10 requests in 10 s for each key, then 429 with Retry-After",
        {"rate_limit": {"requests": 10, "windowSeconds": 10}},
    ),
    "unavailable-twice": Preset("503 twice, then normal answers", {"status": 503, "times": 2}),
    "answer-lost": Preset("the write is done, its answer is lost", {"phase": "after", "drop": True, "times": 1}),
    "slow": Preset("every answer takes three seconds longer", {"delay_ms": 3_000}),
    "uneven": Preset(
        "most answers take a third of a second longer, some several seconds",
        {"delay_distribution": {"type": "lognormal", "medianMs": 300, "sigma": 1}},
    ),
    "trickle": Preset("bodies come at 2,000 bytes a second", {"bytes_per_second": 2_000}),
    "cut-off": Preset("the connection is cut without an answer", {"drop": True}),
    "half-an-answer": Preset("the answer breaks off in the middle", {"malformed": "truncated"}),
}

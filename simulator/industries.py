"""The industries of workers, recognized by name, description and flow."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from dryline.simulator.scripts import Script, load_script
from dryline.simulator.tables import table

_DEFAULT_TYPES = {"amount": "number", "resolved": "boolean", "payment_promised": "boolean"}


@dataclass(frozen=True)
class Industry:
    """An industry with its scripts. `extractions` are those of deployments that define none."""

    name: str
    pattern: re.Pattern[str]  # the keywords by which a worker's industry is recognized
    inbound: Sequence[Script]  # a script that is named twice is twice as usual
    outbound: Sequence[Script]
    transfer: Script  # of a caller who wants a person
    desk: str
    subjects: Sequence[str]
    extractions: dict[str, Any]


@cache
def industries() -> tuple[Industry, ...]:
    """Return the industries. The last one is for workers of no known industry."""
    return tuple(
        Industry(
            row["name"],
            re.compile(rf"\b({row['words']})", re.IGNORECASE),
            [load_script(name) for name in row["inbound_scripts"]],
            [load_script(name) for name in row["outbound_scripts"]],
            load_script("support_with_transfer", *row["number"]),
            row["desk"],
            row["subjects"],
            {key: {"type": _DEFAULT_TYPES.get(key, "string")} for key in row["extracted"]},
        )
        for row in table("industries")
    )


def industry_of(*texts: str | None) -> Industry:
    """Return the industry that the texts, the most telling first, are about."""
    for text in texts:
        counts = [len(industry.pattern.findall(text or "")) for industry in industries()[:-1]]
        if max(counts):
            return industries()[counts.index(max(counts))]
    return industries()[-1]

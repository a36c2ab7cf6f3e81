"""The tables of the simulator, as data: industries, cities, names of people, what visitors write."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from dryline.simulator.scripts import Script, load_script
from dryline.storage.files import read_json

_DEFAULT_TYPES = {"amount": "number", "resolved": "boolean", "payment_promised": "boolean"}


@cache
def table(name: str) -> Any:
    """Return a table of tables.json. One that is a text there is a tuple of its words."""
    value = _tables()[name]
    return tuple(value.split()) if isinstance(value, str) else value


_LONGEST = 50_000  # characters of a text in which the words of industries are searched


@cache
def _tables() -> dict[str, Any]:
    return read_json(Path(__file__).with_name("tables.json"))


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
        beginning = (text or "")[:_LONGEST]
        counts = [len(industry.pattern.findall(beginning)) for industry in industries()[:-1]]
        if max(counts):
            return industries()[counts.index(max(counts))]
    return industries()[-1]

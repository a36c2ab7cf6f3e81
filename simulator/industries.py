"""The industries of workers, recognized by name, description and flow."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from typing import Any

from dryline.simulator.scripts import Script, load_script
from dryline.simulator.tables import table

_DEFAULT_TYPES = {"amount": "number", "resolved": "boolean", "payment_promised": "boolean"}


@dataclass(frozen=True)
class Industry:
    """An industry with its scripts. `extracted` are the extractions of deployments that define none."""

    name: str
    words: str  # keywords by which a worker's industry is recognized
    inbound_scripts: Sequence[str]  # a script that is named twice is twice as usual
    outbound_scripts: Sequence[str]
    number: tuple[str, str]  # the number by which customers are found: as the agent says it, and its slot
    desk: str
    subjects: Sequence[str]
    extracted: Sequence[str]

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """A pattern that finds the keywords."""
        return re.compile(rf"\b({self.words})", re.IGNORECASE)

    @cached_property
    def inbound(self) -> tuple[Script, ...]:
        """The scripts of inbound calls and chats."""
        return tuple(map(load_script, self.inbound_scripts))

    @cached_property
    def outbound(self) -> tuple[Script, ...]:
        """The scripts of outbound calls."""
        return tuple(map(load_script, self.outbound_scripts))

    @cached_property
    def transfer(self) -> Script:
        """The script of a caller who wants a person."""
        return load_script("support_with_transfer", *self.number)

    @cached_property
    def extractions(self) -> dict[str, Any]:
        """The extractions of deployments that define none."""
        return {key: {"type": _DEFAULT_TYPES.get(key, "string")} for key in self.extracted}


@cache
def industries() -> tuple[Industry, ...]:
    """Return the industries. The last one is for workers of no known industry."""
    return tuple(Industry(**row) for row in table("industries"))


def industry_of(*texts: str | None) -> Industry:
    """Return the industry that the texts, the most telling first, are about."""
    for text in texts:
        counts = [len(industry.pattern.findall(text or "")) for industry in industries()[:-1]]
        if max(counts):
            return industries()[counts.index(max(counts))]
    return industries()[-1]

"""How a call shall come out, where whoever has it placed says so: by the number that is called, or in the row.

The stand-in's own: no source knows of it. Else the seed decides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dryline.models.voice_logs import OUTCOMES
from dryline.storage.errors import Invalid

MEMBER = "dryline"  # of a contact row: `{"outcome": …}`, or the outcome alone where rows hold texts only
# By the last four digits of a number of the range that is kept for fiction: any area code, then 555-01xx.
BY_NUMBER = {
    "0100": "completed",
    "0101": "busy",
    "0102": "no-answer",
    "0103": "voicemail",
    "0104": "failed",
    "0105": "transferred",
}
_FICTION = re.compile(r"\+1\d{3}555(01\d\d)", re.ASCII)


def said_outcome(number: str | None, row: Mapping[str, Any] | None = None) -> str | None:
    """The outcome that a contact row says, else the one that the number (E.164) stands for; None where neither does."""
    said = _in_row(row or {})
    if said in OUTCOMES:
        return said
    found = _FICTION.fullmatch(number or "")
    return BY_NUMBER.get(found[1]) if found else None


def demand_outcomes(rows: Any) -> None:
    """Raises Invalid, naming the row, where one says an outcome that there is not."""
    for index, row in enumerate(rows if isinstance(rows, Iterable) else ()):
        if isinstance(row, dict) and MEMBER in row and _in_row(row) not in OUTCOMES:
            raise Invalid(f"Its outcome must be one of: {', '.join(OUTCOMES)}.", f"data.{index}.{MEMBER}")


def _in_row(row: Mapping[str, Any]) -> Any:
    own = row.get(MEMBER)
    said = own.get("outcome") if isinstance(own, dict) else own
    return said if isinstance(said, str) else None

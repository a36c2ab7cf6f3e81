"""Outcomes of calls that a test chooses, by the number that is called or by a member of a contact row.

This is dryline's own; the real service has nothing like it. Without a choice the seed decides.
"""

import re
from collections.abc import Iterable, Mapping
from typing import Any

from dryline.models.voice_logs import OUTCOMES
from dryline.storage.errors import Invalid

MEMBER = "dryline"  # of a contact row: `{"outcome": …}`, or the outcome alone if rows hold texts only
# By the last four digits of a number of the range reserved for fiction: any area code, then 555-01xx.
_IN_ORDER = ("completed", "busy", "no-answer", "voicemail", "failed", "transferred")
BY_NUMBER = {f"010{number}": outcome for number, outcome in enumerate(_IN_ORDER)}
_FICTION = re.compile(r"\+1\d{3}555(01\d\d)", re.ASCII)


def scripted_outcome(number: str | None, row: Mapping[str, Any] | None = None) -> str | None:
    """Return the outcome that a contact row or else the number (E.164) chooses, or None."""
    outcome = _outcome_in_row(row or {})
    if outcome in OUTCOMES:
        return outcome
    match = _FICTION.fullmatch(number or "")
    return BY_NUMBER.get(match[1]) if match else None


def require_outcomes(rows: Iterable[Mapping[str, Any]]) -> None:
    """Raise Invalid with the row's index if a row has an unknown outcome."""
    for index, row in enumerate(rows):
        if MEMBER in row and _outcome_in_row(row) not in OUTCOMES:
            raise Invalid(f"Its outcome must be one of: {', '.join(OUTCOMES)}.", f"data.{index}.{MEMBER}")


def _outcome_in_row(row: Mapping[str, Any]) -> Any:
    member = row.get(MEMBER)
    outcome = member.get("outcome") if isinstance(member, dict) else member
    return outcome if isinstance(outcome, str) else None

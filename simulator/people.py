"""The people of calls: cities, phone numbers, and the facts of contact rows."""

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any, NamedTuple

from dryline.models.scripted_outcomes import BY_NUMBER
from dryline.simulator.analysis import fact_of
from dryline.simulator.tables import table

Row = Mapping[str, Any]


class City(NamedTuple):
    """A city of the United States with an area code, so that a number fits its owner's town."""

    name: str
    area_code: str
    zone: str


@cache
def cities() -> tuple[City, ...]:
    """Return the cities that people of calls live in."""
    return tuple(City(*row) for row in table("cities"))


# Facts that scripts mention and that a campaign's contact row may hold.
_SPOKEN_OF = ("first", "last", "name", "city", "email", "day", "time", "service", "product", "order", "account")
_FIRST_FREE = len(BY_NUMBER)
_LONGEST = 100  # characters of a row's text that somebody says


def fictional_number(random: Callable[[], float], area_code: str) -> str:
    """Return a number of the range for fiction (555-01xx) in E.164, and none that determines an outcome."""
    return f"+1{area_code}55501{_FIRST_FREE + int(random() * (100 - _FIRST_FREE)):02d}"


def said_number(number: str) -> str:
    """Return a number in E.164 as people say it: `+14155550100` is 415 555 0100, without the US country code."""
    digits = number.removeprefix("+")
    if number.startswith("+1") and len(digits) == 11:
        return f"{digits[1:4]} {digits[4:7]} {digits[7:]}"
    return number


def facts_of_row(row: Row | None, number: str | None) -> dict[str, Any]:
    """Return the facts of a contact before the call: those of the row, and the number (E.164)."""
    if not row:
        return {} if number is None else {"phone": number}
    facts: dict[str, str] = {}
    for key, value in row.items():
        fact = fact_of(key)
        if fact in _SPOKEN_OF and isinstance(value, str) and value.strip():
            facts.setdefault(fact, value.strip()[:_LONGEST])
    first, *rest = facts.pop("name", "").split() or [""]
    if first and "first" not in facts:
        # A person with one name has no last name, unless the row has one.
        facts = {"first": first, "last": " ".join(rest), **facts}
    elif rest:
        facts.setdefault("last", " ".join(rest))
    return facts if number is None else facts | {"phone": number}

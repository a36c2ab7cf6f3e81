"""Telephone numbers in any notation, and their replacements."""

import re
from collections.abc import Callable, Iterable
from typing import Any

import phonenumbers

from dryline.models.numbering import HOME, e164

# The area code 555 is not assigned.
PREFIX = "+1555"
PLACES = 10_000_000

# The library's search leaves out numbers that no plan has assigned, and those with a country code but no plus.
INTERNATIONAL = re.compile(
    r"(?:\+|(?<![\w.,+])00[ \-]?)[1-9](?:[ ().\-/]{0,3}\d){6,14}|(?<![\w.,+])\d{10,15}(?!\w|[.,]\d)"
)
NOTATION = re.compile(r"\s*(?:[a-z]{1,10}:)?\s*[+(]?\d[\d ().\-/]{5,28}\s*", re.IGNORECASE)
# Fewer digits than these, without a plus, can be anything.
MIN_DIGITS = 9


class Numbers:
    """A replacement for each number: the same for equal numbers in any notation, different for different ones.

    `digest` hashes a number; `replacements` maps hashes to numbers. A number without a country code may belong to any
    of the `countries`.
    """

    def __init__(self, digest: Callable[[str], str]) -> None:
        self.replacements: dict[str, str] = {}
        self.countries = {HOME}
        self._digest = digest
        self._taken: set[str] = set()

    def know_countries(self, countries: Iterable[Any]) -> None:
        """Add the ISO countries of a team's numbers; other values are ignored."""
        self.countries.update(
            country for country in countries if isinstance(country, str) and country in phonenumbers.SUPPORTED_REGIONS
        )

    def stand_in(self, number: str) -> str:
        """Return the replacement of a number."""
        digest = self._digest(self._e164(number) or number)
        if digest not in self.replacements:
            place = int(digest, 16) % PLACES
            while f"{PREFIX}{place:07}" in self._taken:
                place = (place + 1) % PLACES
            self.replacements[digest] = f"{PREFIX}{place:07}"
            self._taken.add(self.replacements[digest])
        return self.replacements[digest]

    def stand_in_for_integer(self, value: Any) -> int | None:
        """Return the replacement of a telephone number that is a JSON number; None if the value is none."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 10**9 <= value < 10**15:
            return None
        digits = f"{value:.0f}"
        return int(self.stand_in(digits)) if self._e164(digits) else None

    def is_number(self, text: str) -> bool:
        """Return whether the text is a number and nothing else."""
        return NOTATION.fullmatch(text) is not None and self._e164(text) is not None

    def may_hold_one(self, text: str) -> bool:
        """Return whether the text has enough digits to contain a number."""
        return sum(map(str.isdigit, text)) >= 7

    def replace(self, text: str) -> str:
        """Return the text with every number replaced."""
        if not self.may_hold_one(text):
            return text
        pieces, at = [], 0
        for start, end, number in sorted(self._find(text)):
            pieces += [text[at:start], self.stand_in(number)]
            at = end
        return "".join([*pieces, text[at:]])

    def _find(self, text: str) -> list[tuple[int, int, str]]:
        """Return start, end and text of each number. Where two overlap, the one of the library's search counts."""
        spans: list[tuple[int, int, str]] = []
        taken: set[int] = set()

        def add(start: int, end: int, number: str) -> None:
            if taken.isdisjoint(range(start, end)):
                taken.update(range(start, end))
                spans.append((start, end, number))

        for country in sorted(self.countries):
            for match in phonenumbers.PhoneNumberMatcher(text, country):
                digits = [at for at in range(match.start, match.end) if text[at].isdigit()]
                if text[match.start] == "+" or len(digits) >= MIN_DIGITS:
                    number = phonenumbers.format_number(match.number, phonenumbers.PhoneNumberFormat.E164)
                    add(match.start, digits[-1] + 1, number)
        for other in INTERNATIONAL.finditer(text):
            if other[0].startswith("+") or self._e164(other[0]):
                add(other.start(), other.end(), other[0])
        return spans

    def _e164(self, text: str) -> str | None:
        """Return the number in E.164 form if a number of the countries can look so, or one without its plus."""
        for country in sorted(self.countries):
            if number := e164(text, country):
                return number
        return e164(f"+{text}") if text.isdigit() and len(text) >= MIN_DIGITS + 1 else None

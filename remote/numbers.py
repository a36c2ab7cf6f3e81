"""Telephone numbers in any notation, and their replacements."""

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any

import phonenumbers

from dryline.models.numbering import e164

# The area code 555 is not assigned.
PREFIX = "+1555"
PLACES = 10_000_000

INTERNATIONAL = re.compile(r"(?:\+|(?<![\w.,+])00[ \-]?)[1-9](?:[ ().\-/]{0,3}\d){6,14}")
WITHOUT_PLUS = re.compile(r"(?<![\w.,+])\d{10,15}(?!\w|[.,]\d)")
NOTATION = re.compile(r"\s*(?:[a-z]{1,10}:)?\s*[+(]?\d[\d ().\-/]{5,28}\s*", re.IGNORECASE)
# Fewer digits than these, without a plus, can be anything.
MIN_DIGITS = 9

Span = tuple[int, int]


class Numbers:
    """A replacement for each number: the same for equal numbers in any notation, different for different ones.

    `digest` hashes a number; `replacements` maps hashes to numbers. A number without a country code may belong to any
    of the `countries`.
    """

    def __init__(self, digest: Callable[[str], str]) -> None:
        self.replacements: dict[str, str] = {}
        self.countries = {"US"}
        self._digest = digest
        self._taken: set[str] = set()
        self._written: dict[str, str] = {}

    def know_countries(self, countries: Iterable[Any]) -> None:
        """Add the ISO countries of a team's numbers; other values are ignored."""
        self.countries.update(
            country for country in countries if isinstance(country, str) and country in phonenumbers.SUPPORTED_REGIONS
        )

    def stand_in(self, number: str) -> str:
        """Return the replacement of a number."""
        if number not in self._written:
            digest = self._digest(self._valid(number) or e164(number) or number)
            if digest not in self.replacements:
                place = int(digest, 16) % PLACES
                while f"{PREFIX}{place:07}" in self._taken:
                    place = (place + 1) % PLACES
                self.replacements[digest] = f"{PREFIX}{place:07}"
                self._taken.add(self.replacements[digest])
            self._written[number] = self.replacements[digest]
        return self._written[number]

    def stand_in_for_integer(self, value: Any) -> int | None:
        """Return the replacement of a telephone number that is a JSON number; None if the value is none."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 10**9 <= value < 10**15:
            return None
        digits = f"{value:.0f}"
        return int(self.stand_in(digits)) if self._valid(digits) else None

    def is_number(self, text: str) -> bool:
        """Return whether the text is a number and nothing else."""
        if not NOTATION.fullmatch(text):
            return False
        return text.lstrip().startswith(("+", "00")) or self._valid(text) is not None

    def may_hold_one(self, text: str) -> bool:
        """Return whether the text has enough digits to contain a number."""
        return sum(map(str.isdigit, text)) >= 7

    def replace(self, text: str) -> str:
        """Return the text with every number replaced."""
        countries = [lambda piece, country=country: _dialled_from(piece, country) for country in sorted(self.countries)]
        return self._replace(text, [*countries, self._international, self._without_plus])

    def _replace(self, text: str, finders: list[Callable[[str], Iterator[Span]]]) -> str:
        """Apply the finders in turn, each to the text that the earlier ones left unchanged."""
        if not finders or not self.may_hold_one(text):
            return text
        find, *others = finders
        pieces, at = [], 0
        for start, end in find(text):
            pieces += [self._replace(text[at:start], others), self.stand_in(text[start:end])]
            at = end
        return "".join([*pieces, self._replace(text[at:], others)])

    def _international(self, text: str) -> Iterator[Span]:
        return (
            match.span() for match in INTERNATIONAL.finditer(text) if match[0].startswith("+") or self._valid(match[0])
        )

    def _without_plus(self, text: str) -> Iterator[Span]:
        return (match.span() for match in WITHOUT_PLUS.finditer(text) if self._valid(match[0]))

    def _valid(self, text: str) -> str | None:
        """Return the number in E.164 form if a numbering plan has it."""
        text = re.sub(r"^(?:[A-Za-z]{1,10}:)?\s*", "", text.strip())
        text = re.sub(r"^00[ \-]?(?=[1-9])", "+", text)
        candidates: list[tuple[str, str | None]] = [(text, country) for country in sorted(self.countries)]
        if text[:1].isdigit():
            candidates.append((f"+{text}", None))
        for candidate, country in candidates:
            try:
                number = phonenumbers.parse(candidate, country)
            except phonenumbers.NumberParseException:
                continue
            if phonenumbers.is_valid_number(number):
                return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
        return None


def _dialled_from(text: str, country: str) -> Iterator[Span]:
    """Yield the places of numbers that can be dialled from this country."""
    for match in phonenumbers.PhoneNumberMatcher(text, country):
        digits = [at for at in range(match.start, match.end) if text[at].isdigit()]
        if text[match.start] == "+" or len(digits) >= MIN_DIGITS:
            yield match.start, digits[-1] + 1

"""Telephone numbers in any notation, and the numbers that stand for them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

import phonenumbers

from dryline.models.numbering import e164

# Numbers that nobody has: the area code 555 is not given out.
PREFIX = "+1555"
PLACES = 10_000_000

INTERNATIONAL = re.compile(r"(?:\+|(?<![\w.,+])00[ \-]?)[1-9](?:[ ().\-/]{0,3}\d){6,14}")
WITHOUT_PLUS = re.compile(r"(?<![\w.,+])\d{10,15}(?!\w|[.,]\d)")
NOTATION = re.compile(r"\s*(?:[a-z]{1,10}:)?\s*[+(]?\d[\d ().\-/]{5,28}\s*", re.IGNORECASE)
# Fewer digits than these, without a plus, can be anything.
FEWEST = 9

Span = tuple[int, int]


class Numbers:
    """Gives each number another: always the same one, no two the same, whatever the notation.

    `digest` names a number without telling it; `given` has by digest what was given. A number without its country's
    code may be of any of the `countries`.
    """

    def __init__(self, digest: Callable[[str], str]) -> None:
        self.given: dict[str, str] = {}
        self.countries = {"US"}
        self._digest = digest
        self._taken: set[str] = set()
        self._new: dict[str, str] = {}
        self._written: dict[str, str] = {}

    def learn(self, given: Mapping[str, str]) -> None:
        """Go on from what was given before."""
        self.given |= given
        self._taken.update(given.values())

    def given_since(self) -> dict[str, str]:
        """What was given since this was last asked, for `learn`."""
        new, self._new = self._new, {}
        return new

    def know_countries(self, countries: Iterable[Any]) -> None:
        """Numbers may be of these ISO countries as well; what is none is passed over."""
        self.countries.update(
            country for country in countries if isinstance(country, str) and country in phonenumbers.SUPPORTED_REGIONS
        )

    def stand_in(self, number: str) -> str:
        """The number that stands for this one."""
        if number not in self._written:
            digest = self._digest(self._valid(number) or e164(number) or number)
            if digest not in self.given:
                place = int(digest, 16) % PLACES
                while f"{PREFIX}{place:07}" in self._taken:
                    place = (place + 1) % PLACES
                self._new[digest] = f"{PREFIX}{place:07}"
                self.learn({digest: self._new[digest]})
            self._written[number] = self.given[digest]
        return self._written[number]

    def stand_in_for_integer(self, value: Any) -> int | None:
        """Likewise for a number that was written as a JSON number; None when the value is none."""
        if isinstance(value, bool) or not isinstance(value, int | float) or not 10**9 <= value < 10**15:
            return None
        digits = f"{value:.0f}"
        return int(self.stand_in(digits)) if self._valid(digits) else None

    def is_number(self, text: str) -> bool:
        """Whether the text is a number and nothing else."""
        if not NOTATION.fullmatch(text):
            return False
        return text.lstrip().startswith(("+", "00")) or self._valid(text) is not None

    def may_hold_one(self, text: str) -> bool:
        """A quick look: whether it is worth searching."""
        return sum(map(str.isdigit, text)) >= 7

    def replace(self, text: str) -> str:
        """The text with every number in it replaced."""
        countries = [lambda piece, country=country: _found(piece, country) for country in sorted(self.countries)]
        return self._replace(text, [*countries, self._international, self._without_plus])

    def _replace(self, text: str, finders: list[Callable[[str], Iterator[Span]]]) -> str:
        """What one finder leaves, the next ones search; what was replaced, none of them sees."""
        if not finders or not self.may_hold_one(text):
            return text
        find, *others = finders
        pieces, at = [], 0
        for start, end in find(text):
            pieces += [self._replace(text[at:start], others), self.stand_in(text[start:end])]
            at = end
        return "".join([*pieces, self._replace(text[at:], others)])

    def _international(self, text: str) -> Iterator[Span]:
        return (f.span() for f in INTERNATIONAL.finditer(text) if f[0].startswith("+") or self._valid(f[0]))

    def _without_plus(self, text: str) -> Iterator[Span]:
        return (found.span() for found in WITHOUT_PLUS.finditer(text) if self._valid(found[0]))

    def _valid(self, text: str) -> str | None:
        """The number in E.164 form, when some numbering plan has it."""
        text = re.sub(r"^(?:[A-Za-z]{1,10}:)?\s*", "", text.strip())
        text = re.sub(r"^00[ \-]?(?=[1-9])", "+", text)
        asked: list[tuple[str, str | None]] = [(text, country) for country in sorted(self.countries)]
        if text[:1].isdigit():
            asked.append((f"+{text}", None))
        for written, country in asked:
            try:
                number = phonenumbers.parse(written, country)
            except phonenumbers.NumberParseException:
                continue
            if phonenumbers.is_valid_number(number):
                return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
        return None


def _found(text: str, country: str) -> Iterator[Span]:
    """Where the library sees numbers that may be called from this country."""
    for found in phonenumbers.PhoneNumberMatcher(text, country):
        digits = [at for at in range(found.start, found.end) if text[at].isdigit()]
        if text[found.start] == "+" or len(digits) >= FEWEST:
            yield found.start, digits[-1] + 1

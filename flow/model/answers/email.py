"""E-mail addresses, written or spoken."""

import re
from random import Random
from typing import ClassVar

from dryline.flow.model.answers.kind import Span, ValueKind
from dryline.flow.model.answers.people import made_up_name
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.number_words import to_digits


class Email(ValueKind):
    """An e-mail address, written, or spoken with "at" and "dot": "deb dot klein at outlook dot com"."""

    name = "email"
    keys = ("email", "e mail", "mail", "email address", "e mail address", "mail address")
    asked_by = ("e-mail", "email", "mail address")
    question = "What is your e-mail address?"
    sentences = ("It's {value}.", "My e-mail is {value}.", "You can write to {value}.")

    written = re.compile(r"(?<![\w.+-])[\w.+-]{1,64}@(?!(?:the|an?|my)\.)[\w-]{1,63}(?:\.[\w-]{1,63}){1,8}(?![\w@-])")
    symbol = re.compile(r",? ?\b(dot|point|period|underscore|dash|hyphen|minus|plus|at)\b,? ?", re.IGNORECASE)
    symbols: ClassVar[dict[str, str]] = {
        **{"dot": ".", "point": ".", "period": ".", "underscore": "_", "dash": "-", "hyphen": "-"},
        **{"minus": "-", "plus": "+", "at": "@"},
    }
    spelled = re.compile(r"(?<![\w'])([a-z\d]) (?=[a-z\d]\b)|(?<=[a-z]) (?=\d)")  # "s m i t h", "lee 92"

    CASES = (
        ("it's Ada@Example.com", "a@b.com", "ada@example.com"),
        ("deb dot klein at outlook dot com", "a@b.com", "deb.klein@outlook.com"),
        ("ana underscore lee ninety two at mail dot co dot uk", "a@b.com", "ana_lee92@mail.co.uk"),
        ("not the old one, use m_ross77@gmail.com.", "a@b.com", "m_ross77@gmail.com"),
        ("s m i t h at mail dot org", "a@b.com", "smith@mail.org"),
        ("Tom Baker, tbaker@mail.org", "a@b.com", "tbaker@mail.org"),
        ("write to jo+shop@mail.example please", "", "jo+shop@mail.example"),
        ("a dash b at c dash d dot net", "a@b.com", "a-b@c-d.net"),
        ("I'd rather not give that out", "a@b.com", None),
        ("I'm at the office at 10", "a@b.com", None),
        ("@", "a@b.com", None),
        ("I work at a dot com", "a@b.com", None),
        ("my handle is @ada", "a@b.com", None),
    )

    def is_example(self, text: str) -> bool:
        return self.written.fullmatch(text) is not None

    def find(self, said: str) -> list[Span]:
        """Return the spans of the written addresses of a text."""
        return [Span(*match.span()) for match in self.written.finditer(said)]

    def read(self, said: str, context: Slot) -> str | None:
        match = self.written.search(said) or self.written.search(self._as_written(said))
        return match[0].strip(".-").lower() if match else None

    def make(self, random: Random, context: Slot) -> str:
        return f"{made_up_name(random).replace(' ', '.').lower()}@example.com"

    def _as_written(self, said: str) -> str:
        """Return a text with the signs of spoken addresses."""
        text = to_digits(said).lower()
        text = self.symbol.sub(lambda word: self.symbols[word[1].lower()], text)
        return self.spelled.sub(r"\1", text)

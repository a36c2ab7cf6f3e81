"""Telephone numbers, numbers by phonenumberslite."""

import re
from random import Random
from typing import NamedTuple

import phonenumbers

from dryline.flow.model.answers.kind import Span, ValueKind
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.number_words import to_digits
from dryline.models.numbering import HOME, country_of, e164

_FEWEST, _MOST = 7, 15  # digits of a number
_SHORTEST_E164 = len("+15550183")  # of a number without an area code


class SpokenPhone(NamedTuple):
    """A telephone number in a text: where it stands, and the number in E.164."""

    span: Span
    number: str


class Phone(ValueKind):
    """A telephone number in digits or words, of seven digits or more. An amount of money is none.

    The format is that of the example: E.164 for +15551234567, the same groups for 555-123-4567. A number with more or
    fewer digits than the example is written 303-555-0188, or as it was said.
    """

    name = "phone"
    keys = (
        *("phone", "telephone", "mobile", "cell", "cellphone", "callback", "phone number", "telephone number", "fax"),
        *("mobile number", "cell number", "callback number", "contact number", "landline", "caller id", "whatsapp"),
    )
    asked_by = (
        *("phone number", "telephone number", "which number is best", "callback number", "phone", "telephone", "cell"),
        *("number to call", "call you back", "reach you"),
    )
    question = "What is your phone number?"
    sentences = ("It's {value}.", "My number is {value}.", "You can reach me at {value}.")

    # Parts of a text that may be a number: the matcher reads these alone, for it is slow on long texts.
    candidate = re.compile(r"(?<![\w.$€£-])(?:\+|\(|00)?\d[\d ().-]{5,24}\d(?![\w-])")
    amount_end = re.compile(r" ?(?:dollars?|bucks|euros?|pounds?|quid|USD|EUR)\b", re.IGNORECASE)
    plus = re.compile(r"\bplus (?=\d)|(?<![\d.-])00(?=[1-9])", re.IGNORECASE)

    CASES = (
        ("my number is 303 555 0188", "+15551234567", "+13035550188"),
        ("(212) 555-0187, that's my cell", "555-123-4567", "212-555-0187"),
        ("eight oh five, five five five, zero one four two", "555-123-4567", "805-555-0142"),
        ("five five five oh one six one", "555-1234", "555-0161"),
        ("it's plus four four, two oh seven nine four six oh nine five eight", "+15551234567", "+442079460958"),
        ("+1 617 555 0183", "", "617-555-0183"),
        ("call 6175550183 after five", "5551234567", "6175550183"),
        ("303.555.0188", "(555) 123-4567", "(303) 555-0188"),
        ("0044 20 7946 0958", "+15551234567", "+442079460958"),
        ("555 0183", "+15551234567", None),
        ("I don't know it by heart", "555-1234", None),
        ("order 48210", "555-1234", None),
        ("12/02/2026 at 10:30", "555-1234", None),
        ("the parcel is K4821077", "555-1234", None),
        ("on 2026-12-03", "555-1234", None),
        ("4 people, 3 nights", "555-1234", None),
        ("it cost $1,200,000", "555-1234", None),
        ("one and a half million dollars", "555-1234", None),
    )

    def is_example(self, text: str) -> bool:
        is_number = re.fullmatch(r"\+\d[\d ().-]{6,}|(?:\(\d{3}\) ?|\d{3}[-. ])?\d{3}[-. ]\d{4}", text)
        return is_number is not None

    def find(self, said: str, country: str = HOME) -> list[SpokenPhone]:
        """Return the numbers of a text whose numbers are digits, in their order."""
        numbers: list[SpokenPhone] = []
        for part in self.candidate.finditer(said):
            if self.amount_end.match(said, part.end()):
                continue
            matcher = phonenumbers.PhoneNumberMatcher(part[0], country, phonenumbers.Leniency.POSSIBLE)
            for match in matcher:
                number = match.number
                if _FEWEST <= len(str(number.national_number)) <= _MOST:
                    span = Span(part.start() + match.start, part.start() + match.end)
                    written = phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)
                    numbers.append(SpokenPhone(span, written))
        return numbers

    def read(self, said: str, context: Slot) -> str | None:
        example = context.example_text
        text = self.plus.sub("+", to_digits(said).replace(",", ""))
        numbers = self.find(text, country_of(example) or HOME)
        if example.startswith("+"):  # which needs an area code
            numbers = [each for each in numbers if len(each.number) > _SHORTEST_E164]
        return self._written(numbers[-1].number, example) if numbers else None

    def make(self, random: Random, context: Slot) -> str:
        """Return a number that nobody has: 555-0100 to 555-0199, or one of the area 555."""
        if sum(map(str.isdigit, context.example_text)) == _FEWEST:
            return _in_groups(f"55501{random.randint(0, 99):02}", context.example_text)
        return f"+1555{random.randint(2000000, 9999999)}"

    def say(self, value: str) -> str:
        """Return a number of the United States in groups; others as they are."""
        return f"{value[2:5]}-{value[5:8]}-{value[8:]}" if re.fullmatch(r"\+1\d{10}", value) else value

    def _written(self, number: str, example: str) -> str:
        """Return a number in E.164 in the format of the example."""
        if example.startswith("+"):
            return e164(number) or number
        digits = number.removeprefix("+1") if number.startswith("+1") else number.removeprefix("+")
        if sum(map(str.isdigit, example)) == len(digits):
            return _in_groups(digits, example)
        if len(digits) == 10:
            return f"{digits[:3]}-{digits[3:6]}-{digits[6:]}"
        return digits if number.startswith("+1") else number


def _in_groups(digits: str, example: str) -> str:
    """Return digits between the signs of an example, which has as many."""
    rest = iter(digits)
    return "".join(next(rest) if each.isdigit() else each for each in example)

"""Codes: order numbers, account numbers, ZIP codes."""

import re
from random import Random

from dryline.flow.model.answers.date import Date
from dryline.flow.model.answers.email import Email
from dryline.flow.model.answers.kind import Span, ValueKind, blanked
from dryline.flow.model.answers.phone import Phone
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.time import Time
from dryline.flow.model.number_words import to_digits

_FEWEST = 3  # digits and letters of a code
_LONGER = 1  # digits by which a code may differ from its example


class Code(ValueKind):
    """A number or letters with digits by which something is known: an order, an account, a place.

    It has the shape of the example: the same letters and digits in turn, and as many digits, one more or less. Letters
    and groups of digits may be said one by one ("K, 4 8 2, 1 0"). Dates, times, telephone numbers and amounts are none.
    """

    name = "code"
    keys = (
        *(
            "code",
            "id",
            "number",
            "reference",
            "confirmation",
            "tracking",
            "policy",
            "ticket",
            "account",
            "order",
            "claim",
        ),
        *(
            "invoice",
            "booking",
            "serial",
            "serial number",
            "vin",
            "pin",
            "plate",
            "license plate",
            "passport",
            "flight",
        ),
        *(
            "order number",
            "account number",
            "member id",
            "house number",
            "room",
            "room number",
            "unit",
            "load",
            "parcel",
        ),
        *("zip", "zip code", "postal code", "postcode", "sku", "last four", "card"),
    )
    asked_by = (
        *("order number", "account number", "parcel number", "tracking number", "policy number", "claim number"),
        *("case number", "ticket number", "invoice number", "booking number", "member number", "customer number"),
        *("reference number", "confirmation number", "reference", "member id", "zip code", "zip", "postal code", "pin"),
        *("code", "which room", "what room", "room number", "what number", "number"),
    )
    question = "What is the number, please?"
    sentences = ("It's {value}.", "That's {value}.", "Sure, {value}.")

    # Pieces that can be parts of a code: single letters, up to four capitals, and whatever has a digit.
    pieces = re.compile(
        r"(?<![\w'.])(?:[A-Za-z](?![\w'])|[A-Z]{2,4}(?!\w)|#?(?:[A-Za-z]{1,6}-?)?\d[A-Za-z\d-]*)"
        r"(?:(?:,? | ?(?:dash|hyphen) ?|-)(?:[A-Za-z](?![\w'])|[A-Z]{2,4}(?!\w)|[A-Za-z]{0,3}-?\d[A-Za-z\d-]*))*",
    )
    spelled = re.compile(r"(?<![\w'])([A-Za-z]) (?:as in|like|for) [A-Za-z]+\b,?")  # "B as in boy"
    dash = re.compile(r" (?:dash|hyphen|minus) ", re.IGNORECASE)
    counted = re.compile(
        r"[$€£] ?\d[\d.,]*|\b\d+(?:[.,]\d+)*(?:st|nd|rd|th|%| ?(?:minutes?|hours?|days?|weeks?|months?|years?"
        r"|miles?|people|persons?"
        r"|percent|dollars?|bucks|euros?|pounds?|cents?|times|of us|guests|kids|nights)\b)",
        re.IGNORECASE,
    )

    CASES = (
        ("the order number is 88 21 7", "12345", "88217"),
        ("K55417", "K48210", "K55417"),
        ("it's k 5 5 4 1 7", "K48210", "K55417"),
        ("P L dash four four one nine two", "PL-20331", "PL-44192"),
        ("it's B as in boy, seven, double oh, two", "A1234", "B7002"),
        ("nine oh two one oh", "78701", "90210"),
        ("my account is 40118822, and I paid 120 dollars", "40118822", "40118822"),
        ("room 312", "101", "312"),
        ("it's 40118822, I think", "12345678", "40118822"),
        ("pl-44192", "pl-20331", "pl-44192"),
        ("H 482 107 please", "H482107", "H482107"),
        ("four four seven one", "", "4471"),
        ("A 4471", "40118822", None),
        ("123456", "40118822", None),
        ("on 12/02 at 10:30", "12345", None),
        ("call me at 303 555 0188", "12345678", None),
        ("I waited 45 minutes", "45", None),
        ("it was 12345 dollars", "12345", None),
        ("I am a customer", "A1", None),
        ("no idea", "12345", None),
    )

    def find(self, said: str) -> list[Span]:
        """Return the spans of parts that mix letters and digits, or have five digits and more."""
        return [Span(*match.span()) for match in self._certain.finditer(said)]

    _certain = re.compile(
        r"\b(?=[A-Za-z]{0,12}-?\d)(?:\d{5,}|[A-Za-z]{1,6}-?\d[A-Za-z\d-]*|\d+[A-Za-z]+\d[A-Za-z\d-]*)\b"
    )

    def read(self, said: str, context: Slot) -> str | None:
        text = self.dash.sub("-", self.spelled.sub(r"\1", to_digits(said)))
        example = context.example_text

        # Words with another meaning are no codes.
        others = [Span(*match.span()) for match in self.counted.finditer(text)]
        others += [each.span for each in Date().find(text)]
        others += [each.span for each in Time().find(text) if each.is_sure]
        others += Email().find(text)
        digits = sum(map(str.isdigit, example))
        if digits not in (7, 8, 10, 11):  # with as many, a code looks like a telephone number
            others += [each.span for each in Phone().find(text)]

        codes = [self._joined(match[0], example) for match in self.pieces.finditer(blanked(text, others))]
        fitting = [code for code in codes if code and _is_like(code, example)]
        return fitting[-1] if fitting else None

    def make(self, random: Random, context: Slot) -> str:
        """Return a code built as the example is: a digit for a digit, its letters stay."""
        return alike(context.example_text if re.search(r"\d", context.example_text) else "100000", random)

    def _joined(self, run: str, example: str) -> str:
        """Return the pieces of a code as one, in capitals unless the example has small letters."""
        code = re.sub(r"[\s,#]", "", run).strip("-")
        if not re.search(r"\d", code):
            return ""
        if example[:1].isdigit():  # "I" and "a" are words before it, and behind it
            code = code.lstrip("AaIi-")
        if example[-1:].isdigit():
            code = code.rstrip("AaIi-")
        if "-" not in example and example:
            code = code.replace("-", "")
        return code if example.islower() else code.upper()


def _is_like(code: str, example: str) -> bool:
    """Return whether a code has letters and digits in the turn of the example, and about as many digits."""
    if not example or not re.search(r"\d", example):
        return len(code) >= _FEWEST
    if _turns(code) != _turns(example):
        return False
    digits, expected = (sum(map(str.isdigit, each)) for each in (code, example))
    return abs(digits - expected) <= _LONGER


def _turns(code: str) -> str:
    """Return how letters and digits take turns: "PL-20331" is "a0"."""
    signs = re.sub(r"\d+", "0", re.sub(r"[A-Za-z]+", "a", code))
    return re.sub(r"[^a0]", "", signs)


def alike(pattern: str, random: Random) -> str:
    """Return a text built as the pattern is: a digit for a digit; its letters stay, as in the prefix of a number."""
    return re.sub(r"\d", lambda digit: str(random.randint(int(digit.start() == 0), 9)), pattern)

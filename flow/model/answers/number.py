"""Numbers: counts, money, percentages, ratings."""

import re
from random import Random
from typing import Any, NamedTuple

from dryline.flow.model.answers.code import Code, alike
from dryline.flow.model.answers.date import Date
from dryline.flow.model.answers.kind import MultiValueKind, Span, blanked
from dryline.flow.model.answers.phone import Phone
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.time import Time
from dryline.flow.model.number_words import Bounds, to_digits

MONEY, PERCENT, RATING, COUNT = "money", "percent", "rating", "count"

_UNIT_KEYS = {
    MONEY: (
        *("amount", "budget", "price", "cost", "total", "balance", "payment", "fee", "salary", "income", "rent"),
        *("deposit", "offer", "bill", "premium", "refund", "donation", "tip", "bid", "quote"),
    ),
    PERCENT: ("percent", "percentage", "discount", "interest rate", "share"),
    RATING: ("rating", "score", "stars", "satisfaction", "nps"),
}
_COUNT_KEYS = (
    *("count", "quantity", "qty", "guests", "people", "persons", "party", "party size", "size of party", "group size"),
    *(
        "adults",
        "children",
        "kids",
        "nights",
        "rooms",
        "seats",
        "tickets",
        "bedrooms",
        "age",
        "year",
        "hours",
        "minutes",
    ),
    *(
        "days",
        "weeks",
        "months",
        "years",
        "passengers",
        "travelers",
        "attendees",
        "employees",
        "team size",
        "number of",
    ),
)
_PEOPLE = (
    "people",
    "persons",
    "person",
    "of us",
    "guests",
    "guest",
    "adults",
    "adult",
    "children",
    "child",
    "kids",
    "kid",
)
_PEOPLE_KEYS = ("guests", "people", "persons", "party", "size", "passengers", "travelers", "attendees", "seats")
_RANGES = {"age": (19, 79), "guests": (1, 8), "people": (1, 8), "quantity": (1, 4), "nights": (1, 7), "rooms": (1, 3)}


class SpokenNumber(NamedTuple):
    """A number in a text, what it is a number of (a unit, or the word behind it), and where it stands."""

    value: float
    unit: str
    noun: str
    span: Span


class NumberValue(MultiValueKind):
    """A number in digits or words, as a number, or as a text in the format of the example: $1,200.

    What is counted decides: an amount of money is no count, and three nights are no guests. Parts of dates, times,
    telephone numbers and codes are none. A bare number counts where the agent asked for one.
    """

    name = "number"
    keys = (*_COUNT_KEYS, *(key for keys in _UNIT_KEYS.values() for key in keys))
    asked_by = (
        *("how many", "how much", "how old", "what amount", "what percentage", "scale", "out of ten", "rate", "rating"),
        *("from 1 to", "from one to", "how satisfied", "how likely", "how happy", "budget", "price"),
    )
    sentences = ("{value}.", "It's {value}.", "I'd say {value}.")

    number = re.compile(
        r"(?P<minus>\b(?:minus|negative) "
        r"|(?<!\S)-)?(?P<sign>[$€£] ?)?(?<![\w.,:/-])(?P<digits>\d{1,15}(?:,\d{3})*(?:\.\d{1,6})?)"
        r"(?P<scale> ?[kKmM]\b)?(?P<percent> ?%| percent\b)?(?P<money> ?(?:dollars?|bucks|euros?|pounds?|quid"
        r"|USD|EUR)\b)?"
        r"(?![\w:/|])(?: (?P<noun>(?:of us|[a-z-]+)))?",
        re.IGNORECASE,
    )
    cents = re.compile(r"(\d{1,9}) (dollars?|bucks|euros?|pounds?),?(?: and)? (\d{1,2})(?: cents?)?\b", re.IGNORECASE)
    out_of = re.compile(r"\b(?:out of|of) \d{1,3}\b|(?<=\d)/(?:5|10|100)\b")
    hour = re.compile(r"\b(?:at|by|until|till) \d{1,2}\b(?![%.,]\d|%| percent| dollars)", re.IGNORECASE)  # "at 9"
    range_of = re.compile(r"\b(\d{1,3}) ?(?:to|through|-|\u2013|and) ?(\d{1,3})\b|\bout of (\d{1,3})\b")

    CASES = (
        ("four", 2, 4),
        ("we're five, sorry, six people", 4, 6),
        ("up to thirty five thousand", 20000, 35000),
        ("seventy five dollars and fifty cents", 50.0, 75.5),
        ("maybe around seven and a half thousand", "$5,000", "$7,500"),
        ("it was $1,200.50", "$5,000", "$1,200.50"),
        ("about 35k", 20000, 35000),
        ("1.5 million dollars", "$5,000", "$1,500,000"),
        ("$1,200,000", "$5,000", "$1,200,000"),
        ("20 percent", "10%", "20%"),
        ("party of eight", 3, 8),
        ("minus three", 5, -3),
        ("she turned eighty one", 40, 81),
        ("120 bucks", "", 120),
        ("a dozen", 4, 12),
        ("no idea", 4, None),
        ("nine o'clock", 4, None),
        ("on Tuesday at 9", 4, None),
        ("K48210", 4, None),
        ("call 303 555 0188", 4, None),
        ("12/02", 4, None),
        ("3 nights and 2 rooms", 4, None),
        ("20 percent", "$5,000", None),
        ("two fifty", "$5", None),
        ("the second one", 4, None),
    )

    _money_example = re.compile(r"[$€£] ?\d[\d,.]*[km]?|\d[\d,.]* ?(?:dollars|euros|USD|EUR)", re.IGNORECASE)

    def is_example(self, text: str) -> bool:
        return bool(self._money_example.fullmatch(text) or re.fullmatch(r"\d+(?:\.\d+)? ?%", text))

    def find(self, said: str) -> list[SpokenNumber]:
        """Return the numbers of a text in digits that are part of no date, time, telephone number or code."""
        text = self.cents.sub(lambda match: f"{match[1]}.{match[3]:0>2} {match[2]}", said)
        spans = [each.span for each in Date().find(text)]
        spans += [each.span for each in Time().find(text) if each.is_sure]
        spans += [Span(*match.span()) for match in self.hour.finditer(text)]
        spans += [each.span for each in Phone().find(text)]
        spans += [span for span in Code().find(text) if not text[span.start : span.end].isdigit()]
        return [_read(match) for match in self.number.finditer(blanked(text, spans))]

    def read_all(self, said: str, context: Slot) -> list[Any]:
        unit = unit_of(context)
        text = to_digits(said)
        numbers = self.find(self.out_of.sub(" ", text) if unit == RATING else text)
        if unit == COUNT:
            return [_typed(number, context) for number in self._counts(numbers, text, context)]
        marked = [each.value for each in numbers if each.unit == unit]
        if not marked and context.is_asked:
            marked = [each.value for each in numbers if each.unit == COUNT]
            marked = marked if unit == RATING or len(set(marked)) == 1 else []  # "two fifty" can be two amounts
        low, high = self.scale(f"{context.question} {context.agent}") or (float("-inf"), float("inf"))
        return [_typed(number, context) for number in marked if unit != RATING or low <= number <= high]

    def scale(self, question: str) -> Bounds | None:
        """Return the scale that a question names: "from 1 to 5", "out of 10"."""
        match = self.range_of.search(to_digits(question))
        low, high = (float(match[1] or 1), float(match[2] or match[3])) if match else (0.0, 0.0)
        return (low, high) if low < high else None

    def make(self, random: Random, context: Slot) -> Any:
        """Return a number on the question's scale, within what is usual, or about as large as the example."""
        example, last = context.example, context.label.rpartition(" ")[2]
        if isinstance(example, str):
            return alike(example, random) if re.search(r"\d", example) else str(random.randint(1, 8))
        limits = self._limits(context, last)
        if limits is not None:
            return type(example)(random.randint(*limits))
        if last == "year":
            return type(example)(random.randint(context.now.year - 9, context.now.year - 1))
        if isinstance(example, float):
            return round(random.uniform(0.5, 1.5) * (abs(example) or 1.0), 2)
        high = max(2, min(abs(example) * 2, 10**9))
        step = 10 ** max(0, len(str(high)) - 2) if example and example % 100 == 0 else 1
        return max(step, random.randint(max(1, abs(example) // 2), high) // step * step)

    def _limits(self, context: Slot, noun: str) -> tuple[int, int] | None:
        """Return the least and the most that is usual: on the question's scale, of a rating, or for a noun."""
        scale = self.scale(context.question)
        if scale is not None:
            least, most = int(scale[0]), int(scale[1])
        elif unit_of(context) == RATING:
            least, most = 1, 5
        elif noun in _RANGES:
            least, most = _RANGES[noun]
        else:
            return None
        return least, max(most, int(context.example)) if noun in _RANGES else most

    def say(self, value: Any) -> str:
        """Return a number with its thousands apart."""
        if isinstance(value, str):
            return value
        return f"{value:,.0f}" if value % 1 == 0 else f"{value:,.2f}"

    def _counts(self, numbers: list[SpokenNumber], text: str, context: Slot) -> list[float]:
        """Return the numbers of what a member counts: its own noun decides, else the only number that was asked for."""
        is_corrected = "sorry" in text
        words = context.label.split()
        counted = {*words, *(word.removesuffix("s") for word in words)}
        named = [each.value for each in numbers if each.noun.removesuffix("s") in counted or each.noun in counted]
        if named:
            return named

        if not counted.isdisjoint(_PEOPLE_KEYS):
            people = [each.value for each in numbers if each.noun in _PEOPLE]  # "two adults and a child" are three
            if len(people) > 1 and not is_corrected:
                return [sum(people)]
            if people:
                return [people[-1]]

        free = [each.value for each in numbers if each.unit == COUNT or not counted]
        is_answer = context.is_asked and (len({*free}) == 1 or is_corrected)
        return [free[-1]] if free and is_answer else []


def unit_of(context: Slot) -> str:
    """Return what a member is a number of: by its example, its name, or the question."""
    example = context.example_text
    if example.endswith("%") or "percent" in example:
        return PERCENT
    if re.search(r"[$€£]|dollars|euros|USD|EUR", example):
        return MONEY
    for unit, keys in _UNIT_KEYS.items():
        if context.label.endswith(keys):
            return unit
    question = f" {context.question.lower()} "
    if " rate " in question or "rating" in question or " scale " in question:
        return RATING
    return MONEY if " how much " in question and not context.label else COUNT


def _read(match: re.Match[str]) -> SpokenNumber:
    scale = {"k": 1e3, "m": 1e6}.get((match["scale"] or "").strip().lower(), 1)
    value = float(match["digits"].replace(",", "")) * scale * (-1 if match["minus"] else 1)
    if match["sign"] or match["money"] or match["scale"]:
        unit = MONEY
    elif match["percent"]:
        unit = PERCENT
    else:
        unit = COUNT
    return SpokenNumber(value, unit, (match["noun"] or "").lower(), Span(*match.span()))


def _typed(number: float, context: Slot) -> Any:
    """Return a number in the type and format of the example."""
    example = context.example
    if isinstance(example, float):
        return number
    whole = int(number) if number % 1 == 0 else number
    if isinstance(example, int):
        return int(number)
    if example and example.endswith("%"):
        return f"{whole}%"
    if example and not example[0].isdigit():
        written = f"{number:,.2f}" if number % 1 else f"{number:,.0f}"
        if number >= 1000 and "," not in example:
            written = written.replace(",", "")
        currency = re.sub(r"\d.*", "", example)
        return currency + written
    return str(whole) if example else whole

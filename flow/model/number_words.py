"""Numbers in words as digits (`thirty five thousand` is 35000), and the bounds on a number that a condition names."""

import re
from functools import lru_cache
from math import inf

from text_to_num import alpha2digit

Bounds = tuple[float, float]

_LONGEST_CACHED = 500  # characters of a text whose digits are cached
_LONGEST = 10_000  # characters at the end of a text in which words become digits: the library takes long for more
_HIDE = "\u2060"  # put into a word that is no number, such as "the large one", until the others are read

_FEWS = (  # amounts that are no numbers in words
    (re.compile(r"\bhalf a dozen\b", re.IGNORECASE), "six"),
    (re.compile(r"\bhalf a million\b", re.IGNORECASE), "500000"),
    (re.compile(r"\ban? (?:couple|pair)(?: of)?\b", re.IGNORECASE), "two"),
    (re.compile(r"\b(?<!half )an? (?=(?:hundred|thousand|million|grand|dozen)\b)", re.IGNORECASE), "one "),
    (re.compile(r"(?<=\w )grand\b", re.IGNORECASE), "thousand"),
    (re.compile(r"\b(\w{3,8}|\d{1,4})-?ish\b", re.IGNORECASE), r"\1"),  # "tenish", "5ish"
)

_MONTHS = "january|february|march|april|may|june|july|august|september|october|november|december"
_ORDINAL = "(?:first|second|third)"
_TENS = "(?:twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety)"
_DIGIT = "(?:zero|one|two|three|four|five|six|seven|eight|nine)"
_SPOKEN = (
    rf"(?:{_DIGIT}|{_TENS}|oh|o(?!['\u2019])|double|triple|\d+|ten|eleven|twelve|hundred|(?:thir|four"
    rf"|fif|six|seven|eigh|nine)teen)"
)

_NO_NUMBERS = (  # the group `word` is no number here
    re.compile(
        r"\b(?:(?:the|this|that|which|no|any|some|each|every|another|other)|(?:the|a|this"
        r"|that) [a-z]{2,9}) (?P<word>one)\b"
        r"(?! hundred| thousand)",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?<!ty )(?<!ty-)\b(?P<word>one)(?= (?:of|more|moment|sec|second|minute|thing|question)\b)", re.IGNORECASE
    ),
    re.compile(  # an ordinal is a number as a day of a month alone
        rf"(?:\b(?:{_MONTHS}) (?:the )?|\b{_TENS}[ -]|\bon the ){_ORDINAL}\b"
        rf"|\b{_ORDINAL}(?= (?:{_MONTHS}|of (?:{_MONTHS}|the month|this month|next month))\b)"
        rf"|\b(?P<word>{_ORDINAL})\b",
        re.IGNORECASE,
    ),
)
_SPOKEN_RUN = re.compile(rf"(?<![\w'])(?:{_SPOKEN}\b(?: |-(?=[a-z])|$)?){{2,}}", re.IGNORECASE)
_COMMAS = re.compile(rf"\b(?:{_DIGIT}|oh)(?:, (?:{_DIGIT}|oh)\b){{2,}}", re.IGNORECASE)  # "four, oh, nine"
_OH = re.compile(r"\b(?:oh|o)\b", re.IGNORECASE)
_REPEATED = re.compile(rf"\b(double|triple) ({_DIGIT}|\d)\b", re.IGNORECASE)
_HUNDREDS = re.compile(rf"\bhundred (?={_DIGIT} {_DIGIT} {_DIGIT}\b)", re.IGNORECASE)
_SCALES = {"dozen": 12.0, "hundred": 1e2, "thousand": 1e3, "million": 1e6, "100": 1e2, "1000": 1e3, "1000000": 1e6}
_SCALED = re.compile(
    rf"(?<![\d.,:])(?P<number>\d+(?:\.\d+)?)(?P<half> and a half)?(?: (?P<scale>{'|'.join(_SCALES)})\b)?(?![\d:])", re.I
)
_RUN = re.compile(r"(?<![\d.,:/-])\d+(?: \d+)+(?![\d:/])(?!,\d)")

_BOUND = r"[$€£]?(\d[\d,]*(?:\.\d+)?)(?: ?(k))?\b"
_LEAST_DIFFERENCE = 1e-9  # between a bound and a number that is less
_BOUNDS = (
    (re.compile(rf"\b{_BOUND} ?(?:to|-|through|and|or) ?{_BOUND}"), "between"),
    (
        re.compile(rf"\b(?:over|above|more than|at least|higher than|older than|greater than|minimum of) {_BOUND}"),
        "least",
    ),
    (re.compile(rf"\b{_BOUND} (?:\w+ )?or (?:more|higher|above|older|over|better)\b"), "least"),
    (re.compile(rf"\b(?:under|below|less than|fewer than|younger than|lower than) {_BOUND}"), "less"),
    (re.compile(rf"\b(?:up to|at most|not more than|maximum of) {_BOUND}"), "most"),
    (re.compile(rf"\b{_BOUND} (?:\w+ )?or (?:less|lower|below|fewer|younger|under)\b"), "most"),
)
_NUMBER_SAID = re.compile(rf"(?<![\d:.-]){_BOUND}(?![:/]\d| ?(?:[ap]m\b|o'clock))")


def to_digits(text: str) -> str:
    """Return a text in which numbers in words are digits: "the twenty first", "nineteen ninety one", "five oh five"."""
    if len(text) <= _LONGEST_CACHED:
        return _cached_digits(text)
    return text[:-_LONGEST] + _to_digits(text[-_LONGEST:])


def _to_digits(text: str) -> str:
    for pattern, words in _FEWS:
        text = pattern.sub(words, text)
    text = _COMMAS.sub(lambda match: match[0].replace(",", ""), text)
    for pattern in _NO_NUMBERS:
        text = pattern.sub(_hidden, text)
    text = _SPOKEN_RUN.sub(_as_digit_words, text)
    text = alpha2digit(text, "en", 0).replace(_HIDE, "")
    return _RUN.sub(_joined, _SCALED.sub(_scaled, text))


_cached_digits = lru_cache(maxsize=512)(_to_digits)


def _hidden(match: re.Match[str]) -> str:
    """Return a match with a mark in its group `word`, which is no number: the "one" of "the large one"."""
    if not match["word"]:
        return match[0]
    offset = match.start("word") - match.start() + 1
    return f"{match[0][:offset]}{_HIDE}{match[0][offset:]}"


def _as_digit_words(match: re.Match[str]) -> str:
    """Return a run of spoken digits with "zero" for "oh", and "two two" for "double two"."""
    run = _OH.sub("zero", match[0])
    run = _REPEATED.sub(lambda said: " ".join([said[2]] * (2 if said[1].lower() == "double" else 3)), run)
    return _HUNDREDS.sub("zero zero ", run)


def _scaled(match: re.Match[str]) -> str:
    """Return "2500000" for "2 and a half million"."""
    if not match["half"] and not match["scale"]:
        return match[0]
    number = float(match["number"]) + (0.5 if match["half"] else 0)
    return f"{number * _SCALES.get((match['scale'] or '').lower(), 1):.10g}"


def _joined(match: re.Match[str]) -> str:
    """Return the numbers of a run: digit by digit they are one number, and two pairs of digits are a year."""
    run = match[0].split()
    single = [len(each) == 1 or each[0] == "0" for each in run]
    is_mostly_single = all(single[1:]) or (len(run) >= 4 and sum(single) >= len(run) - 2)
    is_zero_and_digit = len(run) == 2 and all(single) and run[0][0] == "0" and len(run[0]) < 4
    if is_zero_and_digit or (len(run) >= 3 and is_mostly_single):
        return "".join(run)

    *before, century, rest = run
    begins_year = century in ("19", "20") or (not before and "13" <= century <= "18")
    if begins_year and len(century) == len(rest) == 2:
        return " ".join([*before, century + rest])
    return " ".join(run)


def read_bounds(condition: str) -> Bounds | None:
    """Return the least and the most that a number may be, or None where a condition demands no number."""
    text = to_digits(condition)
    for pattern, kind in _BOUNDS:
        if match := pattern.search(text):
            number = _value(match[1], match[2])
            if kind == "least":
                return number, inf
            if kind == "between":
                return number, _value(match[3], match[4])
            most = number - _LEAST_DIFFERENCE if kind == "less" else number
            return -inf, most
    return None


def said_number(text: str) -> float | None:
    """Return the first number of an utterance that is no time of day."""
    match = _NUMBER_SAID.search(to_digits(text.casefold()))
    return _value(match[1], match[2]) if match else None


def _value(digits: str, factor: str | None) -> float:
    return float(digits.replace(",", "")) * (1e3 if factor else 1)

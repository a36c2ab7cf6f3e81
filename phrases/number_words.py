"""Numbers in words are read: `thirty five thousand` is 35000. `spoken_numbers` is the other direction."""

import re
from dataclasses import dataclass
from functools import lru_cache

from dryline.phrases.value_kinds import LANGUAGES, read_values

_DIGITS = re.compile(r"\d+(?:[.,]\d+)*")
_TOKEN = re.compile(r"\d+(?:[.,]\d+)*(?!\w)|\w+(?:['\u2019]\w+)?|\s+|[^\w\s]+")
_AND = {"en": "and", "es": "y"}
_REPEATED = {"double": 2, "triple": 3}
_LETTERS = {*"abcdefghijklmnopqrstuvwxyz"}
_DATE_WORDS = ("the", "of", "on")


@dataclass(frozen=True, slots=True)
class _Words:
    """The number words of a language: those with a value of their own, the multipliers, and the ordinals."""

    values: dict[str, int]
    scales: dict[str, int]
    ordinals: dict[str, int]
    months: frozenset[str]
    starts: frozenset[str]  # all words that can begin a number


@lru_cache(maxsize=len(LANGUAGES))
def _words(language: str) -> _Words:
    table = read_values(language)
    values: dict[str, int] = dict(table["numbers"])
    if language == "de":
        values |= _german_compounds(values)
    starts = frozenset([*values, *table["scales"], *table["ordinals"], "a", "an", "oh", "o", "half", *_REPEATED])
    return _Words(values, table["scales"], table["ordinals"], frozenset(table["months"]), starts)


def _german_compounds(values: dict[str, int]) -> dict[str, int]:
    """Return `fünfunddreißig` and its like, up to 99."""
    tens = {word: value for word, value in values.items() if value >= 20}
    units = {word: value for word, value in values.items() if 1 <= value <= 9}
    return {f"{unit}und{ten}": tens[ten] + units[unit] for ten in tens for unit in units}


def to_digits(text: str, language: str = "en") -> str:
    """Return a text in which numbers in words are digits: "the twenty first", "nineteen ninety one", "five oh five"."""
    return _Reader(text, language).read()


class _Reader:
    """Reads one text from its first token to its last."""

    def __init__(self, text: str, language: str) -> None:
        self._tokens = _TOKEN.findall(text)
        self._lower = [token.lower() for token in self._tokens]
        self._words = _words(language)
        self._language = language
        self._at = 0

    def read(self) -> str:
        pieces: list[str] = []
        while self._at < len(self._tokens):
            start = self._at
            run = self._run() if self._may_begin() else []
            pieces += _join(run) if run else [self._tokens[start]]
            if not run:
                self._at = start + 1
        return "".join(pieces)

    def _may_begin(self) -> bool:
        word = self._lower[self._at]
        return (
            word in self._words.starts
            or word[0].isdigit()
            or (self._language == "de" and ("hundert" in word or "tausend" in word))
        )

    def _run(self) -> list[str]:
        """Read numbers that only spaces separate, and return them as digits; an ordinal ends them."""
        run: list[str] = []
        while (number := self._number(in_run=bool(run))) is not None:
            run.append(number)
            if not number[-1].isdigit() or self._at + 1 >= len(self._tokens):
                break
            digits = self._tokens[self._at - 1][-1].isdigit() or self._tokens[self._at + 1][:1].isdigit()
            if self._lower[self._at] != " " and (digits or self._lower[self._at] != "-"):
                break
            self._at += 1
        if run and self._at < len(self._tokens) and self._tokens[self._at - 1] in (" ", "-"):
            self._at -= 1
        return run

    def _number(self, *, in_run: bool) -> str | None:
        start = self._at
        number = self._ordinal() or self._digit_words(in_run) or self._cardinal()
        if number is None:
            self._at = start
        return number

    def _word(self, ahead: int = 0) -> str:
        """Return the word so many words ahead; spaces and hyphens between them do not count."""
        at = self._at + 2 * ahead
        between = self._lower[self._at + 1 : at : 2] if ahead else []
        if at >= len(self._lower) or any(each not in (" ", "-") for each in between):
            return ""
        return self._lower[at]

    def _take(self, count: int) -> None:
        self._at += 2 * count - 1

    def _previous_word(self) -> str:
        return self._lower[self._at - 2] if self._at >= 2 else ""

    def _ordinal(self) -> str | None:
        words, tens, count = self._words, 0, 0
        if self._language == "en" and words.values.get(self._word(), 0) >= 20 and self._word(1) in words.ordinals:
            tens, count = words.values[self._word()], 1
        value = words.ordinals.get(self._word(count))
        if value is None or (tens and value > 9):
            return None
        dated = self._previous_word() in words.months or self._previous_word() in _DATE_WORDS or self._word(1) == "of"
        if not tens and value <= 3 and self._language == "en":
            following = self._word(1)
            after_month = self._previous_word() in words.months
            if not dated or (
                not after_month
                and following
                and following not in words.months
                and following not in ("of", "at", "please")
            ):
                return None
        if self._language != "en" and self._previous_word() not in ("am", "den", "der", "el", "vom", "zum", "dem"):
            return None
        self._take(count + 1)
        return f"{tens + value}{suffix_of(tens + value)}" if self._language == "en" else f"{value}."

    def _digit_words(self, in_run: bool) -> str | None:
        word, following = self._word(), self._word(1)
        is_letter = word == "o" and self._tokens[self._at] == "O" and self._previous_word() in _LETTERS
        if word in ("oh", "o") and self._language == "en" and not is_letter:  # "Y O 1 7"
            near = in_run or (self._words.values.get(following, 99) <= 9 and len(following) > 1)
            near = near or following in ("oh", *_REPEATED)
            if near:
                self._take(1)
                return "0"
        if word in _REPEATED and self._language == "en":
            digit = "0" if following in ("oh", "o") else str(self._words.values.get(following, following))
            if len(digit) == 1 and digit.isdigit():
                self._take(2)
                return digit * _REPEATED[word]
        return None

    def _cardinal(self) -> str | None:
        """Read one number: "two hundred and fifty", "1.5 million", "half a dozen", "two point five"."""
        if self._language == "en" and (special := self._dozen()) is not None:
            return special
        total, group, read = 0.0, None, False
        start = self._at
        digits = _DIGITS.fullmatch(self._word())
        if digits:
            return self._digits()
        if self._word() in ("a", "an") and self._word(1) in self._words.scales and self._language == "en":
            self._at += 2
            group = 1.0
        elif (self._word() == "one" and not self._is_one()) or self._is_article():
            return None
        while (value := self._value(group, read)) is not None:
            word = self._word()
            if word in self._words.scales and value >= 1000:
                total += (group or 1.0) * value
                group = None
            elif word in self._words.scales and group:
                group *= value
            else:
                group = (group or 0.0) + value
            read = True
            if not self._advance():
                break
            if value == 0:
                break
        if not read:
            self._at = start
            return None
        if self._tokens[self._at - 1] in (" ", "-") and self._at > start:
            self._at -= 1
        return self._with_fraction(total + (group or 0.0))

    def _is_article(self) -> bool:
        """Return whether a word such as the German "ein" is an article and no number."""
        if self._language == "en" or self._word() not in ("ein", "eine", "einen", "un", "una"):
            return False
        counted = {unit for units in read_values(self._language)["units"].values() for unit in units}
        return bool(self._word(1)) and self._word(1) not in (*counted, *self._words.scales, "uhr", "de", "y")

    def _is_one(self) -> bool:
        table = read_values()["not_a_one"]
        return self._previous_word() not in table["after"] and self._word(1) not in table["before"]

    def _advance(self) -> bool:
        """Go to the next word, over the "and" of a number; return whether there is one."""
        self._at += 1
        if self._at + 1 >= len(self._lower) or self._lower[self._at] not in (" ", "-"):
            return False
        self._at += 1
        return True

    def _value(self, group: float | None, read: bool) -> int | None:
        """Return the value of the current word if it can continue the number."""
        word, words = self._word(), self._words
        joins = _AND.get(self._language)
        if read and joins and word == joins:
            fits = not group or group % (100 if self._language == "en" else 10) == 0
            following = words.values.get(self._word(1), 0)
            if fits and 0 < following < 100:
                self._at += 2
                word = self._word()
        if word in words.scales:
            scale = words.scales[word]
            if scale == 100 and self._language == "es":
                return 100 if not group else None
            if scale == 100 and (group or self._language == "en"):
                return 100 if group and group < 100 else None
            return scale if group or (not read and self._language != "en" and scale <= 1000) else None
        value = words.values.get(word)
        if value is None:
            return self._german(word) if self._language == "de" and not read else None
        if not group:
            return value if not (read and value == 0) else None
        if 0 < value < 100 and group % 100 == 0:
            return None if value < 10 and self._is_digit(1) and self._is_digit(2) else value
        if 0 < value < 10 and group % 10 == 0 and group % 100 >= 20:
            return value
        return None

    def _is_digit(self, ahead: int) -> bool:
        return self._words.values.get(self._word(ahead), 99) <= 9

    def _german(self, word: str) -> int | None:
        """Return the value of a compound such as `zweihundertfünfzig`."""
        for name, scale in (("tausend", 1000), ("hundert", 100)):
            before, part, after = word.partition(name)
            if part:
                first = 1 if not before else self._words.values.get(before) or self._german(before)
                rest = 0 if not after else self._words.values.get(after) or self._german(after)
                return first * scale + rest if first is not None and rest is not None else None
        return None

    def _digits(self) -> str:
        """Read digits as they are, with a multiplier behind them: "25 thousand", "1.5 million"."""
        word = self._word()
        scale = self._words.scales.get(self._word(1), 1)
        if scale == 1:
            self._at += 1
            return word
        self._take(2)
        return _plain(float(word.replace(",", "")) * scale) if word.count(".") < 2 else word

    def _with_fraction(self, number: float) -> str:
        if self._language == "en" and self._at < len(self._tokens) and self._tokens[self._at] == " ":
            self._at += 1
            if self._word() == "point" and self._word(1) in self._words.values:
                decimals = ""
                self._at += 2
                while self._words.values.get(self._word(), 99) < 10:
                    decimals += str(self._words.values[self._word()])
                    self._at += 2
                self._at -= 1
                return f"{int(number)}.{decimals}"
            if (self._word(), self._word(1), self._word(2)) == ("and", "a", "half"):
                self._take(3)
                if self._scale_follows():
                    self._at += 1
                    scale = self._words.scales[self._word()]
                    self._at += 1
                    return _plain((number + 0.5) * scale)
                return _plain(number + 0.5)
            self._at -= 1
        return _plain(number)

    def _scale_follows(self) -> bool:
        at = self._at
        return at + 1 < len(self._lower) and self._lower[at] == " " and self._lower[at + 1] in self._words.scales

    def _dozen(self) -> str | None:
        words = [self._word(ahead) for ahead in range(3)]
        if words == ["half", "a", "dozen"] or words == ["half", "a", "million"]:
            self._take(3)
            return "6" if words[2] == "dozen" else "500000"
        if words[:2] in (["a", "dozen"], ["one", "dozen"]):
            self._take(2)
            return "12"
        if words[1] == "dozen" and self._words.values.get(words[0], 0) > 1:
            self._take(2)
            return str(12 * self._words.values[words[0]])
        if words[:2] == ["a", "couple"] or words[:2] == ["a", "pair"]:
            self._take(3 if words[2] == "of" else 2)
            if not self._scale_follows():
                return "2"
            self._at += 2
            return str(2 * self._words.scales[self._lower[self._at - 1]])
        return None


def _join(run: list[str]) -> list[str]:
    """Return the numbers of a run: digit by digit they are one number, and two pairs of digits are a year."""
    single = [len(each) == 1 for each in run]
    if len(run) >= 3 and all(single[1:]) and all(each.isdigit() for each in run):
        return ["".join(run)]
    if len(run) >= 4 and sum(single) >= len(run) - 2 and all(each.isdigit() for each in run):
        return ["".join(run)]
    if len(run) >= 2 and run[-1].isdigit() and run[-2].isdigit() and len(run[-1]) == 2 and len(run[-2]) == 2:
        century = int(run[-2])
        if century in (19, 20) or (len(run) == 2 and 13 <= century <= 18):
            run = [*run[:-2], run[-2] + run[-1]]
    return [" ".join(run)]


def _plain(number: float) -> str:
    return str(int(number)) if number == int(number) else f"{number:g}"


def suffix_of(number: int) -> str:
    """Return the letters behind the digits of an English ordinal: `st` for 21."""
    return "th" if 10 < number % 100 < 20 else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")

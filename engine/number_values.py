"""Numbers, counts and amounts of money as people say them."""

import re
from collections.abc import Callable, Iterable
from functools import lru_cache
from math import log

from dryline.engine.contact_values import find_phone, without_spans
from dryline.engine.date_values import find_dates
from dryline.engine.spoken_turns import in_digits
from dryline.engine.time_values import SpokenTime, find_times
from dryline.phrases.value_kinds import class_of, has_key_word, kind_of, label_of, read_values

_NUMBER = re.compile(
    r"(?P<minus>\b(?:minus|negative) |(?<!\S)-)?(?P<sign>[$\u20ac\u00a3]\s?)?(?<![\w.])"
    r"(?P<digits>\d+(?:,\d+)*(?:\.\d+)?)(?P<scale>\s?[kKmM]\b)?(?![\w:/])"
    r"(?P<unit>\s?(?:dollars?|bucks|euros?|pounds?|percent|%|USD|EUR))?"
)
_RANGE = re.compile(r"\d\s*(?:to|and|or|-|\u2013)\s*[$\u20ac\u00a3]?\d", re.IGNORECASE)
_AT_LEAST = re.compile(r"\b(?:at least|from|more than|over|above|minimum|no less than|starting at)\b", re.IGNORECASE)
_ALONE = re.compile(
    r"\b(?:just|only) (?:me|myself)\b|\bby myself\b|\balone\b|\bnur (?:f\u00fcr )?mich\b|\bs[o\u00f3]lo yo\b",
    re.IGNORECASE,
)
_NONE = re.compile(
    r"(?:none|zero|not any|nobody|no one|.{,20}\b(?:have|has|do|does)n't (?:got |have )?any)(?: at all| for me)?", re.I
)
_BOTH = re.compile(r"\b(?:both of us|the two of us)\b", re.IGNORECASE)
_SPEAKER = re.compile(r"\b(?:me|myself|und ich|and i|y yo)\b", re.IGNORECASE)
_WITH_SPEAKER = re.compile(r"\b(?:me|myself)(?: and| plus|,) (?:my )?\d|\d (?:\w+ )?and (?:me|myself|i)\b", re.I)
_PAIRS = re.compile(r"\b(?:my|our|the|his|her|both) (?:\w+ )?(?:twins|parents|grandparents|in-laws)\b", re.IGNORECASE)
_ONLY_CENTS = re.compile(r"(?<![\d.])(\d{1,2}) ?(?:p|pence|cents?)\b")
_GROUP = re.compile(r"\b(?P<number>\d+) of us\b(?P<rest>.*)", re.IGNORECASE)
_FURTHER = re.compile(r"\b(?:our|my|plus|and) (\d+) [a-z]", re.IGNORECASE)
SINCE_YEAR = re.compile(r"\b(?:since|in) (?:19|20)\d\d\b", re.IGNORECASE)
_SHORT_YEAR = re.compile(r"(?<![\d,.])'?(\d\d)(?![\d,.:])")
_PAIR = re.compile(r"(?<![\d:.])(\d{1,4}) (\d{2})(?= dollars| bucks| pounds| miles|\W*$)")
_CENTS = re.compile(r"(\d+) (?:dollars?|bucks|euros?|pounds?),?(?: and)? (\d{1,2})(?: cents)?\b")


def find_number(
    text: str, key: str, language: str, siblings: tuple[str, ...], *, kind: str, question: str, size: float = 0.0
) -> float | None:
    """Return the number that a member means, in a text whose numbers are digits.

    The unit behind a number decides; numbers of other units, of dates, times and phone numbers do not count.
    `size` is that of the example, which decides whether "49 99" is 49.99 or 4999.
    """
    text = _CENTS.sub(lambda match: f"{match[1]}.{match[2]:0>2} dollars", text)
    text = _ONLY_CENTS.sub(lambda match: f"{int(match[1]) / 100} dollars", text)
    text = re.sub(r"\bout of \d+|(?<=\d)/(?:5|10)\b", " ", text) if kind == "rating" else text
    if kind == "money" or (kind == "number" and size >= 100):
        text = _joined_pairs(text, size)
    if kind == "year" and not re.search(r"\d{4}", text):
        text = re.sub(r"\b0 (\d)\b", r"0\1", text)  # "oh nine"
        text = _SHORT_YEAR.sub(lambda year: f"{'19' if year[1] > '35' else '20'}{year[1]}", text)
    numbers = _numbers(text, language, kind)
    units = _units(key, language)
    if (implied := _wordless_count(text, key, kind)) is not None and (implied == 0 or not numbers):
        return implied
    if kind == "count" and (total := _people(text, key, numbers, language)) is not None:
        return total
    own = [number for number, following, _ in numbers if _begins_with(following, units)]
    if kind == "count" and (single := len(_single(units).findall(text))):
        return single + sum(own)  # "a boy and two girls"
    if own:
        return own[-1]
    if kind == "count" and len({number for number, _, _ in numbers}) > 1 and not _RANGE.search(text):
        return None  # numbers of other things
    others = _other_units(key, siblings, language)
    free = [(number, marked) for number, following, marked in numbers if marked or not _begins_with(following, others)]
    if kind == "money" and any(marked for _, marked in free):
        free = [(number, marked) for number, marked in free if marked]
    bounds = range_of(question) if kind == "rating" else None
    values = [number for number, _ in free if bounds is None or bounds[0] <= number <= bounds[1]]
    if kind == "age":
        values = [number for number in values if 0 < number < 120]
    if kind == "number" and any(kind_of(each, 1) == "year" for each in siblings):
        values = [number for number in values if not 1900 <= number <= 2100]
    if kind == "year":
        values = [number for number in values if 1700 <= number <= 2100]
    if not values:
        return None
    if kind == "money":
        return max(values) if re.search(r"\b(?:to|between|up to)\b", text) else values[-1]
    if _RANGE.search(text):
        return values[-1]
    return _labelled(text, key, numbers) if len(set(values)) > 1 and kind != "rating" else values[-1]


def _joined_pairs(text: str, example: float) -> str:
    """Return the text with "49 99" as one number: 49.99 or 4999, the one whose size is nearer to the example's."""
    text = re.sub(r"(?<!\S)(1[3-9]|20)(?!00)(\d\d)(?=\W*$)", r"\1 \2", text)  # "nineteen ninety nine"
    return _PAIR.sub(lambda pair: min(f"{pair[1]}.{pair[2]}", f"{pair[1]}{pair[2]}", key=_distance(example)), text)


def _distance(example: float) -> Callable[[str], float]:
    return lambda digits: abs(log(max(float(digits), 0.01) / (example or 1000.0)))


def format_money(amount: float, example: str) -> str:
    """Return an amount with the sign and the commas of the example."""
    number = f"{amount:,.2f}" if amount % 1 else f"{amount:,.0f}"
    return re.sub(r"\d.*", "", example) + (number if "," in example else number.replace(",", ""))


def find_end_of_range(text: str, *, is_end: bool) -> float | None:
    """Return the lower or the upper end of "between 2 and 4", "up to 300", "at least 5"."""
    numbers = [_amount(match) for match in _NUMBER.finditer(text)]
    if len(numbers) > 1 and _RANGE.search(text):
        return max(numbers[-2:]) if is_end else min(numbers[-2:])
    if len(numbers) == 1 and is_end != bool(_AT_LEAST.search(text)):
        return numbers[0]
    return None


def _amount(match: re.Match[str]) -> float:
    scale = {"k": 1e3, "m": 1e6}.get((match["scale"] or "").strip().lower(), 1)
    return float(match["digits"].replace(",", "")) * scale * (-1 if match["minus"] else 1)


def _numbers(text: str, language: str, kind: str) -> list[tuple[float, str, bool]]:
    """Return each number with the words behind it, and whether it is marked as money."""
    spans = [(each.start, each.end) for each in find_dates(text, language)]
    spans += [match.span() for match in SINCE_YEAR.finditer(text) if kind != "year"]
    if kind not in ("year", "money", "age"):
        spans += [(each.start, each.end) for each in find_times(text) if each.is_sure or _is_after_at(text, each)]
    rest = without_spans(text, spans)
    if kind != "money" and (phone := find_phone(text, language)):
        rest = rest.replace(phone, " " * len(phone))
    numbers = []
    for match in _NUMBER.finditer(rest):
        if len(match["digits"]) > 15 or re.match(r"(?:st|nd|rd|th)\b", rest[match.end() :]):
            continue
        scale = match["scale"]
        marked = bool(match["sign"] or scale or (match["unit"] and "%" not in match["unit"]))
        if marked and kind in ("count", "age", "rating") and not scale:
            continue
        numbers.append((_amount(match), rest[match.end() :].lower(), marked))
    return numbers


def _is_after_at(text: str, time: SpokenTime) -> bool:
    """Return whether a time such as "7 30" follows a word that marks it as one."""
    if re.match(r"(?:at|by|um|gegen)\b", time.text, re.IGNORECASE):
        return True
    return " " in time.text and re.search(r"\b(?:at|by|around|from|until|till)\W*$", text[: time.start]) is not None


def _wordless_count(text: str, key: str, kind: str) -> float | None:
    """Return the count that words without a number mean: 1 for "just me", 0 for "no kids"."""
    if kind != "count":
        return None
    label = label_of(key)
    if re.search(
        rf"\b(?:no|without|zero|keine|ohne|sin) (?:{'|'.join(map(re.escape, _units(key, 'en')))})\b", text, re.I
    ):
        return 0
    if has_key_word(label, "people") and _ALONE.search(text):
        return 1
    if re.fullmatch(r"\W*(?:just |only )?the one\W*", text, re.IGNORECASE):
        return 1
    return 0 if _NONE.fullmatch(text.strip(" ,.;!")) else None


@lru_cache(maxsize=1)
def _companion() -> re.Pattern[str]:
    relations = "|".join(each for each in read_values()["relations"] if each not in class_of("dog"))
    return re.compile(rf"\b(?:a|my|our|the|his|her) (?:\w+ )?(?:{relations})\b|\b(?:meine?|mi) [a-z]+", re.IGNORECASE)


def _people(text: str, key: str, numbers: list[tuple[float, str, bool]], language: str) -> float | None:
    """Return how many people "me and three friends", "my wife and I" or "two adults and one child" are."""
    if not has_key_word(key, "people"):
        return None
    parts = [unit for part in ("adults", "children", "erwachsene", "kinder") for unit in _units(part, language)]
    members = [number for number, following, _ in numbers if _begins_with(following, parts)]
    pairs = len(_PAIRS.findall(text))
    speaker = len(_SPEAKER.findall(text))
    companions = len(_companion().findall(text)) if speaker else 0
    if speaker and (companions or pairs or (len(numbers) == 1 and _WITH_SPEAKER.search(text))):
        return speaker + companions + 2 * pairs + sum(members or [number for number, _, _ in numbers])
    if group := _GROUP.search(text):  # "the two of us, our three kids and my mum"
        further = _companion().findall(group["rest"]) + _FURTHER.findall(group["rest"])
        return int(group["number"]) + sum(int(each) if each.isdigit() else 1 for each in further)
    return 2 if _BOTH.search(text) and not numbers else sum(members) if len(members) > 1 else None


def _labelled(text: str, key: str, numbers: list[tuple[float, str, bool]]) -> float | None:
    """Return the number next to a word of the key; None if no such word was said."""
    words = {word.rstrip("s") for word in label_of(key).split() if len(word) > 2}
    tokens = re.findall(r"\d[\d,.]*|\w+", text.lower())
    marks = [at for at, token in enumerate(tokens) if token.rstrip("s") in words]
    values = {number for number, _, _ in numbers}
    places = [at for at, token in enumerate(tokens) if token[0].isdigit() and _float(token) in values]
    if not marks or not places:
        return None
    return _float(tokens[min(places, key=lambda at: min(abs(at - mark) for mark in marks))])


def _float(token: str) -> float | None:
    try:
        return float(token.replace(",", "").rstrip("."))
    except ValueError:
        return None


def range_of(question: str) -> tuple[float, float] | None:
    """Return the range that a question names: "from 1 to 5", "out of 10"."""
    text = in_digits(question, "en")
    if match := re.search(r"\b(\d{1,3})\s*(?:to|through|-|\u2013|and|bis|a)\s*(\d{1,3})\b", text):
        low, high = float(match[1]), float(match[2])
        return (low, high) if low < high else None
    if match := re.search(r"\bout of (\d{1,3})\b", text):
        return 1.0, float(match[1])
    return None


@lru_cache(maxsize=256)
def _units(key: str, language: str) -> tuple[str, ...]:
    words = label_of(key).split()[::-1] or [""]
    last = words[0]
    table = {**read_values()["units"], **read_values(language)["units"]}
    own = (last, last.rstrip("s"), *(table["people"] if has_key_word(last, "people") else ()))
    known = table.get(label_of(key)) or next((table[word] for word in words if word in table), own)
    return tuple(known if last else ())


@lru_cache(maxsize=4)
def _all_units(language: str) -> tuple[tuple[str, ...], ...]:
    return tuple(tuple(units) for units in {**read_values()["units"], **read_values(language)["units"]}.values())


@lru_cache(maxsize=256)
def _other_units(key: str, siblings: tuple[str, ...], language: str) -> tuple[str, ...]:
    """Return the units of the members beside this one, and those that are known and not its own."""
    own = _units(key, language)
    counted = (each for each in siblings if each != key and kind_of(each, 1) == "count")
    groups = [*(_units(each, language) for each in counted), *_all_units(language)]
    return tuple(dict.fromkeys(unit for units in groups for unit in units if unit not in own))


def _begins_with(following: str, units: Iterable[str]) -> bool:
    """Return whether one of the units stands behind a number, with at most one word between."""
    return _unit_pattern(tuple(units)).match(following.lstrip(" -")) is not None


@lru_cache(maxsize=256)
def _single(units: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(unit) for unit in units if unit and not unit.endswith("s")) or "(?!)"
    return re.compile(rf"\b(?:an?|the one) (?:{names})\b", re.IGNORECASE)


@lru_cache(maxsize=256)
def _unit_pattern(units: tuple[str, ...]) -> re.Pattern[str]:
    names = "|".join(re.escape(unit) for unit in units if unit) or "(?!)"
    return re.compile(rf"(?:(?!(?:an?|per|last|next|this) )\w+ )?(?:{names})\b")

"""Kinds of values: which key or question asks for which kind. The data is in `en/`, `de/` and `es/values.json`."""

import re
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from dryline.storage.files import read

LANGUAGES = ("en", "de", "es")
_WORD = re.compile(r"[\w'\u2019]+")
# The form of an example decides before the key does.
_FORMS = (
    ("email", re.compile(r"[^@\s]+@[^@\s]+\.\w+")),
    ("url", re.compile(r"(?:https?://|www\.)\S+")),
    (
        "datetime",
        re.compile(
            r"\d{4}-\d{2}-\d{2}[T ]\d{1,2}:\d{2}\S*|.*\b\w+day\b.*\b(?:at|\d{1,2}(?::\d{2})?\s?[ap]m)\b.*", re.I
        ),
    ),
    ("time", re.compile(r"\d{1,2}:\d{2}(?::\d{2})?(?:\s?[ap]\.?m\.?)?|\d{1,2}\s?[ap]\.?m\.?|noon|midnight", re.I)),
    ("date", re.compile(r"\d{4}-\d{2}-\d{2}|\d{1,2}[/.]\d{1,2}[/.]\d{2,4}|\d{1,2}/\d{2,4}")),
    ("money", re.compile(r"[$\u20ac£]\s?\d[\d,.]*[kKmM]?|\d[\d,.]*\s?(?:dollars|euros|USD|EUR)")),
    ("phone", re.compile(r"\+\d[\d\s().-]{6,}|(?:\(\d{3}\)\s?|\d{3}[-. ])?\d{3}[-. ]\d{4}|0\d{2,4} [\d ]{6,8}")),
)
_OF_USER = re.compile(
    r"\b(?:reach|call|text|contact|phone) (?:you|them|the (?:caller|customer|user|client))\b|\byour\b", re.IGNORECASE
)
_PERSON = re.compile(
    r"(?:Jane|John|Anna?|Maria|Mary|Alex|Sam|Bob|Alice|Jo|James|Peter|Tom|Sarah|David|Emma|Max|Erika) [A-Z]\w+$"
)
_CAPITALIZED = re.compile(r"[A-Z\u00c0-\u00de]")
_LETTERS_AND_DIGITS = re.compile(r"(?=.*\d)(?:[A-Za-z\d#-]+|[A-Z]+\d[A-Z\d]*(?: [A-Z\d]+)+)")
_DATED = {"date", "birth", "past"}
# Kinds whose example has to look like one, else the key misleads: {"order": "two pizzas"} is no order number.
_WITH_DIGIT = {"code", "phone", "zip", "count", "age", "year", "money", "rating", "percent"}
_NUMBERS = {"count", "age", "year", "money", "rating", "percent", "duration"}


@lru_cache(maxsize=len(LANGUAGES))
def read_values(language: str = "en") -> dict[str, Any]:
    """Return the contents of a language's `values.json`, read at the first call."""
    content: dict[str, Any] = orjson.loads(read(Path(__file__).parent / language / "values.json"))
    return content


@lru_cache(maxsize=1024)
def label_of(key: str) -> str:
    """Return the name of a member as words: `neighbourName` is "neighbour name"."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", key).lower().strip()


def kind_of(
    key: str, example: Any, question: str = "", *, siblings: tuple[str, ...] = (), in_list: bool = False
) -> str:
    """Return the kind of value that a member holds: by its example, else the last word of its key, else the question.

    A text of no known kind is `text`.
    """
    by_form = _kind_of_form(example)
    label = label_of(key)
    by_key = _kind_of_label(label) if label else None
    if isinstance(example, bool):
        return "yes_no"
    if isinstance(example, (int, float)):
        if by_key in _NUMBERS:
            return by_key
        by_question = _kind_of_question(question)
        return by_question if by_question in _NUMBERS and by_question != "duration" else "number"
    if by_form is not None:
        return by_key if by_form == "date" and by_key in _DATED else by_form
    if by_key == "name" and _is_name_of_item(label, example, siblings, in_list):
        return "item"
    if label in _names_of_others():
        return "name" if not example or _CAPITALIZED.match(str(example)) else "text"
    if not label:
        by_key = _kind_of_question(question)
    if isinstance(example, str) and example:
        if by_key in (None, *_WITH_DIGIT) and _PERSON.match(example):
            return "name"
        if _class_name(example) == "weekday":
            return "date"
        if by_key in _WITH_DIGIT and not re.search(r"\d|^[A-Z]{4,}$", example):
            return "text"
        if by_key == "city" and example[0].islower():
            return "text"
        is_code = bool(_LETTERS_AND_DIGITS.fullmatch(example)) and not _class_name(example)
        if is_code and (by_key in (None, "model", "item") or (by_key == "choice" and not label)):  # "Which room?" "312"
            kind = _kind_of_question(question) if by_key is None else None
            return kind or ("number" if len(example) < 4 and example.isdigit() else "code")
    return by_key or "text"


def _kind_of_form(example: Any) -> str | None:
    if not isinstance(example, str) or not example or example.strip().isdigit():  # which may be any number
        return None
    return next((kind for kind, form in _FORMS if form.fullmatch(example.strip())), None)


def _kind_of_label(label: str) -> str | None:
    words = label.rstrip(" 0123456789").split() if label not in _keys() else [label]
    keys = _keys()
    return next((keys[end] for at in range(len(words)) if (end := " ".join(words[at:])) in keys), None)


@lru_cache(maxsize=1024)
def _kind_of_question(question: str) -> str | None:
    """Return the kind that a question asks for: that of the longest of its phrases that is known."""
    folded = f" {' '.join(_WORD.findall(question.lower().replace('-', ' ')))} "
    matches = [(len(phrase), kind) for phrase, kind in _phrases() if f" {phrase} " in folded]
    return max(matches)[1] if matches else None


kind_of_question = _kind_of_question


def _is_name_of_item(label: str, example: Any, siblings: tuple[str, ...], in_list: bool) -> bool:
    """Return whether a `name` is that of a thing: an item's beside its quantity, or in a list, is no person."""
    if label != "name" or (isinstance(example, str) and _PERSON.match(example)):
        return False
    is_person = isinstance(example, str) and re.fullmatch(
        r"[A-ZÀ-Þ][\w'\u2019-]+(?: [A-ZÀ-Þ][\w.'\u2019-]+){1,3}", example
    )
    lower = isinstance(example, str) and example[:1].islower()
    if lower or key_words("beside_item") & {*map(label_of, siblings)}:
        return True
    return in_list and not is_person


def is_of_user(key: str, question: str) -> bool:
    """Return whether a value is the user's own: the number that a call is transferred to is not."""
    if _OF_USER.search(question):
        return True
    words = set(_WORD.findall(f"{label_of(key)} {question.lower()}"))
    return not words & set(read_values()["spoken_for"])


def names_speaker(key: str) -> bool:
    """Return whether a key asks for the name of the speaker: not for that of a neighbour or a doctor."""
    label = label_of(key)
    if _kind_of_label(label) != "name" or label in _names_of_others():
        return False
    return _words_of_names().issuperset(label.split())


def mentions_other(question: str) -> bool:
    """Return whether a question mentions somebody else than the speaker: "What is the neighbour's name?"."""
    return _others().search(question) is not None


@lru_cache(maxsize=1)
def _others() -> re.Pattern[str]:
    table = read_values()
    return re.compile(rf"\b(?:{'|'.join([*table['relations'], *table['names_of_others']])})\b", re.IGNORECASE)


def part_of_name(key: str) -> str | None:
    """Return the part of a name that a member asks for, `first` or `last`; None for all of it."""
    return variant_of("name", key)


def variant_of(kind: str, key: str) -> str | None:
    """Return which value of a kind a key, or a text about it, names: an `order_number` is the code of an `order`."""
    words = set(_WORD.findall(label_of(key)))
    return next((variant for variant, its_words in _variants(kind) if words & its_words), None)


@lru_cache(maxsize=8)
def _variants(kind: str) -> tuple[tuple[str, frozenset[str]], ...]:
    tables = [read_values(language).get("variants", {}).get(kind, {}) for language in LANGUAGES]
    return tuple((variant, frozenset(words)) for table in tables for variant, words in table.items())


@lru_cache(maxsize=16)
def key_words(group: str) -> frozenset[str]:
    """Return the words of keys, in all languages, of one meaning: `span_end` has "until" and "bis"."""
    tables = [read_values(language).get("key_words", {}) for language in LANGUAGES]
    return frozenset(word for table in tables for word in table.get(group, ()))


def has_key_word(key: str, group: str) -> bool:
    """Return whether one of a key's words is in a group of `key_words`."""
    return not key_words(group).isdisjoint(label_of(key).split())


@lru_cache(maxsize=8)
def words_of_all_languages(name: str) -> frozenset[str]:
    """Return a list of words of `values.json`, such as "titles", in all languages."""
    return frozenset(word for language in LANGUAGES for word in read_values(language).get(name, ()))


@lru_cache(maxsize=8)
def table_of_all_languages(name: str) -> dict[str, Any]:
    """Return a table of words of `values.json`, such as "symbols", in all languages."""
    return {word: value for language in LANGUAGES for word, value in read_values(language).get(name, {}).items()}


@lru_cache(maxsize=1024)
def milestones_of(text: str) -> tuple[str, ...]:
    """Return the milestones that a key, title or condition names: "Appointment booked" is `booked`."""
    label = label_of(text)
    return tuple(name for name, pattern in _milestones() if pattern.search(label))


@lru_cache(maxsize=1)
def _milestones() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return a pattern for each milestone, which finds the beginnings of its words."""
    milestones: dict[str, list[str]] = read_values()["milestones"]
    return tuple((name, re.compile(rf"\b(?:{'|'.join(words)})")) for name, words in milestones.items())


@lru_cache(maxsize=256)
def class_of(value: str) -> tuple[str, ...]:
    """Return the values of the class that a value belongs to, such as all colors for `red`; else nothing."""
    name = _class_name(value)
    return tuple(read_values()["classes"][name]) if name else ()


@lru_cache(maxsize=1024)
def _class_name(value: str) -> str | None:
    folded = value.strip().casefold()
    classes: dict[str, list[str]] = read_values()["classes"]
    return next((name for name, members in classes.items() if any(folded == each.casefold() for each in members)), None)


def language_of(text: str, *, least: int = 0, default: str = "en") -> str:
    """Return the language of a text: that of most of its words, `default` if it has fewer than `least` of any."""
    words = [word.lower() for word in _WORD.findall(text) if not re.fullmatch("[B-HJ-Z]", word)]  # a spelled letter
    scores = {language: sum(word in _marks(language) for word in words) for language in LANGUAGES}
    best = max(LANGUAGES, key=lambda language: (scores[language], language == default))
    return best if scores[best] >= least else default


@lru_cache(maxsize=len(LANGUAGES))
def _marks(language: str) -> frozenset[str]:
    return frozenset(read_values(language)["marks"])


@lru_cache(maxsize=1)
def _keys() -> dict[str, str]:
    """Return the kind that each key means, in all languages."""
    tables = [read_values(language)["kinds"] for language in reversed(LANGUAGES)]
    return {label_of(key): kind for table in tables for kind, entry in table.items() for key in entry["keys"]}


@lru_cache(maxsize=1)
def _words_of_names() -> frozenset[str]:
    """Return the words of the keys that ask for a name: "caller", "first", "surname", ..."""
    return frozenset(word for key, kind in _keys().items() if kind == "name" for word in key.split())


@lru_cache(maxsize=1)
def _names_of_others() -> frozenset[str]:
    return frozenset(read_values()["names_of_others"])


@lru_cache(maxsize=1)
def _phrases() -> tuple[tuple[str, str], ...]:
    tables = [read_values(language)["kinds"] for language in LANGUAGES]
    return tuple(
        (phrase.replace("-", " "), kind)
        for table in tables
        for kind, entry in table.items()
        for phrase in entry["asks"]
    )

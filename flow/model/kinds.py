"""Kinds of values: which example, key or question asks for which. `words/` has the words of each language."""

import re
from functools import cache, lru_cache
from pathlib import Path
from typing import Any

from dryline.storage.files import read_json

LANGUAGES = ("en", "de", "es")
NUMBERS = {"number", "count", "age", "year", "money", "rating", "percent", "duration"}
FREE_TEXTS = ("text", "item", "service", "reason", "choice", "language", "country", "make", "model")
_WORD = re.compile(r"[\w'\u2019]+")
# Kinds whose example has to look like one, else the key misleads: {"order": "two pizzas"} is no order number.
_WITH_DIGIT = {"code", "phone", "zip", "count", "age", "year", "money", "rating", "percent"}


@cache
def read_values(language: str = "en") -> dict[str, Any]:
    """Return the words of a language that values are found and spoken by, read at the first call."""
    return read_json(Path(__file__).parent / "words" / f"{language}.json")


@lru_cache(maxsize=256)
def pattern_of(name: str, language: str = "en") -> re.Pattern[str]:
    """Return a pattern that finds one of the phrases of a list, the longest first."""
    return re.compile(rf"\b(?:{alternatives(name, language=language)})\b", re.IGNORECASE)


def alternatives(*names: str, language: str = "en") -> str:
    """Return the phrases of lists as alternatives of a pattern, the longest first; `(?!)` if there are none."""
    lists = read_values(language)
    phrases = sorted((phrase for name in names for phrase in lists.get(name, ())), key=len, reverse=True)
    return "|".join(re.escape(phrase).replace("'", "['\u2019]") for phrase in phrases) or "(?!)"


@lru_cache(maxsize=256)
def form(name: str, language: str = "en") -> re.Pattern[str]:
    """Return one of the `text_forms`."""
    return pattern_in(read_values()["text_forms"][name], language)


@lru_cache(maxsize=512)
def pattern_in(source: str, language: str) -> re.Pattern[str]:
    """Return a pattern in which the name of a form or of a list in square brackets stands for it."""
    return re.compile(_filled(source, language), re.IGNORECASE)


def _filled(source: str, language: str) -> str:
    forms: dict[str, str] = read_values()["text_forms"]

    def fill(part: re.Match[str]) -> str:
        if part[1] in forms:
            return _filled(forms[part[1]], language)
        own = language if part[1] in read_values(language) else "en"
        return alternatives(part[1], language=own) if part[1] in read_values(own) else part[0]

    return re.sub(r"\[(\w+)\]", fill, source)


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
    label = label_of(key)
    by_key = _kind_of_label(label)
    if isinstance(example, bool):
        return "yes_no"
    if isinstance(example, (int, float)):
        kinds = (by_key, kind_of_question(question))
        return next((kind for kind in kinds if kind in NUMBERS and (kind != "duration" or kind == by_key)), "number")
    text = str(example or "").strip()
    if not text.isdigit() and (by_form := _kind_of_form(text)):
        return by_key if by_form == "date" and by_key in ("date", "birth", "past") else by_form
    if label == "name" and _is_name_of_item(text, siblings, in_list):
        return "item"
    if label in read_values()["names_of_others"]:
        return "name" if not text or text[0].isupper() else "text"
    by_key = by_key if label else kind_of_question(question)
    return _kind_of_text(text, by_key, label, question) or by_key or "text"


@lru_cache(maxsize=1024)
def _kind_of_form(text: str) -> str | None:
    """Return the kind of an example by its form, which decides before the key does."""
    forms: dict[str, str] = read_values()["example_forms"]
    return next((kind for kind, source in forms.items() if re.fullmatch(source, text, re.IGNORECASE)), None)


def _kind_of_text(text: str, by_key: str | None, label: str, question: str) -> str | None:
    """Return the kind of an example that contradicts its key; None if the key decides."""
    if not text:
        return None
    if by_key in (None, *_WITH_DIGIT) and _is_person(text):
        return "name"
    if _class_name(text) == "weekday":
        return "date"
    if (by_key in _WITH_DIGIT and not re.search(r"\d|^[A-Z]{4,}$", text)) or (by_key == "city" and text[0].islower()):
        return "text"
    is_code = re.fullmatch(read_values()["code_form"], text) is not None and not _class_name(text)
    if is_code and (by_key in (None, "model", "item") or (by_key == "choice" and not label)):  # "Which room?" "312"
        kind = kind_of_question(question) if by_key is None else None
        return kind or ("number" if len(text) < 4 and text.isdigit() else "code")
    return None


@lru_cache(maxsize=1024)
def _kind_of_label(label: str) -> str | None:
    words = label.split() if label in _keys() else label.rstrip(" 0123456789").split()
    return next((_keys()[end] for at in range(len(words)) if (end := " ".join(words[at:])) in _keys()), None)


@lru_cache(maxsize=1024)
def kind_of_question(question: str) -> str | None:
    """Return the kind that a question asks for: that of the longest of its phrases that is known."""
    folded = f" {' '.join(_WORD.findall(question.lower().replace('-', ' ')))} "
    matches = [(len(phrase), kind) for phrase, kind in _phrases() if f" {phrase} " in folded]
    return max(matches)[1] if matches else None


def _is_person(text: str) -> bool:
    first, *others = text.split()
    return first in read_values()["first_names"] and len(others) == 1 and others[0][0].isupper() and others[0].isalpha()


def _is_name_of_item(text: str, siblings: tuple[str, ...], in_list: bool) -> bool:
    """Return whether a `name` is that of a thing: an item's beside its quantity, or in a list, is no person."""
    if not text or _is_person(text):
        return not text and in_list
    if text[0].islower() or key_words("beside_item") & {*map(label_of, siblings)}:
        return True
    return in_list and not (" " in text and text.istitle())


def is_of_user(key: str, question: str) -> bool:
    """Return whether a value is the user's own: the number that a call is transferred to is not."""
    words = set(_WORD.findall(f"{label_of(key)} {question.lower()}"))
    return form("of_user").search(question) is not None or words.isdisjoint(read_values()["spoken_for"])


def names_speaker(key: str) -> bool:
    """Return whether a key asks for the name of the speaker: not for that of a neighbour or a doctor."""
    label = label_of(key)
    words = {word for key, kind in _keys().items() if kind == "name" for word in key.split()}
    is_other = label in read_values()["names_of_others"]
    return _kind_of_label(label) == "name" and not is_other and words.issuperset(label.split())


def mentions_other(question: str) -> bool:
    """Return whether a question mentions somebody else than the speaker: "What is the neighbour's name?"."""
    others = "|".join([*read_values()["relations"], *read_values()["names_of_others"]])
    return re.search(rf"\b(?:{others})\b", question, re.IGNORECASE) is not None


def variant_of(kind: str, key: str) -> str | None:
    """Return which value of a kind a key, or a text about it, names: an `order_number` is the code of an `order`.

    Of a name the variants are `first` and `last`.
    """
    words = {*_WORD.findall(label_of(key))}
    variants: dict[str, list[str]] = read_values()["variants"].get(kind, {})
    return next((variant for variant, names in variants.items() if words & {*names}), None)


@lru_cache(maxsize=16)
def key_words(group: str) -> frozenset[str]:
    """Return the words of keys of one meaning: `span_end` has "until" and "bis"."""
    return frozenset(read_values()["key_words"][group])


@lru_cache(maxsize=1024)
def milestones_of(text: str) -> tuple[str, ...]:
    """Return the milestones that a key, title or condition names: "Appointment booked" is `booked`."""
    milestones: dict[str, list[str]] = read_values()["milestones"]
    return tuple(name for name, words in milestones.items() if re.search(rf"\b(?:{'|'.join(words)})", label_of(text)))


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
def _phrases() -> tuple[tuple[str, str], ...]:
    tables = [read_values(language)["kinds"] for language in LANGUAGES]
    asks = [(phrase, kind) for table in tables for kind, entry in table.items() for phrase in entry["asks"]]
    return tuple((phrase.replace("-", " "), kind) for phrase, kind in asks)

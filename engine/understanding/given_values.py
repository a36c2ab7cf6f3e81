"""Conditions such as "gives their name and a day": whether the values that they ask for have been said."""

import re
from functools import lru_cache

from dryline.engine.understanding.dialogue_acts import ParsedUtterance, read_utterance
from dryline.engine.understanding.words import plain
from dryline.flow.model.answers.contacts import find_zip
from dryline.flow.model.answers.names import NameQuestion, find_name
from dryline.flow.model.answers.number_words import to_digits
from dryline.flow.model.answers.slots import ASKS_FOR_PROBLEM
from dryline.flow.model.answers.texts import find_sentence
from dryline.flow.model.answers.turns import Utterance, leaves_choice
from dryline.flow.model.kinds import kind_of, kind_of_question, read_values

_AND = re.compile(r"\band\b|,|&|\bas well as\b|\balong with\b")
_ARTICLE = re.compile(
    r"^(?:the|a|an|his|her|their|its|your|some|any|which|what|all|both|valid|correct|new|preferred|desired) "
)
_BEHIND = re.compile(r" (?:of|for|from|to|in|on|at|that|they|when|where|why|how|about|between|with|you)\b.*")
_TOKENS = {
    "email": {"_email"},
    "phone": {"_phone", "_code"},
    "url": {"_email"},
    "date": {"_day", "_date", "_month"},
    "birth": {"_date", "_month", "_number", "_day"},
    "past": {"_day", "_date", "_month"},
    "time": {"_time", "_part"},
    "datetime": {"_time", "_part", "_day", "_date"},
    "duration": {"_number"},
    "count": {"_number", "_time"},
    "age": {"_number"},
    "year": {"_number"},
    "money": {"_money", "_number"},
    "rating": {"_number", "_time"},
    "percent": {"_number"},
    "number": {"_number", "_time"},
    "code": {"_code", "_number", "_phone"},
    "zip": {"_code", "_number"},
}
_FREE_TEXT = {
    *("reason", "text", "item", "service", "choice", "model", "role", "yes_no", "company", "city", "make", "country"),
    "state",
}
# A choice by position or by the time of day, where the agent has offered something.
_WHICH = re.compile(
    r"\bthe (?:first|second|third|last|former|latter|earlier|later|morning|afternoon|evening|1st|2nd|3rd)\b(?! time)"
    r"|\b(?:first|second|third|last|latter|earlier|later) (?:one|option)\b"
    r"|^\W*(?:first|second|third|last|latter|earlier|later)(?:,? please)?\W*$",
    re.I,
)
# "It's broken", "the glass has a crack": a sentence about the thing that the question is about.
_TELLS = re.compile(
    r"(?:(?:well|um+|uh+|so|oh|yes|yeah|ok(?:ay)?)\W+)*(?:(?:it|there|they|one|the|my|its|two|some|all)\b.* \w"
    r"|it(?:'s| is) \w+)",
    re.IGNORECASE,
)
_NO_ZIP = re.compile(r"\b[a-z]{1,3}\d{4,}\b", re.IGNORECASE)  # such as the order number K48210
_TROUBLES = {
    "problem",
    "issue",
    "fault",
    "symptom",
    "symptoms",
    "trouble",
    "damage",
    "concern",
    "complaint",
    "incident",
}
_TOLD = 0.88
_ONE_PART_ONLY = 0.15  # said of "a service and a time"


def given(thing: str, utterance: ParsedUtterance, earlier: str, question: str, options: list[str]) -> float:
    """Return how sure it is that a thing was named, from 0 to 1. `earlier` is what the user said before."""
    kinds = _kinds_of(thing)
    now = [_names(kind, label, utterance.text, utterance, question, options) for kind, label in kinds]
    if not any(now):
        return 0.0
    before = [
        score or _named_before(kind, label, earlier, options) for (kind, label), score in zip(kinds, now, strict=True)
    ]
    return min(before) if all(before) else _ONE_PART_ONLY * max(now)


def needs_value(thing: str | None) -> bool:
    """Return whether a thing can only be given by a value: a name or a number, and no permission."""
    return thing is not None and any(kind in (*_TOKENS, "name", "address") for kind, _ in _kinds_of(thing))


def _named_before(kind: str, label: str, earlier: str, options: list[str]) -> float:
    if kind == "name":
        return max((_person(said, "What is your name?") for said in earlier.splitlines()), default=0.0)
    return _value_in(kind, earlier) if kind in _TOKENS else _class_in(label, earlier, options)


@lru_cache(maxsize=512)
def _kinds_of(thing: str) -> list[tuple[str, str]]:
    kinds = []
    for part in _AND.split(plain(thing)):
        label = part.strip()
        while (shorter := _ARTICLE.sub("", label)) != label:
            label = shorter
        label = _BEHIND.sub("", label).strip()
        if label:
            kinds.append((kind_of(label, None), label))
    return kinds[:4]


def _names(kind: str, label: str, text: str, utterance: ParsedUtterance, question: str, options: list[str]) -> float:
    tokens = set(utterance.whole.stems)
    if "good _part" in " ".join(utterance.whole.stems):  # "good morning" names no time
        tokens.discard("_part")
    if label in _TROUBLES:  # to choose one of the treatments tells no problem
        options = []
    if kind in _TOKENS:
        if kind == "rating" and tokens & {"star", "point"}:
            return 0.9
        if options and (_WHICH.search(text) or (kind == "time" and leaves_choice(text))):
            return 0.85
        if kind == "zip" and _NO_ZIP.search(text) and not find_zip(text):
            return 0.0
        if kind == "phone" and "_number _number _number" in " ".join(utterance.whole.stems):
            return 0.85  # "five five five, two one two, four four nine one"
        if not tokens & _TOKENS[kind] and not (kind == "time" and "_number" in tokens and re.search(r"\d", question)):
            return 0.0
        asked_kind = kind_of_question(question)
        return 0.9 if len(tokens) <= 6 or asked_kind == kind or kind not in ("code", "number", "count") else 0.6
    if kind == "name":
        return 0.0 if (utterance.yes or utterance.no) and not utterance.rest else _person(text, question)
    if kind == "address":
        return 0.85 if re.search(r"\b\d{1,5} [A-Za-z]{2,}", to_digits(text, "en")) else 0.0
    if options and _WHICH.search(text):
        return 0.85
    named = _class_in(label, text, options)
    if named:
        return named
    if options or kind not in _FREE_TEXT:
        return 0.0
    is_asked = kind == "reason" or label.split()[-1].removesuffix("s") in question.lower()
    return _statement(utterance, question) if is_asked else 0.0


def _class_in(label: str, text: str, options: list[str]) -> float:
    """Return whether one of the options of the prompt is in a text, or a member of the class that a label names."""
    classes: dict[str, list[str]] = read_values()["classes"]
    members = options or classes.get(label.split()[-1].removesuffix("s"), [])
    return 0.92 if names_option(members, text) else 0.0


def names_option(options: list[str], text: str) -> bool:
    """Return whether one of the options is in a text, in the singular or the plural."""
    words = f" {' '.join(re.findall(r'[a-z0-9]+', plain(text)))} "
    for option in options:
        stem = " ".join(re.findall(r"[a-z0-9]+", plain(option)))
        if stem and (f" {stem} " in words or f" {stem.removesuffix('s')} " in words or f" {stem}s " in words):
            return True
    return False


def _value_in(kind: str, text: str) -> float:
    return 0.8 if text and set(read_utterance(text, "en").whole.stems) & _TOKENS[kind] else 0.0


def _person(text: str, question: str) -> float:
    asks_name = kind_of_question(question) == "name" or "name" in question.lower() or "who " in question.lower()
    if find_name(text, NameQuestion(is_answered=asks_name)):
        return 0.9
    words = text.split(",")[0].strip(" .!").split()
    is_bare = len(words) in (2, 3) and all(re.fullmatch(r"[A-ZÀ-Þ][\w.'\u2019-]+,?", word) for word in words)
    return 0.7 if is_bare else 0.0


def states_no_problem(text: str, question: str) -> bool:
    """Return whether a question for the problem was answered by a mere wish: "I need to fix my bike"."""
    return bool(ASKS_FOR_PROBLEM.search(question)) and find_sentence(Utterance(text, question, "en"), "problem") is None


def _statement(utterance: ParsedUtterance, question: str) -> float:
    """Return whether the utterance states something, in answer to a question."""
    whole = utterance.whole
    asks_for_problem = bool(ASKS_FOR_PROBLEM.search(question))
    if states_no_problem(utterance.text, question) or (asks_for_problem and _WHICH.match(utterance.text)):
        return 0.0
    if whole.is_question or whole.is_request or (utterance.yes and not utterance.rest) or utterance.no:
        return 0.0
    if asks_for_problem and _TELLS.match(utterance.text):
        return _TOLD
    return 0.5 if len(whole.stems) >= 3 and question else 0.3 if question and len(whole.stems) >= 1 else 0.0


def is_quoted(quote: str, text: str) -> bool:
    """Return whether a text holds the quoted words of a condition."""
    words, said = (" ".join(re.findall(r"\w+", each)) for each in (quote, plain(text)))
    return bool(words) and f" {words} " in f" {said} "

"""The analysis of a conversation: extractions, success criteria and sentiment.

Extractions and success criteria use the same table of milestones, so they agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from dryline.simulator.script_dialogues import Dialogue
    from dryline.simulator.slots import Slots

Marks = frozenset[str]

_DONE: Marks = frozenset({"done"})
_AGREED: Marks = frozenset({"booked", "moved", "confirmed"})
_NOBODY: Marks = frozenset({"voicemail", "message", "missed"})  # nobody was there to talk to
_DEEDS: Marks = _AGREED | {"delivery", "paid", "promised", "rated", "returned", "solved", "explained"}

# Facts by the usual names of extraction keys, and the milestones that turn a proposal into a fact. The first pattern
# in a key wins, or else in its description.
_FACTS: tuple[tuple[str, str, Marks], ...] = (
    ("first name", "first", frozenset()),
    ("last name|surname", "last", frozenset()),
    ("e ?mail", "email", frozenset()),
    ("phone|number to call|contact number", "phone", frozenset()),
    ("sentiment|mood", "sentiment", frozenset()),
    ("satisf|rating|score|nps", "rating", frozenset({"rated"})),
    ("refund", "amount", frozenset({"returned"})),
    ("amount|price|balance|total|cost", "amount", frozenset()),
    ("intent|reason|purpose|topic|category", "intent", frozenset()),
    ("summary|notes", "summary", frozenset()),
    ("confirmation", "confirmation", frozenset()),
    ("case|ticket", "case", frozenset()),
    ("patient (id|no|number)", "patient", frozenset()),
    ("account", "account", frozenset()),
    ("order|reference", "order", frozenset()),
    ("appointment (time|hour)|slot", "time", _AGREED),
    ("appointment (type|kind)|service|treatment", "service", frozenset()),
    ("appointment", "day", _AGREED),
    ("city|location|town", "city", frozenset()),
    ("address|street", "street", frozenset()),  # nobody says it
    ("company|organi[sz]ation|employer", "company", frozenset()),  # nobody says it
    ("time|hour", "time", _DONE),
    ("date|day|when", "day", _DONE),
    ("product|item", "product", frozenset()),
    ("problem|issue", "problem", frozenset()),
    ("complain", "complaint", frozenset()),
    ("name|caller|customer", "name", frozenset()),
)
_MATCHERS = tuple((re.compile(rf"\b(?:{pattern})"), fact, needed) for pattern, fact, needed in _FACTS)
_NUMBERS = frozenset({"amount", "rating"})
# Facts that are known without being said: in every conversation, and in a call to a contact.
_KNOWN = frozenset({"phone", "intent", "sentiment", "summary"})
KNOWN_CONTACT = frozenset({"name", "first", "last"})

# Criteria about something that the agent must not do.
_FORBIDDEN = re.compile(r"^(no|never|without)\b|agent (never|does not|doesn't|avoids|\w+ no )")
# The milestones of which one must be reached. None: it always holds, since a scripted agent is friendly.
_EVIDENCE: tuple[tuple[str, Marks | None], ...] = (
    (r"polite|friendly|courteous|tone\b|greet|professional|empath|patience|calm", None),
    ("call ?back", frozenset({"callback"})),
    ("voice ?mail|machine", _NOBODY),
    ("promis", frozenset({"promised"})),
    ("resched|moved", frozenset({"moved"})),
    ("book|schedul|appointment", _AGREED),
    ("instal", frozenset({"instalments"})),
    ("refund|return", frozenset({"returned"})),
    ("paid|payment", frozenset({"paid"})),
    (r"escalat|transfer|human|person\b|handed|hand ?over", frozenset({"transferred"})),
    ("complain|angry|upset|frustrat", frozenset({"complained"})),
    ("cancel", frozenset()),
    ("found|identif|verif|looked", frozenset({"found"})),
    ("case|ticket", frozenset({"case"})),
    ("confirm", frozenset({"confirmed"})),
    ("explain|underst", frozenset({"explained"})),
    ("rated|rating", frozenset({"rated"})),
    ("solv|fix|gone|answer|help|goal|reach|success|satisf|complet", _DONE),
)
_EVIDENT = tuple((re.compile(rf"\b(?:{pattern})"), marks) for pattern, marks in _EVIDENCE)


class Sought(NamedTuple):
    """One extraction: `fact` is the fact that its key names, `marks` the milestones that it needs."""

    key: str
    kind: str
    required: bool
    fact: str
    marks: Marks | None


def sought(definitions: Mapping[str, Any]) -> tuple[Sought, ...]:
    """Return the extractions that a deployment defines."""
    extractions = []
    for key, definition in definitions.items():
        members = definition if isinstance(definition, Mapping) else {}
        words = _words(key)
        about = str(members.get("description") or "").lower()
        kind = members.get("type", "string")
        fact, marks = ("", _evidence(words, about)) if kind == "boolean" else _fact(words, about)
        if kind == "number" and fact not in _NUMBERS:
            fact = ""  # nothing else that is said is a number
        extractions.append(Sought(key, kind, bool(members.get("required")), fact, marks))
    return tuple(extractions)


def _words(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", key).lower()


def fact_of(key: str) -> str | None:
    """Return the fact that a key names; None for a number, and for facts that are known without being said."""
    words = _words(key)
    fact = next((fact for pattern, fact, _ in _MATCHERS if pattern.search(words)), None)
    return None if fact in _NUMBERS | _KNOWN else fact


def _fact(words: str, about: str) -> tuple[str, Marks | None]:
    """Return the fact that an extraction names, else the summary, and the milestones that it needs."""
    for text in (words, about):
        for pattern, fact, needed in _MATCHERS:
            if pattern.search(text):
                return fact, needed or None
    return "summary", None


def _evidence(words: str, about: str) -> Marks | None:
    """Return the milestones that the words name, else all that a conversation can be about."""
    for text in (words, about):
        for pattern, marks in _EVIDENT:
            if pattern.search(text):
                return marks
    return _DEEDS


def _shown(marks: Marks | None, dialogue: Dialogue) -> bool:
    return marks is None or not marks.isdisjoint(dialogue.reached)


def extract(extractions: tuple[Sought, ...], dialogue: Dialogue, facts: Slots) -> dict[str, Any]:
    """Return the extracted values, each of its type.

    A value that was not said is left out or, where it is required, empty: "", 0, {}, []. A boolean is always there.
    """
    values: dict[str, Any] = {}
    for key, kind, required, fact, marks in extractions:
        if kind == "boolean":
            values[key] = _shown(marks, dialogue)
        elif (value := _said(fact, dialogue, facts) if _shown(marks, dialogue) else None) is not None:
            values[key] = _typed(kind, fact, value)
        elif required:
            values[key] = {"number": 0, "object": {}, "array": []}.get(kind, "")
    return values


def _said(fact: str, dialogue: Dialogue, facts: Slots) -> Any:
    if fact in dialogue.mentioned or fact in _KNOWN:
        return facts[fact]
    if fact == "name" and "first" in dialogue.mentioned:
        return facts["first"]
    return facts["rating"] if fact == "rating" else None


def _typed(kind: str, fact: str, value: Any) -> Any:
    if kind == "number":
        return float(value) if fact == "amount" else value
    if kind == "object":
        return {fact: value}
    return [value] if kind == "array" else str(value)


def mood(dialogue: Dialogue, facts: Slots) -> str:
    """Return `Positive`, `Neutral` or `Negative`."""
    draw = facts.random()
    if "rated" in dialogue.reached:
        return "Positive" if facts["rating"] >= 8 else "Neutral" if facts["rating"] >= 5 else "Negative"
    if _shown(_NOBODY, dialogue):
        return "Neutral"
    if "complained" in dialogue.reached:
        return "Negative" if draw < 0.85 else "Neutral"
    if "unsolved" in dialogue.reached:
        return "Negative" if draw < 0.2 else "Neutral"
    if dialogue.done:
        return "Positive" if draw < 0.65 else "Neutral"
    return "Negative" if draw < 0.4 else "Neutral"


class Criterion(NamedTuple):
    """One item of the success criteria. BINARY: met or not; SCORE: a number on a scale to 1, 10 or 100."""

    title: Any
    type: Any
    threshold: float
    marks: Marks | None


Criteria = tuple[tuple[Any, tuple[Criterion, ...]], ...]  # groups: title and items


def criteria(groups: Any) -> Criteria:
    """Return the success criteria of a deployment with the milestones that they need."""
    result = []
    for group in groups if isinstance(groups, list) else []:
        items = []
        for item in group.get("items") or []:
            words, about = (str(item.get(name) or "").lower() for name in ("title", "description"))
            forbidden = _FORBIDDEN.search(words) or _FORBIDDEN.search(about)
            marks = None if forbidden else _evidence(words, about)
            items.append(Criterion(item.get("title"), item.get("type"), item.get("threshold") or 0, marks))
        result.append((group.get("title"), tuple(items)))
    return tuple(result)


def judge(criteria: Criteria, dialogue: Dialogue, extracted: Mapping[str, Any], rng: Random) -> dict[str, Any] | None:
    """Return each group and item with its result; None where there are no criteria.

    An item that has the name of a boolean extraction has its value.
    """
    if not criteria:
        return None
    known = {_words(key): value for key, value in extracted.items() if isinstance(value, bool)}
    groups = []
    for title, items in criteria:
        judged = [
            _judged(item, known.get(str(item.title).lower(), _shown(item.marks, dialogue)), rng) for item in items
        ]
        groups.append({"title": title, "passed": all(item["passed"] for item in judged), "items": judged})
    return {"passed": all(group["passed"] for group in groups), "criteria": groups}


def _judged(item: Criterion, shown: bool, rng: Random) -> dict[str, Any]:
    value: Any = shown
    passed = shown
    if item.type == "SCORE":
        scale = 1 if item.threshold <= 1 else 10 if item.threshold <= 10 else 100
        least, most = max(0.7 * scale, item.threshold), max(scale, item.threshold)
        if not shown:
            least, most = 0.2 * item.threshold, 0.7 * item.threshold
        value = round(least + (most - least) * rng.random(), 2 if scale == 1 else 0)
        passed = value >= item.threshold
    return {
        "title": item.title,
        "type": item.type,
        "threshold": item.threshold,
        "value": value,
        "passed": passed,
        "reason": "The conversation shows it." if passed else "Not found in the conversation.",
    }

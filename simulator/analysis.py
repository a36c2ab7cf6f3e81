"""What is found out after a conversation, from what was said in it: extractions, success criteria, mood.

An extraction and a criterion of the same thing agree, because both ask `_evidence` what would show it.
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
_NOBODY: Marks = frozenset({"voicemail", "message"})  # nobody was there to talk to
_DEEDS: Marks = _AGREED | {"delivery", "paid", "promised", "rated", "returned", "solved", "explained"}

# Slots, by the names that extraction keys tend to have, and what must have come of the conversation for the fact to
# be more than a proposal. The first pattern found in a key wins, or else in its description.
_FACTS: tuple[tuple[str, str, Marks], ...] = (
    ("first name", "first", frozenset()),
    ("last name|surname", "last", frozenset()),
    ("e ?mail", "email", frozenset()),
    ("phone|number to call|contact number", "phone", frozenset()),
    ("sentiment|mood", "sentiment", frozenset()),
    ("satisf|rating|score|nps", "satisfaction", frozenset()),
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
    ("address|street", "street", frozenset()),  # which nobody says
    ("company|organi[sz]ation|employer", "company", frozenset()),  # nor that
    ("time|hour", "time", _DONE),
    ("date|day|when", "day", _DONE),
    ("product|item", "product", frozenset()),
    ("problem|issue", "problem", frozenset()),
    ("complain", "complaint", frozenset()),
    ("name|caller|customer", "name", frozenset()),
)
_MATCHERS = tuple((re.compile(pattern), fact, needed) for pattern, fact, needed in _FACTS)
_NUMBERS = frozenset({"amount", "satisfaction"})
# Known of every call without a word; and of a call to a contact.
_KNOWN = frozenset({"phone", "intent", "sentiment", "summary"})
KNOWN_CONTACT = frozenset({"name", "first", "last"})

# What a criterion says that the agent must not do.
_FORBIDDEN = re.compile(r"^(no|never|without)\b|agent (never|does not|doesn't|avoids|\w+ no )")
# What shows that something was so: one of these must have come of the conversation. None: it always holds, since a
# scripted agent is friendly.
_EVIDENCE: tuple[tuple[str, Marks | None], ...] = (
    (r"polite|friendly|courteous|\btone\b|greet|professional|empath|patience|calm", None),
    ("call ?back", frozenset({"callback"})),
    ("voice ?mail|machine", _NOBODY),
    ("promis", frozenset({"promised"})),
    ("resched|moved", frozenset({"moved"})),
    ("book|schedul|appointment", _AGREED),
    ("instal", frozenset({"instalments"})),
    ("refund|return", frozenset({"returned"})),
    ("paid|payment", frozenset({"paid"})),
    (r"escalat|transfer|human|\bperson\b|handed|hand ?over", frozenset({"transferred"})),
    ("complain|angry|upset|frustrat", frozenset({"complained"})),
    ("cancel", frozenset()),
    ("found|identif|verif|looked", frozenset({"found"})),
    ("case|ticket", frozenset({"case"})),
    ("confirm", frozenset({"confirmed"})),
    ("explain|underst", frozenset({"explained"})),
    ("rated|rating", frozenset({"rated"})),
    ("solv|fix|gone|answer|help|goal|reach|success|satisf|complet", _DONE),
)
_EVIDENT = tuple((re.compile(pattern), marks) for pattern, marks in _EVIDENCE)


class Sought(NamedTuple):
    """One extraction: `fact` is what its key asks for, `marks` what must have come of the conversation."""

    key: str
    kind: str
    required: bool
    fact: str
    marks: Marks | None


def sought(definitions: Mapping[str, Any]) -> tuple[Sought, ...]:
    """What the definitions of a deployment ask for."""
    found = []
    for key, definition in definitions.items():
        asked = definition if isinstance(definition, Mapping) else {}
        words = _words(key)
        about = str(asked.get("description") or "").lower()
        kind = asked.get("type", "string")
        fact, marks = ("", _evidence(words, about)) if kind == "boolean" else _fact(words, about)
        if kind == "number" and fact not in _NUMBERS:
            fact = ""  # nothing else that is said is a number
        found.append(Sought(key, kind, bool(asked.get("required")), fact, marks))
    return tuple(found)


def _words(key: str) -> str:
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]", " ", key).lower()


def fact_of(key: str) -> str | None:
    """The fact that a key asks for; None for none, for a number, and for what is known without asking."""
    words = _words(key)
    fact = next((fact for pattern, fact, _ in _MATCHERS if pattern.search(words)), None)
    return None if fact in _NUMBERS | _KNOWN else fact


def _fact(words: str, about: str) -> tuple[str, Marks | None]:
    """The fact that an extraction asks for; the summary when its words tell nothing."""
    for text in (words, about):
        for pattern, fact, needed in _MATCHERS:
            if pattern.search(text):
                return fact, needed or None
    return "summary", None


def _evidence(words: str, about: str) -> Marks | None:
    """What would show that it is so; one of the deeds of a conversation when its words tell nothing."""
    for text in (words, about):
        for pattern, marks in _EVIDENT:
            if pattern.search(text):
                return marks
    return _DEEDS


def _shown(marks: Marks | None, course: Dialogue) -> bool:
    return marks is None or not marks.isdisjoint(course.reached)


def extract(asked: tuple[Sought, ...], course: Dialogue, facts: Slots) -> dict[str, Any]:
    """What the conversation told, each of its type.

    What was not told is left out or, where it is required, empty: "", 0, {}, []. A boolean is always there.
    """
    found: dict[str, Any] = {}
    for key, kind, required, fact, marks in asked:
        if kind == "boolean":
            found[key] = _shown(marks, course)
        elif (value := _told(fact, course, facts) if _shown(marks, course) else None) is not None:
            found[key] = _typed(kind, fact, value)
        elif required:
            found[key] = {"number": 0, "object": {}, "array": []}.get(kind, "")
    return found


def _told(fact: str, course: Dialogue, facts: Slots) -> Any:
    """The fact, if it was said or is known without; else None."""
    if fact in course.mentioned or fact in _KNOWN:
        return facts[fact]
    if fact == "name" and "first" in course.mentioned:
        return facts["first"]
    if fact == "satisfaction":
        return _satisfaction(course, facts)
    return None


def _typed(kind: str, fact: str, value: Any) -> Any:
    if kind == "number":
        return float(value) if fact == "amount" else value
    if kind == "object":
        return {fact: value}
    return [value] if kind == "array" else str(value)


def _satisfaction(course: Dialogue, facts: Slots) -> int | None:
    """From 1 to 10: what the caller says, else how they sound; None where there was nobody."""
    if _shown(_NOBODY, course):
        return None
    if "rated" in course.reached:
        return facts["rating"]
    least = {"Positive": 8, "Neutral": 5, "Negative": 2}[facts["sentiment"]]
    return least + int(facts.random() * 3)


def mood(course: Dialogue, facts: Slots) -> str:
    """`Positive`, `Neutral` or `Negative`."""
    draw = facts.random()
    if "rated" in course.reached:
        return "Positive" if facts["rating"] >= 8 else "Neutral" if facts["rating"] >= 5 else "Negative"
    if _shown(_NOBODY, course):
        return "Neutral"
    if "complained" in course.reached:
        return "Negative" if draw < 0.85 else "Neutral"
    if course.done:
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
    """What a deployment's success criteria look at. None where there are none."""
    found = []
    for group in groups if isinstance(groups, list) else []:
        items = []
        for item in group.get("items") or []:
            words, about = (str(item.get(name) or "").lower() for name in ("title", "description"))
            forbidden = _FORBIDDEN.search(words) or _FORBIDDEN.search(about)
            marks = None if forbidden else _evidence(words, about)
            items.append(Criterion(item.get("title"), item.get("type"), item.get("threshold") or 0, marks))
        found.append((group.get("title"), tuple(items)))
    return tuple(found)


def judge(asked: Criteria, course: Dialogue, rng: Random) -> dict[str, Any] | None:
    """Each group and item judged; None where there are no criteria."""
    if not asked:
        return None
    groups = []
    for title, items in asked:
        judged = [_judged(item, _shown(item.marks, course), rng) for item in items]
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

"""The analysis of a conversation: extractions, success criteria and sentiment.

Extractions and success criteria read keys and titles in the same way, so they agree.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from random import Random
from typing import TYPE_CHECKING, Any, NamedTuple

from dryline.flow.model.answers.number import unit_of
from dryline.flow.model.answers.slots import Slot, label_of
from dryline.flow.model.kinds import NAME, NUMBER, kind_of_label, kind_of_question
from dryline.simulator.tables import table

if TYPE_CHECKING:
    from dryline.simulator.facts import Facts
    from dryline.simulator.record import ConversationRecord

# Characters of a key, a title or a description that are read for what it means. Caches hold these texts.
_LONGEST_READ = 1_000
NUMBERS = frozenset({"amount", "rating"})
# Facts that are known without being said in every conversation.
KNOWN = frozenset({"phone", "intent", "sentiment", "summary"})

Milestones = frozenset[str]

_DONE: Milestones = frozenset({"done"})
_AGREED: Milestones = frozenset({"booked", "moved", "confirmed"})
_NOBODY: Milestones = frozenset({"voicemail", "message", "missed"})  # nobody was there to talk to
_ACHIEVEMENTS: Milestones = _AGREED | {"delivery", "paid", "promised", "rated", "returned", "solved", "explained"}

WANTED_TRANSFER = "wanted_transfer"  # the milestone of a caller who asked for a person, and got one

# The name of a contact is known without being said.
KNOWN_CONTACT = frozenset({"name", "first", "last"})

# Criteria about something that the agent must not do.
_FORBIDDEN = re.compile(r"^(no|never|without)\b|agent (never|does not|doesn't|avoids|\w+ no )")
# The milestones of which one shows that something happened, where they are others than the one that its words name.
# None: it always holds, since a scripted agent is friendly.
_EVIDENCE: dict[str, Milestones | None] = {
    "polite": None,
    "voicemail": _NOBODY,
    "booked": _AGREED,
    "solved": _DONE,
    "explained": frozenset({"explained", "answered"}),
}


def fact_of(key: str, about: str = "") -> str:
    """Return the name of the fact that a key holds: for a key of no known kind by its question or description.

    A value that no script speaks of has its key's words as its name, such as "policy number".
    """
    key, about = key[:_LONGEST_READ], about[:_LONGEST_READ]
    label = label_of(key)
    return _fact_of_label(label) or (_fact_of_label(about.lower()) if about else None) or label or about


@lru_cache(maxsize=1024)
def _fact_of_label(label: str) -> str | None:
    """Return the fact that a label, or a description, names at its end, or else anywhere; None for none."""
    words = re.findall(r"[a-z0-9]+", label)
    named = _fact_named_in(" ".join(words))
    kind = kind_of_label(label) or kind_of_question(label)
    if kind is NAME:
        is_of_caller = set(words) <= {*table("own names")} and not (named and named.is_at_end)
        if is_of_caller:
            return next((part for part in ("first", "last") if part in words), "name")
        return named.fact if named else None

    if named:
        return named.fact
    if kind is None:
        return None
    name_of_kind = unit_of(Slot(None, label)) if kind is NUMBER else kind.name
    return table("facts of kinds").get(name_of_kind)


class _NamedFact(NamedTuple):
    """A fact that a text names. The greatest one counts: at the end of the text, by the longest name."""

    is_at_end: bool
    length: int
    fact: str


def _fact_named_in(text: str) -> _NamedFact | None:
    """Return the fact whose name a text has as whole words; None for none."""
    padded = f" {text} "
    named = [
        _NamedFact(padded.endswith(f" {name} "), len(name), fact)
        for name, fact in _names_of_facts()
        if f" {name} " in padded
    ]
    return max(named, default=None)


@cache
def _names_of_facts() -> list[tuple[str, str]]:
    return [(name, fact) for fact, names in table("facts").items() for name in names]


@lru_cache(maxsize=1024)
def milestones_of(text: str) -> tuple[str, ...]:
    """Return the milestones that a key, title or condition names: "Appointment booked" is `booked`."""
    label = label_of(text)
    return tuple(name for name, words in table("milestones").items() if re.search(rf"\b(?:{'|'.join(words)})", label))


@lru_cache(maxsize=1024)
def _fact_and_milestones(key: str, about: str) -> tuple[str, Milestones | None]:
    """Return the fact that an extraction names, and the milestones that turn a proposal into that fact."""
    fact = fact_of(key, about)
    named = milestones_of(key) or milestones_of(about)
    if fact in ("day", "time"):
        return fact, _DONE if _AGREED.isdisjoint(named) else _AGREED
    if fact == "amount" and "returned" in named:
        return fact, frozenset({"returned"})
    return fact, frozenset({"rated"}) if fact == "rating" else None


@lru_cache(maxsize=1024)
def _evidence(title: str, about: str) -> Milestones | None:
    """Return the milestones that a title, or else its description, names; else all that a conversation can be about."""
    named = milestones_of(title) or milestones_of(about)
    return _EVIDENCE.get(named[0], frozenset(named[:1])) if named else _ACHIEVEMENTS


def _is_reached(milestones: Milestones | None, record: ConversationRecord) -> bool:
    return milestones is None or not milestones.isdisjoint(record.reached)


def extract(definitions: Mapping[str, Any], record: ConversationRecord, facts: Facts) -> dict[str, Any]:
    """Return the values of a deployment's extractions, each of its type.

    A value that was not said is left out or, where it is required, empty: "", 0, {}, []. A boolean is always there.
    """
    values: dict[str, Any] = {}
    for key, definition in definitions.items():
        members = definition if isinstance(definition, Mapping) else {}
        kind, about = members.get("type", "string"), str(members.get("description") or "")[:_LONGEST_READ]
        key_read = key[:_LONGEST_READ]
        if kind == "boolean":
            values[key] = _is_reached(_evidence(key_read, about), record)
            continue
        fact, milestones = _fact_and_milestones(key_read, about)
        may_be_said = kind != "number" or fact in NUMBERS  # nothing else that is said is a number
        value = _said(fact, record, facts) if may_be_said and _is_reached(milestones, record) else None
        if value is not None:
            values[key] = _typed(kind, fact, value)
        elif members.get("required"):
            values[key] = {"number": 0, "object": {}, "array": []}.get(kind, "")
    return values


def _said(fact: str, record: ConversationRecord, facts: Facts) -> Any:
    if fact in record.mentioned or fact in KNOWN:
        return facts[fact]
    if fact == "name" and "first" in record.mentioned:
        return facts["first"]
    return facts["rating"] if fact == "rating" else None


def _typed(kind: str, fact: str, value: Any) -> Any:
    if kind == "number":
        return float(value) if fact == "amount" else value
    if kind == "object":
        return {fact: value}
    return [value] if kind == "array" else str(value)


def mood(record: ConversationRecord, facts: Facts) -> str:
    """Return `Positive`, `Neutral` or `Negative`."""
    draw = facts.random()
    if "rated" in record.reached:
        if facts["rating"] >= 8:
            return "Positive"
        return "Neutral" if facts["rating"] >= 5 else "Negative"
    if _is_reached(_NOBODY, record):
        return "Neutral"
    if "complained" in record.reached:
        return "Negative" if draw < 0.85 else "Neutral"
    if "unsolved" in record.reached:
        return "Negative" if draw < 0.2 else "Neutral"
    if record.done:
        return "Positive" if draw < 0.65 else "Neutral"
    return "Negative" if draw < 0.4 else "Neutral"


def judge(
    groups: Sequence[Mapping[str, Any]] | None, record: ConversationRecord, extracted: Mapping[str, Any], rng: Random
) -> dict[str, Any] | None:
    """Return each group and item of a deployment's success criteria with its result; None where there are none.

    An item that has the name of a boolean extraction has its value.
    """
    if not groups:
        return None
    known = {label_of(key[:_LONGEST_READ]): value for key, value in extracted.items() if isinstance(value, bool)}
    judged = []
    for group in groups:
        items = [_judged(item, known, record, rng) for item in group.get("items") or []]
        judged.append({"title": group.get("title"), "passed": all(item["passed"] for item in items), "items": items})
    return {"passed": all(group["passed"] for group in judged), "criteria": judged}


def _judged(
    item: Mapping[str, Any], known: Mapping[str, bool], record: ConversationRecord, rng: Random
) -> dict[str, Any]:
    """Return the result of an item. BINARY: met or not; SCORE: a number on a scale to 1, 10 or 100."""
    title, about = (str(item.get(name) or "")[:_LONGEST_READ] for name in ("title", "description"))
    is_forbidden = _FORBIDDEN.search(title.lower()) or _FORBIDDEN.search(about.lower())
    milestones = None if is_forbidden else _evidence(title, about)
    is_reached = known.get(label_of(title), _is_reached(milestones, record))
    is_reached = is_reached or WANTED_TRANSFER in record.reached
    threshold = item.get("threshold") or 0
    value: Any = is_reached
    passed = is_reached
    if item.get("type") == "SCORE":
        scale = next((scale for scale in (1, 10) if threshold <= scale), 100)
        least, most = max(0.7 * scale, threshold), max(scale, threshold)
        if not is_reached:
            least, most = 0.2 * threshold, 0.7 * threshold
        value = round(least + (most - least) * rng.random(), 2 if scale == 1 else 0)
        passed = value >= threshold
    return {
        "title": item.get("title"),
        "type": item.get("type"),
        "threshold": threshold,
        "value": value,
        "passed": passed,
        "reason": _quotation(record, passed=passed),
    }


def _quotation(record: ConversationRecord, *, passed: bool) -> str:
    """Return the turn that shows a result: what the agent told near the end, or else the caller's last words."""
    agent = [said["content"] for said in record.messages if said["role"] == "assistant"]
    caller = [said["content"] for said in record.messages if said["role"] == "user"]
    if passed and agent:
        return f'Agent: "{max(agent[-3:], key=len)}"'
    return f'Caller: "{caller[-1]}"' if caller else "Nobody spoke."

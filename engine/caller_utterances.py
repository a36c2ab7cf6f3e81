"""A caller's sentences: for a condition, and for values that the flow will ask about."""

from __future__ import annotations

import re
from collections.abc import Iterator
from random import Random
from typing import Any

from dryline.engine.slot_extraction import kind_of, label_of, part_of_name

_PEOPLE = "user|caller|customer|patient|client|person|lead|contact|guest|prospect|player|driver|member|tenant"
_SUBJECT = re.compile(
    r"^(?:if |when |once |that )*(?:the |a )?"
    rf"(?:{_PEOPLE}|they)\s+(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_OF_USER = re.compile(rf"\b(?:(?:the |a )?(?:{_PEOPLE})(?P<owns>['\u2019]s)|the (?:{_PEOPLE}))\b", re.IGNORECASE)
_BARE = re.compile(r"(?!no\b|not\b|there\b|it\b|this\b|that\b|all\b|any)[a-z]+ (?:is|are|was|were|has|have)\b")
_ALSO = ("and", "or", "but", "they", "who")  # behind which stands another verb of the same person
_VERBS = {
    "wants": "want", "wishes": "wish", "needs": "need", "has": "have", "is": "am", "isn't": "am not", "was": "was",
    "asks": "would like to ask", "says": "say", "agrees": "agree", "declines": "would rather not:", "refuses": "refuse",
    "provides": "can give you", "gives": "can give you", "confirms": "confirm", "likes": "like", "does": "do",
    "doesn't": "don't", "requests": "would like", "mentions": "should mention", "reports": "have to report",
}  # fmt: skip
_PRONOUNS = {
    "their": "my", "theirs": "mine", "them": "me", "they": "I", "his": "my", "her": "my", "themselves": "myself",
}  # fmt: skip
_PREPOSITIONS = {"from", "to", "at", "on", "for", "with", "by", "until"}  # names of members that are no nouns
_GREETINGS = ("", "", "Hello, ", "Hi, ")
_OPENINGS = ("", "", "", "Well, ", "So, ", "Right, ")
# What may stand in the name of a value that is the speaker's own name.
_OWN_NAME = frozenset(
    {"name", "names", "first", "last", "full", "your", "my", "their", "the", "of", "what", "is", "who", "calling"}
    | {"person", *_PEOPLE.split("|")}
)
_POSSESSED = ("email", "phone", "code", "zip", "address")
_NUMBERED = ("order", "account", "reference", "confirmation", "tracking", "policy", "ticket", "load", "case")
_RATED = ("rating", "score", "stars", "satisfaction", "happiness")


def saying(condition: str, random: Random, *, first: bool = False) -> str:
    """A sentence of somebody for whom the condition holds; `first` is the one that they begin with."""
    condition = " ".join(condition.split()).rstrip(".")
    found = _SUBJECT.match(condition)
    opening = random.choice(_GREETINGS if first else _OPENINGS)
    if not found:
        condition = _OF_USER.sub(lambda user: "my" if user["owns"] else "me", condition)
        told = f"the {condition}" if _BARE.match(condition) else condition
        return f"{opening}{told if opening else told[:1].upper() + told[1:]}."
    return f"{opening}I {_in_first_person(found['rest'])}."


def _in_first_person(doing: str) -> str:
    """What somebody does, as they say it behind "I": verbs where one can stand, and the words for the user."""
    said: list[str] = []
    before = "they"
    for word in _OF_USER.sub(lambda user: "my" if user["owns"] else "me", doing).split():
        low = word.lower()
        verb = _VERBS.get(low) if before in _ALSO else None
        if before == "they":
            verb = "am" if low == "are" else verb or (word if said else base(word))
        said.append(verb or _PRONOUNS.get(low, word))
        before = low
    return " ".join(said)


def base(verb: str) -> str:
    """A verb as it stands behind "I"."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "goes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def telling(value: Any) -> str:
    """Sentences that hold the values, each with its name."""
    return " ".join(_told("", value))


def names_the_speaker(name: str) -> bool:
    """Whether somebody who is asked for this name is asked for their own: not for a neighbour's or a doctor's."""
    return set(label_of(name).split()) <= _OWN_NAME


def _told(name: str, value: Any) -> Iterator[str]:
    label = label_of(name)
    if isinstance(value, dict):
        for key, member in value.items():
            yield from _told(str(key), member)
    elif isinstance(value, list):
        if any(isinstance(member, (dict, list)) for member in value):
            for member in value:
                yield from _told(name, member)
        elif value:
            yield _sentence(label, " and ".join(map(_spoken, value)))
    elif isinstance(value, bool):
        label = re.sub(r"^(?:is|has|was|wants|needs) ", "", label)
        answer = "Yes." if value else "No."
        yield f"{_capital(label)}? {answer}" if label else answer
    elif value is not None and value != "":
        yield _sentence(label, _spoken(value))


def _sentence(label: str, said: str) -> str:
    """A value as people tell it who were asked for it: by what it is, or else behind its name."""
    kind = kind_of(label, said)
    if not label:
        return f"It is {said}."
    if label in _PREPOSITIONS:
        return f"{_capital(label)} {said}."
    if kind == "name":
        if names_the_speaker(label):
            return " ".join(filter(None, ("My", part_of_name(label), f"name is {said}.")))
        return f"The {label.removesuffix(' name')}'s name is {said}."
    if kind == "code" and said.isalnum() and label.split()[-1] in _NUMBERED:
        return f"My {label} number is {said}."
    if kind in _POSSESSED:
        return f"My {'phone number' if label == 'phone' else label} is {said}."
    if said.replace(".", "", 1).isdigit():
        return f"I would say {said}." if label in _RATED else f"The {label} is {said}."
    return f"The {label}? {_capital(said)}."


def _spoken(value: Any) -> str:
    return str(value).removesuffix(".0") if isinstance(value, float) else str(value)


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]

"""A caller's sentences: for a condition, and for values that the flow will ask about."""

from __future__ import annotations

import re
from random import Random
from typing import Any

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


def telling(value: Any, question: str) -> str:
    """Sentences that hold the values, each with its name."""
    if isinstance(value, dict):
        return " ".join(filter(None, (_told(str(name), member) for name, member in value.items())))
    return _told("", value)


def _told(name: str, value: Any) -> str:
    label = re.sub(r"(?<=[a-z])(?=[A-Z])|[_-]+", " ", name).lower().strip()
    if isinstance(value, bool):
        return f"{label.capitalize()}: {'yes' if value else 'no'}." if label else ("Yes." if value else "No.")
    if value is None or value == "":
        return ""
    if isinstance(value, dict):
        return telling(value, "")
    if isinstance(value, list):
        return " ".join(filter(None, (_told(name, member) for member in value)))
    if label in _PREPOSITIONS:
        return f"{label.capitalize()} {value}."
    return f"My {label} is {value}." if label else f"It is {value}."

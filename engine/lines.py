"""A caller's sentences: for a condition, and for values that the flow will ask about."""

from __future__ import annotations

import re
from random import Random
from typing import Any

_SUBJECT = re.compile(
    r"^(?:if |when |once |that )*(?:the |a )?"
    r"(?:user|caller|customer|patient|client|person|lead|guest|prospect|player|driver|they)"
    r"(?:'s)?\s+(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_FIRST_PERSON = {
    "wants": "want", "wishes": "wish", "needs": "need", "has": "have", "is": "am", "isn't": "am not", "was": "was",
    "asks": "would like to ask", "says": "say", "agrees": "agree", "declines": "would rather not:", "refuses": "refuse",
    "provides": "can give you", "gives": "can give you", "confirms": "confirm", "likes": "like", "does": "do",
    "doesn't": "don't", "requests": "would like", "mentions": "should mention", "reports": "have to report",
    "their": "my", "theirs": "mine", "them": "me", "they": "I", "his": "my", "her": "my", "themselves": "myself",
}  # fmt: skip
_GREETINGS = ("", "", "Hello, ", "Hi, ")
_OPENINGS = ("", "", "", "Well, ", "So, ", "Right, ")


def saying(condition: str, random: Random, *, first: bool = False) -> str:
    """A sentence of somebody for whom the condition holds; `first` is the one that they begin with."""
    condition = " ".join(condition.split()).rstrip(".")
    found = _SUBJECT.match(condition)
    opening = random.choice(_GREETINGS if first else _OPENINGS)
    if not found:
        return f"{opening}{condition if opening else condition[:1].upper() + condition[1:]}."
    verb, *rest = found["rest"].split()
    words = [_FIRST_PERSON.get(verb.lower()) or base(verb), *(_FIRST_PERSON.get(word.lower(), word) for word in rest)]
    return f"{opening}I {' '.join(words)}."


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
    return f"My {label} is {value}." if label else f"It is {value}."

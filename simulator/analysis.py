"""What is found out after a conversation: extractions, success criteria, mood."""

from __future__ import annotations

import re
from collections.abc import Mapping
from random import Random
from typing import Any

# Facts under the names that extraction keys tend to have. The first pattern found in a key wins.
_STRINGS = (
    ("first_?name", "first"),
    ("e_?mail", "email"),
    ("phone|number_to_call|contact_number", "phone"),
    ("name|caller|customer$", "name"),
    ("account", "account"),
    ("order|case|ticket|confirmation|reference", "order"),
    ("city|location|town", "city"),
    ("address|street", "street"),
    ("time|slot", "time"),
    ("date|day|when", "day"),
    ("product|item", "product"),
    ("service|appointment|treatment", "service"),
    ("problem|issue", "problem"),
    ("complaint", "complaint"),
    ("amount|price|balance|total", "amount"),
    ("intent|reason|purpose|topic|category", "intent"),
    ("sentiment|mood", "sentiment"),
)
_MATCHERS = tuple((re.compile(pattern), fact) for pattern, fact in _STRINGS)
_MONEY = re.compile("amount|price|balance|total|cost")
_ALWAYS = frozenset(("name", "first", "phone", "intent", "sentiment", "summary", "solved", "rating"))
_NOT_SUCCESS = re.compile("callback|call_back|escalat|transfer|complain|human|cancel")
_DEFAULT_TYPES = {"amount": "number", "resolved": "boolean", "payment_promised": "boolean"}


def default_definitions(keys: tuple[str, ...]) -> dict[str, Any]:
    """Definitions for a deployment that has none."""
    return {key: {"type": _DEFAULT_TYPES.get(key, "string")} for key in keys}


def extract(
    definitions: Mapping[str, Any], facts: Mapping[str, Any], told: frozenset[str], solved: bool, rng: Random
) -> dict[str, Any]:
    """A value for each definition, of its type.

    One that is not required is left out when the conversation does not tell it, and now and then is not found.
    """
    found: dict[str, Any] = {}
    for key, definition in definitions.items():
        asked = definition if isinstance(definition, Mapping) else {}
        words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()
        kind = asked.get("type", "string")
        fact = _fact(words, str(asked.get("description") or "").lower(), kind)
        if not asked.get("required") and (rng.random() < 0.1 or fact not in _ALWAYS | told):
            continue
        if kind == "boolean":
            found[key] = solved != bool(_NOT_SUCCESS.search(words))
        elif kind == "number":
            found[key] = float(facts["amount"]) if fact == "amount" else facts["rating"]
        elif kind == "object":
            found[key] = {fact: facts[fact]}
        elif kind == "array":
            found[key] = [facts[fact]]
        else:
            found[key] = str(facts[fact])
    return found


def _fact(key: str, description: str, kind: str) -> str:
    """The fact that an extraction of this key asks for; the summary when its words tell nothing."""
    if kind == "boolean":
        return "solved"
    if kind == "number":
        return "amount" if _MONEY.search(f"{key} {description}") else "rating"
    for text in (key, description):
        for pattern, fact in _MATCHERS:
            if pattern.search(text):
                return fact
    return "summary"


def judge(criteria: Any, solved: bool, rng: Random) -> dict[str, Any] | None:
    """The success criteria of a deployment, each item judged; None where there are none.

    A BINARY item is met or not, a SCORE item gets a number on the scale of its threshold (1, 10 or 100).
    """
    if not isinstance(criteria, list) or not criteria:
        return None
    groups = []
    for group in criteria:
        items = [_judge_item(item, solved, rng) for item in group.get("items") or []]
        passed = all(item["passed"] for item in items)
        groups.append({"title": group.get("title"), "passed": passed, "items": items})
    return {"passed": all(group["passed"] for group in groups), "criteria": groups}


def _judge_item(item: Mapping[str, Any], solved: bool, rng: Random) -> dict[str, Any]:
    threshold = item.get("threshold") or 0
    good = rng.random() < (0.93 if solved else 0.35)
    if item.get("type") == "SCORE":
        scale = 1 if threshold <= 1 else 10 if threshold <= 10 else 100
        least, most = (0.7, 1.0) if good else (0.15, 0.65)
        value: Any = round(scale * (least + (most - least) * rng.random()), 2 if scale == 1 else 0)
        passed = value >= threshold
    else:
        value, passed = good, good
    return {
        "title": item.get("title"),
        "type": item.get("type"),
        "threshold": threshold,
        "value": value,
        "passed": passed,
        "reason": "The conversation shows it." if passed else "Not found in the conversation.",
    }


def mood(solved: bool, rng: Random) -> str:
    """`Positive`, `Neutral` or `Negative`."""
    draw = rng.random()
    if solved:
        return "Positive" if draw < 0.6 else "Neutral" if draw < 0.95 else "Negative"
    return "Negative" if draw < 0.5 else "Neutral" if draw < 0.95 else "Positive"

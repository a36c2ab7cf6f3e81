"""Walks the shape of an example, or of a JSON Schema, and fills it with what was said, else with something plausible.

Of each value it is told where it comes from: `said`, `made up`, or `the example` (a text for which neither is known).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, NamedTuple

import orjson

from dryline.engine.fake_values import made_up
from dryline.engine.language_model import Question
from dryline.engine.slot_extraction import MISSING, spoken

_DEEPEST = 12
_LONGEST = 20_000  # characters of what was said that are looked at: its end
_MOST = 500  # values in one answer; what an example has beyond them stays as it is
_CHOICES = re.compile(r"\s*(?:\||/|\bor\b)\s*")


class Leaf(NamedTuple):
    """A place for one value: its `name` is its member's, its `path` all of them, its type that of the example."""

    example: Any
    name: str
    path: str
    choices: list[Any] | None
    question: str


def fill(question: Question) -> tuple[Any, dict[str, str]]:
    """The answer's value, and where each member of it comes from."""
    how: dict[str, str] = {}
    said, known = _users(question.about)[-_LONGEST:], _members(question.about)

    def filled(leaf: Leaf) -> Any:
        key = leaf.path or "value"
        if len(how) >= _MOST:
            return leaf.example
        how[key] = "said"
        if leaf.name in known and _fits(known[leaf.name], leaf.example):
            return known[leaf.name]
        found = spoken(leaf.name or leaf.question, leaf.example, said, leaf.choices)
        if found is not MISSING:
            return found
        value, how[key] = made_up(leaf.name or leaf.question, leaf.example, leaf.choices, question.random)
        return value

    if question.example is None and not isinstance(question.schema, dict):
        found = spoken(question.question, "", said, None)
        if found is MISSING:
            found = next((line for line in reversed(said.splitlines()) if line.strip()), None)
        return found, {"value": "said" if found else "not found"}
    return shaped(question, filled), how


def shaped(question: Question, leaf: Callable[[Leaf], Any]) -> Any:
    """A value of the shape that is asked for, each leaf of it as the function says."""
    if isinstance(question.schema, dict):
        return _of_schema(question.schema, Leaf(None, "", "", None, question.question), leaf, 0)
    return _of_example(question.example, Leaf(None, "", "", None, question.question), leaf, 0)


def _of_example(example: Any, at: Leaf, leaf: Callable[[Leaf], Any], depth: int) -> Any:
    if depth > _DEEPEST:
        return example
    if isinstance(example, dict):
        return {key: _of_example(member, _below(at, key), leaf, depth + 1) for key, member in example.items()}
    if isinstance(example, list):
        places = (at._replace(path=f"{at.path}[{index}]") for index in range(3))
        return [_of_example(member, place, leaf, depth + 1) for member, place in zip(example, places, strict=False)]
    return leaf(at._replace(example=example, choices=_choices(example)))


def _of_schema(schema: Any, at: Leaf, leaf: Callable[[Leaf], Any], depth: int) -> Any:
    if depth > _DEEPEST or not isinstance(schema, dict):
        return None
    kind = schema.get("type")
    kind = next((each for each in kind if each != "null"), None) if isinstance(kind, list) else kind
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return leaf(at._replace(example=schema["enum"][0], choices=schema["enum"]))
    properties = schema.get("properties")
    if kind == "object" or isinstance(properties, dict):
        members = properties.items() if isinstance(properties, dict) else ()
        return {key: _of_schema(member, _below(at, key), leaf, depth + 1) for key, member in members}
    if kind == "array":
        return [_of_schema(schema.get("items", {}), at._replace(path=f"{at.path}[0]"), leaf, depth + 1)]
    example = {"integer": 1, "number": 1.0, "boolean": True, "null": None}.get(str(kind), "")
    described = schema.get("example", schema.get("default", example))
    return leaf(at._replace(example=described if isinstance(described, type(example)) else example))


def _below(at: Leaf, key: str) -> Leaf:
    return at._replace(name=str(key), path=f"{at.path}.{key}" if at.path else str(key))


def _choices(example: Any) -> list[Any] | None:
    """The values that a text such as `sales | support` stands for."""
    if not isinstance(example, str) or "://" in example or len(example) > 200:
        return None
    options = [option.strip(" '\"") for option in _CHOICES.split(example)]
    if len(options) < 2 or any(not option or len(option.split()) > 4 or option.isdigit() for option in options):
        return None
    return options


def _fits(value: Any, example: Any) -> bool:
    return (
        example is None or isinstance(value, type(example)) or (isinstance(value, int) and isinstance(example, float))
    )


def _users(about: str) -> str:
    """What the user said in a transcript; all of any other text."""
    lines = about.splitlines()
    if not any(line.startswith(("User: ", "Agent: ")) for line in lines):
        return about
    return "\n".join(line.removeprefix("User: ") for line in lines if line.startswith("User: "))


def _members(about: str) -> dict[str, Any]:
    if not about.startswith("{"):
        return {}
    try:
        members = orjson.loads(about)
    except orjson.JSONDecodeError:
        return {}
    return members if isinstance(members, dict) else {}

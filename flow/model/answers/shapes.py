"""The places for values in the shape of an example, or of a JSON Schema."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from dryline.flow.model.answers.slots import Slot

if TYPE_CHECKING:
    from dryline.flow.language.language_model import Question

_DEEPEST = 12
_CHOICES = re.compile(r"\s*\|\s*|\s+(?:/|or)\s+")


def shaped(
    question: "Question",
    leaf: Callable[[Slot], Any],
    members: Callable[[Any, Slot], list[Any] | None] = lambda example, place: None,
) -> Any:
    """Return a value of the shape that a question names: `leaf` fills a place, `members` a list, or leaves it."""
    walk = _Walk(leaf, members, question.choices)
    place = Slot(None, question=question.question)
    if isinstance(question.schema, dict):
        return walk.schema(question.schema, place, 0)
    return walk.example(question.example, place, 0)


class _Walk:
    """A walk through an example or a schema."""

    def __init__(
        self,
        leaf: Callable[[Slot], Any],
        members: Callable[[Any, Slot], list[Any] | None],
        choices: dict[str, list[str]],
    ) -> None:
        self._leaf, self._members, self._choices = leaf, members, choices

    def example(self, example: Any, at: Slot, depth: int) -> Any:
        if depth > _DEEPEST:
            return example
        if isinstance(example, dict):
            return {key: self.example(member, _below(at, key, example), depth + 1) for key, member in example.items()}
        if isinstance(example, list):
            if example and (members := self._members(example[0], at)) is not None:
                return members
            return [self.example(each, _in_list(at, index), depth + 1) for index, each in enumerate(example[:3])]
        compared = self._choices.get(at.key, [])
        choices = _choices(example) or (compared if len(compared) > 1 and example in compared else None)
        return self._leaf(replace(at, example=example, choices=choices))

    def schema(self, schema: Any, at: Slot, depth: int) -> Any:
        if depth > _DEEPEST or not isinstance(schema, dict):
            return None
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return self._leaf(replace(at, example=schema["enum"][0], choices=schema["enum"]))
        properties = schema.get("properties")
        if _type_of(schema) == "object" or isinstance(properties, dict):
            members = properties if isinstance(properties, dict) else {}
            examples = {key: _example_of(member) for key, member in members.items()}
            return {key: self.schema(member, _below(at, key, examples), depth + 1) for key, member in members.items()}
        if _type_of(schema) == "array":
            items = schema.get("items", {})
            listed = self._members(_example_of(items), at)
            return listed if listed is not None else [self.schema(items, _in_list(at, 0), depth + 1)]
        return self._leaf(replace(at, example=_example_of(schema)))


def _type_of(schema: dict[str, Any]) -> Any:
    kind = schema.get("type")
    return next((each for each in kind if each != "null"), None) if isinstance(kind, list) else kind


def _example_of(schema: Any) -> Any:
    """Return an example for a schema: its own, else one of its type."""
    if not isinstance(schema, dict):
        return None
    if isinstance(schema.get("properties"), dict):
        return {key: _example_of(member) for key, member in schema["properties"].items()}
    example = {"integer": 1, "number": 1.0, "boolean": True, "null": None}.get(str(_type_of(schema)), "")
    described = schema.get("example", schema.get("default", example))
    return described if isinstance(described, type(example)) else example


def _below(at: Slot, key: Any, example: dict[Any, Any]) -> Slot:
    path = f"{at.path}.{key}" if at.path else str(key)
    others = {str(name): value for name, value in example.items() if not isinstance(value, (dict, list, bool))}
    return replace(at, key=str(key), path=path, siblings=tuple(map(str, example)), others=others)


def _in_list(at: Slot, index: int) -> Slot:
    return replace(at, path=f"{at.path}[{index}]", in_list=True)


def _choices(example: Any) -> list[Any] | None:
    """Return the values that a text such as `sales | support` stands for."""
    if not isinstance(example, str) or "://" in example or len(example) > 200:
        return None
    options = [option.strip(" '\"") for option in _CHOICES.split(example)]
    if len(options) < 2 or any(not option or len(option.split()) > 4 or option.isdigit() for option in options):
        return None
    return options

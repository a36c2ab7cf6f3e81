"""The slots for values in an example or a JSON Schema."""

import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any

from dryline.flow.language.language_model import Question

_DEEPEST = 12
_MOST_MEMBERS = 3  # of a list in an example that are filled
_LONGEST_CHOICES = 200  # characters of an example that lists choices
_CHOICES = re.compile(r"\s*\|\s*|\s+(?:/|or)\s+")
_WORD_STARTS = re.compile(r"(?<=[a-z])(?=[A-Z])|[_-]+")


@dataclass(frozen=True)
class Slot:
    """The slot for one value in the shape of an answer, and the context in which words are read for it.

    `key` is its member's name, `path` all names up to it; `choices` are the values of which one is the answer.
    `question` is what the flow asks about the text, `agent` what the agent asked before the words that are read (or the
    flow's question, where the text has none of the agent). `is_asked` says that the agent asked for this very value:
    then a bare "Tuesday", "four" or "Park" is an answer. `is_only` says that the answer has no other slot.
    """

    example: Any
    key: str = ""
    path: str = ""
    choices: tuple[Any, ...] = ()
    question: str = ""
    agent: str = ""
    now: datetime = datetime(2026, 1, 1, tzinfo=UTC)
    is_asked: bool = True
    is_only: bool = True
    in_list: bool = False

    @property
    def label(self) -> str:
        """The member's name as words."""
        return label_of(self.key)

    @property
    def example_text(self) -> str:
        return self.example if isinstance(self.example, str) else ""


@lru_cache(maxsize=1024)
def label_of(key: str) -> str:
    """Return the name of a member as words: `neighbourName` is "neighbour name"."""
    return _WORD_STARTS.sub(" ", key).lower().strip()


class _OneOf(list[Any]):
    """Values of which one is the answer, in the place of an example."""


def shaped(
    question: Question,
    fill: Callable[[Slot], Any],
    list_members: Callable[[Any, Slot], list[Any] | None] = lambda example, slot: None,
) -> Any:
    """Return a value of the shape that a question names.

    `fill` returns the value for a slot, and `list_members` a list's, or None if those of the example are to be filled.
    """

    def walk(example: Any, slot: Slot, depth: int) -> Any:
        if depth > _DEEPEST:
            return example
        if isinstance(example, dict):
            prefix = f"{slot.path}." if slot.path else ""
            slots = {name: replace(slot, key=str(name), path=f"{prefix}{name}") for name in example}
            return {name: walk(example[name], slots[name], depth + 1) for name in example}
        if isinstance(example, _OneOf):
            return fill(replace(slot, example=example[0], choices=tuple(example)))
        if isinstance(example, list):
            if example and (members := list_members(example[0], slot)) is not None:
                return members
            return [
                walk(each, replace(slot, path=f"{slot.path}[{index}]", in_list=True), depth + 1)
                for index, each in enumerate(example[:_MOST_MEMBERS])
            ]
        choices = choices_in(example) or _compared(question, slot.key, example)
        return fill(replace(slot, example=example, choices=choices))

    return walk(shape_of(question), Slot(None, question=question.question), 0)


def shape_of(question: Question) -> Any:
    """Return the example of a question, or one for its schema."""
    return _example_of(question.schema, 0) if isinstance(question.schema, dict) else question.example


def _compared(question: Question, key: str, example: Any) -> tuple[Any, ...]:
    """Return the texts that the flow's code compares a member with, if its example is one of them."""
    compared = question.choices.get(key, [])
    return tuple(compared) if len(compared) > 1 and example in compared else ()


def _example_of(schema: Any, depth: int) -> Any:
    """Return an example for a schema: its own, else one of its type."""
    if not isinstance(schema, dict) or depth > _DEEPEST:
        return None
    if isinstance(schema.get("enum"), list) and schema["enum"]:
        return _OneOf(schema["enum"])
    kind, properties = schema.get("type"), schema.get("properties")
    kind = next((each for each in kind if each != "null"), None) if isinstance(kind, list) else kind
    if kind == "object" or isinstance(properties, dict):
        members = properties if isinstance(properties, dict) else {}
        return {key: _example_of(member, depth + 1) for key, member in members.items()}
    if kind == "array":
        return [_example_of(schema.get("items", {}), depth + 1)]
    example = {"integer": 1, "number": 1.0, "boolean": True, "null": None}.get(str(kind), "")
    described = schema.get("example", schema.get("default", example))
    return described if isinstance(described, type(example)) else example


def choices_in(example: Any) -> tuple[str, ...]:
    """Return the values that a text such as `sales | support` stands for."""
    if not isinstance(example, str) or "://" in example or len(example) > _LONGEST_CHOICES:
        return ()
    options = tuple(option.strip(" '\"") for option in _CHOICES.split(example))
    is_list = len(options) > 1 and all(0 < len(option.split()) <= 4 and not option.isdigit() for option in options)
    return options if is_list else ()

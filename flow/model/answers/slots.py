"""The places for values in an example or a JSON Schema, and whether an utterance can fill one."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from dryline.flow.language.language_model import Question
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import FREE_TEXTS, form, key_words, kind_of, kind_of_question, label_of

_DEEPEST = 12
_CHOICES = re.compile(r"\s*\|\s*|\s+(?:/|or)\s+")
# Answers to questions of these kinds are no answers to others.
_ASKED_ALONE = {"time", "date", "birth", "phone", "email", "zip", "code", "name", "age", "money", "rating", "count"}
_ASKED_ALONE |= {"year"}


@dataclass(frozen=True)
class Slot:
    """A place for one value in the shape of an answer.

    `key` is its member's name, `path` all names up to it. `members` are the examples of all members of the object;
    `in_list` says that it is in a list.
    """

    example: Any
    key: str = ""
    path: str = ""
    choices: list[Any] | None = None
    question: str = ""
    members: dict[str, Any] = field(default_factory=dict)
    in_list: bool = False

    @cached_property
    def kind(self) -> str:
        if self.choices:
            return "choice"
        example = "" if self.example is None else self.example
        return kind_of(self.key, example, self.question, siblings=tuple(self.members), in_list=self.in_list)

    @cached_property
    def kinds_beside(self) -> dict[str, str]:
        """The kinds of the other members that hold one value, by their keys."""
        others = {key: each for key, each in self.members.items() if not isinstance(each, (dict, list, bool))}
        others.pop(self.key, None)
        return {key: kind_of(key, each, siblings=tuple(self.members)) for key, each in others.items()}

    @property
    def example_text(self) -> str:
        return self.example if isinstance(self.example, str) else ""

    @property
    def is_only_text(self) -> bool:
        """Whether no other free text of the same answer could be meant."""
        texts = [key for key, kind in self.kinds_beside.items() if kind in FREE_TEXTS]
        texts = [key for key in texts if " | " not in str(self.members[key])]
        is_other_named = any(Slot(None, key).is_named_in(self.question) for key in texts)
        return not texts or (Slot(None, self.key).is_named_in(self.question) and not is_other_named)

    @cached_property
    def end_of_span(self) -> str | None:
        """`start` or `end` if it is that end of a span whose other end is beside it, such as `check_out`; else None."""
        beside = " ".join(label_of(key) for key in self.members if key != self.key)
        # The words of the key and of those beside it, each also without the "s" of a plural.
        own, others = ({*text.split(), *f"{text} ".replace("s ", " ").split()} for text in (label_of(self.key), beside))
        start, end = key_words("span_start"), key_words("span_end")
        leaves = own & start and "return" in others  # a departure
        if own & end and others & start and not leaves:
            return "end"
        return "start" if own & start and others & end else None

    def is_asked_for(self, utterance: Utterance) -> bool | None:
        """Return whether the agent had asked for this value: False if for one of another kind, None if for neither."""
        question = utterance.question.strip()
        kind = kind_of_question(question) if question else self.kind
        if kind == self.kind or question == self.question.strip() or self.is_named_in(question):
            return True
        return False if kind in _ASKED_ALONE else None

    def is_named_in(self, question: str) -> bool:
        """Return whether a question has a word of the key, or asks in other words for the problem that it is."""
        if self.kind == "reason" and form("asks_for_problem").search(question):
            return True
        words = {word.removesuffix("s") for word in re.findall(r"\w+", question.lower())}
        return bool({word.removesuffix("s") for word in label_of(self.key).split() if len(word) > 2} & words)


class _OneOf(list[Any]):
    """Values of which one is the answer, in the place of an example."""


def shaped(
    question: Question,
    fill: Callable[[Slot], Any],
    list_members: Callable[[Any, Slot], list[Any] | None] = lambda example, place: None,
) -> Any:
    """Return a value of the shape that a question names.

    `fill` returns the value for a place, and `list_members` a list's, or None if those of the example are to be filled.
    """

    def walk(example: Any, at: Slot, depth: int) -> Any:
        if depth > _DEEPEST:
            return example
        if isinstance(example, dict):
            members = {str(key): each for key, each in example.items()}
            path = f"{at.path}." if at.path else ""
            places = [replace(at, key=key, path=f"{path}{key}", members=members) for key in members]
            return {
                key: walk(each, place, depth + 1) for (key, each), place in zip(example.items(), places, strict=True)
            }
        if isinstance(example, list) and not isinstance(example, _OneOf):
            if example and (members_said := list_members(example[0], at)) is not None:
                return members_said
            places = [replace(at, path=f"{at.path}[{index}]", in_list=True) for index in range(3)]
            return [walk(each, place, depth + 1) for each, place in zip(example, places, strict=False)]
        choices = [*example] if isinstance(example, _OneOf) else _choices(example)
        compared = question.choices.get(at.key, [])  # with these texts the flow's code compares
        choices = choices or (compared if len(compared) > 1 and example in compared else None)
        return fill(replace(at, example=example[0] if isinstance(example, _OneOf) else example, choices=choices))

    example = question.example
    if isinstance(question.schema, dict):
        example = _example_of(question.schema, 0)
    return walk(example, Slot(None, question=question.question), 0)


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


def _choices(example: Any) -> list[Any] | None:
    """Return the values that a text such as `sales | support` stands for."""
    if not isinstance(example, str) or "://" in example or len(example) > 200:
        return None
    options = [option.strip(" '\"") for option in _CHOICES.split(example)]
    if len(options) < 2 or any(not option or len(option.split()) > 4 or option.isdigit() for option in options):
        return None
    return options

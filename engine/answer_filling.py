"""Walks the shape of an example, or of a JSON Schema, and fills it with what was said.

A member that nobody said is None, or an invented value for `unsaid: "made-up"`. `how` names the source of each member:
`said`, `not said`, `made up`, `the question`, or `the example` (an invented value that is that of the example).
"""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import orjson

from dryline.engine.choice_values import find_all_of_class
from dryline.engine.date_values import find_weekdays
from dryline.engine.fake_values import made_up, value_in_question
from dryline.engine.language_model import MADE_UP, Question
from dryline.engine.slot_extraction import MISSING, find_value
from dryline.engine.slots import FREE_TEXTS, Slot, digits_of
from dryline.engine.spoken_turns import Utterance, utterances_of
from dryline.engine.text_values import find_things
from dryline.phrases.value_kinds import is_of_user, key_words, kind_of, label_of, language_of

_DEEPEST = 12
_CHOICES = re.compile(r"\s*\|\s*|\s+(?:/|or)\s+")
_SAID_FOR_ONE = (*FREE_TEXTS, "name", "company", "email", "phone", "code", "city", "number", "count", "money")
_FOR_BOTH = re.compile(r"\b(?:same|both|each|square|likewise)\b")
_ADDS = re.compile(r"\W*(?:oh,? )?(?:and|also|plus)\b|\b(?:too|as well|also)\W*(?:$|,)", re.IGNORECASE)


def fill(question: Question) -> tuple[Any, dict[str, str]]:
    """Return the answer's value, and the source of each member of it."""
    return _Filling(question).fill()


class _Filling:
    """One answer while it is put together."""

    def __init__(self, question: Question) -> None:
        self._question = question
        self._now = question.now or datetime.now(UTC)
        self._taken: dict[tuple[str, bool | str, str], str] = {}
        self._how: dict[str, str] = {}
        self._known = _members_of_json(question.about)
        about = question.about if not self._known else "\n".join(map(str, _texts(self._known)))
        language = language_of(f"{question.question} {about[-500:]}")
        self._utterances: list[Utterance] = utterances_of(about, language)

    def fill(self) -> tuple[Any, dict[str, str]]:
        question = self._question
        if question.example is None and not isinstance(question.schema, dict):
            return self._answer(question.question)
        return shaped(question, self._leaf, self._members_of_list), self._how

    def _answer(self, question: str) -> tuple[Any, dict[str, str]]:
        """Answer a question without a shape: by a value of the kind that it asks for, else by the last utterance."""
        value = find_value(Slot(None, "", question=question), self._utterances, self._now)
        if value is MISSING or value is None:
            value = next((each.text for each in self._utterances), None)
        return value, {"value": "said" if value is not None else "not said"}

    def _leaf(self, slot: Slot) -> Any:
        value, self._how[slot.path or "value"] = self._value(slot)
        return value

    def _value(self, slot: Slot) -> tuple[Any, str]:
        if slot.key in self._known and _fits(self._known[slot.key], slot.example):
            return self._known[slot.key], "said"
        if slot.kind == "phone" and not is_of_user(slot.key, slot.question):
            return value_in_question(slot, self._utterances, self._question.unsaid)
        value = find_value(slot, self._utterances, self._now)
        if value is not MISSING and not self._is_taken(slot, value):
            return value, "said"
        if self._question.unsaid != MADE_UP:
            return None, "not said"
        return made_up(slot, self._question.random, self._now)

    def _is_taken(self, slot: Slot, value: Any) -> bool:
        """Return whether a member beside this one has the value already, which was said only once."""
        if slot.kind not in _SAID_FOR_ONE or not isinstance(value, (str, int, float)):
            return False
        said = " ".join(digits_of(utterance) for utterance in self._utterances).casefold()
        place = slot.path.rpartition(".")[0], slot.kind in FREE_TEXTS or slot.kind, str(value).casefold()
        owner = self._taken.setdefault(place, slot.path)
        return owner != slot.path and said.count(place[2]) < 2 and not _FOR_BOTH.search(said)

    def _members_of_list(self, example: Any, place: Slot) -> list[Any] | None:
        """Return the members of a list that was said; None to walk the example instead, for invented values."""
        path = place.path or "value"
        if place.key in self._known and isinstance(self._known[place.key], list):
            self._how[path] = "said"
            return list(self._known[place.key])
        members = self._listed(example, place)
        if members or self._question.unsaid != MADE_UP:
            self._how[path] = "said" if members else "not said"
            return members
        return None

    def _about_list(self, place: Slot, utterance: Utterance) -> str:
        """Return the agent's question, or nothing if it asks for this list."""
        words = {word for word in label_of(place.key).split() if len(word) > 2}
        return "" if words & set(re.findall(r"\w+", utterance.question.lower())) else utterance.question

    def _listed(self, example: Any, place: Slot) -> list[Any]:
        first = example
        if not isinstance(first, (dict, str)):
            value = find_value(Slot(first, place.key, question=place.question), self._utterances, self._now)
            return [] if value is MISSING else [value]
        is_days = isinstance(first, str) and kind_of(place.key, first) == "date"
        listed: list[Any] = []
        for utterance in self._utterances:
            if is_days:
                members: list[Any] = find_weekdays(_days_in(utterance), utterance.language, str(first))
            else:
                things = [
                    thing
                    for part in utterance.parts[:1]
                    for thing in find_things(part, self._about_list(place, utterance), utterance.language)
                ]
                members = [_like(first, thing, place) for thing in things]
            if isinstance(first, str) and len(known := find_all_of_class(utterance.parts, first)) >= len(members):
                members = known
            listed = members + listed
            if listed and not _ADDS.search(utterance.text):
                break
        return listed


def _days_in(utterance: Utterance) -> str:
    """Return what was said of days: all of it where days are excepted, else the part after a correction."""
    excepts = re.search(r"\b(?:but|except|apart from|other than)\b", utterance.text, re.IGNORECASE)
    return utterance.text if excepts else " ".join(utterance.parts[:1])


def _like(example: Any, thing: dict[str, Any], place: Slot) -> Any:
    """Return a thing in the shape of the list's example: a text, or an object with its name, quantity and size."""
    if not isinstance(example, dict):
        return thing["name"]
    member: dict[str, Any] = {}
    name_key = next((key for key, value in example.items() if isinstance(value, str)), None)
    name = thing["name"]
    if "size" in example and thing["size"]:
        name = re.sub(rf"^{thing['size']}\s+", "", name, flags=re.IGNORECASE)
    for key, value in example.items():
        if key == name_key:
            member[key] = name
        elif label_of(key) in key_words("quantity") and isinstance(value, (int, float)):
            member[key] = thing["quantity"] or 1
        elif key == "size":
            member[key] = thing["size"]
        else:
            member[key] = None
    return member


def shaped(
    question: Question,
    leaf: Callable[[Slot], Any],
    members: Callable[[Any, Slot], list[Any] | None] = lambda example, place: None,
) -> Any:
    """Return a value of the shape that a question names: `leaf` fills a place, `members` a list, or leaves it."""
    place = Slot(None, question=question.question)
    walk = _Walk(leaf, members, question.choices)
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
        return self._leaf(_with(at, example=example, choices=choices))

    def schema(self, schema: Any, at: Slot, depth: int) -> Any:
        if depth > _DEEPEST or not isinstance(schema, dict):
            return None
        kind = schema.get("type")
        kind = next((each for each in kind if each != "null"), None) if isinstance(kind, list) else kind
        if isinstance(schema.get("enum"), list) and schema["enum"]:
            return self._leaf(_with(at, example=schema["enum"][0], choices=schema["enum"]))
        properties = schema.get("properties")
        if kind == "object" or isinstance(properties, dict):
            members = properties if isinstance(properties, dict) else {}
            examples = {key: _example_of(member) for key, member in members.items()}
            return {key: self.schema(member, _below(at, key, examples), depth + 1) for key, member in members.items()}
        if kind == "array":
            items = schema.get("items", {})
            if (listed := self._members(_example_of(items), at)) is not None:
                return listed
            return [self.schema(items, _in_list(at, 0), depth + 1)]
        return self._leaf(_with(at, example=_example_of(schema)))


def _example_of(schema: Any) -> Any:
    """Return an example for a schema: its own, else one of its type."""
    if not isinstance(schema, dict):
        return None
    kind = schema.get("type")
    kind = next((each for each in kind if each != "null"), None) if isinstance(kind, list) else kind
    if isinstance(schema.get("properties"), dict):
        return {key: _example_of(member) for key, member in schema["properties"].items()}
    example = {"integer": 1, "number": 1.0, "boolean": True, "null": None}.get(str(kind), "")
    described = schema.get("example", schema.get("default", example))
    return described if isinstance(described, type(example)) else example


def _with(slot: Slot, **changes: Any) -> Slot:
    values = {name: getattr(slot, name) for name in Slot.__dataclass_fields__}
    return Slot(**{**values, **changes})


def _below(at: Slot, key: Any, example: dict[Any, Any]) -> Slot:
    key = str(key)
    path = f"{at.path}.{key}" if at.path else key
    siblings = tuple(str(each) for each in example)
    others = {str(name): value for name, value in example.items() if not isinstance(value, (dict, list, bool))}
    return _with(at, key=key, path=path, siblings=siblings, others=others)


def _in_list(at: Slot, index: int) -> Slot:
    return _with(at, path=f"{at.path}[{index}]", in_list=True)


def _choices(example: Any) -> list[Any] | None:
    """Return the values that a text such as `sales | support` stands for."""
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


def _members_of_json(about: str) -> dict[str, Any]:
    if not about.startswith("{"):
        return {}
    try:
        members = orjson.loads(about)
    except orjson.JSONDecodeError:
        return {}
    return members if isinstance(members, dict) else {}


def _texts(value: Any) -> list[str]:
    """Return the texts in a JSON value."""
    if isinstance(value, str):
        return [value]
    members = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    return [text for member in members for text in _texts(member)]

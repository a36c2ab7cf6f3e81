"""Fill the shape of an example, or of a JSON Schema, with what was said.

A member that nobody said is None, or an invented value for `unsaid: "made-up"`. `how` names the source of each member:
`said`, `not said`, `made up`, or `the example` (an invented value that is that of the example).
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

import orjson

from dryline.flow.language.language_model import MADE_UP, NOT_SAID, Question
from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.slots import Slot, choices_in, shape_of, shaped
from dryline.flow.model.answers.turns import SORRY, Utterance, lines_of, utterances_of
from dryline.flow.model.kinds import CHOICE, DATE, NAME, NUMBER, TIME, WORDS, YES_NO, kind_of, kind_of_question

_SAID = "said"
_AS_SAID = (YES_NO, WORDS)  # kinds that read an utterance with its corrections and refusals
_EACH_BY_ITSELF = (YES_NO, CHOICE, NUMBER, WORDS)  # kinds of which several members may read the same words
_NAME_PARTS = re.compile(r"\b(?:first|last|given|family|firstname|lastname|surname)\b")
_PIECE_END = re.compile(r"[,;]|\band\b")


def fill(question: Question) -> tuple[Any, dict[str, str]]:
    """Return the answer's value, and the source of each member of it."""
    filling = Filling(question)
    return filling.value(), filling.how


def made_up(slot: Slot, random: Random, now: datetime) -> Any:
    """Return an invented value in the format of the example; None without one."""
    if slot.example is None and not slot.choices:
        return None
    return kind_of(slot).make(random, replace(slot, now=now))


class Filling:
    """The filling of one answer. `how` has the source of each member by its path, after `value` was called."""

    def __init__(self, question: Question) -> None:
        self.how: dict[str, str] = {}
        self._question = question
        self._now = question.now or datetime.now(UTC)
        self._known = _members_of_json(question.about)
        self._utterances = utterances_of("\n".join(map(str, self._known.values())) or question.about)
        self._questions = _questions_in(question.about)
        self._slots: list[Slot] = []  # all slots of the answer but those in lists
        shaped(question, self._slots.append, lambda example, slot: [])
        self._orders: dict[tuple[int, str], list[str]] = {}  # of members that share values, by utterance
        self._values: dict[tuple[Any, ...], list[Any]] = {}  # of the kinds whose values several members share
        self._kinds = {slot.path: kind_of(slot) for slot in self._slots}

    def value(self) -> Any:
        """Return the answer."""
        if shape_of(self._question) is None:
            return self._text()
        return shaped(self._question, self._value_of, self._members_of)

    def _text(self) -> str | None:
        """Return the answer to a question that has no shape: a value of the kind it asks for, else the newest words."""
        kind = kind_of_question(self._question.question)
        value = self._find(Slot("", question=self._question.question)) if kind else None
        if value is None and self._utterances:
            value = self._utterances[0].text
        self.how["value"] = NOT_SAID if value is None else _SAID
        return None if value is None else str(value)

    def _value_of(self, slot: Slot) -> Any:
        if slot.key in self._known:
            value, source = self._known[slot.key], _SAID
        else:
            value = self._find(slot)
            source = NOT_SAID if value is None else _SAID
        if source == NOT_SAID and self._question.unsaid == MADE_UP:
            value = made_up(slot, self._question.random, self._now)
            source = _source_of_made_up(value, slot)
        self.how[slot.path or "value"] = source
        return value

    def _members_of(self, example: Any, list_slot: Slot) -> list[Any] | None:
        """Return the members of a list that were said; None to fill the example's with invented values instead."""
        slot = replace(list_slot, example=example, choices=choices_in(example), in_list=True)
        members: list[Any] = []
        if isinstance(example, dict):
            members = self._said_objects(example, list_slot)
        elif kind_of(slot) is not WORDS or self._is_asked_for(list_slot):
            members = self._values_for_list(slot)
        if not members and self._question.unsaid == MADE_UP:
            return None
        self.how[list_slot.path or "value"] = _SAID if members else NOT_SAID
        return members

    def _is_asked_for(self, list_slot: Slot) -> bool:
        """Return whether a list is all that is asked for, or the question names it."""
        return not self._slots or any(_names(self._asked_before(each), list_slot) for each in self._utterances[:1])

    def _said_objects(self, example: dict[str, Any], list_slot: Slot) -> list[Any]:
        """Return a list with one object, if anything of it was said."""
        if not self._is_asked_for(list_slot):
            return []
        inner = Filling(replace(self._question, example=example, schema=None, unsaid=""))
        value = inner.value()
        return [value] if _SAID in inner.how.values() else []

    def _values_for_list(self, slot: Slot) -> list[Any]:
        """Return the values last said for a list, in one part of an utterance: "Tuesday and Friday" has two."""
        kind = kind_of(slot)
        for utterance in self._utterances_for(slot, kind):
            context = self._context(slot, kind, utterance)
            for part in _parts_for(kind, utterance):
                pieces = _PIECE_END.split(part) if kind in (CHOICE, NAME) else [part]
                values = [value for piece in pieces for value in kind.read_all(piece, context)]
                if values:
                    return list(dict.fromkeys(values))
        return []

    def _find(self, slot: Slot) -> Any:
        """Return the value that was said for a slot, the newest one; None if none was."""
        kind = kind_of(slot)
        if kind is WORDS and not self._takes_words(slot):
            return None
        rivals = self._rivals(slot, kind)
        for utterance in self._utterances_for(slot, kind):
            context = self._context(slot, kind, utterance)
            parts = _parts_for(kind, utterance)
            if len(rivals) > 1:
                value = self._share(slot, kind, utterance, rivals)
            else:
                value = next((value for part in parts if (value := kind.read(part, context)) is not None), None)
            if value is not None and not (kind is WORDS and self._is_of_other_kind(value, slot)):
                return value
        return None

    def _share(self, slot: Slot, kind: ValueKind, utterance: Utterance, rivals: Sequence[Slot]) -> Any:
        """Return the value of a slot where several members are of its kind: they have those said in their order.

        With fewer values than members, the members that the question names come first.
        """
        context = self._context(slot, kind, utterance)
        for part in utterance.parts:
            if values := self._read_all(kind, part, context):
                paths = [rival.path for rival in rivals]
                if len(values) < len(rivals):
                    paths = self._named_first(utterance, rivals)
                index = paths.index(slot.path)
                return values[index] if index < len(values) else None
        return None

    def _named_first(self, utterance: Utterance, rivals: Sequence[Slot]) -> list[str]:
        """Return the paths of slots, those first that the question before an utterance names."""
        key = utterance.index, rivals[0].path
        if key not in self._orders:
            question = self._asked_before(utterance)
            self._orders[key] = [each.path for each in sorted(rivals, key=lambda rival: not _names(question, rival))]
        return self._orders[key]

    def _read_all(self, kind: ValueKind, part: str, context: Slot) -> list[Any]:
        """Return all values of a kind in a part of an utterance; read once for all members that share them."""
        key = kind.name, part, context.example, context.is_asked
        if key not in self._values:
            self._values[key] = kind.read_all(part, context)
        return self._values[key]

    def _rivals(self, slot: Slot, kind: ValueKind) -> list[Slot]:
        """Return the slots beside this one, and itself, that take the same words: the two days of a stay."""
        if kind in _EACH_BY_ITSELF or (kind is NAME and _NAME_PARTS.search(slot.label)):
            return [slot]
        parent = slot.path.rpartition(".")[0]
        alike = [each for each in self._slots if self._kinds[each.path] is kind]
        beside = [each for each in alike if each.path.rpartition(".")[0] == parent]
        return [each for each in beside if not (kind is NAME and _NAME_PARTS.search(each.label))] or [slot]

    def _context(self, slot: Slot, kind: ValueKind, utterance: Utterance) -> Slot:
        question = self._asked_before(utterance)
        is_only = len(self._slots) <= 1
        is_asked = _asks_for(question, slot, kind, is_only)
        return replace(slot, agent=question, now=self._now, is_asked=is_asked, is_only=is_only)

    def _asked_before(self, utterance: Utterance) -> str:
        """Return the last question before an utterance: the agent's, else the flow's."""
        return utterance.question or self._question.question

    def _utterances_for(self, slot: Slot, kind: ValueKind) -> list[Utterance]:
        """Return the utterances that count for a slot: those since the agent last asked for it, newest first."""
        since = max((index for index, line in self._questions if _asks_for(line, slot, kind, False)), default=-1)
        return [each for each in self._utterances if each.index > since]

    def _takes_words(self, slot: Slot) -> bool:
        """Return whether a slot may have the caller's own words: of several only the one that the question names."""
        others = [each for each in self._slots if self._kinds[each.path] is WORDS and each.path != slot.path]
        question = self._asked_before(self._utterances[0]) if self._utterances else ""
        if others and not slot.in_list:
            return _names(question, slot) and not any(_names(question, each) for each in others)
        agent = self._utterances[0].question if self._utterances else ""
        return kind_of_question(agent) is None or _names(agent, slot) or len(self._slots) <= 1

    def _is_of_other_kind(self, words: str, slot: Slot) -> bool:
        """Return whether the words are nothing but the value of another member, such as the caller's name."""
        others = (each for each in self._slots if self._kinds[each.path] in (NAME, DATE, TIME, CHOICE))
        folded = words.casefold()
        return any(str(self._find(each)).casefold() == folded for each in others)


def _parts_for(kind: ValueKind, utterance: Utterance) -> list[str]:
    """Return the parts of an utterance that a kind reads, one after the other."""
    return [utterance.text] if kind in _AS_SAID else utterance.parts


def _source_of_made_up(value: Any, slot: Slot) -> str:
    if value is None:
        return NOT_SAID
    return "the example" if value == slot.example else "made up"


def _questions_in(about: str) -> list[tuple[int, str]]:
    """Return the agent's questions in a transcript, with the indexes of their lines, but for those that it repeats."""
    lines = [(index, line[7:]) for index, line in enumerate(lines_of(about)) if line.startswith("Agent: ")]
    return [(index, line) for index, line in lines if "?" in line and not line.startswith(SORRY)]


def _asks_for(question: str, slot: Slot, kind: ValueKind, is_only: bool) -> bool:
    """Return whether a question asks for the value of a slot, as no question does.

    One that asks for no known kind of value asks for that of the only slot.
    """
    if not question or _names(question, slot):
        return True
    kind_asked_for = kind_of_question(question)
    return kind_asked_for is kind or (kind_asked_for is None and is_only)


def _names(question: str, slot: Slot) -> bool:
    """Return whether a question has a word of the member's name."""
    words = {word.removesuffix("s") for word in re.findall(r"\w+", question.lower())}
    return not words.isdisjoint(word.removesuffix("s") for word in slot.label.split() if len(word) > 2)


def _members_of_json(about: str) -> dict[str, Any]:
    """Return the members of an earlier answer that is asked in its turn; none for other texts."""
    try:
        members = orjson.loads(about) if about.startswith("{") else {}
    except orjson.JSONDecodeError:
        return {}
    return members if isinstance(members, dict) else {}

"""The answers of a simulated caller to the questions of a flow, with what the caller has left out so far."""

import re
from collections.abc import Callable, Collection
from dataclasses import dataclass
from typing import Any, NamedTuple

from dryline.engine.caller_values import CallerValue, answer_key, slots_in
from dryline.engine.language_model import Question
from dryline.flow.model.answers.shapes import shaped
from dryline.flow.model.kinds import kind_of_question, label_of

_ATTEMPTS = 6  # to find another value than the one that the flow has asked about again


@dataclass(slots=True)
class _GivenAnswer:
    question: Question
    values: list[CallerValue]
    is_said: list[bool]

    def value(self) -> Any:
        values = iter([each.value if said else None for each, said in zip(self.values, self.is_said, strict=True)])
        return shaped(self.question, lambda _: next(values))


class ValuePlace(NamedTuple):
    """The place of one value in the answers that follow a condition."""

    answer: int
    value: int


class PlannedAnswers:
    """The answers that a caller's words hold: by the flow's questions, and by the condition that comes before them."""

    def __init__(self) -> None:
        self._planned: dict[tuple[int | None, str], list[Any]] = {}
        self._answered: set[tuple[int | None, str]] = set()  # the keys whose last planned value was asked for
        self._after: dict[int, list[_GivenAnswer]] = {}

    def plan(self, line: int, question: Question, values: list[CallerValue], silent: Collection[int]) -> None:
        """Plan an answer in place of the one of the time before; `silent` are the indexes of what is left out."""
        answer = _GivenAnswer(question, values, [index not in silent for index in range(len(values))])
        key = answer_key(question)
        if key in self._answered:
            self._answered.remove(key)
            del self._planned[key]
        self._planned.setdefault(key, []).append(answer.value())
        self._remember(line, answer)

    def leave_out(self, line: int, question: Question) -> Any:
        """Return an answer without any value. The caller has them when the flow asks again."""
        slots = slots_in(question)
        answer = _GivenAnswer(question, [CallerValue(slot, None) for slot in slots], [False] * len(slots))
        self._remember(line, answer)
        return answer.value()

    def take(self, question: Question) -> list[Any]:
        """Return the planned answer to a question in a list, empty without one. The last one is given again."""
        key = answer_key(question)
        planned = self._planned.get(key, [])
        if len(planned) > 1:
            return [planned.pop(0)]
        self._answered.update([key] if planned else [])
        return planned[:1]

    def asked_again(self, line: int, question: str) -> list[ValuePlace]:
        """Return the values that a question of the agent asks for after this condition: first what was left out."""
        places = [
            ValuePlace(at, index)
            for at, answer in enumerate(self._after.get(line, ()))
            for index in range(len(answer.values))
        ]
        left_out = [place for place in places if not self._after[line][place.answer].is_said[place.value]]
        named = [place for place in places if _names(question, self._after[line][place.answer].values[place.value])]
        return [place for place in named if place in left_out] or left_out or named

    def complete(self, line: int, places: list[ValuePlace], make: Callable[[Question, Any], Any]) -> list[CallerValue]:
        """Plan the answers with these values too, and return them. A value that was given before becomes another."""
        completed = []
        for at, index in places:
            answer = self._after[line][at]
            old = answer.values[index]
            new = old.value
            for _ in range(_ATTEMPTS):
                if new is not None and not (answer.is_said[index] and new == old.value):
                    break
                new = make(answer.question, old.slot)
            answer.values[index] = CallerValue(old.slot, new)
            answer.is_said[index] = True
            self._planned[answer_key(answer.question)] = [answer.value()]
            self._answered.discard(answer_key(answer.question))
            completed.append(answer.values[index])
        return [each for each in completed if each.value is not None]

    def _remember(self, line: int, answer: _GivenAnswer) -> None:
        others = [
            each for each in self._after.get(line, ()) if answer_key(each.question) != answer_key(answer.question)
        ]
        self._after[line] = [*others, answer]


def _names(question: str, value: CallerValue) -> bool:
    words = [label_of(value.slot.key), *label_of(value.slot.key).split()[-1:]]
    if any(word and re.search(rf"\b{re.escape(word)}s?\b", question, re.IGNORECASE) for word in words):
        return True
    return bool(value.slot.kind == kind_of_question(question) != "")

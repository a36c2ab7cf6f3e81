"""The values that a simulated caller gives: decided before the flow asks for them, and said in the same utterance."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from random import Random
from typing import Any, NamedTuple

from dryline.flow.language.branches import FlowMap
from dryline.flow.language.language_model import NOT_SAID, Answer, ForeseenQuestion, Question
from dryline.flow.language.program import Loop
from dryline.flow.language.stubs import AnswerStubs
from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.slots import Slot, label_of, shape_of, shaped
from dryline.flow.model.caller_turn import CallerTurn
from dryline.flow.model.caller_words import choose_value, give_value, named_in, role_of
from dryline.flow.model.kinds import CODE, EMAIL, NAME, PHONE, TIME, WORDS, YES_NO, kind_of, kind_of_question
from dryline.flow.model.questions import invites_any_request, is_yes_no_question, last_question

_VOLUNTEERED = 0.4  # of the values that a flow takes together, in the sentence that says what the caller wants
_LEFT_OUT = 0.5  # of the values for whose lack the code has a question; all of them where that may be the way
_SAME_FOR_A_CALLER = (NAME, PHONE, EMAIL, CODE)  # kinds of values
_NEVER_VOLUNTEERED = (TIME, EMAIL, PHONE)


class ChosenValue(NamedTuple):
    """A value that a caller has chosen, and the line of the question that it answers."""

    value: Any = None
    line: int | None = None


class ValueDecision(NamedTuple):
    """A decision on a value: None leaves it out. One that `is_said` gets a sentence in the caller's turn."""

    value: Any
    is_said: bool = False


_LEAVE_OUT = ValueDecision(None)


@dataclass(frozen=True, slots=True)
class PendingValue:
    """A value to decide on, for a slot in the answer to a question.

    `chosen` is what the caller has chosen for it before. `may_be_missing` says that the code has a question for its
    lack, and `next_loop` is the loop to which the caller wants to come.
    """

    question: Question
    slot: Slot
    kind: ValueKind
    chosen: ChosenValue
    may_be_missing: bool
    next_loop: Loop | None

    @property
    def may_lead_on(self) -> bool:
        """Whether the lack of the value is perhaps the way to the next loop."""
        return self.may_be_missing and self.next_loop is not None


class CallerValues:
    """The values of one caller. `facts` are certain about the caller, `answers` are those of a test by their names.

    A sentence is added to `used`, so that no other one is like it.
    """

    def __init__(
        self, flow_map: FlowMap, random: Random, facts: Mapping[str, str], answers: dict[str, Any], used: set[str]
    ) -> None:
        self._flow_map, self._random, self._facts, self._used = flow_map, random, facts, used
        self._answers = answers
        self._stubs = AnswerStubs(answers)
        self._chosen_values: dict[str, ChosenValue] = {}  # by the names that `_name_of` gives them
        self._turn: CallerTurn  # from the first turn on

    def decide_foreseen(self, turn: CallerTurn, foreseen: ForeseenQuestion, next_loop: Loop | None) -> None:
        """Decide on the values of a question that the code behind the turn's condition asks, and say them."""
        session = turn.session
        question = Question(
            "",
            foreseen.question,
            foreseen.example,
            foreseen.schema,
            foreseen.line,
            now=session.now(),
            choices=session.program.choices,
        )
        self.decide(turn, question, next_loop, foreseen.perhaps, is_certain=foreseen.is_certain)

    def decide(
        self,
        turn: CallerTurn,
        question: Question,
        next_loop: Loop | None,
        perhaps: frozenset[str] = frozenset(),
        *,
        is_certain: bool = True,
    ) -> None:
        """Decide on the values of a question, and say them. The flow may not ask it, or the members in `perhaps`.

        `next_loop` is the one to which the caller wants to come.
        """
        self._turn = turn
        if question.question in self._answers:
            self._give(self._answers[question.question], Slot(None, question=question.question))
            return

        def decide_on_slot(slot: Slot) -> None:
            name = slot.path.partition(".")[0]
            if name in self._answers:
                if slot.path == name:
                    self._give(self._answers[name], replace(slot, example=self._answers[name], choices=()))
            elif name in perhaps and not self._is_asked_for(question, slot):
                return
            elif self._is_decidable(slot, is_certain=is_certain):
                self._decide_on_value(question, slot, next_loop)

        if shape_of(question) is None:
            decide_on_slot(Slot("", question=question.question))
        else:
            shaped(question, decide_on_slot)

    def answer(self, question: Question, ask: Callable[[Question], Answer], *, has_spoken: bool) -> Answer:
        """Return the answer to a question. `ask` answers what the caller does not: it reads what was said."""

        def answer_of_caller(question: Question) -> Answer:
            if not has_spoken or shape_of(question) is None:
                return ask(question)
            return Answer(shaped(question, lambda slot: self._value_of(question, slot)), {}, "caller")

        return self._stubs.answer(question, answer_of_caller)

    def _is_decidable(self, slot: Slot, *, is_certain: bool) -> bool:
        """Return whether a value can be decided on before its question: its kind is known, and it can be said."""
        kind = kind_of(slot)
        if kind is YES_NO:
            return is_certain and self._turn.announces_value
        return kind is not WORDS or bool(slot.example)

    def _decide_on_value(self, question: Question, slot: Slot, next_loop: Loop | None) -> None:
        """Decide on a value, and say it; or to leave it out."""
        pending = PendingValue(
            question,
            slot,
            kind_of(slot),
            chosen=self._chosen_values.get(_name_of(slot), ChosenValue()),
            may_be_missing=not slot.in_list and self._flow_map.may_be_missing(slot.key, question.line),
            next_loop=next_loop,
        )
        decision = self._decision_on(pending)
        self._turn.values[question.line, slot.path] = decision.value
        if decision.is_said:
            is_asked = not slot.choices and self._is_asked_for(question, slot)
            self._give(decision.value, slot, is_asked=is_asked)

    def _decision_on(self, pending: PendingValue) -> ValueDecision:
        """Return the decision on a value: that of the first rule which has one, else to say it."""
        rules = (
            self._value_in_phrase,
            self._value_held_back,
            self._value_for_later,
            self._value_left_out,
            self._value_chosen_before,
        )
        for rule in rules:
            decision = rule(pending)
            if decision is not None:
                return decision
        return self._value_to_say(pending)

    def _value_in_phrase(self, pending: PendingValue) -> ValueDecision | None:
        """Return the value that the turn's phrase names, or the choice that all words of the turn name."""
        turn, slot = self._turn, pending.slot
        text = turn.words if slot.choices else turn.phrase
        named = named_in(text, slot, turn.session.now())
        if named is None or (pending.may_lead_on and not slot.choices):
            return None
        return ValueDecision(named)

    def _value_held_back(self, pending: PendingValue) -> ValueDecision | None:
        """Leave out what the agent asks for, if the caller does not take the condition of those who give it."""
        is_held_back = self._turn.holds_back and pending.slot.key != ""
        return _LEAVE_OUT if is_held_back and self._is_asked_for(pending.question, pending.slot) else None

    def _value_for_later(self, pending: PendingValue) -> ValueDecision | None:
        """Leave out what the flow can do without as yet, unless the caller volunteers it for the first time."""
        if not self._can_wait(pending.question, pending.slot):
            return None
        is_volunteered = pending.chosen.value is None and self._volunteers(pending.kind)
        return None if is_volunteered else _LEAVE_OUT

    def _value_left_out(self, pending: PendingValue) -> ValueDecision | None:
        """Leave out a new value for whose lack the code has a question: where that may be the way, else by chance."""
        is_left_out = pending.may_lead_on or (pending.may_be_missing and self._random.random() < _LEFT_OUT)
        is_new = pending.chosen.value is None and not self._turn.announces_value
        return _LEAVE_OUT if is_left_out and is_new else None

    def _value_chosen_before(self, pending: PendingValue) -> ValueDecision | None:
        """Return a value that the caller has chosen before, and need not say again."""
        if pending.chosen.value is None or self._turn.announces_value or not self._stays_the_same(pending):
            return None
        return ValueDecision(pending.chosen.value)

    def _value_to_say(self, pending: PendingValue) -> ValueDecision:
        """Return a value to say: the one chosen before if it stays the same, else a new one."""
        if pending.chosen.value is not None and self._stays_the_same(pending):
            return ValueDecision(pending.chosen.value, is_said=True)
        slot, next_loop = pending.slot, pending.next_loop
        texts = self._flow_map.texts_for(next_loop.line) if next_loop is not None else set()
        leading = tuple(choice for choice in slot.choices if choice in texts)
        value = self._choose(pending.question, replace(slot, choices=leading or slot.choices))
        return ValueDecision(value, is_said=True)

    def _stays_the_same(self, pending: PendingValue) -> bool:
        """Return whether a caller has one such value alone, or another question asks for it in passing."""
        is_of_other_question = pending.chosen.line != pending.question.line
        return pending.kind in _SAME_FOR_A_CALLER or (is_of_other_question and not self._turn.announces_value)

    def _choose(self, question: Question, slot: Slot) -> Any:
        """Return a new value of the caller, and keep it."""
        turn = self._turn
        example = "" if slot.example is None else slot.example
        now = question.now or turn.session.now()
        value = choose_value(
            replace(slot, example=example),
            self._random,
            now,
            facts=self._facts,
            said=turn.said,
            heard=turn.text_of("agent"),
            question=turn.agent,
            phrase="" if turn.announces_value else turn.phrase,
        )
        self._chosen_values[_name_of(slot)] = ChosenValue(value, question.line)
        return value

    def _value_of(self, question: Question, slot: Slot) -> Any:
        """Return the value for a slot of an answer: the one that was decided on, else what the caller said.

        A value that was not foreseen, and that the code cannot do without, is chosen now, though nobody says it.
        """
        path = question.line, slot.path
        if path in self._turn.values:
            return self._turn.values[path]
        kind, turn = kind_of(slot), self._turn
        is_asked = self._is_asked_for(question, slot)
        if kind is not WORDS or is_asked:
            context = replace(slot, agent=turn.agent, now=question.now or slot.now, is_asked=is_asked)
            value = kind.read(turn.words, context)
            if value is not None:
                return value
        if self._flow_map.may_be_missing(slot.key, question.line):
            return None
        chosen = self._chosen_values.get(_name_of(slot), ChosenValue())
        return self._choose(question, slot) if chosen.value is None else chosen.value

    def _can_wait(self, question: Question, slot: Slot) -> bool:
        """Return whether a flow can do without a value as yet, and the agent's last question is not for it."""
        is_member = isinstance(question.example, dict) and slot.key in question.example
        may_be_missing = is_member and self._flow_map.may_be_missing(slot.key, question.line)
        return may_be_missing and not self._is_asked_for(question, slot)

    def _is_asked_for(self, question: Question, slot: Slot) -> bool:
        """Return whether the agent's last question is for a value."""
        members = question.example if isinstance(question.example, dict) else {}
        agent_question = last_question(self._turn.agent)
        if not invites_any_request(agent_question):
            offered = {key for key, each in members.items() if _offers(self._turn.agent, str(each).split(" | "))}
            if offered or is_yes_no_question(agent_question):
                return slot.key in offered
            words = set(re.findall(r"\w+", agent_question.lower()))
            named = {key for key in members if not words.isdisjoint(label_of(key).split())}
            if named:
                return slot.key in named
        return kind_of_question(agent_question) is kind_of(slot)

    def _volunteers(self, kind: ValueKind) -> bool:
        """Return whether the caller adds a value for which nobody has asked: where they say what they want, perhaps."""
        condition = self._turn.condition
        says_what_they_want = condition is not None and role_of(condition.text) == "matter"
        is_open = says_what_they_want and invites_any_request(last_question(self._turn.agent))
        return is_open and kind not in _NEVER_VOLUNTEERED and self._random.random() < _VOLUNTEERED

    def _give(self, value: Any, slot: Slot, *, is_asked: bool = False) -> None:
        """Add a sentence with a value to the words of the turn, unless they have it already."""
        turn = self._turn
        if value in (None, "", NOT_SAID) or (kind_of(slot) is NAME and str(value) in turn.text_of("user")):
            return
        is_said = re.search(rf"\b{re.escape(str(value))}\b", turn.words, re.IGNORECASE)
        if not turn.wants_a_value and (isinstance(value, bool) or is_said):
            return
        is_answer = bool(turn.agent) and (turn.wants_a_value or is_asked)
        if slot.choices and turn.sentences and not is_answer:
            turn.sentences.append(f"{str(value)[:1].upper()}{str(value)[1:]}.")  # "It's about the salami. Large."
        else:
            answered = replace(slot, agent=turn.agent, is_asked=is_answer)
            turn.sentences.append(give_value(value, answered, self._random, self._used, is_asked=is_answer))
        turn.answers_question = turn.answers_question or is_asked


def _name_of(slot: Slot) -> str:
    """Return the name by which a chosen value is kept for later questions."""
    return slot.path or f"{kind_of(slot).name} {slot.example}"


def _offers(text: str, options: Sequence[str]) -> bool:
    """Return whether a text names several options."""
    return sum(option in text for option in options) > 1

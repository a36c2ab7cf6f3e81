"""The values that a simulated caller gives: decided before the flow asks for them, and said in the same utterance."""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from dryline.flow.language.branches import FlowMap
from dryline.flow.language.language_model import NOT_SAID, Answer, ForeseenQuestion, Question
from dryline.flow.language.program import Condition, Loop
from dryline.flow.language.session import FlowSession
from dryline.flow.language.stubs import AnswerStubs
from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.slots import Slot, label_of, shape_of, shaped
from dryline.flow.model.caller_words import choose_value, give_value, named_in, role_of
from dryline.flow.model.kinds import CODE, EMAIL, NAME, PHONE, TIME, WORDS, YES_NO, kind_of, kind_of_question
from dryline.flow.model.questions import invites_any_request, is_yes_no_question, last_question

_VOLUNTEERED = 0.4  # of the values that a flow takes together, in the sentence that says what the caller wants
_LEFT_OUT = 0.5  # of the values for whose lack the code has a question; all of them where that may be the way
_SAME_FOR_A_CALLER = (NAME, PHONE, EMAIL, CODE)  # kinds of values
_NEVER_VOLUNTEERED = (TIME, EMAIL, PHONE)
Place = tuple[int | None, str]  # of a value: the line of the question, and the path in its answer


@dataclass(eq=False, slots=True)
class CallerTurn:
    """The decisions of a caller for one turn: a condition, a phrase that means it, values, their sentences.

    `agent` is what the agent said last. `condition` is None where the flow waits for anything. A phrase that only
    `announces_value` makes way for the value, and so does one that `recites` the condition, for lack of a better one,
    where the value `answers` the agent's question. A caller `holds_back` who does not take the condition of those who
    give the value that the agent asks for.
    """

    session: FlowSession
    agent: str
    condition: Condition | None = None
    phrase: str = ""
    announces_value: bool = False
    holds_back: bool = False
    recites: bool = False
    answers: bool = False
    sentences: list[str] = field(default_factory=list)
    values: dict[Place, Any] = field(default_factory=dict)

    @property
    def words(self) -> str:
        """The utterance."""
        has_value = (self.announces_value and bool(self.sentences)) or (self.recites and self.answers)
        return " ".join(self.sentences if has_value else [self.phrase, *self.sentences])

    @property
    def said(self) -> str:
        """All that the caller has said, with the words of this turn."""
        return f"{self.text_of('user')} {self.words}"

    @property
    def wants_a_value(self) -> bool:
        """Whether the phrase announces a value that is not said yet."""
        return self.announces_value and not self.sentences

    def text_of(self, who: str) -> str:
        """Return all that the user, or the agent, said before."""
        return " ".join(message.text for message in self.session.messages if message.who == who)


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
        self._given: dict[str, tuple[Any, int | None]] = {}  # by key: the value, and the line that asked for it
        self._turn: CallerTurn  # from the first turn on

    def decide_foreseen(self, turn: CallerTurn, foreseen: ForeseenQuestion, next_loop: Loop | None) -> None:
        """Decide on the values of a question that the code behind the turn's condition asks, and say them."""
        session = turn.session
        arguments = {"example": foreseen.example, "schema": foreseen.schema, "line": foreseen.line}
        question = Question(
            "", foreseen.question, **arguments, now=session.now(), choices=session.program.choices
        )  # fmt: skip
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

        def decide(slot: Slot) -> None:
            name = slot.path.partition(".")[0]
            if name in self._answers:
                if slot.path == name:
                    self._give(self._answers[name], replace(slot, example=self._answers[name], choices=()))
            elif name in perhaps and not self._is_asked_for(question, slot):
                return
            elif self._is_decidable(slot, is_certain=is_certain):
                self._decide(question, slot, next_loop)

        if shape_of(question) is None:
            decide(Slot("", question=question.question))
        else:
            shaped(question, decide)

    def answer(self, question: Question, ask: Callable[[Question], Answer], *, has_spoken: bool) -> Answer:
        """Return the answer to a question. `ask` answers what the caller does not: it reads what was said."""

        def own_answer(question: Question) -> Answer:
            if not has_spoken or shape_of(question) is None:
                return ask(question)
            return Answer(shaped(question, lambda slot: self._value_of(question, slot)), {}, "caller")

        answer = self._stubs.answer(question, own_answer)
        return answer if answer.by == "built-in" else Answer(answer.value, {}, "caller")

    def _is_decidable(self, slot: Slot, *, is_certain: bool) -> bool:
        """Return whether a value can be decided on before its question: its kind is known, and it can be said."""
        kind = kind_of(slot)
        if kind is YES_NO:
            return is_certain and self._turn.announces_value
        return kind is not WORDS or bool(slot.example)

    def _decide(self, question: Question, slot: Slot, next_loop: Loop | None) -> None:
        """Decide on a value, and say it; or to leave it out."""
        turn, kind = self._turn, kind_of(slot)
        place = question.line, slot.path
        value, line = self._given.get(_key(slot), (None, None))
        may_be_missing = not slot.in_list and self._flow_map.may_be_missing(slot.key, question.line)
        is_way_to_loop = may_be_missing and next_loop is not None  # its lack leads there, perhaps
        named = named_in(turn.words if slot.choices else turn.phrase, slot, turn.session.now())
        turn.values[place] = None
        if named is not None and (slot.choices or not is_way_to_loop):
            turn.values[place] = named
            return
        if turn.holds_back and slot.key and self._is_asked_for(question, slot):
            return
        if self._can_wait(question, slot) and (value is not None or not self._volunteers(kind)):
            return
        is_left_out = is_way_to_loop or (may_be_missing and self._random.random() < _LEFT_OUT)
        if is_left_out and value is None and not turn.announces_value:
            return
        is_same = kind in _SAME_FOR_A_CALLER or (line != question.line and not turn.announces_value)
        if value is not None and is_same and not turn.announces_value:
            turn.values[place] = value
            return
        if value is None or not is_same:
            texts = self._flow_map.texts_for(next_loop.line) if next_loop is not None else set()
            fitting = tuple(choice for choice in slot.choices if choice in texts)
            value = self._choose(question, replace(slot, choices=fitting or slot.choices))
        turn.values[place] = value
        is_asked = not slot.choices and self._is_asked_for(question, slot)
        self._give(value, slot, is_asked=is_asked)

    def _choose(self, question: Question, slot: Slot) -> Any:
        """Return a value of the caller's own, and keep it."""
        turn = self._turn
        example = "" if slot.example is None else slot.example
        now = question.now or turn.session.now()
        phrase = "" if turn.announces_value else turn.phrase
        heard = {"said": turn.said, "heard": turn.text_of("agent"), "question": turn.agent, "phrase": phrase}
        value = choose_value(replace(slot, example=example), self._random, now, facts=self._facts, **heard)
        self._given[_key(slot)] = value, question.line
        return value

    def _value_of(self, question: Question, slot: Slot) -> Any:
        """Return the value for one place of an answer: the one that was decided on, else what the caller said.

        One that was not foreseen, and that the code cannot do without, is the caller's own, though nobody says it.
        """
        place = question.line, slot.path
        if place in self._turn.values:
            return self._turn.values[place]
        kind, turn = kind_of(slot), self._turn
        is_asked = self._is_asked_for(question, slot)
        if kind is not WORDS or is_asked:
            context = replace(slot, agent=turn.agent, now=question.now or slot.now, is_asked=is_asked)
            value = kind.read(turn.words, context)
            if value is not None:
                return value
        if self._flow_map.may_be_missing(slot.key, question.line):
            return None
        value, _ = self._given.get(_key(slot), (None, None))
        return self._choose(question, slot) if value is None else value

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
            turn.sentences.append(give_value(value, slot, self._random, self._used, is_asked=is_answer))
        turn.answers = turn.answers or is_asked


def _key(slot: Slot) -> str:
    """Return the name by which a value is kept for later questions."""
    return slot.path or f"{kind_of(slot).name} {slot.example}"


def _offers(text: str, options: Sequence[str]) -> bool:
    """Return whether a text names several options."""
    return sum(option in text for option in options) > 1

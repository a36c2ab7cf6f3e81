"""A simulated caller: chooses the conditions on a route, says so, and gives the values that the flow asks for."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from random import Random
from typing import Any

from dryline.flow.language.branches import FlowMap
from dryline.flow.language.events import last_agent_text
from dryline.flow.language.language_model import NOT_SAID, AgentUtterance, Answer, Decision, Question, Talk
from dryline.flow.language.open_talk import function_of
from dryline.flow.language.program import Condition, Loop
from dryline.flow.language.session import FlowSession
from dryline.flow.model.agent import invites_any_request
from dryline.flow.model.answers.shapes import shaped
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.flow.model.caller_utterances import (
    closes,
    contradicts,
    gives_value,
    language_of_menu,
    meets_machine,
    utter,
)
from dryline.flow.model.caller_values import choose_value, give_value
from dryline.flow.model.kinds import language_of, read_values
from dryline.flow.model.questions import last_question
from dryline.flow.model.understanding import read_condition

NEXT_IN_LOOP = 0.7  # from the first condition of a loop to the last: each so many times as usual as the one before
MOST_TURNS = 40
_MOST_IDLE = 12  # turns after the route was taken: a caller does not stay in a flow that has no way out
_AGAIN, _CLOSING, _CONTRADICTING = 0.05, 6.0, 0.2  # weights of conditions, beside those of NEXT_IN_LOOP
_REFUSES = 0.15  # weight of the second answer to a question, beside the first
_LEFT_OUT = 0.5  # of the values for whose lack the code has a question
_SAME_FOR_A_CALLER = ("name", "phone", "email", "code", "address", "birth")  # kinds of values
_ANSWER = re.compile(r"""f["'](?:the )?\w+ \{\w+\}["']""")
_BUILT_IN = BuiltInModel()


class Caller:
    """A caller for `FlowSession.play`, and the session's language model: it knows what the caller means.

    `facts` hold what is certain about the caller: `name`, `first`, `last`, `phone`, `email`. `shares` say how usual
    conditions are, by their texts. `answers` has the values of a test. After the route a caller takes one of `targets`
    wherever it is open. A caller who writes is `typed`, and one who `agrees` refuses no
    answer to a question.
    """

    def __init__(
        self,
        flow_map: FlowMap,
        route: Sequence[Condition],
        random: Random,
        facts: Mapping[str, Any] | None = None,
        *,
        shares: Mapping[str, float] | None = None,
        answers: Mapping[str, Any] | None = None,
        targets: Sequence[Condition] = (),
        typed: bool = False,
        agrees: bool = False,
    ) -> None:
        self.taken: list[Condition] = []
        self.turns = 0
        self._map, self._route, self._random = flow_map, list(route), random
        self._facts = {name: str(value) for name, value in (facts or {}).items() if value}
        self._shares, self._answers, self._typed = shares or {}, answers or {}, typed
        self._targets, self._agrees = targets, agrees
        self._session: FlowSession | None = None
        self._next: Condition | None = None
        self._meets = ""  # the text of the next condition
        self._words = self._question = ""  # the caller's last words, and what the agent had said before them
        self._said = self._heard = ""  # all words of the caller, and of the agent
        self._menu: tuple[str, ...] = ()
        self._used: set[str] = set()  # phrases and sentences
        self._given: dict[str, tuple[Any, int | None]] = {}  # by key: the value, and the line that asked for it
        self._announces = False  # whether the last words only announce a value, and make way for it
        self._idle = 0

    def __call__(self, session: FlowSession) -> str | None:
        """Return what the caller says now; None to hang up, after more turns than any purpose takes."""
        self._session = session
        self._idle += not self._route
        if self.turns >= MOST_TURNS or self._idle > _MOST_IDLE:
            return None
        self.turns += 1
        self._question = last_agent_text(session.messages)
        self._heard += f" {self._question}"
        loop = session.conversation.loop
        if loop is None or loop < 0:
            self._next, self._announces = None, False
            self._words = self._random.choice(read_values(language_of(session.conversation.prompt))["waiting_says"])
            return self._words
        self._menu = tuple(session.waiting)
        self._next = self._choose_next(session.program.loops[loop])
        if self._next is None:
            return None
        condition = self._meets = session.waiting[self._next.loop.conditions.index(self._next)]
        if contradicts(condition):
            self._given = {key: value for key, value in self._given.items() if key in self._facts}
        self._words, self._announces = self._utter(condition), gives_value(condition)
        self._said += f" {self._words}"
        return self._words

    def choose(self, talk: Talk, said: str) -> Decision:
        if self._next is None:
            return Decision(None, "The caller asks something.", 1.0, "caller")
        self.taken.append(self._next)
        index = self._next.loop.conditions.index(self._next)
        arguments: Any = None
        if index in talk.tools:
            schema = function_of(talk.tools[index]).get("parameters") or {}
            arguments = self._answer(Question(said, talk.conditions[index], schema=schema, now=talk.now))
        arguments = arguments if isinstance(arguments, dict) else {}
        return Decision(index, "It is what the caller is after.", 1.0, "caller", arguments)

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        return _BUILT_IN.reply(talk, said)

    def ask(self, question: Question) -> Answer:
        if question.question in self._answers:
            value = self._answers[question.question]
            self._give(value, Slot(value, question=question.question))
            return Answer(value, {}, "caller")
        if question.example is None and not isinstance(question.schema, dict):
            return _BUILT_IN.ask(question)
        return Answer(self._answer(question), {}, "caller")

    def summarize(self, question: Question) -> AgentUtterance:
        return _BUILT_IN.summarize(question)

    def _choose_next(self, loop: Loop) -> Condition | None:
        """Return the condition to take: the next one of the route, one on the way to it, or else a usual one.

        A loop with conditions such as f"caller {answer}" asks several questions, and these are the answers to the last.
        """
        answers = [each for each in loop.conditions if is_answer(each)]
        if answers and len(answers) < len(loop.conditions):
            if not invites_any_request(last_question(self._question)):
                return self._choose_answer(loop, answers)
            if self._route and self._route[0] in answers:
                return self._usual(
                    loop, [each for each in loop.conditions if each not in answers and not closes(each.text)]
                )
        for index, step in enumerate(self._route):
            # Several loops can have a condition with the same text.
            alike = [each for each in loop.conditions if each is step or each.text == step.text]
            if alike:
                goal = step if step in alike else alike[0]
                first = self._before_closing(goal)
                if first is None:
                    del self._route[: index + 1]
                return first or goal
        if self._route:
            ways = [each for each in self._map.ways_to(self._route[0].loop, loop.conditions) if each not in self.taken]
        else:
            ways = [each for each in loop.conditions if each in self._targets]
        if not ways:
            self._route.clear()  # a way that did not lead there is not tried again
        condition = self._usual(loop, ways or loop.conditions)
        return condition and (self._before_closing(condition) or condition)

    def _choose_answer(self, loop: Loop, answers: Sequence[Condition]) -> Condition:
        """Return the condition of the route or one of the targets, if the loop has it, or else an answer."""
        if self._route and self._route[0].loop is loop:
            return self._route.pop(0)
        targets = [each for each in loop.conditions if each in self._targets and each not in self.taken]
        if targets and not self._route:
            return self._random.choice(targets)
        if self._agrees:
            return answers[0]
        return self._random.choices(answers, [_REFUSES**at for at in range(len(answers))])[0]

    def _before_closing(self, goal: Condition) -> Condition | None:
        """Return what to take before a condition that closes: nobody is done who has not asked for anything."""
        if not closes(goal.text) or any(each.loop is goal.loop for each in self.taken):
            return None
        others = [each for each in goal.loop.conditions if not each.leaves and not closes(each.text)]
        return others[0] if others else None

    def _usual(self, loop: Loop, conditions: Sequence[Condition]) -> Condition | None:
        weights = [self._weight(loop, each) for each in conditions]
        if not any(weights):
            return self._random.choice(conditions) if conditions else None
        return self._random.choices(conditions, weights)[0]

    def _weight(self, loop: Loop, condition: Condition) -> float:
        """Return how usual a condition is here. Few callers come with the same or another matter after the first."""
        before = Counter(each.line for each in self.taken if each.loop is loop)
        weight = self._shares.get(condition.text, NEXT_IN_LOOP ** loop.conditions.index(condition))
        if meets_machine(condition.text) or is_answer(condition):
            return 0.0
        if read_condition(condition.text, language_of_menu(self._menu)).is_catch_all:
            return weight * _AGAIN
        if closes(condition.text):
            return self._shares.get(condition.text, _CLOSING) if before else 0.0
        if before and (condition.line in before or any(closes(each.text) for each in loop.conditions)):
            weight *= _AGAIN
        return weight * _CONTRADICTING if contradicts(condition.text) else weight

    def _utter(self, condition: str) -> str:
        options: dict[str, Any] = {"opening": self.turns == 1, "avoid": self._used, "typed": self._typed}
        return utter(condition, self._facts, self._random, agent_said=self._question, menu=self._menu, **options)

    def _answer(self, question: Question) -> Any:
        """Return the answer to a question with an example, and add to the caller's words what was not said before."""
        example = question.example if isinstance(question.example, dict) else {}
        answered = {name: self._answers[name] for name in example if name in self._answers}
        if not answered:
            return shaped(question, partial(self._value, question))
        for name, answer in answered.items():
            self._give(answer, Slot(example[name], name, name, question=question.question))
        rest = {name: member for name, member in example.items() if name not in answered}
        value = shaped(replace(question, example=rest), partial(self._value, question)) | answered
        return {name: value[name] for name in example}

    def _value(self, question: Question, slot: Slot) -> Any:
        """Return the value for one place of an answer, and say it; None for one that the caller leaves out."""
        if slot.key in self._answers:
            self._give(self._answers[slot.key], slot)
            return self._answers[slot.key]
        key = slot.path or f"{slot.kind} {slot.example}"
        is_named = self._next is not None and gives_value(self._meets)
        if not is_named and key not in self._given and self._leaves_out(question, slot):
            return None
        value, line = self._given.get(key, (None, None))
        is_repeated = value is not None and slot.kind in _SAME_FOR_A_CALLER and self.taken[-2:-1] != self.taken[-1:]
        if value is not None and (is_repeated or (line != question.line and not is_named)):
            if is_named:
                self._give(value, slot)
            return value
        assert self._session is not None
        now = question.now or self._session.now()
        known: dict[str, Any] = {"facts": self._facts, "said": self._said, "heard": self._heard}
        texts = self._map.texts_for(self._route[0].loop.line) if self._route else set()
        if fitting := [choice for choice in slot.choices or () if choice in texts]:
            slot = replace(slot, choices=fitting)
        value = choose_value(slot, self._random, now, question=self._question, **known)
        self._given[key] = value, question.line
        self._give(value, slot)
        return value

    def _leaves_out(self, question: Question, slot: Slot) -> bool:
        """Return whether the caller waits with a value until the flow asks for it again, as the route may need."""
        name = slot.key or self._map.assigned_at(question.line)
        is_open = bool(name) and not slot.in_list and self._map.is_checked(name)
        return is_open and (bool(self._route) or self._random.random() < _LEFT_OUT)

    def _give(self, value: Any, slot: Slot) -> None:
        """Add a value to the caller's last words. Words that only announce one make way for it."""
        if value in (None, "", NOT_SAID) or self._session is None or (slot.kind == "name" and str(value) in self._said):
            return
        is_said = re.search(rf"\b{re.escape(str(value))}\b", self._words, re.IGNORECASE)
        if not self._announces and (isinstance(value, bool) or is_said):
            return
        language, is_asked = language_of_menu(self._menu), self._announces and bool(self._question)
        options: dict[str, Any] = {"is_asked": is_asked, "language": language}
        sentence = give_value(value, slot, self._question, self._random, self._used, **options)
        self._words = sentence if self._announces else f"{self._words} {sentence}"
        self._announces = False
        self._said += f" {sentence}"
        self._session.reword_user_message(self._words)


def is_answer(condition: Condition) -> bool:
    """Return whether the flow computes what a condition says of the caller: the answer to its last question."""
    return _ANSWER.fullmatch(condition.text) is not None

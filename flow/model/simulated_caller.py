"""A simulated caller: takes the conditions on a route, says so, and gives the values that the flow asks for."""

import re
from collections.abc import Mapping, Sequence
from random import Random
from typing import Any

from dryline.flow.language.branches import FlowMap
from dryline.flow.language.events import last_agent_text
from dryline.flow.language.language_model import NOT_SAID, Answer, Decision, Question, Talk
from dryline.flow.language.open_talk import arguments_of_tool
from dryline.flow.language.program import Condition, Loop
from dryline.flow.language.session import FlowSession
from dryline.flow.language.stubs import AnswerStubs
from dryline.flow.model.agent import invites_any_request
from dryline.flow.model.answers.slots import Slot, shaped
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.flow.model.caller_utterances import closes, gives_value, language_of_menu, meets_machine, utter
from dryline.flow.model.caller_values import choose_value, give_value, named_in
from dryline.flow.model.kinds import language_of, read_values
from dryline.flow.model.questions import last_question
from dryline.flow.model.understanding import read_condition

NEXT_IN_LOOP = 0.7  # from the first condition of a loop to the last: each so many times as usual as the one before
_MOST_TURNS = 40
_MOST_IDLE = 12  # turns after the route was taken: a caller does not stay in a flow that has no way out
_AGAIN, _CLOSING = 0.05, 6.0  # weights of a further matter, and of the end, beside those of NEXT_IN_LOOP
_LEFT_OUT = 0.5  # of the values for whose lack the code has a question
_SAME_FOR_A_CALLER = ("name", "phone", "email", "code", "address", "birth")  # kinds of values
_ANSWER = re.compile(r"""f["'](?:the )?\w+ \{\w+\}["']""")


class Caller(BuiltInModel):
    """A caller for `FlowSession.play`, and the session's language model: it knows what the caller means.

    `facts` hold what is certain about the caller: `name`, `first`, `last`, `phone`, `email`. `shares` say how usual
    conditions are, by their texts. `answers` has the values of a test. A caller who writes is `typed`.
    """

    def __init__(
        self,
        flow_map: FlowMap,
        route: Sequence[Condition],
        random: Random,
        facts: Mapping[str, Any] | None = None,
        *,
        shares: Mapping[str, float] | None = None,
        answers: dict[str, Any] | None = None,
        typed: bool = False,
    ) -> None:
        self.taken: list[Condition] = []
        self.turns = 0
        self._map, self._route, self._random = flow_map, list(route), random
        self._facts = {name: str(value) for name, value in (facts or {}).items() if value}
        self._shares, self._stubs, self._typed = shares or {}, AnswerStubs(answers), typed
        self._session: FlowSession | None = None
        self._next: Condition | None = None
        self._words = self._question = ""  # the caller's last words, and what the agent had said before them
        self._announces = self._is_named = False  # whether the condition names a value, and it was not given yet
        self._said = self._heard = ""  # all words of the caller, and of the agent
        self._menu: tuple[str, ...] = ()
        self._used: set[str] = set()  # phrases and sentences
        self._given: dict[str, tuple[Any, int | None]] = {}  # by key: the value, and the line that asked for it
        self._idle = 0

    def __call__(self, session: FlowSession) -> str | None:
        """Return what the caller says now; None to hang up, after more turns than any purpose takes."""
        self._session = session
        self._idle += not self._route
        if self.turns >= _MOST_TURNS or self._idle > _MOST_IDLE:
            return None
        self.turns += 1
        self._question = last_agent_text(session.messages)
        self._heard += f" {self._question}"
        loop = session.conversation.loop
        if loop is None or loop < 0:
            self._next, self._announces, self._is_named = None, False, False
            self._words = self._random.choice(read_values(language_of(session.conversation.prompt))["waiting_says"])
            return self._words
        self._next = self._choose_next(session.program.loops[loop])
        if self._next is None:
            return None
        self._menu = tuple(session.waiting)
        condition = self._menu[self._next.loop.conditions.index(self._next)]
        options: dict[str, Any] = {"opening": self.turns == 1, "avoid": self._used, "typed": self._typed}
        self._words = utter(condition, self._facts, self._random, menu=self._menu, **options)
        self._announces = self._is_named = gives_value(condition)
        self._said += f" {self._words}"
        return self._words

    def choose(self, talk: Talk, said: str) -> Decision:
        if self._next is None:
            return Decision(None, "The caller asks something.", 1.0, "caller")
        self.taken.append(self._next)
        index = self._next.loop.conditions.index(self._next)
        arguments = arguments_of_tool(self, talk, index, said)
        return Decision(index, "It is what the caller is after.", 1.0, "caller", arguments)

    def ask(self, question: Question) -> Answer:
        """Return the answer to a question, and add to the caller's words what was not said before."""
        is_shaped = question.example is not None or isinstance(question.schema, dict)
        answer = self._stubs.answer(question, self._own_answer if is_shaped else super().ask)
        if answer.by == "built-in":
            return answer
        for name in answer.how:  # the values of a test
            value = answer.value[name] if name else answer.value
            self._give(value, Slot(value, name, name, question=question.question))
        return Answer(answer.value, {}, "caller")

    def _choose_next(self, loop: Loop) -> Condition | None:
        """Return the condition to take: the next one of the route, an answer to the agent's question, or a usual one.

        A loop with conditions such as f"caller {answer}" asks several questions, and these are the answers to the last.
        """
        answers = [each for each in loop.conditions if is_answer(each)]
        is_asked = bool(answers) and not invites_any_request(last_question(self._question))
        for at, step in enumerate(self._route):
            # Several loops can have a condition with the same text.
            alike = [each for each in loop.conditions if each.text == step.text]
            is_early = is_asked and bool(self.taken) and closes(step.text)  # who has begun a matter goes through it
            if alike and (is_asked or step not in answers) and not is_early:
                if not is_asked and (first := self._before_closing(step, loop)):
                    return first
                del self._route[: at + 1]
                return step if step in alike else alike[0]
        if is_asked:
            return answers[0]
        if self._route and self._route[0].loop is loop:  # an answer, for which the agent has not asked yet
            ways = [each for each in loop.conditions if not closes(each.text)]
        else:
            ways = [each for each in self._map.going_on(loop.conditions) if self._route and each not in self.taken]
        if not ways:
            self._route.clear()  # a way that did not lead there is not tried again
        ways = ways or loop.conditions
        weights = [self._weight(loop, each) for each in ways]
        return self._random.choices(ways, weights if any(weights) else None)[0] if ways else None

    def _before_closing(self, goal: Condition, loop: Loop) -> Condition | None:
        """Return what to take before a condition that closes: nobody is done who has not asked for anything."""
        if not closes(goal.text) or any(each.loop is loop for each in self.taken):
            return None
        matters = [each for each in loop.conditions if not each.leaves] or self._map.going_on(loop.conditions)
        weights = [self._weight(loop, each) for each in matters]
        return self._random.choices(matters, weights)[0] if any(weights) else None

    def _weight(self, loop: Loop, condition: Condition) -> float:
        """Return how usual a condition is here. Few callers come with the same or another matter after the first."""
        is_first = all(each.loop is not loop for each in self.taken)
        if meets_machine(condition.text) or is_answer(condition):
            return 0.0
        if closes(condition.text):
            return 0.0 if is_first else self._shares.get(condition.text, _CLOSING)
        is_further = not is_first and (condition in self.taken or any(closes(each.text) for each in loop.conditions))
        is_rare = is_further or read_condition(condition.text, "en").is_catch_all
        usual = NEXT_IN_LOOP ** loop.conditions.index(condition)
        return self._shares.get(condition.text, usual) * (_AGAIN if is_rare else 1.0)

    def _own_answer(self, question: Question) -> Answer:
        return Answer(shaped(question, lambda slot: self._value(question, slot)), {}, "caller")

    def _value(self, question: Question, slot: Slot) -> Any:
        """Return the value for one place of an answer, and say it; None for one that the caller leaves out."""
        key = slot.path or f"{slot.kind} {slot.example}"
        is_open = not slot.in_list and self._map.may_be_missing(slot.key, question.line)
        is_new = not (self._is_named or key in self._given or named_in(self._said, slot))
        # The route may need that the flow asks again.
        if is_open and is_new and (self._route or self._random.random() < _LEFT_OUT):
            return None
        value, line = self._given.get(key, (None, None))
        is_repeated = slot.kind in _SAME_FOR_A_CALLER and self.taken[-2:-1] != self.taken[-1:]
        if value is not None and (is_repeated or (line != question.line and not self._is_named)):
            if self._is_named:
                self._give(value, slot)
            return value
        assert self._session is not None
        texts = self._map.texts_for(self._route[0].loop.line) if self._route else set()
        if fitting := [choice for choice in slot.choices or () if choice in texts]:
            slot = Slot(slot.example, slot.key, slot.path, fitting, slot.question)
        known: dict[str, Any] = {"facts": self._facts, "said": self._said, "heard": self._heard}
        now = question.now or self._session.now()
        value = choose_value(slot, self._random, now, question=self._question, **known)
        self._given[key] = value, question.line
        self._give(value, slot)
        return value

    def _give(self, value: Any, slot: Slot) -> None:
        """Add a value to the caller's last words. Words that only announce one make way for it."""
        if value in (None, "", NOT_SAID) or self._session is None or (slot.kind == "name" and str(value) in self._said):
            return
        is_said = re.search(rf"\b{re.escape(str(value))}\b", self._words, re.IGNORECASE)
        if not self._announces and (isinstance(value, bool) or is_said):
            return
        options: dict[str, Any] = {"is_asked": self._announces and bool(self._question)}
        options["language"] = language_of_menu(self._menu)
        sentence = give_value(value, slot, self._question, self._random, self._used, **options)
        self._words = sentence if self._announces else f"{self._words} {sentence}"
        self._announces = False
        self._said += f" {sentence}"
        self._session.reword_user_message(self._words)


def is_answer(condition: Condition) -> bool:
    """Return whether the flow computes what a condition says of the caller: the answer to its last question."""
    return _ANSWER.fullmatch(condition.text) is not None

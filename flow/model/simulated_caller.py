"""A simulated caller: before each turn it decides on a condition and on values, and says them in one utterance."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from dryline.flow.language.branches import FlowMap
from dryline.flow.language.events import last_agent_text
from dryline.flow.language.language_model import AgentUtterance, Answer, Decision, Question, Talk
from dryline.flow.language.open_talk import arguments_of_tool, question_of_tool
from dryline.flow.language.program import Condition, Loop
from dryline.flow.language.session import FlowSession
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.flow.model.caller_turn import CallerTurn
from dryline.flow.model.caller_values import CallerValues
from dryline.flow.model.caller_words import intent_of, kinds_of_values, role_of, utter, words
from dryline.flow.model.kinds import kind_of_question
from dryline.flow.model.questions import invites_any_request, last_question

_NEXT_IN_LOOP = 0.7  # from the first condition of a loop to the last: each so many times as usual as the one before
_RARE = 0.05  # how usual a condition is that ends a conversation, or says that no other one is met, or was taken before
_MOST_IDLE = 12  # turns without a further condition: a caller does not stay in a flow that has no way out


class Menu:
    """The conditions of a loop as a caller sees them.

    `answers` answer the question just asked, `values` give the value that it asks for, `closing` ends the conversation,
    `others` are what a call can be about.
    """

    def __init__(self, loop: Loop, question: str, taken: Sequence[Condition]) -> None:
        self.loop = loop
        self.answers = [each for each in loop.conditions if role_of(each.text) == "answer"]
        self.closing = [each for each in loop.conditions if role_of(each.text) == "closing"]
        self.others = [each for each in loop.conditions if role_of(each.text) not in ("answer", "closing", "machine")]
        self.is_asked = bool(self.answers) and not invites_any_request(question)
        self.is_first = not any(each.loop is loop for each in taken)
        self.values = [each for each in self.others if each not in taken and _gives_value(each, question)]

    def like(self, condition: Condition) -> Condition | None:
        """Return the condition with the same text: several loops can have one."""
        return next((each for each in self.loop.conditions if each.text == condition.text), None)


@dataclass(eq=False)
class Caller:
    """A caller for `FlowSession.play`, and the session's language model: it knows what the caller means.

    What the agent says is the built-in model's.

    `facts` hold what is certain about the caller: `name`, `first`, `last`, `phone`, `email`. `shares` say how usual
    conditions are, by their texts. `answers` has the values of a test. A caller who writes is `typed`.
    """

    flow_map: FlowMap
    route: list[Condition]
    random: Random
    facts: Mapping[str, str] = field(default_factory=dict)
    shares: Mapping[str, float] = field(default_factory=dict)
    answers: dict[str, Any] | None = None
    typed: bool = False

    def __post_init__(self) -> None:
        self.taken: list[Condition] = []
        self.turns = self._idle = 0
        self._agent = BuiltInModel()
        self._used: set[str] = set()  # phrases and sentences
        self._values = CallerValues(self.flow_map, self.random, self.facts, self.answers or {}, self._used)
        self._turn: CallerTurn  # from the first turn on

    def __call__(self, session: FlowSession) -> str | None:
        """Return what the caller says now; None to hang up, after more turns than any purpose takes."""
        self._idle += 1
        if self._idle > _MOST_IDLE:
            return None
        self.turns += 1
        turn = self._decide(session)
        if turn is None:
            return None
        self._turn = turn
        return turn.words

    def choose(self, talk: Talk, said: str) -> Decision:
        condition = self._turn.condition
        if condition is None:
            return Decision(None, "The caller asks something.", 1.0, "caller")
        self._idle *= condition in self.taken
        self.taken.append(condition)
        index = condition.loop.conditions.index(condition)
        why = "It is what the caller is after."
        return Decision(index, why, 1.0, "caller", arguments_of_tool(self, talk, index, said))

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        return self._agent.reply(talk, said)

    def summarize(self, question: Question) -> AgentUtterance:
        return self._agent.summarize(question)

    def ask(self, question: Question) -> Answer:
        """Return the answer to a question: the values that the caller has decided on, and those of a test.

        Before the caller has said anything, nothing answers a question but the values of a test.
        """
        return self._values.answer(question, self._agent.ask, has_spoken=self.turns > 0)

    def _decide(self, session: FlowSession) -> CallerTurn | None:
        """Return the caller's next turn; None to hang up."""
        turn = CallerTurn(session, last_agent_text(session.messages))
        loop = session.open_talk.loop
        if loop is None or loop < 0:
            turn.phrase = self.random.choice(words()["waiting"])
            return turn
        condition = self._choose_next(session.program.loops[loop], turn.agent)
        if condition is None:
            return None
        menu = tuple(session.waiting)
        index = condition.loop.conditions.index(condition)
        is_opening = self.turns == 1
        options: dict[str, Any] = {"menu": menu, "opening": is_opening, "typed": self.typed}
        turn.condition = condition
        turn.phrase = utter(menu[index], self.facts, self.random, self._used, **options)
        turn.announces_value = role_of(menu[index]) == "value"
        turn.holds_back = not turn.announces_value and any(role_of(text) == "value" for text in menu)
        turn.recites = intent_of(menu[index], menu) is None
        next_loop = self.route[0].loop if self.route else None
        if index in session.open_talk.tools:
            self._values.decide(turn, question_of_tool(session.open_talk.talk(), index, ""), next_loop)
        for question in self.flow_map.questions_behind(condition, is_opening=is_opening):
            self._values.decide_foreseen(turn, question, next_loop)
        return turn

    def _choose_next(self, loop: Loop, agent: str) -> Condition | None:
        """Return the condition to take: that of the first rule which has one."""
        menu = Menu(loop, last_question(agent), self.taken)
        rules = (
            self._matter_before_closing,
            self._step_of_route,
            self._answer_to_question,
            self._way_to_route,
            self._value_asked_for,
            self._any_condition,
        )
        for rule in rules:
            condition = rule(menu)
            if condition is not None:
                return condition
        return None

    def _matter_before_closing(self, menu: Menu) -> Condition | None:
        """Return something to ask for, if the route only ends a conversation in which nothing was asked for yet."""
        index = self._position_in_route(menu)
        is_done = index is not None and menu.like(self.route[index]) in menu.closing
        if not is_done or menu.is_asked or not menu.is_first:
            return None
        matters = [each for each in menu.others if not each.leaves] or self.flow_map.conditions_that_continue(
            menu.others
        )
        return self._draw(matters) if matters else None

    def _step_of_route(self, menu: Menu) -> Condition | None:
        """Return the first condition of the route that can be taken here. Those before it are passed over."""
        index = self._position_in_route(menu)
        if index is None:
            return None
        condition = menu.like(self.route[index])
        del self.route[: index + 1]
        return condition

    def _answer_to_question(self, menu: Menu) -> Condition | None:
        return menu.answers[0] if menu.is_asked else None

    def _way_to_route(self, menu: Menu) -> Condition | None:
        """Return a condition that may lead to the next one of the route."""
        if not self.route:
            return None
        if self.route[0].loop is menu.loop:  # it is an answer that the agent has not asked for yet
            candidates = menu.others
        else:
            leading = menu.others if menu.is_first else menu.others + menu.closing
            continuing = self.flow_map.conditions_that_continue(leading)
            candidates = [each for each in continuing if each not in self.taken]
        return self._draw(candidates) if candidates else None

    def _value_asked_for(self, menu: Menu) -> Condition | None:
        """Return a condition that is met by the value which the agent asks for, before the conversation ends."""
        return menu.values[0] if menu.values and not menu.is_first else None

    def _any_condition(self, menu: Menu) -> Condition | None:
        """Return a usual condition, or the end once something was asked for. The rest of the route is given up."""
        self.route.clear()
        usual_ones = menu.others if menu.is_first else menu.closing
        candidates = usual_ones or menu.others or menu.loop.conditions
        return self._draw(candidates) if candidates else None

    def _position_in_route(self, menu: Menu) -> int | None:
        """Return the position in the route of the first condition that can be taken here."""
        for index, step in enumerate(self.route):
            condition = menu.like(step)
            is_unasked_answer = condition in menu.answers and not menu.is_asked
            is_early = condition in menu.closing and menu.is_asked and bool(self.taken)  # in the middle of a matter
            if condition is not None and not is_unasked_answer and not is_early:
                return index
        return None

    def _draw(self, candidates: Sequence[Condition]) -> Condition:
        """Return one of the conditions, the usual ones more often, and seldom one that was taken before."""
        weights = [usual(each, self.shares) * (_RARE if each in self.taken else 1.0) for each in candidates]
        return self.random.choices(candidates, weights if any(weights) else None)[0]


def _gives_value(condition: Condition, question: str) -> bool:
    """Return whether a condition is met by a value of the kind that a question asks for."""
    return kind_of_question(question) in kinds_of_values(condition.text)


def usual(condition: Condition, shares: Mapping[str, float]) -> float:
    """Return how usual a condition is among those of its loop: its share, else the less the further down it stands.

    Few call to chat with the agent, and nobody to be misunderstood: a catch-all is only met on a route to it.
    """
    role = role_of(condition.text)
    if role == "else":
        return shares.get(condition.text, 0.0)
    if role in ("closing", "small talk"):
        return shares.get(condition.text, _RARE)
    return shares.get(condition.text, _NEXT_IN_LOOP ** condition.loop.conditions.index(condition))

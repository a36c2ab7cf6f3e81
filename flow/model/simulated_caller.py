"""A simulated caller: takes the conditions on a route, says so, and gives the values that the flow asks for."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from random import Random
from typing import Any

from dryline.flow.language.branches import FlowMap
from dryline.flow.language.events import last_agent_text
from dryline.flow.language.language_model import NOT_SAID, AgentUtterance, Answer, Decision, Question, Talk
from dryline.flow.language.open_talk import arguments_of_tool
from dryline.flow.language.program import Condition, Loop
from dryline.flow.language.session import FlowSession
from dryline.flow.language.stubs import AnswerStubs
from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.slots import Slot, label_of, shaped
from dryline.flow.model.builtin_model import BuiltInModel
from dryline.flow.model.caller_words import choose_value, give_value, named_in, role_of, utter, words
from dryline.flow.model.kinds import CODE, EMAIL, NAME, PHONE, TIME, kind_of, kind_of_question
from dryline.flow.model.questions import invites_any_request, last_question

_NEXT_IN_LOOP = 0.7  # from the first condition of a loop to the last: each so many times as usual as the one before
_RARE = 0.05  # how usual a condition is that ends a conversation, or says that no other one is met, or was taken before
_MOST_IDLE = 12  # turns without a further condition: a caller does not stay in a flow that has no way out
_VOLUNTEERED = 0.4  # of the values that a flow takes together, in the sentence that says what the caller wants
_LEFT_OUT = 0.5  # of the values for whose lack the code has a question; all of them where that may be the way
_SAME_FOR_A_CALLER = (NAME, PHONE, EMAIL, CODE)  # kinds of values


class Menu:
    """The conditions of a loop as a caller sees them.

    `answers` answer the question just asked, `closing` ends the conversation, `others` are what a call can be about.
    """

    def __init__(self, loop: Loop, invites_any_request: bool, taken: Sequence[Condition]) -> None:
        self.loop = loop
        self.answers = [each for each in loop.conditions if role_of(each.text) == "answer"]
        self.closing = [each for each in loop.conditions if role_of(each.text) == "closing"]
        self.others = [each for each in loop.conditions if role_of(each.text) not in ("answer", "closing", "machine")]
        self.is_asked = bool(self.answers) and not invites_any_request
        self.is_first = not any(each.loop is loop for each in taken)

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
        self._stubs = AnswerStubs(self.answers)
        self._agent = BuiltInModel()
        self._session: FlowSession  # from the first turn on
        self._next: Condition | None = None
        self._words: list[str] = []  # of this turn: the first utterance, and sentences with values
        self._question = ""  # what the agent said last
        self._is_named = False  # whether the condition names a value
        self._used: set[str] = set()  # phrases and sentences
        self._given: dict[str, tuple[Any, int | None]] = {}  # by key: the value, and the line that asked for it

    def __call__(self, session: FlowSession) -> str | None:
        """Return what the caller says now; None to hang up, after more turns than any purpose takes."""
        self._session = session
        self._idle += 1
        if self._idle > _MOST_IDLE:
            return None
        self.turns += 1
        self._question = last_agent_text(session.messages)
        loop = session.open_talk.loop
        if loop is None or loop < 0:
            self._next, self._is_named = None, False
            self._words = [self.random.choice(words()["waiting"])]
            return self._words[0]
        self._next = self._choose_next(session.program.loops[loop])
        if self._next is None:
            return None
        menu = tuple(session.waiting)
        condition = menu[self._next.loop.conditions.index(self._next)]
        self._is_named = role_of(condition) == "value"
        options: dict[str, Any] = {"menu": menu, "opening": self.turns == 1, "typed": self.typed}
        self._words = [utter(condition, self.facts, self.random, self._used, **options)]
        return self._words[0]

    def choose(self, talk: Talk, said: str) -> Decision:
        if self._next is None:
            return Decision(None, "The caller asks something.", 1.0, "caller")
        self._idle *= self._next in self.taken
        self.taken.append(self._next)
        index = self._next.loop.conditions.index(self._next)
        why = "It is what the caller is after."
        return Decision(index, why, 1.0, "caller", arguments_of_tool(self, talk, index, said))

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        return self._agent.reply(talk, said)

    def summarize(self, question: Question) -> AgentUtterance:
        return self._agent.summarize(question)

    def ask(self, question: Question) -> Answer:
        """Return the answer to a question, and add to the caller's words what was not said before.

        Before the caller has said anything, nothing answers a question but the values of a test.
        """
        if self.turns == 0:
            return self._stubs.answer(question, self._agent.ask)
        answer = self._stubs.answer(question, self._own_answer)
        if answer.by == "built-in":
            return answer
        for name in answer.how:  # the values of a test
            value = answer.value[name] if name else answer.value
            self._give(value, Slot(value, name, name, question=question.question))
        return Answer(answer.value, {}, "caller")

    def _choose_next(self, loop: Loop) -> Condition | None:
        """Return the condition to take: that of the first rule which has one."""
        menu = Menu(loop, invites_any_request(last_question(self._question)), self.taken)
        rules = (
            self._matter_before_closing,
            self._step_of_route,
            self._answer_to_question,
            self._way_to_route,
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
        matters = [each for each in menu.others if not each.leaves] or self.flow_map.going_on(menu.others)
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
            ways = menu.others
        else:
            leading = menu.others if menu.is_first else menu.others + menu.closing
            ways = [each for each in self.flow_map.going_on(leading) if each not in self.taken]
        return self._draw(ways) if ways else None

    def _any_condition(self, menu: Menu) -> Condition | None:
        """Return a usual condition, or the end once something was asked for. The rest of the route is given up."""
        self.route.clear()
        usual_ones = menu.others if menu.is_first else menu.closing
        ways = usual_ones or menu.others or menu.loop.conditions
        return self._draw(ways) if ways else None

    def _position_in_route(self, menu: Menu) -> int | None:
        """Return the position in the route of the first condition that can be taken here."""
        for index, step in enumerate(self.route):
            condition = menu.like(step)
            is_unasked_answer = condition in menu.answers and not menu.is_asked
            is_early = condition in menu.closing and menu.is_asked and bool(self.taken)  # in the middle of a matter
            if condition is not None and not is_unasked_answer and not is_early:
                return index
        return None

    def _draw(self, ways: Sequence[Condition]) -> Condition:
        """Return one of the conditions, the usual ones more often, and seldom one that was taken before."""
        weights = [usual(each, self.shares) * (_RARE if each in self.taken else 1.0) for each in ways]
        return self.random.choices(ways, weights if any(weights) else None)[0]

    def _own_answer(self, question: Question) -> Answer:
        if question.example is None and not isinstance(question.schema, dict):
            return self._agent.ask(question)
        return Answer(shaped(question, lambda slot: self._value(question, slot)), {}, "caller")

    def _value(self, question: Question, slot: Slot) -> Any:
        """Return the value for one place of an answer, and say it; None for one that the caller leaves out."""
        kind = kind_of(slot)
        key = slot.path or f"{kind.name} {slot.example}"
        value, line = self._given.get(key, (None, None))
        if self._can_wait(question, slot):
            if named := named_in(" ".join(self._words), slot):
                return named
            if value is not None or not self._volunteers(kind):
                return None
        is_open = not slot.in_list and self.flow_map.may_be_missing(slot.key, question.line)
        is_open = is_open and value is None and not self._is_named and not named_in(self._text_of("user"), slot)
        if is_open and (self.route or self.random.random() < _LEFT_OUT):
            return None
        is_same = kind in _SAME_FOR_A_CALLER or (line != question.line and not self._is_named)
        if value is None or not is_same:
            texts = self.flow_map.texts_for(self.route[0].loop.line) if self.route else set()
            fitting = tuple(choice for choice in slot.choices if choice in texts)
            now = question.now or self._session.now()
            heard = {"said": self._text_of("user"), "heard": self._text_of("agent"), "question": self._question}
            slot = replace(slot, choices=fitting or slot.choices)
            value = choose_value(slot, self.random, now, facts=self.facts, **heard)
            self._given[key] = value, question.line
        elif not self._is_named:
            return value
        self._give(value, slot)
        return value

    def _can_wait(self, question: Question, slot: Slot) -> bool:
        """Return whether a flow can do without a value as yet, and the agent's last question is not for it."""
        members = question.example if isinstance(question.example, dict) else {}
        if slot.key not in members or not self.flow_map.may_be_missing(slot.key, question.line):
            return False
        agent_question = last_question(self._question)
        if not invites_any_request(agent_question):
            words = set(re.findall(r"\w+", agent_question.lower()))
            offered = {key for key, each in members.items() if _offers(self._question, str(each).split(" | "))}
            named = {key for key in members if not words.isdisjoint(label_of(key).split())}
            if offered or named:
                return slot.key not in (offered or named)
        return kind_of_question(agent_question) is not kind_of(slot)

    def _volunteers(self, kind: ValueKind) -> bool:
        """Return whether the caller adds a value for which nobody has asked: where they say what they want, perhaps."""
        says_what_they_want = self._next is not None and role_of(self._next.text) == "matter"
        is_open = says_what_they_want and invites_any_request(last_question(self._question))
        return is_open and kind not in (TIME, EMAIL) and self.random.random() < _VOLUNTEERED

    def _give(self, value: Any, slot: Slot) -> None:
        """Add a value to the caller's last words. Words that only announce one make way for it."""
        if value in (None, "", NOT_SAID) or (kind_of(slot) is NAME and str(value) in self._text_of("user")):
            return
        announces = self._is_named and len(self._words) == 1
        is_said = re.search(rf"\b{re.escape(str(value))}\b", " ".join(self._words), re.IGNORECASE)
        if not announces and (isinstance(value, bool) or is_said):
            return
        is_asked = announces and bool(self._question)
        self._words.append(give_value(value, slot, self.random, self._used, is_asked=is_asked))
        self._session.reword_user_message(" ".join(self._words[1:] if self._is_named else self._words))

    def _text_of(self, who: str) -> str:
        return " ".join(message.text for message in self._session.messages if message.who == who)


def _offers(text: str, options: Sequence[str]) -> bool:
    """Return whether a text names several options."""
    return sum(option in text for option in options) > 1


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

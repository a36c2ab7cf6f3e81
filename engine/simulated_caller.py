"""A simulated caller: takes the conditions of one branch, in a caller's own words, and knows what they mean."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from random import Random
from typing import Any

from dryline.engine.branches import Branch
from dryline.engine.builtin_model import BuiltInModel
from dryline.engine.caller_utterances import (
    CallerUtterance,
    closes,
    contradicts,
    gives_value,
    hesitate,
    is_urgent,
    language_of_menu,
    names_in,
    utter,
)
from dryline.engine.caller_values import (
    CallerValue,
    as_named,
    candidates,
    give_value,
    is_own,
    misread,
    named_in,
    numbers,
    offered_values,
    own_number,
    slots_in,
    yes_or_no,
)
from dryline.engine.condition_shares import collects, usual_weights
from dryline.engine.events import last_agent_text
from dryline.engine.language_model import MADE_UP, AgentUtterance, Answer, Decision, Question, Talk
from dryline.engine.planned_answers import PlannedAnswers
from dryline.engine.program import Condition, Loop, Program
from dryline.engine.returned_questions import invites_any_request
from dryline.engine.session import FlowSession
from dryline.engine.understanding.yes_or_no import last_question
from dryline.flow.model.agent import statement_for
from dryline.flow.model.answers.made_up import made_up, value_in_question
from dryline.flow.model.answers.shapes import shaped
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.spoken import speak
from dryline.flow.model.kinds import is_of_user, kind_of_question, language_of, part_of_name, read_values

MOST_TURNS = 40
MOST_IDLE = 12  # turns after the branch was taken: a caller does not stay in a flow that has no way out
# From this variant on, a caller takes conditions at random and gives numbers that the code compares with: an `if` may
# need two items in a cart, or a budget of 50,000.
RANDOM_WALKS = 8
_BUILT_IN = BuiltInModel()
# Kinds of values that callers give unasked, in a sentence of its own.
_ADDED = ("name", "code", "date", "phone", "email")
_ASIDE_SHARE = 0.06  # of the answers, before one of which a caller asks something else
_DAYS_TRIED = 20  # to name another day than the agent has named
_MOST_REPEATED = 6  # questions that the block of a condition hands back, before the caller says something else


class Caller:
    """A caller for `FlowSession.play`, and the session's language model: it knows what the caller means.

    `known` holds what is certain about the caller: `name`, `first`, `last`, `phone`, `email` and other slots. `natural`
    callers hesitate now and then, and ask back at most once, unless they are `typed`. `shares` overrides how usual
    conditions are, by their texts. `answers` has values that callers give whenever a slot of that name is asked for.
    """

    def __init__(
        self,
        program: Program,
        branch: Branch,
        random: Random,
        known: Mapping[str, Any] | None = None,
        *,
        natural: bool = False,
        typed: bool = False,
        shares: Mapping[str, float] | None = None,
        answers: Mapping[str, Any] | None = None,
    ) -> None:
        self.taken: list[Condition] = []
        self.asks: dict[int, list[Question]] = {}  # after each condition, the time that most was asked
        self._asked: list[Question] = []  # since a condition was last taken
        self._branch = branch
        self._path = list(branch.path)
        self._random = random
        self._known = known or {}
        self._shares = shares or {}
        self._answers = answers or {}
        self._natural = natural and not typed
        self._typed = typed
        self._hesitancy = random.choice((0.0, 0.1, 0.2, 0.35))
        seed = random.getrandbits(32) if branch.free else branch.variant
        self._deciding = Random(seed)
        self._decisions = f"{seed} "
        self._decided: Counter[tuple[int | None, str]] = Counter()
        self._candidates = candidates(program) if branch.variant and not branch.free else []
        self._numbers = numbers(program) if branch.variant >= RANDOM_WALKS and not branch.free else []
        self._counted = 0
        self._agent_said = ""
        self._heard = ""  # all that the agent has said
        self._now = datetime.now(UTC)
        self._planned = PlannedAnswers()
        self._repeated: Counter[int] = Counter()  # by condition: how often its block asked for a value again
        self._used: set[str] = set()  # phrases and sentences
        self._names = names_in(map(str, self._known.values()))  # that keep their capital letter behind "um"
        self._own_numbers: dict[str, Any] = {}
        self._codes: dict[str, str] = {}  # by their examples: the numbers that the caller has given last
        self._own_words = ""  # all that the caller has said
        self._next: Condition | None = None
        self._asks_back = self._has_asked_back = self._has_asked_aside = False
        self._detours = branch.variant // 2 % 4
        self._turns = self._idle = 0

    def __call__(self, session: FlowSession) -> str | None:
        """Return what the caller says now; None to hang up, after more turns than any purpose takes."""
        self._turns += 1
        self._idle += not self._path
        if self._turns > MOST_TURNS or self._idle > MOST_IDLE:
            return None
        self._now = session.now()
        loop = session.conversation.loop
        if loop is None or loop < 0:
            return self._random.choice(read_values(language_of(session.conversation.prompt))["waiting_says"])
        menu = tuple(session.waiting)
        is_english = language_of_menu(menu) == "en"  # what callers add to their answers is English
        may_ask_back = self._natural and is_english and self._turns > 2 and not self._has_asked_back
        self._asks_back = may_ask_back and self._random.random() < 0.03
        if self._asks_back:
            self._has_asked_back = True
            return self._random.choice(read_values()["asking_back_says"])
        latest = last_agent_text(session.messages)
        self._heard = f"{self._heard} {latest}"
        is_answer = self._next is None and self._turns > 1  # to a question in passing: the offers before it still hold
        self._agent_said = f"{self._agent_said} {latest}" if is_answer else latest
        self._next = None
        if is_english and (aside := self._aside(session)):
            return aside
        menu_of_loop = session.program.loops[loop]
        returned = session.conversation.returned()
        if returned is not None and (text := self._answer(menu_of_loop.conditions[returned.index], latest, menu)):
            return text
        self._next = self._choose_next(menu_of_loop)
        if self._next is None:
            return None
        condition = session.waiting[self._next.loop.conditions.index(self._next)]
        text = self._say(condition, menu, self._branch.asks.get(self._next.line, ()), self._next.line)
        hesitates = self._natural and not closes(condition) and self._random.random() < self._hesitancy
        return hesitate(text, self._random, self._names) if hesitates and is_english else text

    def _aside(self, session: FlowSession) -> str | None:
        """Return a question in passing that the conversation's first prompt answers, at most one; mostly None."""
        is_possible = self._natural and not self._has_asked_aside and any(map(gives_value, session.waiting))
        is_possible = is_possible and not any(is_urgent(each.text) for each in self.taken)
        if not is_possible or self._random.random() > _ASIDE_SHARE:
            return None
        self._has_asked_aside = True
        talk = session.conversation.talk()
        if talk.prompt == talk.first_prompt or kind_of_question(last_agent_text(talk.messages)) == "rating":
            return None
        agent_said = [message.text for message in talk.messages if message.who == "agent"]
        questions = read_values()["questions_in_passing"]
        answered = [each for each in questions if statement_for(talk.first_prompt, each, agent_said)]
        return self._random.choice(answered) if answered else None

    def _choose_next(self, loop: Loop) -> Condition | None:
        if not loop.conditions:
            return None
        for index, goal in enumerate(self._path):
            if goal.loop is loop:
                detour = self._detour(loop, goal)
                if detour is None:
                    del self._path[: index + 1]
                return detour or goal
        if self._branch.variant >= RANDOM_WALKS:
            return self._deciding.choice(loop.conditions)
        return self._usual(loop, loop.conditions)

    def _detour(self, loop: Loop, goal: Condition) -> Condition | None:
        """Return a condition to take before the wanted one, if there is one.

        Nobody says that they need nothing else before they needed something, and an order is not confirmed before it
        has an item.
        """
        before = [each for each in self.taken if each.loop is loop]
        others = [each for each in loop.conditions if not each.leaves and each is not goal]
        if closes(goal.text):
            others = [each for each in others if not closes(each.text)]
            if not before and collects(loop) and others:
                return others[0]  # nothing can be taken away or asked about before something was added
            again = collects(loop) and len(before) < 3 and self._random.random() < 0.5
            return self._usual(loop, others) if others and (not before or again) else None
        if not self._detours:
            return None
        self._detours -= 1
        others = [each for each in others if each not in self.taken and each not in self._path]
        return self._deciding.choice(others) if others else None

    def _usual(self, loop: Loop, conditions: list[Condition]) -> Condition:
        """Return one of the conditions, the usual ones more often."""
        weights = usual_weights(loop, conditions, self.taken, self._shares)
        return self._random.choices(conditions, weights)[0] if any(weights) else self._random.choice(conditions)

    def _answer(self, condition: Condition, agent_said: str, menu: tuple[str, ...]) -> str | None:
        """Return the answer to a question that the block of a condition handed back, if it asks for a value of it."""
        question = last_question(agent_said)
        if not question.endswith("?") or invites_any_request(question):
            return None
        places = self._planned.asked_again(condition.line, question)
        self._repeated[condition.line] += 1
        if not places or self._repeated[condition.line] > _MOST_REPEATED:
            return None
        self._next = condition
        give = partial(give_value, may_slip=self._natural, language=language_of_menu(menu), typed=self._typed)
        sentences = []
        for value in self._planned.complete(condition.line, places, self._value):
            sentences.append(give(value, agent_said, self._random, self._used, is_asked=True))
        return " ".join(sentences)

    def _say(self, condition: str, menu: tuple[str, ...], questions: tuple[Question, ...], line: int) -> str:
        """Return words for a condition, with some or all of the values that the flow asks for after it."""
        slots = [
            [CallerValue(slot, self._value(question, slot)) for slot in slots_in(question)] for question in questions
        ]
        unsaid = [slot for each in slots for slot in each if slot.value is not None]
        self._names |= names_in(str(slot.value) for slot in unsaid if slot.slot.kind == "name")
        sentences: list[str] = []
        left_out: list[CallerValue] = []
        gives = gives_value(condition)
        if not (gives and unsaid):
            utterance = self._utter(condition, menu, unsaid)
            sentences.append(utterance.text)
            slots = [[as_named(slot, utterance.text) for slot in each] for each in slots]
            unsaid = [
                slot
                for each in slots
                for slot in each
                if slot.value is not None and not slot.is_in(utterance) and not slot.is_known(self._own_words)
            ]
        if self._branch.brief and not gives and not contradicts(condition):
            left_out = [slot for slot in unsaid if slot.slot.kind not in _ADDED or self._random.random() > 0.3]
            left_out += [slot for slot in unsaid if slot not in left_out][1:]
        left_out = [slot for slot in left_out if slot.slot.key not in self._answers]
        give = partial(give_value, may_slip=self._natural, language=language_of_menu(menu), typed=self._typed)
        for slot in unsaid:
            if slot not in left_out:
                is_asked = bool(self._agent_said) and not sentences
                sentences.append(give(slot, self._agent_said, self._random, self._used, is_asked=is_asked))
        unspoken = {id(slot.slot) for slot in left_out}
        for question, known in zip(questions, slots, strict=True):
            silent = [index for index, slot in enumerate(known) if id(slot.slot) in unspoken]
            self._planned.plan(line, question, known, silent)
        self._own_words = f"{self._own_words} {' '.join(sentences)}"
        return " ".join(sentences)

    def _utter(self, condition: str, menu: tuple[str, ...], unsaid: list[CallerValue]) -> CallerUtterance:
        """Return words of somebody who meets the condition, with values of theirs in them."""
        if answer := yes_or_no(condition, menu, self._agent_said, self._random, self._used):
            return CallerUtterance(answer, frozenset())
        language = language_of_menu(menu)
        values = {name: str(value) for name, value in self._known.items() if value}
        for slot in unsaid:
            if isinstance(slot.value, (str, int, float)) and not isinstance(slot.value, bool):
                spoken = speak(slot.value, slot.slot.kind, self._random, language, typed=self._typed)
                values |= dict.fromkeys(slot.names, spoken)
        opening = self._turns == 1
        return utter(condition, values, self._random, opening=opening, avoid=self._used, menu=menu, typed=self._typed)

    def choose(self, talk: Talk, said: str) -> Decision:
        if self._next is None or self._asks_back:
            return Decision(None, "The caller asks something.", 1.0, "caller")
        condition = self._next
        self.taken.append(condition)
        self._asked = []
        index = condition.loop.conditions.index(condition)
        arguments = _BUILT_IN.arguments(replace(talk, unsaid=MADE_UP), index, said)
        return Decision(index, "It is what the caller is after.", 1.0, "caller", arguments)

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        if said is not None and self._asks_back:
            return AgentUtterance(last_agent_text(talk.messages), how="said again")
        return _BUILT_IN.reply(talk, said)

    def ask(self, question: Question) -> Answer:
        after = self._next.line if self._next else 0
        self._asked.append(question)
        if len(self._asked) > len(self.asks.get(after, ())):
            self.asks[after] = self._asked
        self._now = question.now or self._now
        for planned in self._planned.take(question):
            return Answer(planned, {}, "caller")
        if question.example is None and not isinstance(question.schema, dict):
            return _BUILT_IN.ask(question)
        if self._branch.brief and not (self._next and gives_value(self._next.text)):
            return Answer(self._planned.leave_out(after, question), {}, "caller")
        return Answer(shaped(question, partial(self._value, question)), {}, "caller")

    def summarize(self, question: Question) -> AgentUtterance:
        return _BUILT_IN.summarize(question)

    def _value(self, question: Question, slot: Slot) -> Any:
        """Return a value. One that an `if` may look at comes from the branch's variant, others from this caller.

        Each question has decisions of its own, so that they do not depend on what else is asked in a call.
        """
        if slot.key in self._answers:
            return self._answers[slot.key]
        place = question.line, slot.path
        self._decided[place] += 1
        deciding = Random(f"{self._decisions}{place} {self._decided[place]}")
        number = isinstance(slot.example, (int, float)) and not isinstance(slot.example, bool)
        if number and self._numbers and not slot.choices:
            self._counted += 1
            return type(slot.example)(self._numbers[self._branch.variant * self._counted % len(self._numbers)])
        offered = offered_values(slot, self._agent_said)
        if offered:
            return deciding.choice(offered)
        if slot.kind == "rating":  # most callers are content
            return max(made_up(slot, deciding, self._now)[0] for _ in range(6))
        if self._decided[place] == 1 and (named := named_in(self._own_words, slot)):
            return named
        if slot.choices or isinstance(slot.example, (bool, int, float)):
            return made_up(slot, deciding, self._now)[0]
        if slot.kind == "phone" and not is_of_user(slot.key, slot.question):
            return value_in_question(slot, (), MADE_UP)[0]
        if slot.kind in ("name", "phone", "email") and is_own(slot):
            known = self._known.get((slot.kind == "name" and part_of_name(slot.key)) or slot.kind)
            if isinstance(known, str) and known:
                return known
        if owner := own_number(slot):
            return self._own_numbers.setdefault(owner, made_up(slot, self._random, self._now)[0])
        if self._candidates and slot.kind == "text" and deciding.random() < 0.5:
            return deciding.choice(self._candidates)
        if slot.kind == "code" and self._next and contradicts(self._next.text) and slot.example_text in self._codes:
            self._codes[slot.example_text] = misread(self._codes[slot.example_text], self._random)
            return self._codes[slot.example_text]
        for _ in range(_DAYS_TRIED):
            value = made_up(slot, self._random, self._now)[0]
            if slot.kind != "date" or str(value) not in self._heard:
                break
        if slot.kind == "code":
            self._codes[slot.example_text] = str(value)
        return value

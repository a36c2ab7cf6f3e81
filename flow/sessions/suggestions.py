"""Sentences that a person who talks to a flow could say next: answers to the open question first, then other wishes."""

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property, lru_cache
from random import Random
from typing import Any

from dryline.flow.model.answers.slots import Slot, choices_in
from dryline.flow.model.caller_words import intent_of, role_of, sentences_with_value, utter
from dryline.flow.model.kinds import CODE, EMAIL, NUMBER, PHONE, YES_NO, kind_of, kind_of_question
from dryline.flow.model.questions import invites_any_request, last_question, options_of
from dryline.flow.model.understanding import Context, read_condition, understand
from dryline.flow.phrases import load

MAX_SUGGESTIONS = 3
_NO_MORE = "No, that's all."
_YES, _NO = "Yes.", "No."
_ATTEMPTS = 8
_COMMON = 10  # intents whose phrases have a word
_ASKS_FOR_MORE = re.compile(r"\b(?:anything|something) (?:else|more)\b|\bother questions?\b", re.IGNORECASE)
# In a flow's code, the example of a member (`"zip": "97209"` or `example["zip"] = "97209"`), and a named text.
_EXAMPLE = re.compile(r'"(\w+)"\]?(?: =|:) ("[^"\n]*"|\d+)')
_NAMED_EXAMPLE = re.compile(r'"(\w+)"\]?(?: =|:) (?:"[^"\n]*" if .* else )?([a-z_]+)[,}\n]')
_TEXT = re.compile(r'^([a-z_]+) = "([^"\n]* \| [^"\n]*)"', re.MULTILINE)


@dataclass(frozen=True)
class OpenQuestion:
    """The state of a talk that waits: the agent's last words, the open conditions, and the flow's code and words.

    `is_opening` says that the user has not spoken yet. `about` are the words that fit the flow.
    """

    agent: str
    conditions: Sequence[str]
    code: str = ""
    about: str = ""
    is_opening: bool = False

    @cached_property
    def text(self) -> str:
        """The last question of the agent."""
        return last_question(self.agent)

    @cached_property
    def takes_any_wish(self) -> bool:
        """Whether the question is about no matter of its own, such as "How can I help you?"."""
        if not self.agent or invites_any_request(self.text):
            return True
        return self.is_opening and not self.asks_for_value

    @cached_property
    def asks_for_value(self) -> bool:
        """Whether the question is for a value, such as a name, or between options."""
        kind = kind_of_question(self.text)
        return (kind is not None and kind is not YES_NO) or len(options_of(self.agent)) > 1

    @cached_property
    def ordered_conditions(self) -> list[str]:
        """The open conditions: first the two answers, which the code puts together for each question, then a person."""
        if self.takes_any_wish:
            return [*self.conditions]
        return sorted(self.conditions, key=lambda condition: (condition in self.code, not self._is_person(condition)))

    def _is_person(self, condition: str) -> bool:
        intent = intent_of(condition, tuple(self.conditions))
        return intent is not None and intent.name == "want_person"

    @cached_property
    def examples(self) -> dict[str, Any]:
        """The examples of the values for which the flow's code asks, by the members' names."""
        texts = dict(_TEXT.findall(self.code))
        named = {key: texts[name] for key, name in _NAMED_EXAMPLE.findall(self.code) if name in texts}
        literal = {key: text.strip('"') if text[0] == '"' else int(text) for key, text in _EXAMPLE.findall(self.code)}
        return {**named, **literal}

    def takes(self, sentence: str, condition: str | None = None) -> bool:
        """Return whether the model takes this condition for a sentence; without one, any but a catch-all."""
        index = understand([*self.conditions], sentence, Context(self.agent, "")).index
        if index is None:
            return False
        taken = self.conditions[index]
        if condition is None:
            return not read_condition(taken).is_catch_all
        return taken == condition


def suggest(question: OpenQuestion, random: Random, now: datetime) -> list[str]:
    """Return at most three sentences, each of which meets an open condition. The first one leads on."""
    sentences: list[str] = []
    for sentence in _candidates(question, random, now):
        if sentence not in sentences:
            sentences.append(sentence)
        if len(sentences) == MAX_SUGGESTIONS:
            break
    return sentences


def _candidates(question: OpenQuestion, random: Random, now: datetime) -> Iterator[str]:
    """Yield sentences that are understood, the best first."""
    if _ASKS_FOR_MORE.search(question.text) and question.takes(_NO_MORE):
        yield _NO_MORE
    if not question.takes_any_wish:
        yield from filter(question.takes, _value_sentences(question, random, now))

    for index, condition in enumerate(question.ordered_conditions):
        if read_condition(condition).is_catch_all or (question.takes_any_wish and _is_value(condition)):
            continue
        phrases = _condition_sentences(condition, question, random)
        if not question.takes_any_wish and index < 2:
            phrases.append((_YES, _NO)[index])
        sentence = next((text for text in phrases if question.takes(text, condition)), None)
        if sentence is not None:
            yield sentence


def _is_value(condition: str) -> bool:
    return role_of(condition) == "value"


def _value_sentences(question: OpenQuestion, random: Random, now: datetime) -> list[str]:
    """Return sentences that give what the question asks for: one of its options, else a value like the flow's."""
    options = options_of(question.agent)
    if len(options) > 1:
        return [_option_sentence(option, question.agent) for option in options]
    slot = _slot_asked_for(question, now)
    if slot is None:
        return []
    kind = kind_of(slot)
    # Numbers and addresses are checked by the flow, or known to its other servers: those of the code are good ones.
    is_checked = kind in (CODE, EMAIL, PHONE, NUMBER)
    value = slot.example if is_checked and slot.example else kind.make(random, slot)
    return [random.choice(sentences_with_value(value, slot))]


def _slot_asked_for(question: OpenQuestion, now: datetime) -> Slot | None:
    """Return the slot of the value that the question asks for, with the example of the flow's code if it has one."""
    question_words = set(re.findall(r"\w+", question.text.lower().replace("-", "")))
    slots = [
        Slot(example, key, choices=choices_in(example), question=question.text, agent=question.text, now=now)
        for key, example in question.examples.items()
    ]
    kind = kind_of_question(question.text)
    named = [slot for slot in slots if question_words & set(slot.label.split())]
    of_kind = [slot for slot in slots if kind_of(slot) is kind]
    if named or of_kind:
        return (named or of_kind)[0]
    return None if kind is None else Slot("", question=question.text, agent=question.text, now=now)


def _option_sentence(option: str, agent: str) -> str:
    """Return an option as the agent wrote it, as a sentence."""
    start = agent.lower().find(option)
    text = agent[start : start + len(option)] if start >= 0 else option
    return f"{text[:1].upper()}{text[1:]}, please."


def _condition_sentences(condition: str, question: OpenQuestion, random: Random) -> list[str]:
    """Return phrases for a condition, those with the fewest words that are foreign to the flow first."""
    menu = tuple(question.conditions)
    if intent_of(condition, menu) is None:
        return []
    known = _word_beginnings(" ".join((question.about, *menu))) | _common_words()
    options: dict[str, Any] = {"opening": question.is_opening, "avoid": set(), "menu": menu}
    says = [utter(condition, {}, random, **options) for _ in range(_ATTEMPTS)]
    ranks = {}
    for text in says:
        words = _word_beginnings(text)
        ranks[text] = (len(words - known), -len(words & _word_beginnings(condition)))
    return sorted(ranks, key=ranks.__getitem__)


def _word_beginnings(text: str) -> set[str]:
    """Return the first five letters of each word of a text with four letters or more."""
    return {word[:5] for word in re.findall(r"\w{4,}", text.lower())}


@lru_cache(maxsize=1)
def _common_words() -> frozenset[str]:
    """Return the words that phrases of many intents have, which fit any line."""
    intents = load().values()
    counts = Counter(word for intent in intents for word in _word_beginnings(" ".join((*intent.says, *intent.opens))))
    return frozenset(word for word, count in counts.items() if count >= _COMMON)

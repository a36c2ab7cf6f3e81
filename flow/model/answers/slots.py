"""A place for one value in an answer, and whether an utterance can fill it."""

import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import FREE_TEXTS, key_words, kind_of, kind_of_question, label_of

ASKS_FOR_PROBLEM = re.compile(
    r"\bwhat(?:'s| is| seems to be|) (?:going |gone )?(?:wrong|the (?:problem|issue|trouble|matter))\b", re.IGNORECASE
)
# Answers to questions of these kinds are no answers to others.
_ASKED_ALONE = {"time", "date", "birth", "phone", "email", "zip", "code", "name", "age", "money", "rating", "count"}
_ASKED_ALONE |= {"year"}


@dataclass(frozen=True)
class Slot:
    """A place for one value in the shape of an answer.

    `key` is its member's name, `path` all names up to it. `siblings` are the keys of the object, `others` its examples;
    `in_list` says that it is in a list.
    """

    example: Any
    key: str = ""
    path: str = ""
    choices: list[Any] | None = None
    question: str = ""
    siblings: tuple[str, ...] = ()
    in_list: bool = False
    others: dict[str, Any] = field(default_factory=dict)

    @cached_property
    def kind(self) -> str:
        if self.choices:
            return "choice"
        example = "" if self.example is None else self.example
        return kind_of(self.key, example, self.question, siblings=self.siblings, in_list=self.in_list)

    @cached_property
    def is_only_text(self) -> bool:
        """Whether no other free text of the same answer could be meant."""
        texts = [
            key
            for key, example in self.others.items()
            if " | " not in str(example) and kind_of(key, example, siblings=self.siblings) in FREE_TEXTS
        ]
        named = [key for key in texts if Slot(None, key).is_named_in(self.question)]
        return len(texts) <= 1 or named == [self.key]

    @property
    def example_text(self) -> str:
        return self.example if isinstance(self.example, str) else ""

    @property
    def is_end(self) -> bool:
        """Whether it is the later end of a span, such as `check_out`."""
        leaves = _words_of(self.key) & {"departure", "depart", "out"} and "return" in self._words_beside
        return bool(_words_of(self.key) & key_words("span_end")) and not leaves

    @property
    def has_span(self) -> bool:
        """Whether it is one end of a span whose other end is beside it."""
        own, beside = _words_of(self.key), self._words_beside
        if own & {"departure", "depart"} and "return" in beside:
            return True
        start, end = key_words("span_start"), key_words("span_end")
        return bool((own & end and beside & start) or (own & start and beside & end))

    @property
    def _words_beside(self) -> set[str]:
        return {word for key in self.siblings if key != self.key for word in _words_of(key)}

    def is_asked_for(self, utterance: Utterance) -> bool:
        """Return whether the agent had asked for this value, as far as that is known."""
        if not utterance.question or utterance.question.strip() == self.question.strip():
            return True
        words = set(re.findall(r"\w+", utterance.question.lower()))
        return kind_of_question(utterance.question) == self.kind or bool(set(label_of(self.key).split()) & words)

    def is_named_in(self, question: str) -> bool:
        """Return whether a question has a word of the key, or asks in other words for the problem that it is."""
        if self.kind == "reason" and ASKS_FOR_PROBLEM.search(question):
            return True
        words = {word.removesuffix("s") for word in re.findall(r"\w+", question.lower())}
        return bool({word.removesuffix("s") for word in label_of(self.key).split() if len(word) > 2} & words)

    def is_answered_by(self, utterance: Utterance) -> bool:
        """Return whether an utterance can answer this slot: not if the agent had asked for a value of another kind."""
        asked_kind = kind_of_question(utterance.question) if utterance.question else None
        if asked_kind is None or asked_kind == self.kind or asked_kind not in _ASKED_ALONE:
            return True
        return self.is_named_in(utterance.question) or utterance.question.strip() == self.question.strip()


def _words_of(key: str) -> set[str]:
    words = label_of(key).split()
    return {*words, *(word.removesuffix("s") for word in words)}

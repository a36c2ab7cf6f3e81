"""The interface to the language model: choose a condition, reply, answer questions about a text, summarize."""

from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any, Protocol

from dryline.flow.language.events import Message

NOTHING, MADE_UP = "none", "made-up"  # `unsaid`: the values of members that nobody said
NOT_SAID = "not said"  # the source of a member of an answer


@dataclass(slots=True)
class Returned:
    """The condition whose block handed back a value, and the block's questions that were not answered in full.

    `unanswered` has the arguments `question`, `example` and `schema` of each, and the paths of its `missing` members.
    """

    index: int
    unanswered: list[dict[str, Any]] = field(default_factory=list)


@dataclass(slots=True)
class Talk:
    """An open talk: its prompt, conditions as texts, tools by index, and the conversation so far.

    `note` is the value that a `return` handed back, and `returned` the condition that it belongs to. `taken_at` is the
    number of messages when a condition was last taken: earlier questions are answered. `random` repeats with the
    session's seed.
    """

    prompt: str
    conditions: list[str]
    tools: dict[int, dict[str, Any]]
    messages: list[Message]
    line: int
    condition_lines: list[int]
    note: str | None = None
    returned: Returned | None = None
    taken_at: int = 0
    known: dict[str, Any] = field(default_factory=dict)
    random: Random = field(default_factory=Random)
    now: datetime | None = None
    unsaid: str = NOTHING


@dataclass(frozen=True, slots=True)
class Question:
    """A flow's question about a text. A `schema` takes precedence over an `example`.

    `now` is the time of the conversation; `unsaid` says whether members that nobody said are None or invented.
    `choices` are the texts that the flow's code compares members with.
    """

    about: str
    question: str
    example: Any = None
    schema: Any = None
    line: int | None = None
    random: Random = field(default_factory=Random)
    now: datetime | None = None
    unsaid: str = NOTHING
    choices: dict[str, list[str]] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ForeseenQuestion:
    """A question about a talk that the code behind a condition asks.

    `example` and `schema` are those of the question, with a None for each value that is not known. `perhaps` has the
    members that the example has on some ways alone. A question that some ways do not ask is not certain.
    """

    line: int
    question: str
    example: Any
    schema: Any
    perhaps: frozenset[str]
    is_certain: bool


@dataclass(frozen=True, slots=True)
class Decision:
    """The choice of a condition, or none (`index` is None). `sure` is from 0 to 1, `by` the name of the model."""

    index: int | None
    why: str
    sure: float
    by: str = "built-in"
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class AgentUtterance:
    """An utterance of the agent. `how` is its source, if that is of interest."""

    text: str
    by: str = "built-in"
    how: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The answer to a question. `how` has the source of each member of the value, by its path (`items[0].name`)."""

    value: Any
    how: dict[str, str]
    by: str = "built-in"


class LanguageModel(Protocol):
    """A language model. Its methods never raise: a model that fails answers as the built-in one would."""

    def choose(self, talk: Talk, said: str) -> Decision: ...

    def reply(self, talk: Talk, said: str | None) -> AgentUtterance:
        """Return the agent's utterance: first or after a note (`said` is None), or if no condition holds."""

    def ask(self, question: Question) -> Answer: ...

    def summarize(self, question: Question) -> AgentUtterance: ...

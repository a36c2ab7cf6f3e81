"""Who decides what a model would: which condition holds, what to answer, what was said about a question."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime
from random import Random
from typing import Any, Protocol

from dryline.engine.events import Message

NOTHING, MADE_UP = "none", "made-up"  # `unsaid`: the values of members that nobody said


@dataclass(slots=True)
class Talk:
    """A talk that is open: its `prompt`, its conditions as texts, the tools among them (by index), and how the
    conversation has gone. `note` is what a `return` handed back. `random` repeats with the session's seed."""

    prompt: str
    conditions: list[str]
    tools: dict[int, dict[str, Any]]
    messages: list[Message]
    line: int
    condition_lines: list[int]
    note: str | None = None
    known: dict[str, Any] = field(default_factory=dict)
    random: Random = field(default_factory=Random)
    now: datetime | None = None
    unsaid: str = NOTHING


@dataclass(frozen=True, slots=True)
class Question:
    """A flow's question about a text. A `schema` goes before an `example`.

    `now` is the time of the conversation; `unsaid` says whether members that nobody said are None or invented.
    """

    about: str
    question: str
    example: Any = None
    schema: Any = None
    line: int | None = None
    random: Random = field(default_factory=Random)
    now: datetime | None = None
    unsaid: str = NOTHING


@dataclass(frozen=True, slots=True)
class Decision:
    """`index` is None when no condition holds yet. `sure` runs from 0 to 1. `by` names who decided."""

    index: int | None
    why: str
    sure: float
    by: str = "built-in"
    arguments: dict[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Words:
    """Something to say. `how` tells where it comes from, when that is worth telling."""

    text: str
    by: str = "built-in"
    how: str | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """`how` says of each member of the value where it comes from, under its path (`items[0].name`)."""

    value: Any
    how: dict[str, str]
    by: str = "built-in"


class Judge(Protocol):
    """What a session asks. An answer never raises: a judge that cannot, answers as the built-in one would."""

    def choose(self, talk: Talk, said: str) -> Decision: ...

    def reply(self, talk: Talk, said: str | None) -> Words:
        """What the agent says in a talk: at its start or with a note (`said` is None), or as no condition holds."""

    def ask(self, question: Question) -> Answer: ...

    def summarize(self, question: Question) -> Words: ...

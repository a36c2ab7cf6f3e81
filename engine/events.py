"""What happens in a session, in the order that it happens."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """`line` is the line of the flow that it comes from, where one can be named.

    type         details
    said         text, by (say, talk), exact; of a talk: prompt, judgedBy, how (who found the words)
    heard        text
    taken        condition, index, why, sure (0 to 1), by; arguments of a tool
    asked        question, value, example, how (member of the value -> where it comes from), by
    summarized   text, by
    extracted    key, value
    printed      text
    requested    method, url, and status or error
    integrated   app, action, arguments
    sms          from, to, content
    digits       digits
    image        url
    transferred  number, and extension, pauseSeconds, sipDomain, message where given
    waiting      after done()
    ended        why (end of the flow, end_call, transfer)
    failed       error, exception, column, function, sentence, traceback
    """

    type: str
    line: int | None = None
    details: dict[str, Any] = field(default_factory=dict)

    def as_dict(self) -> dict[str, Any]:
        return {"type": self.type, "line": self.line, **self.details}

    def __getitem__(self, name: str) -> Any:
        return self.details[name]


@dataclass(frozen=True, slots=True)
class Message:
    """A line of the conversation: who (agent, user) said what."""

    who: str
    text: str


def transcript(messages: list[Message]) -> str:
    """A line each."""
    return "\n".join(f"{message.who.title()}: {' '.join(message.text.splitlines())}" for message in messages)

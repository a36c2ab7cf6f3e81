"""Trace events of a session, and the messages of its conversation."""

from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True)
class Event:
    """A trace event. `line` is the flow's line, where there is one.

    Events in this form are public: /_dryline/talk, `dryline talk` and the logs of the engine's endpoint have them.

    type         details
    said         text, by (say, talk), exact; of a talk: prompt, judgedBy (the model), how (source of the words)
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
    transferred  number, and perhaps extension, pauseSeconds, sipDomain, message
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
    """A message of the conversation. `who` is `agent` or `user`."""

    who: str
    text: str


def transcript(messages: list[Message]) -> str:
    """Return the messages as text, one line each."""
    return "\n".join(f"{message.who.title()}: {' '.join(message.text.splitlines())}" for message in messages)


def last_agent_text(messages: list[Message]) -> str:
    """Return the text of the agent's newest message; empty if there is none."""
    return next((message.text for message in reversed(messages) if message.who == "agent"), "")

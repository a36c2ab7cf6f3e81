"""A request of the engine's own endpoint and what comes of it, as plain values."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from dryline.engine.events import Message

_ROLES = {"user": "user", "assistant": "agent"}  # of OpenAI's messages: who speaks in a flow


@dataclass(frozen=True, slots=True)
class Asked:
    """One request. `session` is the id that the caller gave the conversation; `state` counts in its first request."""

    worker_id: str
    session: str
    messages: list[dict[str, str]]
    model: str
    flow_id: str | None = None
    state: dict[str, Any] | None = None

    @property
    def said(self) -> str | None:
        """What is new: the last message of the user."""
        spoken = [message["content"] for message in self.messages if message["role"] == "user"]
        return spoken[-1] if spoken else None

    @property
    def tokens(self) -> int:
        """Of all that was sent."""
        return sum(tokens(message["content"]) for message in self.messages)

    @property
    def history(self) -> list[Message]:
        """What went before, for a conversation that is new here."""
        found = [Message(_ROLES[one["role"]], one["content"]) for one in self.messages if one["role"] in _ROLES]
        last = max((index for index, one in enumerate(found) if one.who == "user"), default=len(found))
        return found[:last]


@dataclass(frozen=True, slots=True)
class Completion:
    """What the agent says to it, a piece for each time that it speaks; and why the flow failed, if it did."""

    pieces: list[str]
    prompt_tokens: int
    failure: str | None = None

    @property
    def content(self) -> str:
        """All of it."""
        return "\n".join(self.pieces)

    @property
    def usage(self) -> dict[str, int]:
        """Tokens, as OpenAI tells them."""
        told = tokens(self.content)
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": told,
            "total_tokens": self.prompt_tokens + told,
        }


def tokens(text: str) -> int:
    """Four characters make a token. Assumed."""
    return -(-len(text) // 4)

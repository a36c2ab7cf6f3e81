"""A request to the engine's endpoint and its result, as plain values."""

from dataclasses import dataclass
from typing import Any

from dryline.flow.language.events import Message

_ROLES = {"user": "user", "assistant": "agent"}  # roles of OpenAI's messages, and of a flow's


@dataclass(frozen=True, slots=True)
class CompletionRequest:
    """One request. `session` is the caller's id of the conversation; `state` is used in its first request only."""

    worker_id: str
    session: str
    messages: list[dict[str, str]]
    model: str
    flow_id: str | None = None
    state: dict[str, Any] | None = None

    @property
    def utterance(self) -> str | None:
        """The last message of the user, which is the new one."""
        utterances = [message["content"] for message in self.messages if message["role"] == "user"]
        return utterances[-1] if utterances else None

    @property
    def tokens(self) -> int:
        """The number of tokens in all messages."""
        return sum(tokens(message["content"]) for message in self.messages)

    @property
    def history(self) -> list[Message]:
        """The messages before the new one."""
        messages = [Message(_ROLES[one["role"]], one["content"]) for one in self.messages if one["role"] in _ROLES]
        last = max((index for index, one in enumerate(messages) if one.who == "user"), default=len(messages))
        return messages[:last]


@dataclass(frozen=True, slots=True)
class Completion:
    """The agent's answer, one piece for each utterance, and the error if the flow failed."""

    pieces: list[str]
    prompt_tokens: int
    failure: str | None = None

    @property
    def content(self) -> str:
        """The whole answer."""
        return "\n".join(self.pieces)

    @property
    def usage(self) -> dict[str, int]:
        """The token counts in OpenAI's form."""
        completion_tokens = tokens(self.content)
        return {
            "prompt_tokens": self.prompt_tokens,
            "completion_tokens": completion_tokens,
            "total_tokens": self.prompt_tokens + completion_tokens,
        }


def tokens(text: str) -> int:
    """Return the number of tokens, assuming four characters for each."""
    return -(-len(text) // 4)

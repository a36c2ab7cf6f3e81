"""Requests to a language model: events of a conversation, and what the LLM logs show of them."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from dryline.flow.language.events import Event


@dataclass(frozen=True, slots=True)
class ModelRequest:
    """A request to a language model: a prompt with the messages so far, or a question `about` a text.

    `heard` counts the messages before it, `tools` are the conditions to choose from, `by` is what decided in the
    model's place.
    """

    prompt: str
    heard: int = 0
    about: str | None = None
    tools: tuple[str, ...] = ()
    by: str = "built-in"


class ModelCall(NamedTuple):
    """A request to a language model, the event that it led to, and its times, in seconds from the start."""

    request: ModelRequest
    event: Event
    asked_at: float
    answered_at: float

    def request_body(self, messages: Sequence[dict[str, str]]) -> dict[str, Any]:
        """Return what a model would have been sent; it names no model. `messages` are those of the conversation."""
        request = self.request
        sent = [{"role": "system", "content": request.prompt}]
        if request.about is not None:
            sent.append({"role": "user", "content": request.about})
        else:
            sent += messages[: request.heard]
        body: dict[str, Any] = {"messages": sent, "temperature": 0.3, "stream": self.event.type == "said"}
        if request.tools:
            functions = ({"name": f"until_{index}", "description": text} for index, text in enumerate(request.tools))
            body["tools"] = [{"type": "function", "function": function} for function in functions]
        return {"json": body}

    def response_body(self, tokens_in: int, tokens_out: int) -> dict[str, Any]:
        """Return what a model would have answered."""
        reason = "tool_calls" if self.event.type == "taken" else "stop"
        usage = {"prompt_tokens": tokens_in, "completion_tokens": tokens_out, "total_tokens": tokens_in + tokens_out}
        choices = [{"index": 0, "message": self._answer, "finish_reason": reason}]
        return {"statusCode": 200, "json": {"choices": choices, "usage": usage}}

    def tokens(self, characters_before: Sequence[int]) -> tuple[int, int]:
        """Estimate the tokens of request and answer: four characters make one.

        `characters_before` has the number of characters of the first messages, by their number.
        """
        request, answer = self.request, self._answer
        if request.about is None:
            before = characters_before[min(request.heard, len(characters_before) - 1)]
        else:
            before = len(request.about)
        return (len(request.prompt) + before) // 4, len(answer["content"] or str(answer)) // 4

    @property
    def _answer(self) -> dict[str, Any]:
        """The message that the model answered with."""
        event = self.event
        if event.type == "taken":
            arguments = orjson.dumps(event.details.get("arguments") or {}).decode()
            function = {"name": f"until_{event['index']}", "arguments": arguments}
            calls = [{"id": f"call_{event.line}", "type": "function", "function": function}]
            return {"role": "assistant", "content": None, "tool_calls": calls}
        content = orjson.dumps(event["value"]).decode() if event.type == "asked" else event["text"]
        return {"role": "assistant", "content": content}

"""Schemas of OpenAI's chat completions. Contract: based.md, 5.1."""

from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, fields, validate

from dryline.schemas.base import Boolean, Integer
from dryline.schemas.talk_sessions import LONGEST


class Content(fields.Field):
    """A text, or a list of text parts, loaded as text. Parts of other kinds are loaded as empty text."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        parts = value if isinstance(value, list) else [value]
        texts = []
        for part in parts:
            text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part
            if not isinstance(text, str):
                raise ValidationError("Must be a text, or a list of text parts.")
            texts.append(text)
        return "\n".join(texts)


class MessageBody(Schema):
    """A message of the conversation."""

    role = fields.String(required=True)
    content = Content(load_default="", allow_none=True)


class StreamOptionsBody(Schema):
    """Options of a stream."""

    include_usage = Boolean(load_default=False)


class CompletionBody(Schema):
    """A request for a completion. Options that only concern the sampling of a language model are ignored."""

    model = fields.String(load_default="")
    messages = fields.List(fields.Nested(MessageBody(unknown=EXCLUDE)), required=True, validate=validate.Length(1))
    stream = Boolean(load_default=False, allow_none=True)
    n = Integer(allow_none=True, validate=validate.Equal(1, error="A flow gives one answer, so n must be 1."))
    response_format = fields.Dict(allow_none=True)
    stream_options = fields.Nested(StreamOptionsBody(unknown=EXCLUDE), load_default=None)


def read_completion(body: Any) -> dict[str, Any]:
    """Return a request's fields. Raises ValidationError."""
    completion: dict[str, Any] = CompletionBody(unknown=EXCLUDE).load(body)  # type: ignore[assignment]  # one, not many
    for message in completion["messages"]:
        message["content"] = message["content"] or ""
    response_type = (completion.get("response_format") or {}).get("type", "text")
    if response_type != "text":
        raise ValidationError("A flow answers with text, so response_format must be text.", "response_format")
    if any(len(message["content"]) > LONGEST for message in completion["messages"] if message["role"] == "user"):
        raise ValidationError(f"A user's message has at most {LONGEST:,} characters.", "messages")
    return completion

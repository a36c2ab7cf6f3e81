"""OpenAI's chat completions on the wire. Contract: based.md, 5.1."""

from __future__ import annotations

from typing import Any

from marshmallow import EXCLUDE, Schema, ValidationError, fields, validate

from dryline.schemas.base import Boolean
from dryline.schemas.talk_sessions import LONGEST


class Content(fields.Field):
    """A text, or a list of text parts. Loads as the text; what is no text, as an empty one."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> str:
        parts = value if isinstance(value, list) else [value]
        found = []
        for part in parts:
            text = part.get("text") if isinstance(part, dict) and part.get("type") == "text" else part
            if not isinstance(text, str):
                raise ValidationError("Must be a text, or a list of text parts.")
            found.append(text)
        return "\n".join(found)


class MessageBody(Schema):
    """One message of the conversation."""

    role = fields.String(required=True)
    content = Content(load_default="", allow_none=True)


class StreamOptions(Schema):
    """What else a stream tells."""

    include_usage = Boolean(load_default=False)


class CompletionBody(Schema):
    """A request. What else clients send is of models, of which there is none."""

    model = fields.String(load_default="")
    messages = fields.List(fields.Nested(MessageBody(unknown=EXCLUDE)), required=True, validate=validate.Length(1))
    stream = Boolean(load_default=False, allow_none=True)
    stream_options = fields.Nested(StreamOptions(unknown=EXCLUDE), load_default=None, allow_none=True)


def read_completion(body: Any) -> dict[str, Any]:
    """A request's members. Raises ValidationError."""
    read: dict[str, Any] = CompletionBody(unknown=EXCLUDE).load(body)  # type: ignore[assignment]  # one, not many
    for message in read["messages"]:
        message["content"] = message["content"] or ""
    if any(len(message["content"]) > LONGEST for message in read["messages"] if message["role"] == "user"):
        raise ValidationError(f"A user's message has at most {LONGEST:,} characters.", "messages")
    return read

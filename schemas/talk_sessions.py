"""Schemas of conversations with flows."""

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from dryline.schemas.base import ApiSchema, Integer, JsonObject, OneOf, PartSchema, Timestamp

LONGEST = 20_000  # characters of one turn
_SOURCES = ("flow_id", "deployment_id", "code")


class TalkSessionSchema(ApiSchema):
    """A conversation with a flow."""

    id = fields.String()
    created_at = Timestamp()
    updated_at = Timestamp()
    worker_id = fields.String(allow_none=True)
    flow_id = fields.String(allow_none=True)
    deployment_id = fields.String(allow_none=True)
    turns = Integer(metadata={"description": "number of turns"})
    waiting = fields.List(fields.String(), metadata={"description": "conditions that the flow waits for"})
    ended = fields.String(
        allow_none=True,
        metadata={"description": "reason of the end: `end of the flow`, `end_call`, `transfer` or `failed`"},
    )
    failure = JsonObject(allow_none=True, metadata={"description": "error with the flow's line and traceback"})
    extracted = JsonObject(metadata={"description": "values that the flow extracted"})
    state = JsonObject(metadata={"description": "the flow's `state`"})
    events = fields.List(JsonObject(), metadata={"description": "events of this turn, or of all turns if retrieved"})


class HttpStubSchema(PartSchema):
    """A response to the requests of a flow. `error` is raised in the flow instead."""

    url = fields.String(
        required=True,
        validate=validate.Length(1, 2_000),
        metadata={"description": "address; `*` stands for any text, and the query string counts only if it has a `?`"},
    )
    method = fields.String(validate=validate.Length(1, 20))
    status = Integer(validate=validate.Range(100, 599), metadata={"description": "default: 200"})
    json = fields.Raw(allow_none=True, metadata={"description": "body as JSON"})
    text = fields.String(metadata={"description": "body as text"})
    headers = JsonObject()
    error = fields.String(
        validate=OneOf("timeout", "connection"),
        metadata={"description": "failure of the request, instead of a response"},
    )
    times = Integer(validate=validate.Range(min=1), metadata={"description": "number of requests; default: all"})


def require_text_or_number(value: Any) -> None:
    """Check the type of a condition. Raises ValidationError."""
    if isinstance(value, bool) or not isinstance(value, str | int):
        raise ValidationError("Not a text or a number.")


def require_object_or_list(value: Any) -> None:
    """Check the type of the answers in a turn. Raises ValidationError."""
    if not isinstance(value, dict | list):
        raise ValidationError("Not an object or a list.")


class TalkBody(ApiSchema):
    """A conversation to start: its flow (`flowId`, `deploymentId` or `code`) and the flow's input."""

    flow_id = fields.String()
    deployment_id = fields.String()
    code = fields.String(metadata={"description": "source code in Based, instead of a flow"})
    variables = JsonObject(metadata={"description": "variables that override those of the flow and the deployment"})
    state = JsonObject(metadata={"description": "initial `state` of the flow; on `voice` it has `Caller`, a number"})
    channel = fields.String(
        validate=OneOf("voice", "chat"),
        metadata={
            "description": "channel of the conversation; `transfer` and `end_call` exist on `voice` only; "
            "default: the deployment's channel"
        },
    )
    seed = Integer(load_default=0, metadata={"description": "the same seed and words give the same conversation"})
    unsaid = fields.String(
        validate=OneOf("none", "made-up"),
        load_default="none",
        metadata={
            "description": "values of the members of an `ask` that nobody said: `none` for null, `made-up` for "
            "plausible ones, which repeat with the seed"
        },
    )
    say = fields.String(validate=validate.Length(max=LONGEST), metadata={"description": "first message of the user"})
    answers = JsonObject(metadata={"description": "answers to the flow's `ask` in all turns, by member or question"})
    http = fields.List(
        fields.Nested(HttpStubSchema),
        validate=validate.Length(max=200),
        metadata={"description": "responses to the flow's requests, instead of a network; the first that fits counts"},
    )

    @validates_schema
    def require_one_source(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that exactly one flow is named."""
        if sum(name in data for name in _SOURCES) != 1:
            raise ValidationError("One of flowId, deploymentId and code must be sent.")


class TurnBody(ApiSchema):
    """A turn of the user."""

    say = fields.String(validate=validate.Length(max=LONGEST), metadata={"description": "words of the user"})
    choose = fields.Raw(
        validate=require_text_or_number, metadata={"description": "condition to take, by its text or its number from 0"}
    )
    arguments = JsonObject(metadata={"description": "arguments of a chosen condition that is a tool"})
    answers = fields.Raw(
        validate=require_object_or_list,
        metadata={
            "description": "answers to the flow's `ask` in this turn: an object by the name of the member or the "
            "question, or a list with one answer for each question"
        },
    )

    @validates_schema
    def require_turn(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that there are words or a condition, and arguments only with a condition."""
        if not {"say", "choose"} & set(data):
            raise ValidationError("Either say or choose must be sent.")
        if "arguments" in data and "choose" not in data:
            raise ValidationError("Only with choose.", "arguments")

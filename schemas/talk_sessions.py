"""Schemas of conversations with flows."""

from __future__ import annotations

from typing import Any

from marshmallow import ValidationError, fields, validate, validates_schema

from dryline.schemas.base import ApiSchema, Integer, JsonObject, OneOf, Timestamp

LONGEST = 20_000  # characters of one turn
_SOURCES = ("flow_id", "deployment_id", "code")


class TalkSessionSchema(ApiSchema):
    """A conversation with a flow."""

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)
    worker_id = fields.String(dump_only=True, allow_none=True)
    flow_id = fields.String(dump_only=True, allow_none=True)
    deployment_id = fields.String(dump_only=True, allow_none=True)
    turns = Integer(dump_only=True, metadata={"description": "number of turns"})
    waiting = fields.List(
        fields.String(), dump_only=True, metadata={"description": "conditions that the flow waits for"}
    )
    ended = fields.String(
        dump_only=True,
        allow_none=True,
        metadata={"description": "reason of the end: `end of the flow`, `end_call`, `transfer` or `failed`"},
    )
    failure = JsonObject(
        dump_only=True, allow_none=True, metadata={"description": "error with the flow's line and traceback"}
    )
    extracted = JsonObject(dump_only=True, metadata={"description": "values that the flow extracted"})
    state = JsonObject(dump_only=True, metadata={"description": "the flow's `state`"})
    events = fields.List(
        JsonObject(),
        dump_only=True,
        metadata={"description": "events of this turn; when the conversation is retrieved, all events"},
    )


class TalkBody(ApiSchema):
    """A conversation to start: its flow (`flowId`, `deploymentId` or `code`) and the flow's input."""

    flow_id = fields.String()
    deployment_id = fields.String()
    code = fields.String(metadata={"description": "source code in Based, instead of a flow"})
    variables = JsonObject(metadata={"description": "variables that override those of the flow and the deployment"})
    state = JsonObject(metadata={"description": "initial `state` of the flow"})
    channel = fields.String(
        validate=OneOf("voice", "chat"),
        metadata={
            "description": "channel of the conversation; `transfer` and `end_call` exist on `voice` only; "
            "default: the deployment's channel"
        },
    )
    seed = Integer(
        load_default=0,
        metadata={"description": "seed of the conversation; the same seed and words give the same conversation"},
    )
    say = fields.String(
        validate=validate.Length(max=LONGEST), metadata={"description": "messages before the flow's first turn"}
    )

    @validates_schema
    def demand_one_source(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that exactly one flow is named."""
        if sum(name in data for name in _SOURCES) != 1:
            raise ValidationError("One of flowId, deploymentId and code must be sent.")


class TurnBody(ApiSchema):
    """A turn of the user."""

    say = fields.String(validate=validate.Length(max=LONGEST), metadata={"description": "words of the user"})
    choose = fields.String(metadata={"description": "condition to take, by its text or its number from 0"})

    @validates_schema
    def demand_one_turn(self, data: dict[str, Any], **kwargs: Any) -> None:
        """Check that there are either words or a condition."""
        if len(data) != 1:
            raise ValidationError("Either say or choose must be sent.")

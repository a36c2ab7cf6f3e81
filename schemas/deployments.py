"""Schemas that deployments of all channels share."""

from typing import Any

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Boolean, Number, OneOf, PartSchema, Timestamp
from dryline.schemas.json_text import StoredAsSent


class DeploymentSchema(ApiSchema):  # Contract: records.any_deployment
    """The fields of deployments of all channels."""

    id = fields.String()
    name = fields.String()
    type = fields.String(metadata={"description": "channel: Voice, VoiceV1, Chat or ChatEmbed"})
    status = fields.String(
        validate=OneOf("ACTIVE", "CREATING", "INACTIVE"),
        metadata={"description": "status of the deployment, initially ACTIVE"},
    )
    worker_id = fields.String()
    flow_id = fields.String()
    created_at = Timestamp()
    updated_at = Timestamp()


class SuccessItemSchema(PartSchema):
    """A check of a group."""

    title = fields.String(required=True, metadata={"description": "name of the check"})
    description = fields.String(required=True, metadata={"description": "question that is judged"})
    type = fields.String(
        required=True,
        validate=OneOf("BINARY", "SCORE"),
        metadata={"description": "kind of result: BINARY is passed or failed, SCORE is a number"},
    )
    threshold = Number(required=True, metadata={"description": "score from which the check is passed"})


class SuccessCriterionSchema(PartSchema):  # Contract: records.success_criterion
    """A group of checks for each conversation."""

    title = fields.String(required=True, metadata={"description": "name of the group"})
    description = fields.String()
    items = fields.List(StoredAsSent(SuccessItemSchema), required=True)


class ExtractionSchema(PartSchema):  # Contract: records.extraction_definition
    """The definition of a value to extract from conversations."""

    type = fields.String(
        required=True, validate=OneOf("string", "number", "boolean"), metadata={"description": "type of the value"}
    )
    description = fields.String(required=True, metadata={"description": "meaning of the value"})
    required = Boolean(metadata={"description": "whether the value must be found"})


def extractions(**kwargs: Any) -> fields.Dict:
    """Return a field of definitions of values to extract, by key."""
    return fields.Dict(keys=fields.String(), values=StoredAsSent(ExtractionSchema), **kwargs)


def success_criteria(**kwargs: Any) -> fields.List:
    """Return a field of groups of checks."""
    return fields.List(StoredAsSent(SuccessCriterionSchema), **kwargs)

"""Schemas of deployment parameters."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Timestamp
from dryline.schemas.row_schemas import RowSchema


class DeploymentParameterSchema(ApiSchema):  # Contract: records.deployment_parameter
    """A parameter of a deployment."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("description",)

    id = fields.String(dump_only=True)
    deployment_id = fields.String(dump_only=True)
    name = fields.String(required=True, metadata={"description": "name of the flow's variable"})
    value = fields.Raw(required=True, metadata={"description": "value, usually text; any JSON except null is accepted"})
    description = fields.String()
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


ROWS = {"deploymentParameters": RowSchema(DeploymentParameterSchema, "deploymentId name value")}

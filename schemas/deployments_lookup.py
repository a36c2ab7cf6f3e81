"""Schemas of deployments of any channel."""

from typing import Any

from marshmallow import ValidationError, fields

from dryline.schemas.base import JsonObject, QuerySchema
from dryline.schemas.chat_deployments import ChatDeploymentSchema
from dryline.schemas.chat_embed_deployments import ChatEmbedDeploymentSchema
from dryline.schemas.deployment_parameters import DeploymentParameterSchema
from dryline.schemas.deployments import DeploymentSchema, success_criteria
from dryline.schemas.voice_deployments import VoiceDeploymentSchema
from dryline.schemas.voicev1_deployments import VoiceV1DeploymentSchema

BASE = set(DeploymentSchema().fields)
INCLUDES = {
    "sentinelAssignments": "sentinel_assignments",
    "successCriteria": "success_criteria",
    "deploymentParameters": "deployment_parameters",
}


class AnyDeploymentSchema(
    VoiceDeploymentSchema, VoiceV1DeploymentSchema, ChatDeploymentSchema, ChatEmbedDeploymentSchema
):
    """A deployment with the fields of its channel."""

    # Contract: records.any_deployment.

    class Meta(DeploymentSchema.Meta):
        null_in_answers = tuple(
            {
                *VoiceDeploymentSchema.Meta.null_in_answers,
                *VoiceV1DeploymentSchema.Meta.null_in_answers,
                *ChatDeploymentSchema.Meta.null_in_answers,
                *ChatEmbedDeploymentSchema.Meta.null_in_answers,
            }
            - {"success_criteria"}  # which is there if it is included, and is a list then
        )

    sentinel_assignments = fields.List(JsonObject(), metadata={"description": "only if included"})
    success_criteria = success_criteria(
        attribute="included_success_criteria", metadata={"description": "only if included"}
    )
    deployment_parameters = fields.List(
        fields.Nested(DeploymentParameterSchema), metadata={"description": "only if included"}
    )


AnyDeploymentSchema.Meta.sometimes = tuple(set(AnyDeploymentSchema().fields) - BASE)


class IncludeList(fields.String):
    """Names of related records to include, separated by commas."""

    def _deserialize(self, value: Any, attr: Any, data: Any, **kwargs: Any) -> Any:
        names = [name.strip() for name in super()._deserialize(value, attr, data, **kwargs).split(",") if name.strip()]
        unknown = [name for name in names if name not in INCLUDES]
        if unknown:
            raise ValidationError(f"Unknown: {', '.join(unknown)}. Known: {', '.join(INCLUDES)}.")
        return tuple(INCLUDES[name] for name in names)


class LookupQuerySchema(QuerySchema):
    """Options for a deployment."""

    include = IncludeList(metadata={"description": f"comma-separated: {', '.join(INCLUDES)}"})

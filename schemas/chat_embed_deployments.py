"""Schemas of chat widget deployments."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject
from dryline.schemas.deployments import DeploymentSchema
from dryline.schemas.row_schemas import RowSchema


class ChatEmbedDeploymentUpdateBody(ApiSchema):
    """Changes of a chat widget deployment."""

    name = fields.String(required=True)
    flow_id = fields.String(required=True)
    welcome_message = fields.String()
    agent_name = fields.String()
    agent_logo_url = fields.String()
    primary_color = fields.String()
    styling: fields.Field = fields.Dict(keys=fields.String(), values=fields.String())


class ChatEmbedDeploymentBody(ChatEmbedDeploymentUpdateBody):
    """A chat widget deployment to create."""

    flow_version_id = fields.String()


class ChatEmbedDeploymentSchema(ChatEmbedDeploymentBody, DeploymentSchema):  # Contract: records.chat_embed_deployment
    """A deployment of a flow as a chat widget."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("agent_name", "agent_logo_url", "primary_color", "welcome_message", "flow_version_id")

    embed_id = fields.String()
    styling = JsonObject(allow_none=True)


ROWS = {"chatEmbedDeployments": RowSchema(ChatEmbedDeploymentSchema, "workerId flowId name")}

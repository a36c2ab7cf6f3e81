"""Schemas of chat widget deployments."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject
from dryline.schemas.deployments import DeploymentSchema
from dryline.schemas.row_schemas import RowSchema


class ChatEmbedDeploymentSchema(DeploymentSchema):  # Contract: records.chat_embed_deployment
    """A deployment of a flow as a chat widget."""

    embed_id = fields.String()
    agent_name = fields.String(allow_none=True)
    agent_logo_url = fields.String(allow_none=True)
    primary_color = fields.String(allow_none=True)
    styling = JsonObject(allow_none=True)
    welcome_message = fields.String(allow_none=True)
    flow_version_id = fields.String(allow_none=True)


class ChatEmbedDeploymentUpdateBody(ApiSchema):
    """Changes of a chat widget deployment."""

    name = fields.String(required=True)
    flow_id = fields.String(required=True)
    welcome_message = fields.String()
    agent_name = fields.String()
    agent_logo_url = fields.String()
    primary_color = fields.String()
    styling = fields.Dict(keys=fields.String(), values=fields.String())


class ChatEmbedDeploymentBody(ChatEmbedDeploymentUpdateBody):
    """A chat widget deployment to create."""

    flow_version_id = fields.String()


ROWS = {"chatEmbedDeployments": RowSchema(ChatEmbedDeploymentSchema, "workerId flowId name")}

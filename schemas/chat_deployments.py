"""Schemas of chat deployments."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject
from dryline.schemas.deployments import DeploymentSchema, extractions, success_criteria
from dryline.schemas.json_text import StringsAsText
from dryline.schemas.row_schemas import RowSchema, TextsAsText


class ChatDeploymentUpdateBody(ApiSchema):
    """Changes of a chat deployment."""

    name = fields.String(required=True)
    flow_id = fields.String(required=True)
    allowed_users: fields.Field = StringsAsText()
    welcome_message = fields.String()
    llm_model = fields.String()
    model_config: fields.Field = fields.Dict(keys=fields.String(), values=fields.String())
    extractions = extractions()
    success_criteria = success_criteria()


class ChatDeploymentBody(ChatDeploymentUpdateBody):
    """A chat deployment to create."""

    flow_version_id = fields.String()


class ChatDeploymentSchema(ChatDeploymentBody, DeploymentSchema):  # Contract: records.chat_deployment
    """A deployment of a flow as a chat agent."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("welcome_message", "llm_model", "flow_version_id", "extractions", "success_criteria")

    chat_agent_id = fields.String()
    allowed_users = fields.String(metadata={"description": "JSON text of the array"})
    model_config = JsonObject()


ROWS = {"chatDeployments": RowSchema(ChatDeploymentSchema, "workerId flowId name", allowed_users=TextsAsText())}

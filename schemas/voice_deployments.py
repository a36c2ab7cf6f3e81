"""Schemas of voice deployments."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Boolean, PartSchema
from dryline.schemas.custom_webhooks import CustomWebhookSchema
from dryline.schemas.deployments import DeploymentSchema, extractions, success_criteria
from dryline.schemas.json_text import StoredAsSent
from dryline.schemas.row_schemas import RowSchema
from dryline.schemas.voice_external_config import VoiceExternalConfigSchema


class VoiceMembersSchema(ApiSchema):
    """The fields that creating and updating a voice deployment have in common."""

    name = fields.String(required=True)
    phone_number = fields.String(required=True, metadata={"description": "number in E.164"})
    flow_id = fields.String(required=True)
    external_config: fields.Field = StoredAsSent(VoiceExternalConfigSchema)
    enable_voice_sentiment = Boolean(load_default=False)
    engine_model = fields.String(allow_none=True)
    extractions = extractions()
    success_criteria = success_criteria()
    backup_phone_number = fields.String()
    backup_phone_message = fields.String()


class VoiceDeploymentBody(VoiceMembersSchema):
    """A voice deployment to create. `createSipTrunk` has no effect: there is no telephony here."""

    class Meta(VoiceMembersSchema.Meta):
        without_effect = ("create_sip_trunk",)

    create_sip_trunk = Boolean(metadata={"description": "accepted and without effect"})


class WebhookAddressSchema(PartSchema):
    """A webhook by its URL."""

    url = fields.String(required=True)


class VoiceDeploymentUpdateBody(VoiceMembersSchema):
    """Changes of a voice deployment. `customWebhooks` replaces the present webhooks."""

    custom_webhooks = fields.List(StoredAsSent(WebhookAddressSchema))


class VoiceDeploymentSchema(VoiceMembersSchema, DeploymentSchema):  # Contract: records.voice_deployment
    """A deployment of a flow to a telephone number."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("extractions", "success_criteria", "backup_phone_number", "backup_phone_message")

    phone_number = fields.String(allow_none=True)
    voice_provider = fields.String(allow_none=True)
    voice_id = fields.String(allow_none=True)
    agent_id = fields.String(allow_none=True)
    external_config = fields.Nested(VoiceExternalConfigSchema, allow_none=True)
    twilml_bin_sid = fields.String(allow_none=True, metadata={"description": "id of the provider's call instructions"})
    custom_webhooks = fields.List(fields.Nested(CustomWebhookSchema))


ROWS = {"voiceDeployments": RowSchema(VoiceDeploymentSchema, "workerId flowId name", without="custom_webhooks")}

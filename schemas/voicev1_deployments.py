"""Schemas of Voice V1 deployments."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, JsonObject
from dryline.schemas.deployments import DeploymentSchema, extractions
from dryline.schemas.json_text import FunctionsText, ObjectAsText, StringsAsText
from dryline.schemas.row_forms import RowForm, TextsAsText


class VoiceV1DeploymentSchema(DeploymentSchema):  # Contract: records.voicev1_deployment
    """A legacy deployment of a flow to a telephone number."""

    phone_number = fields.String()
    objective = fields.String()
    allowed_transfer_numbers = fields.String(metadata={"description": "JSON text of the array"})
    resource_keys = fields.String(metadata={"description": "JSON text of the array"})
    start_sentence = fields.String(allow_none=True)
    end_sentence = fields.String(allow_none=True)
    voice_id = fields.String(allow_none=True)
    language = fields.String(allow_none=True)
    functions = JsonObject(allow_none=True)
    model = fields.String(allow_none=True)
    ws_base_url = fields.String(allow_none=True)
    config = JsonObject(allow_none=True)
    extractions = extractions(allow_none=True)


class VoiceV1DeploymentBody(ApiSchema):
    """A legacy deployment to create. All fields are required, except `extractions`."""

    name = fields.String(required=True)
    phone_number = fields.String(required=True)
    flow_id = fields.String(required=True)
    objective = fields.String(required=True)
    start_sentence = fields.String(required=True, allow_none=True)
    end_sentence = fields.String(required=True, allow_none=True)
    voice_id = fields.String(required=True, allow_none=True)
    language = fields.String(required=True, allow_none=True)
    allowed_transfer_numbers = StringsAsText(required=True)
    functions = FunctionsText(
        required=True, allow_none=True, metadata={"description": "JSON text of an object; other text is stored as text"}
    )
    model = fields.String(required=True, allow_none=True)
    resource_keys = StringsAsText(required=True)
    ws_base_url = fields.String(required=True, allow_none=True)
    config: fields.Field = JsonObject(required=True)
    extractions = extractions()


class VoiceV1DeploymentUpdateBody(VoiceV1DeploymentBody):
    """Changes of a legacy deployment."""

    config = ObjectAsText(metadata={"description": "object, or its JSON text"})


ROWS = {
    "voicev1Deployments": RowForm(
        VoiceV1DeploymentSchema,
        "workerId flowId name phoneNumber objective",
        allowed_transfer_numbers=TextsAsText(),
        resource_keys=TextsAsText(),
    )
}

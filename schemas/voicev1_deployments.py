"""Schemas of Voice V1 deployments."""

from collections.abc import Mapping
from typing import Any

from marshmallow import RAISE, fields, pre_load

from dryline.schemas.base import ApiSchema, JsonObject
from dryline.schemas.deployments import DeploymentSchema, extractions
from dryline.schemas.json_text import FunctionsText, ObjectAsText, ObjectOrObjects, StringsAsText
from dryline.schemas.row_schemas import RowSchema, TextsAsText


class VoiceV1MembersSchema(ApiSchema):
    """The fields that bodies and answers of a legacy deployment have in common."""

    name = fields.String(required=True)
    phone_number = fields.String(required=True)
    flow_id = fields.String(required=True)
    objective = fields.String(required=True)
    start_sentence = fields.String(required=True, allow_none=True)
    end_sentence = fields.String(required=True, allow_none=True)
    voice_id = fields.String(required=True, allow_none=True)
    language = fields.String(required=True, allow_none=True)
    model = fields.String(required=True, allow_none=True)
    ws_base_url = fields.String(required=True, allow_none=True)
    extractions = extractions()


class VoiceV1DeploymentSchema(VoiceV1MembersSchema, DeploymentSchema):  # Contract: records.voicev1_deployment
    """A legacy deployment of a flow to a telephone number."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("extractions",)

    allowed_transfer_numbers = fields.String(metadata={"description": "JSON text of the array"})
    resource_keys = fields.String(metadata={"description": "JSON text of the array"})
    functions = ObjectOrObjects(allow_none=True, metadata={"description": "object that was sent as text, or list"})
    config = JsonObject(allow_none=True)


class VoiceV1DeploymentBody(VoiceV1MembersSchema):
    """A legacy deployment to create. All fields are required, except `extractions`."""

    allowed_transfer_numbers = StringsAsText(required=True)
    functions = FunctionsText(
        required=True,
        allow_none=True,
        metadata={"description": "JSON text of an object (other text is stored as text), or a list"},
    )
    resource_keys = StringsAsText(required=True)
    config: fields.Field = JsonObject(required=True)

    @pre_load
    def _complete(self, data: Any, *, partial: Any, unknown: Any, **kwargs: Any) -> Any:
        """Count a missing `config` of a creation as an empty object: the vendor's example has none."""
        is_complete = partial or unknown == RAISE or not isinstance(data, Mapping)
        return data if is_complete else {"config": {}, **data}


class VoiceV1DeploymentUpdateBody(VoiceV1DeploymentBody):
    """Changes of a legacy deployment."""

    config = ObjectAsText(metadata={"description": "object, or its JSON text"})


ROWS = {
    "voicev1Deployments": RowSchema(
        VoiceV1DeploymentSchema,
        "workerId flowId name phoneNumber objective",
        allowed_transfer_numbers=TextsAsText(),
        resource_keys=TextsAsText(),
    )
}

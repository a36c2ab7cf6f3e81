"""Schemas of custom voices."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Timestamp
from dryline.schemas.row_schemas import RowSchema


class CustomVoiceSchema(ApiSchema):  # Contract: records.custom_voice
    """A custom voice of the team at the speech provider."""

    id = fields.String(dump_only=True)
    team_id = fields.String(dump_only=True)
    elevenlabs_voice_id = fields.String(required=True, metadata={"description": "id of the voice at the provider"})
    name = fields.String(dump_only=True)
    owner_id = fields.String(dump_only=True, allow_none=True, metadata={"description": "owner there; generated"})
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


ROWS = {"customVoices": RowSchema(CustomVoiceSchema, "elevenlabsVoiceId")}

"""Schemas of custom webhooks."""

from marshmallow.fields import String

from dryline.schemas.base import ApiSchema, Boolean, OneOf, Timestamp
from dryline.schemas.row_schemas import RowSchema


class CustomWebhookSchema(ApiSchema):  # Contract: records.custom_webhook
    """A webhook for events of a voice deployment's calls."""

    class Meta(ApiSchema.Meta):
        null_in_answers = ("name",)

    id = String(dump_only=True)
    deployment_id = String(dump_only=True)
    url = String(required=True)
    field_names = String(
        required=True,
        attribute="fields",
        data_key="fields",
        metadata={"description": "names of the values to send, separated by commas"},
        error_messages={"invalid": "Must be text: names with commas between them, such as summary,transcript."},
    )
    method = String(load_default="POST", validate=OneOf("GET", "POST", "PUT", "PATCH"))
    name = String()
    active = Boolean(load_default=True)
    created_at = Timestamp(dump_only=True)
    updated_at = Timestamp(dump_only=True)


ROWS = {"customWebhooks": RowSchema(CustomWebhookSchema, "deploymentId url fields")}

"""Schemas of deliveries to custom webhooks. Contract: records.custom_webhook_delivery, assumed beyond."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Integer, JsonObject, OneOf, Timestamp
from dryline.schemas.row_schemas import RowSchema

STATUSES = ("PENDING", "DELIVERED", "FAILED", "REFUSED")
EVENTS = ("call_started", "call_ended")


class DeliveryRequestSchema(ApiSchema):
    """The request of a delivery. With GET, the body's fields are in the query."""

    method = fields.String()
    url = fields.String()
    body = JsonObject(metadata={"description": "request body as JSON"})


class DeliveryResponseSchema(ApiSchema):
    """The answer to the last attempt."""

    status = Integer(metadata={"description": "HTTP status of the answer"})
    body = fields.String(metadata={"description": "beginning of the answer's body"})


class WebhookDeliverySchema(ApiSchema):
    """A delivery to a webhook. `webhookId` is null for the `wsUrl` of a batch."""

    id = fields.String()
    created_at = Timestamp()
    webhook_id = fields.String(allow_none=True)
    deployment_id = fields.String()
    log_id = fields.String()
    event = fields.String(validate=OneOf(*EVENTS))
    status = fields.String(
        validate=OneOf(*STATUSES),
        metadata={"description": "status: PENDING, then DELIVERED or FAILED; REFUSED if the host is not allowed"},
    )
    attempts = Integer(metadata={"description": "number of attempts so far; at most 4"})
    due_at = Timestamp(allow_none=True, metadata={"description": "time of the next attempt"})
    delivered_at = Timestamp(allow_none=True, metadata={"description": "time of the successful attempt"})
    request = fields.Nested(DeliveryRequestSchema)
    unknown_fields = fields.List(
        fields.String(), metadata={"description": "names in the webhook's `fields` that no call has a value for"}
    )
    response = fields.Nested(DeliveryResponseSchema, allow_none=True)
    error = fields.String(allow_none=True, metadata={"description": "error of the last attempt"})


# In a state document, the fields of the request and its answer are fields of the row, as they are stored.
ROWS = {
    "webhookDeliveries": RowSchema(
        None,
        "deploymentId logId event url body",
        delivery_id=fields.String(data_key="id", attribute="id"),
        team_id=fields.String(),
        created_at=Timestamp(),
        webhook_id=fields.String(allow_none=True),
        deployment_id=fields.String(),
        log_id=fields.String(),
        event=fields.String(validate=OneOf(*EVENTS)),
        method=fields.String(),
        url=fields.String(),
        body=JsonObject(),
        status=fields.String(validate=OneOf(*STATUSES)),
        attempts=Integer(),
        due_at=Timestamp(allow_none=True),
        delivered_at=Timestamp(allow_none=True),
        response_status=Integer(allow_none=True),
        response_body=fields.String(allow_none=True),
        error=fields.String(allow_none=True),
    )
}

"""Schemas of deliveries to custom webhooks. Contract: records.custom_webhook_delivery, assumed beyond."""

from marshmallow import fields

from dryline.schemas.base import ApiSchema, Integer, JsonObject, OneOf, Timestamp
from dryline.schemas.checks import AwaitedSchema, ExpectedSchema, awaited_count
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


class DeliveryConditionsSchema(ApiSchema):
    """Conditions for deliveries. A field that is left out or null matches all, except `status`."""

    event = fields.String(load_default=None, validate=OneOf(*EVENTS))
    url = fields.String(load_default=None, metadata={"description": "address of the webhook; * stands for any text"})
    status = fields.String(
        load_default="DELIVERED",
        validate=OneOf(*STATUSES, "all"),
        metadata={"description": "status; `all` for every status, also of deliveries that did not arrive"},
    )
    deployment_id = fields.String(load_default=None)
    webhook_id = fields.String(load_default=None)
    log_id = fields.String(load_default=None)
    json = fields.Raw(
        load_default=None,
        metadata={"description": "JSON that the body must have; it may have further members at every depth"},
    )


class VerifyWebhooksSchema(ExpectedSchema, DeliveryConditionsSchema):
    """Expected deliveries. Without `times`, at least one is expected; a number is exact."""


class WaitForWebhooksSchema(AwaitedSchema, DeliveryConditionsSchema):
    """Deliveries to wait for. Earlier ones count as well."""

    count = awaited_count("deliveries")


class DeliveryCountSchema(ApiSchema):
    """A number of deliveries."""

    count = Integer(metadata={"description": "number of matching deliveries"})


class ArrivedWebhooksSchema(DeliveryCountSchema):
    """Deliveries that were waited for."""

    deliveries = fields.List(
        fields.Nested(WebhookDeliverySchema), metadata={"description": "the newest 100 that match"}
    )


class DeliveryMissSchema(ApiSchema):
    """A delivery that meets some of the conditions."""

    delivery = fields.Nested(WebhookDeliverySchema)
    misses = fields.List(fields.String(), metadata={"description": "conditions that the delivery does not meet"})


class UnmetWebhooksSchema(DeliveryCountSchema):
    """A failed verification, with the deliveries beyond the maximum or those that nearly match."""

    error = fields.String(metadata={"description": "expected and actual number"})
    surplus = fields.List(
        fields.Nested(WebhookDeliverySchema),
        metadata={"description": "if there are too many: the newest deliveries beyond the maximum"},
    )
    nearest = fields.List(
        fields.Nested(DeliveryMissSchema),
        metadata={"description": "if there are too few: the deliveries that miss the fewest conditions"},
    )


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

"""What custom webhooks were sent."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields, validate

from dryline.blueprints.control.base import ControlArea
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.schemas.base import ApiSchema, Integer, JsonObject, OneOf, QueryInteger, QuerySchema, Timestamp
from dryline.world.world import current

blp = ControlArea("Control: webhooks", description="What custom webhooks were sent, and what they answered.")


class DeliveryQuery(QuerySchema):
    """Which deliveries."""

    status = fields.String(validate=OneOf("PENDING", "DELIVERED", "FAILED", "REFUSED"))
    webhook_id = fields.String()
    deployment_id = fields.String()
    log_id = fields.String()
    limit = QueryInteger(load_default=100, validate=validate.Range(1, 1000))


class SentSchema(ApiSchema):
    """What is sent. With GET, the body's members are in the query."""

    method = fields.String()
    url = fields.String()
    body = JsonObject()


class AnsweredSchema(ApiSchema):
    """What came back at the last attempt."""

    status = Integer()
    body = fields.String(metadata={"description": "its beginning"})


class DeliverySchema(ApiSchema):
    """One message to one webhook. `webhookId` is null where a batch's `wsUrl` is told."""

    id = fields.String()
    created_at = Timestamp()
    webhook_id = fields.String(allow_none=True)
    deployment_id = fields.String()
    log_id = fields.String()
    event = fields.String(validate=OneOf("call_started", "call_ended"))
    status = fields.String(validate=OneOf("PENDING", "DELIVERED", "FAILED", "REFUSED"))
    attempts = Integer(metadata={"description": "made so far; there are at most 4"})
    due_at = Timestamp(allow_none=True, metadata={"description": "of the next attempt"})
    delivered_at = Timestamp(allow_none=True)
    request = fields.Nested(SentSchema)
    response = fields.Nested(AnsweredSchema, allow_none=True)
    error = fields.String(allow_none=True, metadata={"description": "what went wrong with the last attempt"})


@blp.route("/webhooks")
class WebhookDeliveries(MethodView):
    @blp.arguments(DeliveryQuery, location="query")
    @blp.response(200, DeliverySchema(many=True))
    def get(self, query):
        """List the deliveries of every team, newest first."""
        with current().reading():
            return WebhookDelivery.search(**query)

    @blp.response(204)
    def delete(self):
        """Forget all deliveries, those still waiting too."""
        with current().transaction():
            WebhookDelivery.clear()

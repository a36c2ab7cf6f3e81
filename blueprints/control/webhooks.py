"""What custom webhooks were sent."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields, validate

from dryline.blueprints.control.base import ControlArea
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery, fire
from dryline.schemas.base import ApiSchema, OneOf, QueryInteger, QuerySchema
from dryline.schemas.webhook_deliveries import EVENTS, STATUSES, WebhookDeliverySchema
from dryline.storage.current_world import current

blp = ControlArea("Control: webhooks", description="What custom webhooks were sent, and what they answered.")


class DeliveryQuery(QuerySchema):
    """Which deliveries."""

    status = fields.String(validate=OneOf(*STATUSES), metadata={"description": "only deliveries in this state"})
    webhook_id = fields.String()
    deployment_id = fields.String()
    log_id = fields.String()
    limit = QueryInteger(load_default=100, validate=validate.Range(1, 1000))


class WebhookEventSchema(ApiSchema):
    """Which event of which call is told."""

    log_id = fields.String(required=True)
    event = fields.String(required=True, validate=OneOf(*EVENTS))


@blp.route("/webhooks", get="listWebhookDeliveries", post="fireWebhookEvent", delete="clearWebhookDeliveries")
class WebhookDeliveries(MethodView):
    @blp.arguments(DeliveryQuery, location="query")
    @blp.response(200, WebhookDeliverySchema(many=True))
    def get(self, query):
        """List the deliveries of every team, newest first.

        Each has what was sent, what was answered, and how often it was tried.
        """
        with current().reading():
            return WebhookDelivery.search(**query)

    @blp.arguments(WebhookEventSchema)
    @blp.response(201, WebhookDeliverySchema(many=True))
    @blp.errors(404, 409)
    def post(self, body):
        """Tell the webhooks of a call's deployment of an event by hand, now.

        As when the call started or ended. 404 for a call that there is not, 409 where its deployment has no active
        webhook.
        """
        with current().transaction():
            return fire(VoiceLog.by_id(body["log_id"]).__data__, body["event"])

    @blp.response(204)
    def delete(self):
        """Forget all deliveries, those still waiting too.

        Nothing more is sent of them.
        """
        with current().transaction():
            WebhookDelivery.clear()


@blp.route("/webhooks/<delivery_id>/redeliver", post="redeliverWebhook")
class WebhookRedelivery(MethodView):
    @blp.response(201, WebhookDeliverySchema)
    def post(self, delivery_id):
        """Send a delivery's message again, as a new delivery.

        404 where there is none of this id.
        """
        with current().transaction():
            return WebhookDelivery.by_id(delivery_id).redeliver()

"""Deliveries to custom webhooks."""

from flask.views import MethodView
from marshmallow import fields, validate

from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery, fire
from dryline.schemas.base import ApiSchema, OneOf, QueryInteger
from dryline.schemas.webhook_deliveries import EVENTS, STATUSES, WebhookDeliverySchema
from dryline.storage.current_world import current

blp = ControlArea("Control: webhooks", description="Deliveries to custom webhooks: requests, answers, attempts.")


class DeliveryQuery(TeamQuery):
    """Filters of deliveries."""

    status = fields.String(validate=OneOf(*STATUSES), metadata={"description": "only deliveries with this status"})
    webhook_id = fields.String()
    deployment_id = fields.String()
    log_id = fields.String()
    limit = QueryInteger(load_default=100, validate=validate.Range(1, 1000))


class WebhookEventSchema(ApiSchema):
    """An event of a call to deliver."""

    log_id = fields.String(required=True)
    event = fields.String(required=True, validate=OneOf(*EVENTS))


@blp.route("/webhooks", get="listWebhookDeliveries", post="fireWebhookEvent", delete="clearWebhookDeliveries")
class WebhookDeliveries(MethodView):
    @blp.arguments(DeliveryQuery, location="query")
    @blp.response(200, WebhookDeliverySchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the webhook deliveries, newest first.

        Without `team`, they are those of all teams.
        """
        with current().reading():
            return WebhookDelivery.search(**query)

    @blp.arguments(WebhookEventSchema)
    @blp.response(201, WebhookDeliverySchema(many=True))
    @blp.errors(404, 409)
    def post(self, body):
        """Deliver an event of a call to its deployment's webhooks now.

        The request is the one that is sent when the call starts or ends. 404 for an unknown call, 409 if the deployment
        has no active webhook.
        """
        with current().transaction():
            return fire(VoiceLog.by_id(body["log_id"]).__data__, body["event"])

    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    @blp.errors(404)
    def delete(self, query):
        """Delete all deliveries, or those of one team.

        Pending deliveries are cancelled.
        """
        with current().transaction():
            WebhookDelivery.clear(**query)


@blp.route("/webhooks/<delivery_id>/redeliver", post="redeliverWebhook")
class WebhookRedelivery(MethodView):
    @blp.response(201, WebhookDeliverySchema)
    def post(self, delivery_id):
        """Deliver a request again, as a new delivery."""
        with current().transaction():
            return WebhookDelivery.by_id(delivery_id).redeliver()

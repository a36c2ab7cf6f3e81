"""Deliveries to custom webhooks."""

from typing import Any

from flask.views import MethodView
from marshmallow import fields, validate

from dryline.blueprints.control.base import ControlArea, TeamQuery
from dryline.blueprints.control.checks import CheckAnswers, pop_bounds
from dryline.models import webhook_search
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery, create_deliveries_now
from dryline.models.webhook_search import DeliveryCriteria
from dryline.schemas.base import ApiSchema, OneOf, QueryInteger, instance_of
from dryline.schemas.webhook_deliveries import (
    EVENTS,
    STATUSES,
    ArrivedWebhooksSchema,
    DeliveryCountSchema,
    UnmetWebhooksSchema,
    VerifyWebhooksSchema,
    WaitForWebhooksSchema,
    WebhookDeliverySchema,
)
from dryline.storage.current_world import current

blp = ControlArea("Control: webhooks", description="Deliveries to custom webhooks: requests, answers, attempts.")


class DeliveryAnswers(CheckAnswers[WebhookDelivery]):
    """The answers of checks of deliveries."""

    plural = "deliveries"

    def on_the_wire(self, item: WebhookDelivery) -> dict[str, Any]:
        """Return a delivery as answers have it."""
        fields: dict[str, Any] = instance_of(WebhookDeliverySchema).dump(item)
        return fields

    def near_miss(self, item: WebhookDelivery, misses: list[str]) -> dict[str, Any]:
        """Return a delivery that misses these criteria."""
        return {"delivery": self.on_the_wire(item), "misses": misses}


ANSWERS = DeliveryAnswers()


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
            return create_deliveries_now(VoiceLog.by_id(body["log_id"]).__data__, body["event"])

    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    @blp.errors(404)
    def delete(self, query):
        """Delete all deliveries, or those of one team.

        Pending deliveries are cancelled.
        """
        with current().transaction():
            WebhookDelivery.clear(**query)


@blp.route("/webhooks/verify", post="verifyWebhooks")
class WebhookVerify(MethodView):
    @blp.arguments(VerifyWebhooksSchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, DeliveryCountSchema)
    @blp.alt_response(409, schema=UnmetWebhooksSchema, description="The number of deliveries is not as expected.")
    @blp.errors(404)
    def post(self, body, query):
        """Verify that webhooks were delivered.

        Due work is done before. Without `times`, at least one delivery is expected; without `status`, only those count
        that have arrived. The 409 has the deliveries beyond the maximum, or those that nearly match. 400 if there is a
        maximum and older deliveries may have been deleted.
        """
        bounds = pop_bounds(body)
        criteria, world = DeliveryCriteria(**body, **query), current()
        world.run_due()
        with world.reading():
            return ANSWERS.of_verification(webhook_search.verify(criteria, bounds))


@blp.route("/webhooks/wait", post="waitForWebhooks")
class WebhookWait(MethodView):
    @blp.arguments(WaitForWebhooksSchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, ArrivedWebhooksSchema)
    @blp.alt_response(409, schema=UnmetWebhooksSchema, description="The deliveries did not arrive in time.")
    @blp.errors(404)
    def post(self, body, query):
        """Wait for deliveries.

        Due work is done at once. The answer is sent when `count` deliveries match. After `timeoutMs` it is a 409 with
        the deliveries that nearly match.
        """
        count, timeout_ms = body.pop("count"), body.pop("timeout_ms")
        criteria = DeliveryCriteria(**body, **query)
        matches = webhook_search.wait(criteria, count, timeout_ms / 1000)
        with current().reading():
            return ANSWERS.of_wait(matches, count, timeout_ms, lambda: webhook_search.find_nearest(criteria))


@blp.route("/webhooks/<delivery_id>/redeliver", post="redeliverWebhook")
class WebhookRedelivery(MethodView):
    @blp.response(201, WebhookDeliverySchema)
    def post(self, delivery_id):
        """Deliver a request again, as a new delivery."""
        with current().transaction():
            return WebhookDelivery.by_id(delivery_id).redeliver()

"""What custom webhooks were sent."""

from __future__ import annotations

from flask.views import MethodView
from marshmallow import fields, validate

from dryline.blueprints.control.base import ControlArea
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.schemas.base import OneOf, QueryInteger, QuerySchema
from dryline.schemas.webhook_deliveries import STATUSES, DeliverySchema
from dryline.world.world import current

blp = ControlArea("Control: webhooks", description="What custom webhooks were sent, and what they answered.")


class DeliveryQuery(QuerySchema):
    """Which deliveries."""

    status = fields.String(validate=OneOf(*STATUSES))
    webhook_id = fields.String()
    deployment_id = fields.String()
    log_id = fields.String()
    limit = QueryInteger(load_default=100, validate=validate.Range(1, 1000))


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

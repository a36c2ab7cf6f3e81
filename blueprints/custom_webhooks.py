"""Custom webhooks of a voice deployment."""

from __future__ import annotations

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.custom_webhooks import CustomWebhookBody, CustomWebhookSchema

blp = Area(
    "Custom Webhooks",
    "/api/workers/<worker_id>/deployments/<deployment_id>/voice/customWebhooks",
    description="Addresses that are told about a voice deployment's calls.",
)


@blp.route("")
class CustomWebhooks(MethodView):
    @blp.response(200, CustomWebhookSchema(many=True))
    def get(self, worker_id, deployment_id):
        """List a voice deployment's webhooks, newest first."""
        return CustomWebhook.of_deployment(Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id))

    @blp.arguments(CustomWebhookBody)
    @blp.response(201, CustomWebhookSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a webhook."""
        return Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id).add_webhook(g.key, **body)


@blp.route("/<webhook_id>")
class CustomWebhookById(MethodView):
    @blp.response(200, CustomWebhookSchema)
    def get(self, worker_id, deployment_id, webhook_id):
        """Retrieve a webhook."""
        return Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id).its(CustomWebhook, webhook_id)

    @blp.arguments(CustomWebhookBody(partial=True))
    @blp.response(200, CustomWebhookSchema)
    def patch(self, body, worker_id, deployment_id, webhook_id):
        """Change the members that are sent."""
        deployment = Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id)
        return deployment.change_webhook(g.key, webhook_id, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, webhook_id):
        """Delete a webhook."""
        Worker.fetch(g.team, worker_id).its(VoiceDeployment, deployment_id).remove_webhook(g.key, webhook_id)

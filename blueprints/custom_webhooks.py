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


@blp.route("", get="listCustomWebhooks", post="createCustomWebhook")
class CustomWebhooks(MethodView):
    @blp.response(200, CustomWebhookSchema(many=True))
    def get(self, worker_id, deployment_id):
        """List a voice deployment's webhooks, newest first.

        What was sent to them is in `GET /_dryline/webhooks`.
        """
        return CustomWebhook.of_deployment(Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id))

    @blp.arguments(CustomWebhookBody)
    @blp.response(201, CustomWebhookSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a webhook.

        It is told when a call of the deployment starts and ends: the header `X-Dryline-Event` says which, the body
        has what `fields`, a comma-separated text, names. Only loopback is reached unless `--webhook-hosts` names
        the host. The change is written to the deployment's history.
        """
        return Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).add_webhook(g.key, **body)


@blp.route("/<webhook_id>", get="getCustomWebhook", patch="updateCustomWebhook", delete="deleteCustomWebhook")
class CustomWebhookById(MethodView):
    @blp.response(200, CustomWebhookSchema)
    def get(self, worker_id, deployment_id, webhook_id):
        """Retrieve a webhook.

        404 where the deployment has none of this id.
        """
        return Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).child(CustomWebhook, webhook_id)

    @blp.arguments(CustomWebhookBody(partial=True))
    @blp.response(200, CustomWebhookSchema)
    def patch(self, body, worker_id, deployment_id, webhook_id):
        """Change a webhook.

        Members that are left out keep their value; null clears one that may be null. The next message follows it.
        The change is written to the deployment's history.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        return deployment.change_webhook(g.key, webhook_id, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, webhook_id):
        """Delete a webhook.

        What waits to be sent to it is no longer sent. The change is written to the deployment's history.
        """
        Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).remove_webhook(g.key, webhook_id)

"""Custom webhooks of a voice deployment, and an inbox for their deliveries."""

from flask import g
from flask.views import MethodView

from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.workers import Worker
from dryline.schemas.custom_webhooks import CustomWebhookBody, CustomWebhookSchema
from dryline.web.base import Area, UndocumentedBlueprint
from dryline.world.outgoing import INBOX

blp = Area(
    "Custom Webhooks",
    "/api/workers/<worker_id>/deployments/<deployment_id>/voice/customWebhooks",
    description="Webhooks that receive the events of a voice deployment's calls.",
)

# URLs on this server that accept any webhook, for use before a receiver exists. Deliveries are in the request log, and
# faults can make them fail.
inbox = UndocumentedBlueprint("inbox", __name__)


@blp.route("", get="listCustomWebhooks", post="createCustomWebhook")
class CustomWebhooks(MethodView):
    @blp.response(200, CustomWebhookSchema(many=True))
    def get(self, worker_id, deployment_id):
        """List a voice deployment's webhooks, newest first."""
        return CustomWebhook.of_deployment(Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id))

    @blp.arguments(CustomWebhookBody)
    @blp.response(201, CustomWebhookSchema)
    def post(self, body, worker_id, deployment_id):
        """Create a webhook.

        dryline sends a request to `url` when a call of the deployment starts and when it ends. The header
        `X-Dryline-Event` names the event. The body has the fields that `fields` names, separated by commas. Only
        loopback addresses and the hosts of `--webhook-hosts` are reached. The deployment's history records the change.
        """
        return Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).add_webhook(g.author, **body)


@blp.route("/<webhook_id>", get="getCustomWebhook", patch="updateCustomWebhook", delete="deleteCustomWebhook")
class CustomWebhookById(MethodView):
    quick = True

    @blp.response(200, CustomWebhookSchema)
    def get(self, worker_id, deployment_id, webhook_id):
        """Retrieve a webhook."""
        return Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).child(CustomWebhook, webhook_id)

    @blp.arguments(CustomWebhookBody(partial=True))
    @blp.response(200, CustomWebhookSchema)
    def patch(self, body, worker_id, deployment_id, webhook_id):
        """Update a webhook.

        The change applies from the next delivery on. The deployment's history records it.
        """
        deployment = Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id)
        return deployment.change_webhook(g.author, webhook_id, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id, webhook_id):
        """Delete a webhook.

        Its pending deliveries are cancelled. The deployment's history records the change.
        """
        Worker.fetch(g.team, worker_id).child(VoiceDeployment, deployment_id).remove_webhook(g.author, webhook_id)


@inbox.route(f"{INBOX}<path:name>", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def receive(name):
    """Accept a request."""
    return "", 204

"""Chat widget deployments of a worker. In the contract they belong to the chat deployments."""

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.chat_embed_deployments import ChatEmbedDeployment
from dryline.models.workers import Worker
from dryline.schemas.chat_embed_deployments import (
    ChatEmbedDeploymentBody,
    ChatEmbedDeploymentSchema,
    ChatEmbedDeploymentUpdateBody,
)

blp = Area("Chat Embed Deployments", "/api/workers")
TAGS = ["Chat Deployments"]


@blp.route(
    "/<worker_id>/deployments/chat-embed", tags=TAGS, get="listChatEmbedDeployments", post="createChatEmbedDeployment"
)
class ChatEmbedDeployments(MethodView):
    @blp.response(200, ChatEmbedDeploymentSchema(many=True))
    def get(self, worker_id):
        """List a worker's chat widget deployments, newest first."""
        return ChatEmbedDeployment.listing(g.team, worker_id=Worker.fetch(g.team, worker_id).id)

    @blp.arguments(ChatEmbedDeploymentBody)
    @blp.response(201, ChatEmbedDeploymentSchema)
    def post(self, body, worker_id):
        """Create a chat widget deployment.

        `flowId` must be a flow of the worker, otherwise 404. The server assigns `embedId`. `POST
        /_dryline/simulate/chats` creates chats for the deployment.
        """
        return ChatEmbedDeployment.deploy(Worker.fetch(g.team, worker_id), **body)


@blp.route(
    "/<worker_id>/deployments/chat-embed/<deployment_id>",
    tags=TAGS,
    get="getChatEmbedDeployment",
    patch="updateChatEmbedDeployment",
    delete="deleteChatEmbedDeployment",
)
class ChatEmbedDeploymentById(MethodView):
    @blp.response(200, ChatEmbedDeploymentSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve a chat widget deployment."""
        return Worker.fetch(g.team, worker_id).child(ChatEmbedDeployment, deployment_id)

    @blp.arguments(ChatEmbedDeploymentUpdateBody(partial=True))
    @blp.response(200, ChatEmbedDeploymentSchema)
    def patch(self, body, worker_id, deployment_id):
        """Update a chat widget deployment.

        A new `flowId` resets `flowVersionId` to null. The deployment's history records each change.
        """
        return Worker.fetch(g.team, worker_id).child(ChatEmbedDeployment, deployment_id).revise(g.key, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a chat widget deployment.

        Its logs, sessions, parameters, history and checks are deleted as well.
        """
        Worker.fetch(g.team, worker_id).child(ChatEmbedDeployment, deployment_id).remove()


@blp.route("/deployments/chat-embed/by-embed/<embed_id>", tags=TAGS, get="getChatEmbedDeploymentByEmbed")
class ChatEmbedDeploymentByEmbed(MethodView):
    @blp.response(200, ChatEmbedDeploymentSchema)
    def get(self, embed_id):
        """Retrieve a chat widget deployment by its embed id.

        404 if the team has no deployment with this `embedId`.
        """
        return ChatEmbedDeployment.of_embed(g.team, embed_id)

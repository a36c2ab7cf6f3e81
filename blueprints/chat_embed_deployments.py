"""Chat widget deployments of a worker. In the contract they are part of the chat deployments' area."""

from __future__ import annotations

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


@blp.route("/<worker_id>/deployments/chat-embed", tags=TAGS)
class ChatEmbedDeployments(MethodView):
    @blp.response(200, ChatEmbedDeploymentSchema(many=True))
    def get(self, worker_id):
        """List a worker's chat widget deployments, newest first."""
        return ChatEmbedDeployment.listing(g.team, worker_id=Worker.fetch(g.team, worker_id).id)

    @blp.arguments(ChatEmbedDeploymentBody)
    @blp.response(201, ChatEmbedDeploymentSchema)
    def post(self, body, worker_id):
        """Create a chat widget deployment of one of the worker's flows."""
        return ChatEmbedDeployment.deploy(Worker.fetch(g.team, worker_id), **body)


@blp.route("/<worker_id>/deployments/chat-embed/<deployment_id>", tags=TAGS)
class ChatEmbedDeploymentById(MethodView):
    @blp.response(200, ChatEmbedDeploymentSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve a chat widget deployment."""
        return Worker.fetch(g.team, worker_id).its(ChatEmbedDeployment, deployment_id)

    @blp.arguments(ChatEmbedDeploymentUpdateBody(partial=True))
    @blp.response(200, ChatEmbedDeploymentSchema)
    def patch(self, body, worker_id, deployment_id):
        """Change the members that are sent."""
        return Worker.fetch(g.team, worker_id).its(ChatEmbedDeployment, deployment_id).revise(g.key, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a chat widget deployment with its logs, parameters and history."""
        Worker.fetch(g.team, worker_id).its(ChatEmbedDeployment, deployment_id).remove()


@blp.route("/deployments/chat-embed/by-embed/<embed_id>", tags=TAGS)
class ChatEmbedDeploymentByEmbed(MethodView):
    @blp.response(200, ChatEmbedDeploymentSchema)
    def get(self, embed_id):
        """Retrieve a chat widget deployment of the team by its embed id."""
        return ChatEmbedDeployment.of_embed(g.team, embed_id)

"""Chat and chat widget deployments of a worker."""

from flask import g
from flask.views import MethodView

from dryline.models.chat_deployments import ChatDeployment
from dryline.models.chat_embed_deployments import ChatEmbedDeployment
from dryline.models.workers import Worker
from dryline.schemas.chat_deployments import ChatDeploymentBody, ChatDeploymentSchema, ChatDeploymentUpdateBody
from dryline.schemas.chat_embed_deployments import (
    ChatEmbedDeploymentBody,
    ChatEmbedDeploymentSchema,
    ChatEmbedDeploymentUpdateBody,
)
from dryline.web.base import Area

blp = Area("Chat Deployments", "/api/workers", description="Flows deployed to chats and chat widgets.")


@blp.route("/<worker_id>/deployments/chat", get="listChatDeployments", post="createChatDeployment")
class ChatDeployments(MethodView):
    @blp.response(200, ChatDeploymentSchema(many=True))
    def get(self, worker_id):
        """List a worker's chat deployments, newest first."""
        return ChatDeployment.listing(g.team, worker_id=Worker.fetch(g.team, worker_id).id)

    @blp.arguments(ChatDeploymentBody)
    @blp.response(201, ChatDeploymentSchema)
    def post(self, body, worker_id):
        """Create a chat deployment.

        `flowId` must be a flow of the worker, otherwise 404. The server assigns `chatAgentId`. `POST
        /_dryline/simulate/chats` creates chats for the deployment.
        """
        return ChatDeployment.deploy(Worker.fetch(g.team, worker_id), **body)


@blp.route(
    "/<worker_id>/deployments/chat/<deployment_id>",
    get="getChatDeployment",
    patch="updateChatDeployment",
    delete="deleteChatDeployment",
)
class ChatDeploymentById(MethodView):
    quick = True

    @blp.response(200, ChatDeploymentSchema)
    def get(self, worker_id, deployment_id):
        """Retrieve a chat deployment."""
        return Worker.fetch(g.team, worker_id).child(ChatDeployment, deployment_id)

    @blp.arguments(ChatDeploymentUpdateBody(partial=True))
    @blp.response(200, ChatDeploymentSchema)
    def patch(self, body, worker_id, deployment_id):
        """Update a chat deployment.

        A new `flowId` resets `flowVersionId` to null. The deployment's history records each change.
        """
        return Worker.fetch(g.team, worker_id).child(ChatDeployment, deployment_id).revise(g.author, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a chat deployment.

        Its logs, sessions, parameters, history and checks are deleted as well.
        """
        Worker.fetch(g.team, worker_id).child(ChatDeployment, deployment_id).remove()


@blp.route("/<worker_id>/deployments/chat/agent/<chat_agent_id>", get="getChatDeploymentByAgent")
class ChatDeploymentByAgent(MethodView):
    @blp.response(200, ChatDeploymentSchema)
    def get(self, worker_id, chat_agent_id):
        """Retrieve a chat deployment by its agent id.

        404 if the worker has no deployment with this `chatAgentId`.
        """
        return ChatDeployment.of_agent(Worker.fetch(g.team, worker_id), chat_agent_id)


@blp.route("/<worker_id>/deployments/chat-embed", get="listChatEmbedDeployments", post="createChatEmbedDeployment")
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
    get="getChatEmbedDeployment",
    patch="updateChatEmbedDeployment",
    delete="deleteChatEmbedDeployment",
)
class ChatEmbedDeploymentById(MethodView):
    quick = True

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
        return Worker.fetch(g.team, worker_id).child(ChatEmbedDeployment, deployment_id).revise(g.author, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a chat widget deployment.

        Its logs, sessions, parameters, history and checks are deleted as well.
        """
        Worker.fetch(g.team, worker_id).child(ChatEmbedDeployment, deployment_id).remove()


@blp.route("/deployments/chat-embed/by-embed/<embed_id>", get="getChatEmbedDeploymentByEmbed")
class ChatEmbedDeploymentByEmbed(MethodView):
    @blp.response(200, ChatEmbedDeploymentSchema)
    def get(self, embed_id):
        """Retrieve a chat widget deployment by its embed id.

        404 if the team has no deployment with this `embedId`.
        """
        return ChatEmbedDeployment.of_embed(g.team, embed_id)

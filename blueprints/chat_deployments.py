"""Chat deployments of a worker."""

from flask import g
from flask.views import MethodView

from dryline.blueprints.base import Area
from dryline.models.chat_deployments import ChatDeployment
from dryline.models.workers import Worker
from dryline.schemas.chat_deployments import ChatDeploymentBody, ChatDeploymentSchema, ChatDeploymentUpdateBody

blp = Area(
    "Chat Deployments",
    "/api/workers/<worker_id>/deployments/chat",
    description="Flows deployed to chats and chat widgets.",
)


@blp.route("", get="listChatDeployments", post="createChatDeployment")
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


@blp.route("/<deployment_id>", get="getChatDeployment", patch="updateChatDeployment", delete="deleteChatDeployment")
class ChatDeploymentById(MethodView):
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
        return Worker.fetch(g.team, worker_id).child(ChatDeployment, deployment_id).revise(g.key, **body)

    @blp.response(204)
    def delete(self, worker_id, deployment_id):
        """Delete a chat deployment.

        Its logs, sessions, parameters, history and checks are deleted as well.
        """
        Worker.fetch(g.team, worker_id).child(ChatDeployment, deployment_id).remove()


@blp.route("/agent/<chat_agent_id>", get="getChatDeploymentByAgent")
class ChatDeploymentByAgent(MethodView):
    @blp.response(200, ChatDeploymentSchema)
    def get(self, worker_id, chat_agent_id):
        """Retrieve a chat deployment by its agent id.

        404 if the worker has no deployment with this `chatAgentId`.
        """
        return ChatDeployment.of_agent(Worker.fetch(g.team, worker_id), chat_agent_id)

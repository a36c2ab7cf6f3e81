"""Chat deployments: a flow that is written to."""

from typing import Self

from peewee import TextField

from dryline.models.collection import VERSION
from dryline.models.deployments import Deployment, DeploymentProfile, collection_of
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.storage.record import JsonField


class ChatDeployment(Deployment):
    """A deployment as a chat agent, also found by `chat_agent_id`. `allowed_users` is the JSON text of an array."""

    channel = "Chat"
    name_in_messages = "Chat deployment"

    flow_version_id = TextField(null=True)
    chat_agent_id = TextField(default=lambda: current().ids.new("chatagent"))
    allowed_users = TextField(default="[]")
    model_config = JsonField(default=dict)
    welcome_message = TextField(null=True)
    llm_model = TextField(null=True)
    extractions = JsonField(null=True)
    success_criteria = JsonField(null=True)

    class Meta:
        table_name = "deployment"

    def profile(self) -> DeploymentProfile:
        return DeploymentProfile(
            flow_version_id=self.flow_version_id,
            opening=self.welcome_message,
            extractions=self.extractions,
            success_criteria=self.success_criteria,
        )

    @classmethod
    def of_agent(cls, worker: Worker, chat_agent_id: str) -> Self:
        """Return the worker's deployment of that agent id. Raises NotFound. Contract: getChatDeploymentByAgent."""
        deployment = cls.find(team_id=worker.team_id, worker_id=worker.id, chat_agent_id=chat_agent_id)
        if deployment is None:
            raise NotFound(f"Worker {worker.id} has no chat deployment with the agent {chat_agent_id}.")
        return deployment


STATE = {"chatDeployments": collection_of(ChatDeployment, None, **VERSION)}

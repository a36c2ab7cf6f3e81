"""Chat widget deployments: a flow in a web page."""

from typing import Self

from peewee import TextField

from dryline.models.collection import VERSION
from dryline.models.deployments import Deployment, DeploymentProfile, collection_of
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.storage.record import JsonField, Record


class ChatEmbedDeployment(Deployment):
    """A deployment as a chat widget, also found by `embed_id`."""

    channel = "ChatEmbed"
    name_in_messages = "Chat widget deployment"

    flow_version_id = TextField(null=True)
    embed_id = TextField(default=lambda: current().ids.new("embed"))
    agent_name = TextField(null=True)
    agent_logo_url = TextField(null=True)
    primary_color = TextField(null=True)
    styling = JsonField(null=True)
    welcome_message = TextField(null=True)

    class Meta:
        table_name = "deployment"

    def profile(self) -> DeploymentProfile:
        return DeploymentProfile(
            flow_version_id=self.flow_version_id,
            agent_name=self.agent_name,
            opening=self.welcome_message,
        )

    @classmethod
    def of_embed(cls, team: Record, embed_id: str) -> Self:
        """Return the team's deployment of that embed id. Raises NotFound. Contract: getChatEmbedDeploymentByEmbed."""
        deployment = cls.find(team_id=team.team_id, embed_id=embed_id)
        if deployment is None:
            raise NotFound(f"Chat widget deployment with the embed id {embed_id} not found.")
        return deployment


STATE = {"chatEmbedDeployments": collection_of(ChatEmbedDeployment, None, **VERSION)}

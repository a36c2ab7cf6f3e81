"""Any deployment of the team by its id alone, whatever its channel."""

from __future__ import annotations

from collections.abc import Collection

from dryline.models.chat_deployments import ChatDeployment
from dryline.models.chat_embed_deployments import ChatEmbedDeployment
from dryline.models.deployment_parameters import DeploymentParameter
from dryline.models.deployments import Deployment
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.storage.record import Record

CHANNELS: dict[str, type[Deployment]] = {
    model.channel: model for model in (VoiceDeployment, VoiceV1Deployment, ChatDeployment, ChatEmbedDeployment)
}


def look_up_deployment(team: Record, id: str, include: Collection[str] = ()) -> Deployment:
    """The deployment with the members of its channel, and as further attributes what `include` asks for.

    A channel without success criteria has none; sentinels are nothing that dryline knows. Raises NotFound.
    Contract: lookupDeployment.
    """
    deployment = CHANNELS[Deployment.fetch(team, id).type].fetch(team, id)
    if "success_criteria" in include:
        deployment.included_success_criteria = getattr(deployment, "success_criteria", None) or []
    if "deployment_parameters" in include:
        deployment.deployment_parameters = DeploymentParameter.of_deployment(deployment)
    if "sentinel_assignments" in include:
        deployment.sentinel_assignments = []
    return deployment

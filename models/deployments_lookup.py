"""Look up deployments of any channel."""

from collections.abc import Collection

from dryline.models.chat_deployments import ChatDeployment
from dryline.models.chat_embed_deployments import ChatEmbedDeployment
from dryline.models.deployment_parameters import DeploymentParameter
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.models.workers import Worker
from dryline.storage.record import Record

CHANNELS: dict[str, type[Deployment]] = {
    model.channel: model for model in (VoiceDeployment, VoiceV1Deployment, ChatDeployment, ChatEmbedDeployment)
}


def look_up_deployment(team: Record, id: str, include: Collection[str] = ()) -> Deployment:
    """Return the team's deployment with the members of its channel, and further attributes that `include` names.

    A channel without success criteria has an empty list of them; dryline has no sentinels. Raises NotFound.
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


def list_deployments(worker: Worker) -> list[Deployment]:
    """Return the worker's deployments with the members of their channels, newest first."""
    deployments = [one for model in CHANNELS.values() for one in model.listing(worker, worker_id=worker.id)]
    return sorted(deployments, key=lambda one: (one.created_at, one.id), reverse=True)


def deployments_that_follow(flow: Flow) -> list[Deployment]:
    """Return the deployments that run the current code of a flow, newest first. The others are pinned to a version."""
    deployments = [one for model in CHANNELS.values() for one in model.listing(flow, flow_id=flow.id)]
    following = (one for one in deployments if getattr(one, "flow_version_id", None) is None)
    return sorted(following, key=lambda one: (one.created_at, one.id), reverse=True)

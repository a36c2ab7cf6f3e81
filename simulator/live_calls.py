"""Calls that come in by themselves: on which deployments, and how they go."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import Random

from dryline.models.teams import Team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.simulator.calls import make_call, starting_at, store
from dryline.simulator.conversations import Conversation, Simulator
from dryline.simulator.deployment_context import DeploymentContext, context_of
from dryline.simulator.followed import FollowedFlow, NotFollowed
from dryline.simulator.request import SimulationRequest
from dryline.world.arrivals import Arrival
from dryline.world.world import World


@dataclass(frozen=True, slots=True)
class LiveCall:
    """A call that has come in, before its rows are made."""

    deployment: DeploymentContext
    starts: datetime
    random: Random
    conversation: Conversation


def read_contexts(team: Team) -> list[DeploymentContext]:
    """Return the team's active voice deployments, on which calls come in."""
    active = VoiceDeployment.listing(team, status="ACTIVE")
    return [context_of(deployment) for deployment in sorted(active, key=lambda deployment: deployment.id)]


def converse(world: World, contexts: Sequence[DeploymentContext], arrivals: Iterable[Arrival]) -> Iterator[LiveCall]:
    """Yield a call for each arrival, on a random deployment, whose flow it runs. Raises Busy.

    All that is random about a call comes from its own seed: if it is made again, it is the same call.
    """
    flows: dict[str, FollowedFlow | NotFollowed] = {}
    for starts, seed in arrivals:
        random = Random(seed)
        deployment = random.choice(contexts)
        if deployment.deployment_id not in flows:
            flows[deployment.deployment_id] = FollowedFlow.read(world, deployment)
        simulator = Simulator(deployment, random, flows[deployment.deployment_id])
        yield LiveCall(deployment, starts, random, simulator.call(SimulationRequest(), starts))


def store_calls(team: Team, calls: Iterable[LiveCall]) -> int:
    """Store the calls whose deployments are still active, and return their number."""
    active = {deployment.id for deployment in VoiceDeployment.listing(team, status="ACTIVE")}
    rows = [
        make_call(call.deployment, call.random, call.conversation, starting_at(call.starts))
        for call in calls
        if call.deployment.deployment_id in active
    ]
    store(rows, in_progress=True)
    return len(rows)

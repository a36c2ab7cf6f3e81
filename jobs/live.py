"""Live calls, which come in by themselves at a rate per minute of API time (`callsPerMinute` of the settings)."""

from datetime import datetime, timedelta
from random import Random
from typing import Any

from dryline.models.teams import start_team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.storage.errors import Busy
from dryline.world.arrivals import LEAST_CALLS_PER_MINUTE, Arrival, Arrivals
from dryline.world.clock import parse
from dryline.world.wording import count
from dryline.world.world import World

# If the clock is moved far, only the latest calls come in: about this many, so that the move takes a second or two.
MAX_CALLS = 300
BATCH_SIZE = 25  # calls in one transaction, so that other writers need not wait


def take_skipped_count(world: World) -> int:
    """Return about how many calls were left out since the last call of this function."""
    if world.arrivals is None:
        return 0
    skipped, world.arrivals.skipped = world.arrivals.skipped, 0
    return skipped


def place_calls(world: World, now: str) -> bool:
    """Begin the next calls that have come in, on random active voice deployments of the start team."""
    calls_per_minute = world.runtime_settings.calls_per_minute
    if calls_per_minute < LEAST_CALLS_PER_MINUTE:
        world.arrivals = None
        return False
    until, mean_wait = parse(now), timedelta(minutes=1 / calls_per_minute)
    if world.arrivals is None or world.arrivals.since > until:  # the first round, or the clock was set back
        world.restart_arrivals()
    arrivals = world.arrivals
    assert arrivals is not None
    if until - arrivals.since > MAX_CALLS * mean_wait:
        arrivals.skipped += round((until - arrivals.since) / mean_wait) - MAX_CALLS
        arrivals.since = until - MAX_CALLS * mean_wait
    calls = arrivals.until(until, mean_wait, BATCH_SIZE)
    if placed := _make_calls(world, arrivals, calls):
        world.events.add(f"live: {count(placed, 'call')} came in", placed=placed)
    return bool(calls)


def _make_calls(world: World, arrivals: Arrivals, calls: list[Arrival]) -> int:
    """Make calls, and return their number. Flows run before the transaction.

    If no worker is free to run a flow, that call and those after it come in later. Raises Busy if it is the first.
    """
    if not calls:
        return 0
    from dryline.simulator.calls import make_call, starting_at, store  # noqa: PLC0415  # 62 ms
    from dryline.simulator.conversations import Simulator  # noqa: PLC0415  # 62 ms
    from dryline.simulator.deployment_context import context_of  # noqa: PLC0415  # 31 ms
    from dryline.simulator.followed import FollowedFlow, NotFollowed  # noqa: PLC0415  # 62 ms
    from dryline.simulator.request import SimulationRequest  # noqa: PLC0415  # 62 ms

    with world.reading():
        team = start_team()
        if team is None:
            return 0
        deployments = sorted(VoiceDeployment.listing(team, status="ACTIVE"), key=lambda deployment: deployment.id)
        contexts = [context_of(deployment) for deployment in deployments]
    if not contexts:
        return 0
    world.enter_team(team.id)
    flows: dict[str, FollowedFlow | NotFollowed] = {}
    made: list[tuple[Any, datetime, Random, Any]] = []
    for starts, seed in calls:
        random = Random(seed)  # also of a call that was given back: it is the same call
        context = random.choice(contexts)
        try:
            if context.deployment_id not in flows:
                flows[context.deployment_id] = FollowedFlow.read(world, context)
            call = Simulator(context, random, flows[context.deployment_id]).call(SimulationRequest(), starts)
        except Busy:
            arrivals.give_back(calls[len(made) :])
            if not made:
                raise
            break  # the flows of these have run
        made.append((context, starts, random, call))
    with world.transaction():
        if world.arrivals is not arrivals:  # new settings came meanwhile
            return 0
        active = {deployment.id for deployment in VoiceDeployment.listing(team, status="ACTIVE")}
        generated = [
            make_call(context, random, call, starting_at(starts))
            for context, starts, random, call in made
            if context.deployment_id in active
        ]
        store(generated, in_progress=True)
    return len(generated)

"""Calls that come in by themselves, so many a minute of API time (`/_dryline/settings`, callsPerMinute)."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from dryline.models.teams import start_team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.world.clock import parse
from dryline.world.world import World

# However far the clock is moved at once, so many calls are placed: the latest ones.
MOST_AT_ONCE = 1000


def place_calls(world: World, moment: str) -> bool:
    """Place the calls that have become due on the start team's active voice deployments.

    Each is over at the moment it became due, and the moments lie evenly from the one at which the rate was set.
    """
    if world.live.calls_per_minute <= 0:
        world.live_since = None
        return False
    now = parse(moment)
    if world.live_since is None or world.live_since > now:  # just begun, or the clock was set back
        world.live_since = now
        return False
    every = timedelta(minutes=1 / world.live.calls_per_minute)
    count = int((now - world.live_since) / every)
    if count == 0:
        return False
    last = world.live_since + count * every
    _place(world, [last - back * every for back in reversed(range(min(count, MOST_AT_ONCE)))])
    world.live_since = last
    return True


def _place(world: World, moments: list[datetime]) -> None:
    """The flows are run before anything is written: a call on the way holds up no other writer."""
    from dryline.simulator.calls import make_call, store  # imported late: a start does not need it
    from dryline.simulator.following import Followings
    from dryline.simulator.lines import line_of
    from dryline.simulator.plans import plan_call

    with world.reading():
        team = start_team()
        if team is None:
            return
        deployments = sorted(VoiceDeployment.listing(team, status="ACTIVE"), key=lambda one: one.id)
        lines = [line_of(deployment) for deployment in deployments]
    if not lines:
        return
    chance = Random(world.ids.random.getrandbits(64))
    followings = Followings(world)
    chosen = [chance.choice(lines) for _ in moments]
    plans = [
        plan_call(line, chance, following=followings.of(line, None), at=moment)
        for line, moment in zip(chosen, moments, strict=True)
    ]
    with world.transaction():
        here = {deployment.id for deployment in VoiceDeployment.listing(team, status="ACTIVE")}
        placed = zip(chosen, moments, plans, strict=True)
        store(
            [
                make_call(line, chance, ends=moment, plan=plan)
                for line, moment, plan in placed
                if line.deployment_id in here
            ]
        )

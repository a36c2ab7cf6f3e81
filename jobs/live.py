"""Calls that come in by themselves, so many a minute of API time (`/_dryline/settings`, callsPerMinute)."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from dryline.models.teams import start_team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.world.world import World

# However far the clock is moved at once, so many calls are placed: the latest ones.
MOST_AT_ONCE = 1000


def place_calls(world: World) -> bool:
    """Place the calls that have become due on the start team's active voice deployments.

    Each is over at the moment it became due, and the moments lie evenly from the one at which the rate was set.
    """
    if world.live.calls_per_minute <= 0:
        world.live_since = None
        return False
    now = world.clock.now()
    if world.live_since is None or world.live_since > now:  # just begun, or the clock was set back
        world.live_since = now
        return False
    every = timedelta(minutes=1 / world.live.calls_per_minute)
    count = int((now - world.live_since) / every)
    if count == 0:
        return False
    with world.transaction():
        last = world.live_since + count * every
        _place(world, [last - back * every for back in reversed(range(min(count, MOST_AT_ONCE)))])
    world.live_since = last
    return True


def _place(world: World, moments: list[datetime]) -> None:
    from dryline.simulator.calls import make_call, store  # imported late: a start does not need it
    from dryline.simulator.lines import line_of

    team = start_team()
    deployments = sorted(VoiceDeployment.listing(team, status="ACTIVE"), key=lambda one: one.id) if team else []
    if deployments:
        chance = Random(world.ids.random.getrandbits(64))
        lines = [line_of(deployment) for deployment in deployments]
        store([make_call(chance.choice(lines), chance, ends=moment) for moment in moments])

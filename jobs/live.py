"""Calls that come in by themselves, so many a minute of API time (`/_dryline/settings`, callsPerMinute)."""

from __future__ import annotations

from datetime import datetime, timedelta
from random import Random

from dryline.models.teams import start_team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.world.arrivals import Arrivals
from dryline.world.clock import current_team_id, parse
from dryline.world.world import World

# However far the clock is moved at once, so many calls come in: the latest ones. Expected, as chance has it.
MOST_AT_ONCE = 10_000
STEP = 100  # calls in one transaction: other requests get their turn in between


def place_calls(world: World, moment: str) -> bool:
    """Begin the next calls that have come in by a moment on the start team's active voice deployments.

    They come at random, independent of each other (a Poisson process), from the moment at which the rate was set.
    """
    if world.live.calls_per_minute <= 0:
        world.arrivals = None
        return False
    if world.clock.teams and not _shows_the_start_teams_time(world):
        return False
    now, mean_wait = parse(moment), timedelta(minutes=1 / world.live.calls_per_minute)
    if world.arrivals is None or world.arrivals.since > now:  # just begun, or the clock was set back
        world.arrivals = Arrivals(now, Random(world.ids.random.getrandbits(64)))
    if now - world.arrivals.since > MOST_AT_ONCE * mean_wait:
        world.arrivals.skip_to(now - MOST_AT_ONCE * mean_wait)
    begun = world.arrivals.until(now, mean_wait, STEP)
    if begun:
        _place(world, begun)
        world.news.tell(f"live: {len(begun)} call{'s' if len(begun) != 1 else ''} came in", placed=len(begun))
    return bool(begun)


def _shows_the_start_teams_time(world: World) -> bool:
    team = start_team()
    return team is not None and current_team_id() == (team.id if team.id in world.clock.teams else None)


def _place(world: World, begun: list[tuple[datetime, Random]]) -> None:
    """The flows are run before anything is written: a call on the way holds up no other writer."""
    from dryline.simulator.branch_scheduler import Followings
    from dryline.simulator.calls import make_call, store  # imported late: a start does not need it
    from dryline.simulator.conversation_plans import plan_call
    from dryline.simulator.deployment_context import line_of

    with world.reading():
        team = start_team()
        if team is None:
            return
        deployments = sorted(VoiceDeployment.listing(team, status="ACTIVE"), key=lambda one: one.id)
        lines = [line_of(deployment) for deployment in deployments]
    if not lines:
        return
    followings = Followings(world)
    plans = []
    for moment, chance in begun:
        line = chance.choice(lines)
        plan = plan_call(line, chance, following=followings.of(line, None), at=moment)
        plans.append((line, moment, chance, plan))
    with world.transaction():
        here = {deployment.id for deployment in VoiceDeployment.listing(team, status="ACTIVE")}
        calls = [
            make_call(line, chance, starts=moment, plan=plan, rings=True)
            for line, moment, chance, plan in plans
            if line.deployment_id in here
        ]
        store(calls, in_progress=True)

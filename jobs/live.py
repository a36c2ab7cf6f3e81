"""Live calls, which come in by themselves at a rate per minute of API time (`callsPerMinute` of the settings)."""

from datetime import timedelta

from dryline.models.teams import start_team
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
    from dryline.simulator import live_calls  # noqa: PLC0415  # 62 ms

    with world.reading():
        team = start_team()
        contexts = live_calls.read_contexts(team) if team is not None else []
    if team is None or not contexts:
        return 0
    world.enter_team(team.id)
    made: list[live_calls.LiveCall] = []
    try:
        for call in live_calls.converse(world, contexts, calls):
            made.append(call)
    except Busy:
        arrivals.give_back(calls[len(made) :])
        if not made:
            raise
    with world.transaction():
        if world.arrivals is not arrivals:  # new settings came meanwhile
            return 0
        return live_calls.store_calls(team, made)

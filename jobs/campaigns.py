"""Calls of campaigns and batches, placed over API time, each at the time its batch is due."""

from collections.abc import Sequence

from dryline.jobs.isolation import work_on
from dryline.models.queued_calls import QueuedCall
from dryline.models.voicev1_campaigns import Voicev1CampaignData
from dryline.world.wording import count
from dryline.world.world import World

# Calls in one transaction, so that other writers need not wait.
BATCH_SIZE = 250


def place_queued_calls(world: World, now: str) -> bool:
    """Call the next rows of batches and outbound campaigns that are due."""
    rows = QueuedCall.due(now, BATCH_SIZE)
    if not rows:
        return False
    from dryline.simulator import outbound  # imported late: a start does not need it

    def place(rows: Sequence[QueuedCall]) -> None:
        with world.reading():
            due = outbound.queued(rows)
        due = outbound.settle(world, due)  # runs flows, which is too slow for a transaction
        with world.transaction():
            outbound.call_queued(due, {row.id for row in QueuedCall.due(now, BATCH_SIZE)})
        _add_event(world, len(due))

    return work_on(world, rows, place)


def place_voicev1_calls(world: World, now: str) -> bool:
    """Call the next rows of Voice V1 campaigns that are due."""
    rows = Voicev1CampaignData.due(now, BATCH_SIZE)
    if not rows:
        return False
    from dryline.simulator import outbound

    def place(rows: Sequence[Voicev1CampaignData]) -> None:
        with world.reading():
            due = outbound.legacy(rows)
        due = outbound.settle(world, due)
        with world.transaction():
            outbound.call_legacy_rows(due, {row.id for row in Voicev1CampaignData.due(now, BATCH_SIZE)})
        _add_event(world, len(due))

    return work_on(world, rows, place)


def _add_event(world: World, placed: int) -> None:
    world.events.add(f"campaign batch placed: {count(placed, 'call')}", placed=placed)


def finish_voicev1_calls(world: World, now: str) -> bool:
    """Store the results of Voice V1 campaigns' calls that have ended."""

    def finish(rows: Sequence[Voicev1CampaignData]) -> None:
        ids = {row.id for row in rows}
        with world.transaction():
            for row in Voicev1CampaignData.over(now, BATCH_SIZE):
                if row.id in ids:
                    row.finish()

    return work_on(world, Voicev1CampaignData.over(now, BATCH_SIZE), finish)

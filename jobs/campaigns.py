"""Campaigns and batch calls place their calls over API time, each at the time its batch was due."""

from __future__ import annotations

from dryline.models.queued_calls import QueuedCall
from dryline.models.voicev1_campaigns import Voicev1CampaignData
from dryline.world.world import World

# Calls in one transaction: other requests get their turn in between.
AT_ONCE = 250


def place_queued_calls(world: World, moment: str) -> bool:
    """Call the next rows of batches and outbound campaigns whose time has come."""
    if not QueuedCall.due(moment, 1):
        return False
    from dryline.simulator import outbound  # imported late: a start does not need it

    with world.reading():
        due = outbound.queued(QueuedCall.due(moment, AT_ONCE))
    due = outbound.settle(world, due)  # runs flows: that is not for a transaction
    with world.transaction():
        outbound.call_queued(due, {row.id for row in QueuedCall.due(moment, AT_ONCE)})
    _tell(world, len(due))
    return True


def place_voicev1_calls(world: World, moment: str) -> bool:
    """Call the next rows of legacy campaigns whose time has come."""
    if not Voicev1CampaignData.due(moment, 1):
        return False
    from dryline.simulator import outbound

    with world.reading():
        due = outbound.legacy(Voicev1CampaignData.due(moment, AT_ONCE))
    due = outbound.settle(world, due)
    with world.transaction():
        outbound.call_legacy_rows(due, {row.id for row in Voicev1CampaignData.due(moment, AT_ONCE)})
    _tell(world, len(due))
    return True


def _tell(world: World, count: int) -> None:
    world.news.tell(f"campaign batch placed: {count} call{'s' if count != 1 else ''}", placed=count)


def finish_voicev1_calls(world: World, moment: str) -> bool:
    """Give the rows of legacy campaigns their results whose calls are over."""
    if not Voicev1CampaignData.over(moment, 1):
        return False
    with world.transaction():
        for row in Voicev1CampaignData.over(moment, AT_ONCE):
            row.finish()
    return True

"""Campaigns and batch calls place their calls over API time, each at the time its batch was due."""

from __future__ import annotations

from dryline.jobs import only_if
from dryline.models.campaigns import OutboundCampaign
from dryline.models.queued_calls import QueuedCall
from dryline.models.voicev1_campaigns import Voicev1Campaign, Voicev1CampaignData
from dryline.world.world import World

# Calls in one transaction: other requests get their turn in between.
AT_ONCE = 250


@only_if("SELECT 1 FROM queued_call LIMIT 1")
def place_queued_calls(world: World) -> bool:
    """Call the next rows of batches and outbound campaigns whose time has come."""
    with world.transaction():
        scheduled = QueuedCall.schedule_the_unscheduled(OutboundCampaign.batches())
        due = QueuedCall.due(AT_ONCE)
        if due:
            from dryline.simulator import outbound  # imported late: a start does not need it

            outbound.call_queued(due)
    return scheduled or bool(due)


@only_if("SELECT 1 FROM outbound_campaign WHERE status IN ('STARTED', 'RUNNING') LIMIT 1")
def settle_campaigns(world: World) -> bool:
    """Begin and complete outbound campaigns."""
    with world.transaction():
        return OutboundCampaign.settle()


@only_if("SELECT 1 FROM voicev1_campaign_data WHERE status IN ('PENDING', 'PROCESSING') LIMIT 1")
def place_voicev1_calls(world: World) -> bool:
    """Call the next rows of legacy campaigns whose time has come."""
    with world.transaction():
        scheduled = Voicev1CampaignData.schedule_the_unscheduled()
        due = Voicev1CampaignData.due(AT_ONCE)
        if due:
            from dryline.simulator import outbound  # imported late: a start does not need it

            outbound.call_legacy_rows(due)
    return scheduled or bool(due)


@only_if(
    "SELECT 1 FROM voicev1_campaign WHERE status = 'RUNNING'"
    " UNION ALL SELECT 1 FROM voicev1_campaign_data WHERE status = 'PROCESSING' LIMIT 1"
)
def settle_voicev1_campaigns(world: World) -> bool:
    """Give rows of legacy campaigns their results, and end the campaigns."""
    with world.transaction():
        finished = Voicev1CampaignData.finish()
        return Voicev1Campaign.settle() or finished

"""Calls of campaigns and batches, placed over API time, each at the time its batch is due."""

from dryline.jobs.due_rows import BATCH_SIZE, retry_row_later, work_on_each
from dryline.models.queued_calls import QueuedCall
from dryline.models.voicev1_campaigns import Voicev1CampaignData
from dryline.storage.current_world import running_part_of_task
from dryline.world.real_time import monotonic
from dryline.world.wording import count
from dryline.world.world import World

STEP_S = 1.0  # of real time, after which other steps get their turn


def place_queued_calls(world: World, now: str) -> bool:
    """Call the next rows of batches and campaigns that are due."""
    rows = QueuedCall.due(now, BATCH_SIZE)
    if not rows:
        return False
    from dryline.simulator import outbound  # noqa: PLC0415  # 63 ms

    placed, late = 0, monotonic() + STEP_S
    for row in rows:
        with retry_row_later(world, row), running_part_of_task(team_id=row.team_id):
            with world.reading():
                due = outbound.due_row(row)
            outbound.converse(world, due)  # runs a flow, which is too slow for a transaction
            with world.transaction():
                if row in QueuedCall.due(now, 1):  # a request may have removed it meanwhile
                    outbound.store_call(due)
            placed += 1
        if monotonic() > late or world.ending.is_set():
            break
    if placed:
        world.events.add(f"campaign batch placed: {count(placed, 'call')}", placed=placed)
    return True


def finish_voicev1_calls(world: World, now: str) -> bool:
    """Store the results of Voice V1 campaigns' calls that have ended."""
    return work_on_each(world, lambda: Voicev1CampaignData.due_to_finish(now, 1), Voicev1CampaignData.finish)

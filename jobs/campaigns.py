"""Calls of campaigns and batches, placed over API time, each at the time its batch is due."""

import time
from collections.abc import Callable
from types import ModuleType
from typing import TypeVar

from dryline.jobs.due_rows import BATCH_SIZE, retried_later, work_on_each
from dryline.models.queued_calls import QueuedCall
from dryline.models.voicev1_campaigns import Voicev1CampaignData
from dryline.world.wording import count
from dryline.world.world import World

STEP_S = 1.0  # of real time, after which other steps get their turn

AnyRow = TypeVar("AnyRow", QueuedCall, Voicev1CampaignData)


def place_queued_calls(world: World, now: str) -> bool:
    """Call the next rows of batches and outbound campaigns that are due."""

    def place(outbound: ModuleType, row: QueuedCall) -> None:
        with world.reading():
            due = outbound.queued([row])
        due = outbound.settle(world, due)  # runs flows, which is too slow for a transaction
        with world.transaction():
            outbound.call_queued(due, {row.id for row in QueuedCall.due(now, 1)})

    return _place_each(world, QueuedCall.due(now, BATCH_SIZE), place)


def place_voicev1_calls(world: World, now: str) -> bool:
    """Call the next rows of Voice V1 campaigns that are due."""

    def place(outbound: ModuleType, row: Voicev1CampaignData) -> None:
        with world.reading():
            due = outbound.legacy([row])
        due = outbound.settle(world, due)
        with world.transaction():
            outbound.call_legacy_rows(due, {row.id for row in Voicev1CampaignData.due(now, 1)})

    return _place_each(world, Voicev1CampaignData.due(now, BATCH_SIZE), place)


def _place_each(world: World, rows: list[AnyRow], place: Callable[[ModuleType, AnyRow], None]) -> bool:
    if not rows:
        return False
    from dryline.simulator import outbound  # imported late: a start does not need it

    placed, late = 0, time.monotonic() + STEP_S
    for row in rows:
        with retried_later(world, row):
            place(outbound, row)
            placed += 1
        if time.monotonic() > late or world.ending.is_set():
            break
    if placed:
        world.events.add(f"campaign batch placed: {count(placed, 'call')}", placed=placed)
    return True


def finish_voicev1_calls(world: World, now: str) -> bool:
    """Store the results of Voice V1 campaigns' calls that have ended."""
    return work_on_each(world, lambda: Voicev1CampaignData.over(now, 1), Voicev1CampaignData.finish)

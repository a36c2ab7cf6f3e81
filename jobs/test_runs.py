"""Runs of tests end: their conversations are held with the flow, in a thread of their own."""

from __future__ import annotations

from dryline.models.tests import TestRun
from dryline.world.world import World


def finish_next(world: World, moment: str) -> bool:
    """Hold the conversations of the run that is longest overdue, and judge them."""
    runs = TestRun.over(moment, 1)
    if not runs:
        return False
    from dryline.flow_sessions import checkpoints  # imported late: a start does not need it

    for run in runs:
        try:
            held = checkpoints.hold(world, run)
        except checkpoints.Ending:
            return False  # the next start finds it as it is
        with world.transaction():
            run.finish(held)
    return True

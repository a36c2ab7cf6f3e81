"""Runs the conversations of test runs that are due, in a thread of its own."""

from __future__ import annotations

from dryline.models.tests import TestRun
from dryline.world.world import World


def finish_next(world: World, moment: str) -> bool:
    """Run the conversations of the test run that is longest overdue, and store its result."""
    runs = TestRun.over(moment, 1)
    if not runs:
        return False
    from dryline.flow_sessions import checkpoints  # imported late: a start does not need it

    for run in runs:
        try:
            results = checkpoints.run_checkpoints(world, run)
        except checkpoints.ServerStopping:
            return False  # the next start finds it unchanged
        with world.transaction():
            run.finish(results)
    return True

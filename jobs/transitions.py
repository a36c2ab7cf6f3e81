"""State changes that are due: records that start, go on and end over API time, and files whose rows are gone."""

import contextlib
from typing import Any

from dryline.jobs.due_rows import retry_row_later, work_on_each
from dryline.jobs.runner import Step
from dryline.models import recordings, uploads
from dryline.models.tests import TestRun
from dryline.storage.current_world import running_part_of_task
from dryline.world.world import World


def sweep_uploads(world: World, now: str) -> bool:
    """Delete upload files without a row."""
    return uploads.sweep()


def sweep_recordings(world: World, now: str) -> bool:
    """Delete recordings without a log."""
    return recordings.sweep()


def finish_next_test_run(world: World, now: str) -> bool:
    """Run the conversations of the test run that has waited longest, and store its result."""
    runs = TestRun.due_to_finish(now, 1)
    if not runs:
        return False
    from dryline.simulator import checkpoints  # noqa: PLC0415  # 63 ms

    for run in runs:
        # The next start finds a run that the end of the server interrupts unchanged.
        with (
            contextlib.suppress(checkpoints.ServerStopping),
            retry_row_later(world, run),
            running_part_of_task(team_id=run.team_id),
        ):
            _run_conversations(world, run, now)
    return not world.ending.is_set()


def _run_conversations(world: World, run: TestRun, now: str) -> None:
    from dryline.simulator import checkpoints  # noqa: PLC0415  # 63 ms

    with world.transaction():
        may_begin = run.begin_conversations(now)
    if not may_begin:
        return
    try:
        results = checkpoints.run_checkpoints(world, run)
    except Exception:
        with world.transaction():
            run.forget_attempt()
        raise
    with world.transaction():
        run.finish(now, results)


def proceed_with(records: Any) -> Step:
    """Return a step for records that change over API time: their `due` selects rows, `proceed` makes the change.

    Both get the moment of the round.
    """

    def step(world: World, now: str) -> bool:
        return work_on_each(world, lambda: records.due(now, 1), lambda record: record.proceed(now))

    step.__name__ = f"proceed_with({records.__name__})"
    return step

"""State changes that are due: records that start, go on and end over API time, and files whose rows are gone.

Each class of records knows which of them are due (`due`) and what comes next (`proceed`).
"""

import contextlib
import time
from collections.abc import Sequence
from typing import Protocol, Self

from dryline.jobs.isolation import Row, work_on
from dryline.models import recordings, uploads
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.campaigns import OutboundCampaign
from dryline.models.echo_runs import EchoRun
from dryline.models.resources import Resource
from dryline.models.tests import TestRun
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.whatsapp_senders import WhatsappSender
from dryline.world.world import World

# The bounds of one transaction, so that other writers need not wait: records, and real time in seconds.
BATCH_SIZE = 50
MAX_TRANSACTION_S = 0.02


class DueRecord(Row, Protocol):
    """A record that changes over API time."""

    @classmethod
    def due(cls, moment: str, limit: int) -> Sequence[Self]:
        """Return the next `limit` records that are due at a moment of API time."""

    def proceed(self) -> None:
        """Make the change that is due."""


def process_resources(world: World, now: str) -> bool:
    """Finish the processing of links and files."""
    return _proceed(Resource, world, now)


def sweep_uploads(world: World, now: str) -> bool:
    """Delete upload files without a row."""
    return uploads.sweep()


def sweep_recordings(world: World, now: str) -> bool:
    """Delete recordings without a log."""
    return recordings.sweep()


def proceed_with_echo_runs(world: World, now: str) -> bool:
    """Start and end Echo runs."""
    return _proceed(EchoRun, world, now)


def start_test_runs(world: World, now: str) -> bool:
    """Start test runs that are due."""
    return _proceed(TestRun, world, now)


def finish_next_test_run(world: World, now: str) -> bool:
    """Run the conversations of the test run that has waited longest, and store its result."""
    runs = TestRun.over(now, 1)
    if not runs:
        return False
    from dryline.flow_sessions import checkpoints  # imported late: a start does not need it

    def finish(runs: Sequence[TestRun]) -> None:
        for run in runs:
            with contextlib.suppress(checkpoints.ServerStopping):  # the next start finds the run unchanged
                results = checkpoints.run_checkpoints(world, run)
                with world.transaction():
                    run.finish(results)

    return work_on(world, runs, finish) and not world.ending.is_set()


def review_whatsapp_senders(world: World, now: str) -> bool:
    """Accept or reject WhatsApp senders, as the provider would."""
    return _proceed(WhatsappSender, world, now)


def proceed_with_calls(world: World, now: str) -> bool:
    """Begin, update and end calls in progress."""
    return _proceed(CallInProgress, world, now)


def proceed_with_campaigns(world: World, now: str) -> bool:
    """Begin and end outbound campaigns."""
    return _proceed(OutboundCampaign, world, now)


def end_voicev1_campaigns(world: World, now: str) -> bool:
    """Complete or fail the Voice V1 campaigns whose rows are all done."""
    return _proceed(Voicev1Campaign, world, now)


def _proceed(records: type[DueRecord], world: World, now: str) -> bool:
    """Make the changes of some records that are due. Return whether there were any."""

    def proceed(rows: Sequence[DueRecord]) -> None:
        ids = {row.id for row in rows}
        with world.transaction():
            began = time.monotonic()
            for record in records.due(now, BATCH_SIZE):
                if record.id in ids:
                    record.proceed()
                if time.monotonic() - began > MAX_TRANSACTION_S:
                    break

    return work_on(world, records.due(now, BATCH_SIZE), proceed)

"""Moves what is simulated over API time: Echo runs, test runs and WhatsApp senders."""

from __future__ import annotations

from dryline.jobs import only_if
from dryline.models.echo_runs import EchoRun
from dryline.models.tests import TestRun
from dryline.models.whatsapp_senders import WhatsappSender
from dryline.world.world import World


@only_if("SELECT 1 FROM echo_run WHERE status IN ('QUEUED', 'RUNNING') LIMIT 1")
def move_echo_run(world: World) -> bool:
    """Start or finish the Echo run that is longest overdue."""
    with world.transaction():
        run = EchoRun.next_due()
        if run is not None:
            run.move()
    return run is not None


@only_if("SELECT 1 FROM test_run WHERE status IN ('PENDING', 'RUNNING') LIMIT 1")
def move_test_run(world: World) -> bool:
    """Start or finish the test run that is longest overdue."""
    with world.transaction():
        run = TestRun.next_due()
        if run is not None:
            run.move()
    return run is not None


@only_if("SELECT 1 FROM whatsapp_sender WHERE status = 'PENDING' LIMIT 1")
def settle_whatsapp_sender(world: World) -> bool:
    """End the review that is longest overdue."""
    with world.transaction():
        sender = WhatsappSender.next_due()
        if sender is not None:
            sender.settle()
    return sender is not None

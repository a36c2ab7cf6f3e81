"""What simply goes on over API time, a record at a time: each says itself which are due, and what comes next."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Protocol

from dryline.models import recordings, uploads
from dryline.models.calls_in_progress import CallInProgress
from dryline.models.campaigns import OutboundCampaign
from dryline.models.echo_runs import EchoRun
from dryline.models.resources import Resource
from dryline.models.tests import TestRun
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.whatsapp_senders import WhatsappSender
from dryline.world.world import World

# In one transaction: so many records, and no new one after so many seconds. Other writers get their turn in between.
AT_ONCE, HELD_S = 50, 0.02


class Moving(Protocol):
    """A record that goes on by itself."""

    def proceed(self) -> None:
        """Take the step that is due."""


class Movers(Protocol):
    """A class of such records."""

    def due(self, moment: str, limit: int) -> Sequence[Moving]:
        """The next `limit` of them whose step is due at a moment of API time."""


def process_resources(world: World, moment: str) -> bool:
    """Links and files are processed, and available."""
    return _move(Resource, world, moment)


def sweep_uploads(world: World, moment: str) -> bool:
    """Bytes go whose rows are gone."""
    return uploads.sweep()


def sweep_recordings(world: World, moment: str) -> bool:
    """Recordings go whose logs are gone."""
    return recordings.sweep()


def move_echo_runs(world: World, moment: str) -> bool:
    """Echo runs start and end."""
    return _move(EchoRun, world, moment)


def move_test_runs(world: World, moment: str) -> bool:
    """Test runs start."""
    return _move(TestRun, world, moment)


def review_whatsapp_senders(world: World, moment: str) -> bool:
    """The provider's word on WhatsApp senders comes."""
    return _move(WhatsappSender, world, moment)


def go_on_with_calls(world: World, moment: str) -> bool:
    """Calls in progress begin, go on and end."""
    return _move(CallInProgress, world, moment)


def settle_campaigns(world: World, moment: str) -> bool:
    """Outbound campaigns begin and end."""
    return _move(OutboundCampaign, world, moment)


def settle_voicev1_campaigns(world: World, moment: str) -> bool:
    """Legacy campaigns end."""
    return _move(Voicev1Campaign, world, moment)


def _move(movers: Movers, world: World, moment: str) -> bool:
    if not movers.due(moment, 1):
        return False
    with world.transaction():
        began = time.monotonic()
        for record in movers.due(moment, AT_ONCE):
            record.proceed()
            if time.monotonic() - began > HELD_S:
                break
    return True

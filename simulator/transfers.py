"""The transfer record of a call that a person took over."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta
from random import Random
from typing import Any

from dryline.world.clock import wire
from dryline.world.ids import Ids


def hex_id(rng: Random, prefix: str) -> str:
    """A telephony id: the prefix and 32 hex digits."""
    return f"{prefix}{rng.getrandbits(128):032x}"


@dataclass(frozen=True, slots=True)
class Handover:
    """How a transfer goes: the carrier's reports with their seconds, and how long the two spoke."""

    steps: tuple[tuple[str, int], ...]
    spoke: int

    @property
    def seconds(self) -> int:
        """From the first report to the last."""
        return self.steps[-1][1]


def handover(rng: Random) -> Handover:
    """A transfer that is answered, or, now and then, is not."""
    if rng.random() < 0.88:
        answered, spoke = 1 + rng.randrange(2, 9), rng.randrange(35, 420)
        steps = (("initiated", 0), ("ringing", 1), ("answered", answered), ("completed", answered + spoke))
        return Handover(steps, spoke)
    end = "busy" if rng.random() < 0.2 else "no-answer"
    return Handover((("initiated", 0), ("ringing", 1), (end, rng.randrange(18, 30))), 0)


def transfer_data(
    ids: Ids, plan: Handover, start: datetime, *, log_id: str, call_sid: str, from_number: str, to_number: str
) -> dict[str, Any]:
    """The record of a transfer that begins at `start`. Contract: transfer_data.

    Only the last report has a duration: the seconds that the two spoke. So the minutes of the record and of its events
    agree.
    """
    id, leg = ids.new("transfer"), hex_id(ids.random, "CA")
    events = []
    for kind, after in plan.steps:
        at = wire(start + timedelta(seconds=after))
        event = {
            "id": ids.new("event"),
            "createdAt": at,
            "duration": str(plan.spoke if kind == "completed" else 0),
            "toNumber": to_number,
            "fromNumber": from_number,
            "callTransferId": id,
            "type": kind,
            "timestamp": at,
            "parentCallSid": call_sid,
            "callSid": leg,
        }
        events.append(event)
    minutes = round(plan.spoke / 60, 4)
    return {
        "id": id,
        "createdAt": events[0]["timestamp"],
        "updatedAt": events[-1]["timestamp"],
        "callSid": call_sid,
        "voiceLogId": log_id,
        "status": plan.steps[-1][0],
        "duration": str(plan.spoke),
        "transferEvents": events,
        "metrics": {
            "transfers": 1,
            "transferMinutes": minutes,
            "transferEventMinutes": minutes,
            "transferEvents": len(events),
        },
    }

"""The carrier's record of a transferred call. Contract: transfer_data."""

from collections.abc import Sequence
from datetime import datetime, timedelta
from random import Random
from typing import Any

from dryline.simulator.conversation_rows import hex_id
from dryline.storage.current_world import current
from dryline.world.clock import wire

Report = tuple[str, int]  # a status, and its second


def random_transfer(rng: Random) -> list[Report]:
    """Return the carrier's status reports of a transfer; 88 % of them are answered."""
    reports = [("initiated", 0), ("ringing", 1)]
    if rng.random() < 0.88:
        answered, talk_s = 1 + rng.randrange(2, 9), rng.randrange(25, 150)
        return [*reports, ("answered", answered), ("completed", answered + talk_s)]
    return [*reports, ("busy" if rng.random() < 0.2 else "no-answer", rng.randrange(18, 30))]


def talk_s(reports: Sequence[Report]) -> int:
    """Return for how many seconds the two spoke."""
    seconds = dict(reports)
    return seconds.get("completed", 0) - seconds.get("answered", 0)


def transfer_data(reports: Sequence[Report], start: datetime, log: dict[str, Any], **numbers: str) -> dict[str, Any]:
    """Return the record of a call's transfer that begins at `start`; `numbers` are fromNumber and toNumber.

    Only the last report has a duration, the seconds that the two spoke, so that the minutes of the record and of its
    events agree.
    """
    ids = current().ids
    id, leg = ids.new("transfer"), hex_id(ids.random, "CA")
    events = []
    for kind, after in reports:
        at = wire(start + timedelta(seconds=after))
        event = {
            "id": ids.new("event"),
            "createdAt": at,
            "duration": str(talk_s(reports) if kind == "completed" else 0),
            **numbers,
            "callTransferId": id,
            "type": kind,
            "timestamp": at,
            "parentCallSid": log["call_sid"],
            "callSid": leg,
        }
        events.append(event)
    minutes = round(talk_s(reports) / 60, 4)
    return {
        "id": id,
        "createdAt": events[0]["timestamp"],
        "updatedAt": events[-1]["timestamp"],
        "callSid": log["call_sid"],
        "voiceLogId": log["id"],
        "status": reports[-1][0],
        "duration": str(talk_s(reports)),
        "transferEvents": events,
        "metrics": {
            "transfers": 1,
            "transferMinutes": minutes,
            "transferEventMinutes": minutes,
            "transferEvents": len(events),
        },
    }

"""The carrier's record of a transferred call. Contract: transfer_data."""

from datetime import datetime, timedelta
from random import Random
from typing import Any, NamedTuple

from dryline.simulator.conversation_rows import hex_id
from dryline.storage.current_world import current
from dryline.world.clock import wire


class TransferReports(NamedTuple):
    """The carrier's status reports of a transfer, each with its second, and how long the two spoke."""

    statuses: tuple[tuple[str, int], ...]
    talk_s: int

    @property
    def seconds(self) -> int:
        """Seconds from the first report to the last."""
        return self.statuses[-1][1]


def random_transfer(rng: Random) -> TransferReports:
    """Return the reports of a transfer; 88 % of them are answered."""
    if rng.random() < 0.88:
        answered, talk_s = 1 + rng.randrange(2, 9), rng.randrange(25, 150)
        statuses = (("initiated", 0), ("ringing", 1), ("answered", answered), ("completed", answered + talk_s))
        return TransferReports(statuses, talk_s)
    end = "busy" if rng.random() < 0.2 else "no-answer"
    return TransferReports((("initiated", 0), ("ringing", 1), (end, rng.randrange(18, 30))), 0)


def transfer_data(reports: TransferReports, start: datetime, log: dict[str, Any], **numbers: str) -> dict[str, Any]:
    """Return the record of a call's transfer that begins at `start`; `numbers` are fromNumber and toNumber.

    Only the last report has a duration, the seconds that the two spoke, so that the minutes of the record and of its
    events agree.
    """
    ids = current().ids
    id, leg = ids.new("transfer"), hex_id(ids.random, "CA")
    events = []
    for kind, after in reports.statuses:
        at = wire(start + timedelta(seconds=after))
        event = {
            "id": ids.new("event"),
            "createdAt": at,
            "duration": str(reports.talk_s if kind == "completed" else 0),
            **numbers,
            "callTransferId": id,
            "type": kind,
            "timestamp": at,
            "parentCallSid": log["call_sid"],
            "callSid": leg,
        }
        events.append(event)
    minutes = round(reports.talk_s / 60, 4)
    return {
        "id": id,
        "createdAt": events[0]["timestamp"],
        "updatedAt": events[-1]["timestamp"],
        "callSid": log["call_sid"],
        "voiceLogId": log["id"],
        "status": reports.statuses[-1][0],
        "duration": str(reports.talk_s),
        "transferEvents": events,
        "metrics": {
            "transfers": 1,
            "transferMinutes": minutes,
            "transferEventMinutes": minutes,
            "transferEvents": len(events),
        },
    }

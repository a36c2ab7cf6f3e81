"""Why requests failed, and equal failures together."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from dryline.world.faults import FaultRules
from dryline.world.request_log import Entry

MAX_TEXT = 200


@dataclass
class RequestGroup:
    """Requests that failed for the same reason, or a single one. `entry` is the newest of them."""

    entry: Entry
    reason: str
    count: int = 1

    @property
    def client(self) -> str:
        """The name of the client, from its header User-Agent."""
        return next((value for name, value in self.entry.headers if name.lower() == "user-agent"), "-")


def group_failures(entries: Iterable[Entry], faults: FaultRules, *, each: bool) -> list[RequestGroup]:
    """Return the entries in their order, with equal failures together in the position of the newest unless `each`."""
    groups: dict[Any, RequestGroup] = {}
    for entry in entries:
        reason = reason_of(entry, faults)
        is_alone = each or (entry.status is not None and entry.status < 400)
        key = entry.number if is_alone else (entry.method, entry.path, entry.status, entry.team_id, reason)
        if key in groups:
            groups[key].count += 1
        else:
            groups[key] = RequestGroup(entry, reason)
    return list(groups.values())


def reason_of(entry: Entry, faults: FaultRules) -> str:
    """Return the fault that hit the request, in words, or the error of its answer; else an empty text."""
    if entry.fault_id is None:
        return entry.error[:MAX_TEXT]
    rule = faults.by_id(entry.fault_id)
    return f"Fault: {rule.in_words()}" if rule else "Fault: a rule that has been removed"

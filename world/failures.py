"""Why requests failed, in words, and equal failures together; and what a near miss of a search has instead."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import orjson

from dryline.world.faults import Fault
from dryline.world.request_log import Entry
from dryline.world.request_search import Criteria

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


class Difference(NamedTuple):
    """A condition of a search, by the API's name, with its expected text and that of a request."""

    name: str
    expected: str
    actual: str


def grouped(entries: Iterable[Entry], faults: Iterable[Fault]) -> list[RequestGroup]:
    """Return the entries in their order, with equal failures together at the place of the newest."""
    rules = {fault.id: fault for fault in faults}
    groups: dict[Any, RequestGroup] = {}
    for entry in entries:
        reason = reason_of(entry, rules)
        failed = entry.status is None or entry.status >= 400
        key = (entry.method, entry.path, entry.status, entry.team_id, reason) if failed else entry.number
        if key in groups:
            groups[key].count += 1
        else:
            groups[key] = RequestGroup(entry, reason)
    return list(groups.values())


def reason_of(entry: Entry, rules: Mapping[str, Fault]) -> str:
    """Return the fault that hit the request, in words, or the first error of its answer; else an empty text."""
    if entry.fault_id is not None:
        rule = rules.get(entry.fault_id)
        return f"Fault: {rule.in_words()}" if rule else "Fault: a rule that has been removed"
    if entry.status is not None and entry.status < 400:
        return ""
    try:
        body = orjson.loads(entry.answer)
    except orjson.JSONDecodeError:
        return ""
    if not isinstance(body, dict):
        return ""
    return _first_detail(body.get("details")) or _text(body.get("error"))


def _first_detail(details: Any) -> str:
    """Return the first invalid member and its message, and how many there are besides."""
    if not isinstance(details, list) or not details or not isinstance(details[0], dict):
        return ""
    path, message = _text(details[0].get("path")), _text(details[0].get("message"))
    more = f" (and {len(details) - 1} more)" if len(details) > 1 else ""
    return f"{path}: {message}{more}" if path and not message.startswith(path) else message + more


def _text(value: Any) -> str:
    return value[:MAX_TEXT] if isinstance(value, str) else ""


def differences(criteria: Criteria, entry: Entry, misses: Iterable[str]) -> list[Difference]:
    """Return what a request has where it misses the criteria of these names."""
    body = entry.text()[:MAX_TEXT] or "no body"
    sides = {
        "path": (criteria.path, entry.path),
        "method": (criteria.method, entry.method),
        "status": (criteria.status, entry.status or "connection closed"),
        "bodyContains": (criteria.body_contains, body),
        "bodyMatches": (criteria.body_matches, body),
    }
    return [
        Difference(name, *(str(side) for side in sides[name])) if name in sides else Difference(name, "", "")
        for name in misses
    ]

"""The request log as text, for the report of a failing test and the message of a failed check."""

import json
from datetime import timedelta
from typing import Any
from urllib.parse import urlencode

from dryline.world import clock

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

# How many characters of a body a line shows.
BODY_CHARACTERS = 200
# Further apart, API time and real time are both shown. A request may wait for a fault's delay.
A_MOMENT = timedelta(minutes=1)


def format_requests(entries: list[dict[str, Any]], newest: int) -> str:
    """Return entries of the request log, which come newest first, as lines with the oldest first."""
    if not entries:
        return "No request came in."
    lines = [request_and_answer(entry) for entry in reversed(entries)]
    return "\n".join(([f"(the newest {newest})"] if len(entries) == newest else []) + lines)


def request_and_answer(entry: dict[str, Any]) -> str:
    """Return an entry of the request log as a line."""
    api_time, real_time = entry["time"], entry["answeredAt"] or entry["time"]
    # A clock that is frozen or moved has times of its own.
    moved = f"  (API time {api_time[:19]})" if abs(clock.parse(api_time) - clock.parse(real_time)) > A_MOMENT else ""
    parts = [real_time[11:23], entry["method"], _path(entry), _status(entry)]
    if not entry["inProgress"]:
        parts.append(f"{entry['durationMs']:.0f} ms")
    answer = entry["answer"]
    if isinstance(answer, dict) and "error" in answer and (entry["status"] or 0) >= 400:
        parts.append(f" {answer['error']}")
    if entry["faultId"]:
        parts.append(f" [{entry['faultId']}]")
    if entry["ignored"]:
        parts.append(f" ignored: {', '.join(entry['ignored'])}")
    return " ".join(parts) + moved


def format_failed_check(error: str, criteria: dict[str, Any], answer: dict[str, Any]) -> str:
    """Return the message of a failed `verify`: the criteria, the nearest requests, the requests beyond the limit."""
    lines = [error]
    if criteria:
        lines.append("wanted: " + ", ".join(f"{name} {value!r}" for name, value in criteria.items()))
    for near in answer.get("nearest", ()):
        request, misses = near["request"], ", ".join(_describe_miss(name, near["request"]) for name in near["misses"])
        lines.append(f"nearest: {_request(request, near['bodyText'])}  (missed: {misses})")
    for entry in answer.get("surplus", ()):
        lines.append(f"too many: {_request(entry, '' if entry['body'] is None else json.dumps(entry['body']))}")
    return "\n  ".join(lines)


def _describe_miss(name: str, entry: dict[str, Any]) -> str:
    """Return the name of a criterion that a request does not meet; a header's with the value that was sent."""
    kind, _, header = name.partition(".")
    return f"{name}, which is {entry['headers'].get(header.lower())!r}" if kind == "headers" else name


def _request(entry: dict[str, Any], body: str) -> str:
    return f"{entry['method']} {_path(entry)} {_status(entry)}" + (f"  {body[:BODY_CHARACTERS]}" if body else "")


def _path(entry: dict[str, Any]) -> str:
    query = urlencode(entry["query"], doseq=True, safe="*")  # a masked value is ***
    return f"{entry['path']}?{query}" if query else str(entry["path"])


def _status(entry: dict[str, Any]) -> str:
    return "in progress" if entry["inProgress"] else str(entry["status"] or "cut")

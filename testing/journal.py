"""The request log as text, for the report of a failing test and the message of a failed check."""

from __future__ import annotations

import json
from typing import Any

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

# How many characters of a body a line shows.
BODY_CHARACTERS = 200


def format_requests(entries: list[dict[str, Any]], newest: int) -> str:
    """Return entries of the request log, which come newest first, as lines with the oldest first."""
    if not entries:
        return "No request came in."
    lines = [_request_and_answer(entry) for entry in reversed(entries)]
    return "\n".join(([f"(the newest {newest})"] if len(entries) == newest else []) + lines)


def _request_and_answer(entry: dict[str, Any]) -> str:
    parts = [entry["time"][11:23], entry["method"], entry["path"], _status(entry), f"{entry['durationMs']:.0f} ms"]
    answer = entry["answer"]
    if isinstance(answer, dict) and "error" in answer and (entry["status"] or 0) >= 400:
        parts.append(f" {answer['error']}")
    if entry["faultId"]:
        parts.append(f" [{entry['faultId']}]")
    return " ".join(parts)


def format_failed_check(error: str, criteria: dict[str, Any], answer: dict[str, Any]) -> str:
    """Return the message of a failed `verify`: the criteria, the nearest requests, the requests beyond the limit."""
    lines = [error]
    if criteria:
        lines.append("wanted: " + ", ".join(f"{name} {value!r}" for name, value in criteria.items()))
    for near in answer.get("nearest", ()):
        lines.append(f"nearest: {_request(near['request'])}  (missed: {', '.join(near['misses'])})")
    lines += [f"too many: {_request(entry)}" for entry in answer.get("surplus", ())]
    return "\n  ".join(lines)


def _request(entry: dict[str, Any]) -> str:
    body = "" if entry["body"] is None else f"  {json.dumps(entry['body'])[:BODY_CHARACTERS]}"
    return f"{entry['method']} {entry['path']} {_status(entry)}{body}"


def _status(entry: dict[str, Any]) -> str:
    return str(entry["status"] or "cut")

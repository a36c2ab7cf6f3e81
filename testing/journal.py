"""The request record as text: what a failing test shows of its world, and why a check of the traffic failed."""

from __future__ import annotations

import json
from typing import Any

# Of a body, in a line.
SHOWN = 200


def told(entries: list[dict[str, Any]], newest: int) -> str:
    """Requests, newest first as the control plane gives them, as lines with the oldest first."""
    if not entries:
        return "No request came in."
    lines = [_answered(entry) for entry in reversed(entries)]
    return "\n".join(([f"(the newest {newest})"] if len(entries) == newest else []) + lines)


def _answered(entry: dict[str, Any]) -> str:
    parts = [entry["time"][11:23], entry["method"], entry["path"], _status(entry), f"{entry['durationMs']:.0f} ms"]
    answer = entry["answer"]
    if isinstance(answer, dict) and "error" in answer and (entry["status"] or 0) >= 400:
        parts.append(f" {answer['error']}")
    if entry["faultId"]:
        parts.append(f" [{entry['faultId']}]")
    return " ".join(parts)


def unmet(error: str, wanted: dict[str, Any], answer: dict[str, Any]) -> str:
    """Why a check of the traffic failed, with the requests that show it."""
    lines = [error]
    if wanted:
        lines.append("wanted: " + ", ".join(f"{name} {value!r}" for name, value in wanted.items()))
    for near in answer.get("nearest", ()):
        lines.append(f"nearest: {_asked(near['request'])}  (missed: {', '.join(near['misses'])})")
    lines += [f"too many: {_asked(entry)}" for entry in answer.get("surplus", ())]
    return "\n  ".join(lines)


def _asked(entry: dict[str, Any]) -> str:
    body = "" if entry["body"] is None else f"  {json.dumps(entry['body'])[:SHOWN]}"
    return f"{entry['method']} {entry['path']} {_status(entry)}{body}"


def _status(entry: dict[str, Any]) -> str:
    return str(entry["status"] or "cut")

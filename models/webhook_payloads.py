"""The messages about calls to custom webhooks, and to the `wsUrl` of a batch."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson

from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.webhook_fields import names_of
from dryline.world.clock import parse

Log = Mapping[str, Any]  # a row of voice logs, by column names

STARTED, ENDED = "call_started", "call_ended"
_AT_START = "ringing"  # every call's `status` then (calls_in_progress.py)


def webhook_payload(webhook: CustomWebhook, log: Log, event: str) -> dict[str, Any]:
    """Return the body for a webhook: three ids, and a member for each name in its `fields` that has a value.

    A name is one of the contract's, the key of an extraction, or a member of the log.
    """
    body: dict[str, Any] = {"webhook_id": webhook.id, "log_id": log["id"], "deployment_id": log["deployment_id"]}
    known = _started(log) | {"status": _AT_START} if event == STARTED else _ended(log)
    for name in names_of(webhook.fields):
        if name not in body and known.get(name) is not None:
            body[name] = known[name]
    return body


def batch_payload(log: Log) -> dict[str, Any]:
    """Return the body for a batch's `wsUrl`. Assumed: no source shows it."""
    return {
        "log_id": log["id"],
        "deployment_id": log["deployment_id"],
        "row_id": log["metadata"].get("rowId"),
        "status": log["status"],
        "duration_ms": (log.get("duration") or 0) * 1000,
        "extractions": log.get("extractions_data"),
    }


def _started(log: Log) -> dict[str, Any]:
    """Return the values that are known when a call starts."""
    names = ("from_number", "to_number", "direction", "call_sid", "external_call_id", "start_time")
    return {name: log.get(name) for name in names} | {"start_timestamp": _ms(log["start_time"])}


def _ended(log: Log) -> dict[str, Any]:
    """Return the values that are known when a call has ended."""
    analysis = (log.get("data") or {}).get("call_analysis") or {}
    extracted = {name: _text(value) for name, value in (log.get("extractions_data") or {}).items()}
    return {
        **{name: value for name, value in log.items() if isinstance(value, str | int | None)},
        **_started(log),
        **extracted,
        "transcript": log.get("transcription"),
        "recording_url": log.get("recording_url"),
        "duration_ms": (log.get("duration") or 0) * 1000,
        "end_timestamp": _ms(log["end_time"]),
        "sentiment": analysis.get("user_sentiment"),
        "summary": analysis.get("call_summary"),
    }


def _ms(stamp: str | None) -> int | None:
    """Return milliseconds since 1970."""
    return None if stamp is None else round(parse(stamp).timestamp() * 1000)


def _text(value: Any) -> str | None:
    """Return an extraction as text, as the contract has it, booleans too."""
    return value if isinstance(value, str) or value is None else orjson.dumps(value).decode()

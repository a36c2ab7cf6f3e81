"""The messages about calls to custom webhooks and to the `wsUrl` of a batch, and the names that a webhook can have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any

import orjson

from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.flows import Flow
from dryline.models.open_json import analysis_of
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.world.clock import parse

if TYPE_CHECKING:
    from dryline.models.voice_deployments import VoiceDeployment

LogRow = Mapping[str, Any]  # a row of voice logs, by column names

STARTED, ENDED = "call_started", "call_ended"
_FIRST_STATUS = "ringing"  # every call's `status` then (calls_in_progress.py)


def webhook_payload(webhook: CustomWebhook, log: LogRow, event: str) -> dict[str, Any]:
    """Return the body for a webhook: three ids, and a member for each name in its `fields` that has a value.

    A name is one of the contract's, the key of an extraction, or a member of the log.
    """
    body: dict[str, Any] = {"webhook_id": webhook.id, "log_id": log["id"], "deployment_id": log["deployment_id"]}
    if event == STARTED:
        known = _values_at_start(log)
        known["status"] = _FIRST_STATUS
    else:
        known = _values_at_end(log)
    for name in split_names(webhook.fields):
        if name not in body and known.get(name) is not None:
            body[name] = known[name]
    return body


def batch_payload(log: LogRow) -> dict[str, Any]:
    """Return the body for a batch's `wsUrl`. Assumed: no source shows it."""
    return {
        "log_id": log["id"],
        "deployment_id": log["deployment_id"],
        "row_id": log["metadata"].get("rowId"),
        "status": log["status"],
        "duration_ms": (log.get("duration") or 0) * 1000,
        "extractions": log.get("extractions_data"),
    }


def _values_at_start(log: LogRow) -> dict[str, Any]:
    """Return the values that are known when a call starts."""
    names = ("from_number", "to_number", "direction", "call_sid", "external_call_id", "start_time")
    return {name: log.get(name) for name in names} | {"start_timestamp": _milliseconds(log["start_time"])}


def _values_at_end(log: LogRow) -> dict[str, Any]:
    """Return the values that are known when a call has ended."""
    analysis = analysis_of(log)
    extracted = {name: _extraction_as_text(value) for name, value in (log.get("extractions_data") or {}).items()}
    return {
        **{name: value for name, value in log.items() if isinstance(value, str | int | None)},
        **_values_at_start(log),
        **extracted,
        "transcript": log.get("transcription"),
        "recording_url": log.get("recording_url"),
        "duration_ms": (log.get("duration") or 0) * 1000,
        "end_timestamp": _milliseconds(log["end_time"]),
        "sentiment": analysis.get("user_sentiment"),
        "summary": analysis.get("call_summary"),
    }


def _milliseconds(stamp: str | None) -> int | None:
    """Return milliseconds since 1970."""
    return None if stamp is None else round(parse(stamp).timestamp() * 1000)


def _extraction_as_text(value: Any) -> str | None:
    """Return an extraction as text, as the contract has it, booleans too."""
    return value if isinstance(value, str) or value is None else orjson.dumps(value).decode()


# The names in the `fields` of a webhook

# First those that are no columns of the log; `webhook_payload` adds their values.
NAMES = (
    "webhook_id",
    "log_id",
    "start_timestamp",
    "end_timestamp",
    "duration_ms",
    "transcript",
    "sentiment",
    "summary",
    *VoiceLog._meta.sorted_field_names,
)
# The members that messages can have, without extractions: those above, and what `batch_payload` adds.
ALL_NAMES = (*NAMES, "row_id", "extractions")


def split_names(fields: str) -> Iterator[str]:
    """Yield the names in the text of a webhook's `fields`."""
    for name in fields.split(","):
        if name := name.strip():
            yield name


def unknown_names(names: Iterable[str], deployment: VoiceDeployment) -> list[str]:
    """Return the names without a value: neither members of a call's log nor extractions of the deployment or its flow.

    A flow can extract under any name, so each text in quotes in its code counts.
    """
    unknown = [name for name in names if name not in NAMES and name not in (deployment.extractions or ())]
    if not unknown:
        return []
    flow = Flow.find(id=deployment.flow_id)
    code = flow.code if flow else ""
    return [name for name in unknown if f'"{name}"' not in code and f"'{name}'" not in code]


def require_known_names(fields: str, deployment: VoiceDeployment) -> None:
    """Raise Invalid for a name without a value, if the server is strict."""
    if not current().runtime_settings.strict:
        return
    if unknown := unknown_names(split_names(fields), deployment):
        raise Invalid(f"No members of a call's log and no extractions: {', '.join(unknown)}.", "fields")

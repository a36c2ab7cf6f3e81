"""Batch calls: rows that a voice deployment calls without a campaign. Contract: makeVoiceBatchCalls."""

from collections import ChainMap
from typing import Any

from dryline.models.conditions import RowCondition
from dryline.models.deployments import Deployment
from dryline.models.queued_calls import BATCH_INTERVAL_MINUTES, BATCH_SIZE, QueuedCall, due_times, rows_with_ids
from dryline.models.scripted_outcomes import require_outcomes
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.json_values import is_too_deep, loads

# A V1 row says how far it is; one that was called already is not called again.
_NOT_CALLED = (None, "PENDING")


def queue_calls(
    deployment: Deployment,
    *,
    data: list[dict[str, Any]],
    batch_size: float = BATCH_SIZE,
    batch_interval_minutes: float = BATCH_INTERVAL_MINUTES,
    condition: str | None = None,
    additional_data: Any = None,
    rows_have_status: bool = False,
    **terms: Any,
) -> int:
    """Queue the rows that meet the condition, the first batch for now. Returns how many were taken.

    `terms` go to every call: `extractions`, `country`, `wsUrl`. Raises Invalid for a condition that cannot be read,
    for JSON text that is nested too deeply, and as `require_outcomes`.
    """
    criteria = RowCondition(condition)
    require_outcomes(data)
    shared = _read_object(additional_data, "additional_data")
    rows = []
    for id, row in rows_with_ids(data):
        was_called = rows_have_status and row.get("status") not in _NOT_CALLED
        if not was_called and criteria.is_met_by(ChainMap(row, shared or {})):
            rows.append((id, row))
    due = due_times(len(rows), batch_size, batch_interval_minutes, current().now())
    every_call = {
        **terms,
        "additionalData": additional_data if shared is None else shared,
        "extractions": _read_object(terms.get("extractions"), "extractions"),
    }
    terms = {name: value for name, value in every_call.items() if value is not None}
    QueuedCall.enqueue(deployment, rows, due, terms=terms or None)
    return len(rows)


def remove_queued_calls(deployment: Deployment) -> list[dict[str, Any]]:
    """Take the deployment's batch calls, not those of campaigns, out of the queue. Returns their rows."""
    return QueuedCall.take_out(QueuedCall.deployment_id == deployment.id, QueuedCall.campaign_id.is_null())


def _read_object(value: Any, name: str) -> dict[str, Any] | None:
    """Return an object, or the object in a JSON text; None for anything else. Raises Invalid if it is too deep."""
    if isinstance(value, str):
        text = value
        try:
            value = loads(text)
        except ValueError:
            return None
        if is_too_deep(text, value):
            raise Invalid("Nested too deeply.", name)
    return value if isinstance(value, dict) else None

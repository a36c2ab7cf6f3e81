"""The conditions of a flow that its calls took, and where its calls in progress are."""

from collections import Counter
from datetime import timedelta
from typing import Any

import orjson
from peewee import fn

from dryline.models.calls_in_progress import CallInProgress
from dryline.models.flows import Flow
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.record import tuples
from dryline.world.clock import wire

DAYS = 7
MAX_CALLS = 1_000


def taken_conditions(flow: Flow, code: str) -> tuple[int, Counter[Any]]:
    """Return the number of the flow's newest calls of the last week, and how many of them took each condition.

    A condition is known by its line in calls that ran `code`, and by its text in others.
    """
    now = current().clock.now()
    trace = fn.json_extract(VoiceLog.session_log_data, "$.trace").coerce(False)
    calls = VoiceLog.select(VoiceLog.flow_snapshot == code, trace).where(
        VoiceLog.worker_id == flow.worker_id,
        VoiceLog.flow_id == flow.id,
        VoiceLog.start_time > wire(now - timedelta(days=DAYS)),
        VoiceLog.start_time <= wire(now),
    )
    newest = calls.order_by(VoiceLog.start_time.desc(), VoiceLog.id.desc()).limit(MAX_CALLS)
    traces = [(has_same_code, _steps(text)) for has_same_code, text in tuples(newest) if isinstance(text, str)]
    counts: Counter[Any] = Counter()
    for has_same_code, steps in traces:
        taken = [step.get("line" if has_same_code else "condition") for step in steps]
        counts.update({condition for condition in taken if isinstance(condition, int | str)})
    return len(traces), counts


def calls_at(flow: Flow, limit: int) -> list[tuple[VoiceLog, int | None]]:
    """Return the flow's calls in progress, each with the line of the condition that it took last."""
    ids = CallInProgress.select(CallInProgress.id).where(CallInProgress.shown_until.is_null(False))
    chosen = VoiceLog.id.in_(ids), VoiceLog.flow_id == flow.id, VoiceLog.team_id == flow.team_id
    calls = VoiceLog.select().where(*chosen).order_by(VoiceLog.start_time.desc(), VoiceLog.id.desc()).limit(limit)
    return [(call, _last_line(call.session_log_data)) for call in calls]


def _steps(trace: str) -> list[dict[str, Any]]:
    """Return the steps of a trace that took a condition."""
    steps = orjson.loads(trace)
    return [step for step in steps if isinstance(step, dict) and step.get("step") == "until"]


def _last_line(session_log_data: Any) -> int | None:
    steps = (session_log_data or {}).get("trace") or []
    return next((step.get("line") for step in reversed(steps) if step.get("step") == "until"), None)

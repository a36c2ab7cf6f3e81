"""The conditions of a flow that its calls took, and where its calls in progress are."""

from collections import Counter
from datetime import timedelta
from typing import Any

from dryline.models.calls_in_progress import CallInProgress
from dryline.models.flows import Flow
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.world.clock import wire

DAYS = 7
MAX_CALLS = 1_000


def taken_conditions(flow: Flow, code: str) -> tuple[int, Counter[Any]]:
    """Return the number of the flow's newest calls of the last week, and how many of them took each condition.

    A condition is known by its line in calls that ran `code`, and by its text in others.
    """
    now = current().clock.now()
    calls = VoiceLog.select(VoiceLog.flow_snapshot, VoiceLog.session_log_data).where(
        VoiceLog.worker_id == flow.worker_id,
        VoiceLog.flow_id == flow.id,
        VoiceLog.start_time > wire(now - timedelta(days=DAYS)),
        VoiceLog.start_time <= wire(now),
    )
    calls = calls.order_by(VoiceLog.start_time.desc(), VoiceLog.id.desc()).limit(MAX_CALLS)
    newest = [call for call in calls if (call.session_log_data or {}).get("trace") is not None]
    counts: Counter[Any] = Counter()
    for call in newest:
        key = "line" if call.flow_snapshot == code else "condition"
        counts.update({step.get(key) for step in _steps(call) if isinstance(step.get(key), int | str)})
    return len(newest), counts


def calls_at(flow: Flow, limit: int) -> list[tuple[VoiceLog, int | None]]:
    """Return the flow's calls in progress, each with the line of the condition that it took last."""
    ids = CallInProgress.select(CallInProgress.id).where(CallInProgress.shown_until.is_null(False))
    chosen = VoiceLog.id.in_(ids), VoiceLog.flow_id == flow.id, VoiceLog.team_id == flow.team_id
    calls = VoiceLog.select().where(*chosen).order_by(VoiceLog.start_time.desc(), VoiceLog.id.desc()).limit(limit)
    return [(call, next((step.get("line") for step in reversed(_steps(call))), None)) for call in calls]


def _steps(call: VoiceLog) -> list[dict[str, Any]]:
    """Return the steps of a call that took a condition."""
    steps = (call.session_log_data or {}).get("trace") or []
    return [step for step in steps if isinstance(step, dict) and step.get("step") == "until"]

"""The conditions of a flow that its calls took, and where its calls in progress are."""

from datetime import timedelta
from typing import NamedTuple

from dryline.models.calls_in_progress import UNDER_WAY, CallInProgress
from dryline.models.flows import Flow
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.world.clock import wire

DAYS = 7
MAX_CALLS = 1_000


class TakenPath(NamedTuple):
    """The conditions that a call took, in their order.

    `lines` has their lines, or None each if the call ran other code than the flow has now.
    """

    conditions: list[str]
    lines: list[int | None]
    in_progress: bool


def taken_paths(flow: Flow, code: str) -> list[TakenPath]:
    """Return what the flow's newest calls of the last week took, the newest call first."""
    now = current().now()
    fields = VoiceLog.flow_snapshot, VoiceLog.session_log_data, VoiceLog.other_shapes, VoiceLog.status
    calls = VoiceLog.select(*fields).where(
        VoiceLog.worker_id == flow.worker_id,
        VoiceLog.flow_id == flow.id,
        VoiceLog.start_time > wire(now - timedelta(days=DAYS)),
        VoiceLog.start_time <= wire(now),
    )
    calls = calls.order_by(VoiceLog.start_time.desc(), VoiceLog.id.desc()).limit(MAX_CALLS)
    return [_path_of(call, code) for call in calls if call.status in UNDER_WAY or call.trace is not None]


def calls_in_progress(flow: Flow, limit: int) -> list[VoiceLog]:
    """Return the flow's calls in progress, the newest first."""
    ids = CallInProgress.select(CallInProgress.id).where(CallInProgress.shown_until.is_null(False))
    chosen = VoiceLog.id.in_(ids), VoiceLog.flow_id == flow.id, VoiceLog.team_id == flow.team_id
    return list(VoiceLog.select().where(*chosen).order_by(VoiceLog.start_time.desc(), VoiceLog.id.desc()).limit(limit))


def _path_of(call: VoiceLog, code: str) -> TakenPath:
    steps = [step for step in call.trace or () if step.get("step") == "until"]
    return TakenPath(
        [str(step.get("condition")) for step in steps],
        [step.get("line") if call.flow_snapshot == code else None for step in steps],
        call.status in UNDER_WAY,
    )

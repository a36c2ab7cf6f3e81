"""The branches of a flow that its calls took, and where its calls in progress are."""

from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

from dryline.models.calls_in_progress import CallInProgress
from dryline.models.flows import Flow
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.record import connection
from dryline.world.clock import wire

DAYS = 7
MAX_CALLS = 1_000
# A condition is known by its line in calls that ran the same code, and by its text in others.
_SQL = """
WITH calls AS (
    SELECT id, session_log_data, flow_snapshot IS :code AS has_same_code FROM voice_log
    WHERE id IN (SELECT id FROM voice_log
        WHERE worker_id = :worker AND flow_id = :flow AND start_time > :since AND start_time <= :now
        ORDER BY start_time DESC, id DESC LIMIT :limit)
    AND json_type(session_log_data, '$.trace') = 'array')
SELECT NULL, NULL, COUNT(*) FROM calls
UNION ALL
SELECT iif(has_same_code, json_extract(step.value, '$.line'), NULL), json_extract(step.value, '$.condition'),
    COUNT(DISTINCT calls.id)
FROM calls, json_each(calls.session_log_data, '$.trace') AS step
WHERE step.type = 'object' AND json_extract(step.value, '$.step') = 'until'
GROUP BY 1, 2"""


@dataclass
class TakenBranches:
    """Numbers of calls by the condition that they took: by its line or, in calls that ran other code, by its text."""

    calls: int = 0
    by_line: dict[Any, int] = field(default_factory=dict)
    by_text: dict[Any, int] = field(default_factory=dict)

    def of(self, condition: str, line: int) -> int:
        """Return how many calls took a condition."""
        return self.by_line.get(line, 0) + self.by_text.get(condition, 0)


def taken_branches(flow: Flow, code: str) -> TakenBranches:
    """Return the branches that the flow's newest calls of the last week took. `code` is the flow's or a version's."""
    now = current().clock.now()
    since = wire(now - timedelta(days=DAYS))
    values = {"worker": flow.worker_id, "flow": flow.id, "limit": MAX_CALLS}
    values["code"] = VoiceLog.flow_snapshot.db_value(code)
    (_, _, calls), *rows = connection().execute(_SQL, {**values, "since": since, "now": wire(now)}).fetchall()
    branches = TakenBranches(calls)
    for line, condition, count in rows:
        if line is None:
            branches.by_text[condition] = count
        else:
            branches.by_line[line] = branches.by_line.get(line, 0) + count
    return branches


def calls_at(flow: Flow, limit: int) -> list[tuple[VoiceLog, int | None]]:
    """Return the flow's calls in progress, each with the line of the condition that it took last."""
    ids = CallInProgress.select(CallInProgress.id).where(CallInProgress.shown_until.is_null(False))
    chosen = VoiceLog.id.in_(ids), VoiceLog.flow_id == flow.id, VoiceLog.team_id == flow.team_id
    calls = VoiceLog.select().where(*chosen).order_by(VoiceLog.start_time.desc(), VoiceLog.id.desc()).limit(limit)
    return [(call, _last_line(call.session_log_data)) for call in calls]


def _last_line(session_log_data: Any) -> int | None:
    steps = (session_log_data or {}).get("trace") or []
    return next((step.get("line") for step in reversed(steps) if step.get("step") == "until"), None)

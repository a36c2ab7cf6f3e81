"""What a team has been up to, counted and newest first: for whoever looks at the whole."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeVar

from dryline.models.campaigns import ACTIVE, OutboundCampaign
from dryline.models.exports import Export
from dryline.models.logs import Log
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.teams import Team
from dryline.storage.record import Record, connection

AnyLog = TypeVar("AnyLog", bound=Log)


def calls_by(team: Team, times: Sequence[str]) -> dict[str, dict[str, int]]:
    """How many calls began in each of `times`: it to status to count. They are the oldest first, and of one length:
    all are hours (`2026-11-21T14`), or all are days (`2026-11-21`).
    """
    rows = connection().execute(
        "SELECT substr(start_time, 1, ?), status, count(*) FROM voice_log"
        " WHERE team_id = ? AND start_time >= ? GROUP BY 1, 2 ORDER BY 1",
        (len(times[0]), team.id, times[0]),
    )
    found: dict[str, dict[str, int]] = {time: {} for time in times}
    for time, status, count in rows:
        if time in found:
            found[time][status or "unknown"] = count
    return found


def newest_logs(team: Team, model: type[AnyLog], limit: int, **where: Any) -> list[AnyLog]:
    """The conversations of a channel, with these column values, that began last."""
    mine = model.select().where(model.team_id == team.id, *(getattr(model, name) == where[name] for name in where))
    return list(mine.order_by(model.start_time.desc(), model.id.desc()).limit(limit))


def newest_errors(team: Team, limit: int) -> list[RuntimeErrorRecord]:
    """The runtime errors that were recorded last."""
    return list(_newest(RuntimeErrorRecord, team).limit(limit))


def exports_at_work(team: Team) -> list[Export]:
    """The exports that wait or are being written."""
    return list(_newest(Export, team).where(Export.status.in_(("PENDING", "PROCESSING"))))


def campaigns_at_work(team: Team) -> list[OutboundCampaign]:
    """The campaigns that call."""
    return list(_newest(OutboundCampaign, team).where(OutboundCampaign.status.in_(ACTIVE)))


def made_of(team: Team) -> dict[str, dict[str, int]]:
    """How much each worker has: its id to what (`flow`, `deployment`, `resource`, `test`) to how many."""
    found: dict[str, dict[str, int]] = {}
    for table in ("flow", "deployment", "resource", "test"):
        sql = f"SELECT worker_id, count(*) FROM {table} WHERE team_id = ? GROUP BY worker_id"
        for worker_id, count in connection().execute(sql, (team.id,)):
            found.setdefault(worker_id, {})[table] = count
    return found


def _newest(model: type[Record], team: Team) -> Any:
    return model.select().where(model.team_id == team.id).order_by(model.created_at.desc(), model.id.desc())

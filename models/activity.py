"""Recent activity of a team for the console: counts, and the newest rows."""

from collections import Counter
from collections.abc import Sequence
from typing import Any

from peewee import SQL, fn

from dryline.models.campaigns import ACTIVE, OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.exports import Export
from dryline.models.flows import Flow
from dryline.models.logs import Log
from dryline.models.resources import Resource
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.teams import Team
from dryline.models.tests import Test
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.storage.record import Record, tuples

RECENT_CALLS = 200


def count_calls(team: Team, periods: Sequence[str]) -> dict[str, dict[str, int]]:
    """Return how many calls began in each period, by status.

    The periods are the oldest first and of one length: hours (`2026-11-21T14`) or days (`2026-11-21`).
    """
    period = fn.SUBSTR(VoiceLog.start_time, 1, len(periods[0]))
    query = VoiceLog.select(period, VoiceLog.status, fn.COUNT(SQL("*")))
    query = query.where(VoiceLog.team_id == team.id, VoiceLog.start_time >= periods[0]).group_by(SQL("1"), SQL("2"))
    counts: dict[str, dict[str, int]] = {period: {} for period in periods}
    for name, status, count in tuples(query):
        if name in counts:
            counts[name][status or "unknown"] = count
    return counts


def count_events(since: str, until: str) -> dict[tuple[str, str], int]:
    """Return how many calls began and ended and exports expired after `since`, up to `until`: noun, verb to count."""
    counts = {
        event: column.model.select().where(column > since, column <= until).count()
        for event, column in (
            (("call", "began"), VoiceLog.start_time),
            (("call", "ended"), VoiceLog.end_time),
            (("export", "expired"), Export.expires_at),
        )
    }
    return {event: number for event, number in counts.items() if number}


def newest_logs(team: Team, model: type[Log], limit: int, **where: Any) -> list[Any]:
    """Return a channel's conversations with these column values, latest start first."""
    query = model.select().filter(team_id=team.id, **where)
    return list(query.order_by(model.start_time.desc(), model.id.desc()).limit(limit))


def ended_calls(team: Team, since: str, limit: int) -> list[VoiceLog]:
    """Return the calls that ended after `since`, the last one first."""
    now = current().stamp()
    query = VoiceLog.select().where(VoiceLog.team_id == team.id, VoiceLog.end_time > since, VoiceLog.end_time <= now)
    return list(query.order_by(VoiceLog.end_time.desc(), VoiceLog.id.desc()).limit(limit))


def usual_lines(team: Team) -> list[VoiceDeployment]:
    """Return the active voice deployments, those with most of the last inbound calls first."""
    recent = VoiceLog.select(VoiceLog.deployment_id, VoiceLog.direction).where(VoiceLog.team_id == team.id)
    recent = recent.order_by(VoiceLog.start_time.desc(), VoiceLog.id.desc()).limit(RECENT_CALLS)
    counts = Counter(deployment for deployment, direction in tuples(recent) if direction == "inbound")
    return sorted(VoiceDeployment.listing(team, status="ACTIVE"), key=lambda line: -counts[line.id])


def newest_errors(team: Record, limit: int, **where: Any) -> list[RuntimeErrorRecord]:
    """Return the newest of each runtime error of a worker, with their number as `count`.

    Errors of one line of a flow are one error: their texts may differ in an id or a number.
    """
    model = RuntimeErrorRecord
    query = model.select(model, fn.COUNT(SQL("*")).alias("count"), fn.MAX(model.created_at).alias("newest"))
    where_it_failed = fn.COALESCE(model.line_number.cast("TEXT"), model.error)
    query = query.filter(team_id=team.team_id, **where).group_by(model.worker_id, model.flow_id, where_it_failed)
    return list(query.order_by(SQL("newest").desc(), model.id).limit(limit))


def open_exports(team: Team) -> list[Export]:
    """Return the exports that wait or are being written."""
    return [export for export in Export.recent(team) if export.status in ("PENDING", "PROCESSING")]


def active_campaigns(team: Team) -> list[OutboundCampaign]:
    """Return the campaigns that place calls."""
    return [campaign for campaign in OutboundCampaign.listing(team) if campaign.status in ACTIVE]


def count_parts(team: Record) -> dict[str, dict[str, int]]:
    """Return how many flows, deployments, resources and tests each worker has: worker id to table name to count."""
    counts: dict[str, dict[str, int]] = {}
    for model in (Flow, Deployment, Resource, Test):
        query = model.select(model.worker_id, fn.COUNT(SQL("*"))).where(model.team_id == team.team_id)
        for worker_id, count in tuples(query.group_by(model.worker_id)):
            counts.setdefault(worker_id, {})[model._meta.table_name] = count
    return counts

"""Progress of campaigns of both kinds: as a list, and row by row."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from dryline.models.calls_in_progress import UNDER_WAY
from dryline.models.campaigns import OutboundCampaign
from dryline.models.queued_calls import QueuedCall, number_fault, numbered
from dryline.models.teams import Team
from dryline.models.voicev1_campaigns import NEVER, OPEN, Voicev1Campaign
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.storage.record import Record, connection_execute, tuples

IN_CALL = "in progress"
QUEUED = "queued"
IDLE = "not queued"

_LISTED = """
SELECT c.id, c.name, 'Voice', c.status, c.deployment_id, c.created_at,
       CASE json_type(c.data) WHEN 'array' THEN json_array_length(c.data) ELSE 1 END, count(q.id), min(q.due_at)
  FROM outbound_campaign c LEFT JOIN queued_call q ON q.campaign_id = c.id
 WHERE c.team_id = :team GROUP BY c.id
UNION ALL
SELECT c.id, NULL, 'VoiceV1', c.status, c.deployment_id, c.created_at, count(d.id),
       count(d.due_at) FILTER (WHERE d.done_at IS NULL AND d.due_at < :never AND d.status IN ('PENDING', 'PROCESSING')),
       min(d.due_at) FILTER (WHERE d.done_at IS NULL AND d.due_at < :never AND d.status IN ('PENDING', 'PROCESSING'))
  FROM voicev1_campaign c LEFT JOIN voicev1_campaign_data d ON d.campaign_id = c.id
 WHERE c.team_id = :team GROUP BY c.id
ORDER BY 6 DESC, 1 DESC
"""


@dataclass(slots=True)
class Summary:
    """A campaign in a list. `waiting` of its `rows` are queued, the next ones for `next_at`."""

    id: str
    name: str | None
    channel: str
    status: str
    deployment_id: str
    created_at: str
    rows: int
    waiting: int
    next_at: str | None


@dataclass(slots=True)
class RowProgress:
    """A row and its state: QUEUED for a time, IN_CALL since a time, the outcome of its call, or IDLE.

    `fault` says why the row cannot be called.
    """

    id: str
    row: dict[str, Any]
    state: str = IDLE
    at: str | None = None
    log_id: str | None = None
    fault: str | None = None


def campaigns_of(team: Team) -> list[Summary]:
    """Return the team's campaigns, newest first."""
    return [Summary(*row) for row in connection_execute(_LISTED, {"team": team.id, "never": NEVER})]


def find_campaign(team: Record, id: str) -> OutboundCampaign | Voicev1Campaign:
    """Return the team's campaign of either kind. Raises NotFound."""
    campaign = OutboundCampaign.find(id=id, team_id=team.team_id) or Voicev1Campaign.find(id=id, team_id=team.team_id)
    if campaign is None:
        raise NotFound(f"Campaign {id} not found.")
    return campaign


def rows_of(campaign: OutboundCampaign | Voicev1Campaign) -> list[RowProgress]:
    """Return the campaign's rows, in the order they were sent."""
    return list(_outbound(campaign) if isinstance(campaign, OutboundCampaign) else _legacy(campaign))


def _outbound(campaign: OutboundCampaign) -> Iterator[RowProgress]:
    now = current().stamp()
    # Several rows may have the same id; the first of them was called first.
    calls, queued = defaultdict(list), defaultdict(list)
    for row_id, *call in reversed(campaign.calls()):
        calls[row_id].append(call)
    waiting = QueuedCall.select(QueuedCall.row_id, QueuedCall.due_at).where(QueuedCall.campaign_id == campaign.id)
    for row_id, due_at in tuples(waiting.order_by(QueuedCall.due_at.desc(), QueuedCall.id.desc())):
        queued[row_id].append(due_at)
    for row_id, row in numbered(campaign.data):
        progress = RowProgress(row_id, row, fault=number_fault(row))
        if calls[row_id]:
            progress.log_id, outcome, progress.at, end = calls[row_id].pop()
            progress.state = IN_CALL if outcome in UNDER_WAY or (end and end > now) else outcome or "called"
        elif queued[row_id]:
            progress.state, progress.at = QUEUED, queued[row_id].pop()
        yield progress


def _legacy(campaign: Voicev1Campaign) -> Iterator[RowProgress]:
    for row in campaign.data:
        progress = RowProgress(row.row_id, row.row_data, fault=number_fault(row.row_data))
        outcome = row.outcome if row.outcome is not None else row.result
        details = outcome if isinstance(outcome, dict) else {}
        progress.log_id = details.get("logId")
        if row.status in OPEN and row.done_at:
            progress.state, progress.at = IN_CALL, details.get("startTime")
        elif row.status in OPEN and row.due_at != NEVER:
            progress.state, progress.at = QUEUED, row.due_at
        else:
            progress.state = details.get("callStatus") or row.status.lower()
            progress.at = details.get("startTime") or row.updated_at
        yield progress

"""Progress of campaigns of both kinds: as a list, and row by row."""

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from peewee import JOIN, Case, Value, fn

from dryline.models.calls_in_progress import UNDER_WAY
from dryline.models.campaigns import OutboundCampaign
from dryline.models.queued_calls import QueuedCall, number_fault, rows_with_ids
from dryline.models.teams import Team
from dryline.models.voicev1_campaigns import OPEN, Voicev1Campaign, Voicev1CampaignData
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.storage.record import Record, execute_unconverted, tuples

IN_CALL = "in progress"
QUEUED = "queued"
IDLE = "not queued"


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
    moment: str | None = None
    log_id: str | None = None
    fault: str | None = None


def campaigns_of(team: Team) -> list[Summary]:
    """Return the team's campaigns, newest first."""
    summaries = [*_outbound_summaries(team), *_legacy_summaries(team)]
    return sorted(summaries, key=lambda summary: (summary.created_at, summary.id), reverse=True)


def _outbound_summaries(team: Team) -> Iterator[Summary]:
    campaign, call = OutboundCampaign, QueuedCall
    is_list = fn.json_type(campaign.data) == "array"
    query = campaign.select(
        campaign.id,
        campaign.name,
        Value("Voice"),
        campaign.status,
        campaign.deployment_id,
        campaign.created_at,
        Case(None, [(is_list, fn.json_array_length(campaign.data))], 1),
        fn.COUNT(call.id),
        fn.MIN(call.due_at),
    )
    query = query.join(call, JOIN.LEFT_OUTER, on=(call.campaign_id == campaign.id))
    for cells in execute_unconverted(query.where(campaign.team_id == team.id).group_by(campaign.id)):
        yield Summary(*cells)


def _legacy_summaries(team: Team) -> Iterator[Summary]:
    campaign, row, call = Voicev1Campaign, Voicev1CampaignData, QueuedCall
    query = campaign.select(
        campaign.id,
        Value(None),
        Value("VoiceV1"),
        campaign.status,
        campaign.deployment_id,
        campaign.created_at,
        fn.COUNT(row.id),
        fn.COUNT(call.id),
        fn.MIN(call.due_at),
    )
    query = query.join(row, JOIN.LEFT_OUTER, on=(row.campaign_id == campaign.id))
    is_of_row = (call.voicev1_campaign_id == row.campaign_id) & (call.row_id == row.row_id)
    query = query.join(call, JOIN.LEFT_OUTER, on=is_of_row)
    for cells in execute_unconverted(query.where(campaign.team_id == team.id).group_by(campaign.id)):
        yield Summary(*cells)


def find_campaign(team: Record, id: str) -> OutboundCampaign | Voicev1Campaign:
    """Return the team's campaign of either kind. Raises NotFound."""
    campaign = OutboundCampaign.find(id=id, team_id=team.team_id) or Voicev1Campaign.find(id=id, team_id=team.team_id)
    if campaign is None:
        raise NotFound(f"Campaign {id} not found.")
    return campaign


def progress_of_rows(campaign: OutboundCampaign | Voicev1Campaign) -> list[RowProgress]:
    """Return the campaign's rows, in the order they were sent."""
    if isinstance(campaign, OutboundCampaign):
        return list(_outbound_progress(campaign))
    return list(_legacy_progress(campaign))


def _outbound_progress(campaign: OutboundCampaign) -> Iterator[RowProgress]:
    now = current().stamp()
    # Several rows may have the same id; the first of them was called first.
    calls, queued = defaultdict(list), defaultdict(list)
    for row_id, *call in reversed(campaign.calls()):
        calls[row_id].append(call)
    waiting = QueuedCall.select(QueuedCall.row_id, QueuedCall.due_at).where(QueuedCall.campaign_id == campaign.id)
    for row_id, due_at in tuples(waiting.order_by(QueuedCall.due_at.desc(), QueuedCall.id.desc())):
        queued[row_id].append(due_at)
    for row_id, row in rows_with_ids(campaign.data):
        progress = RowProgress(row_id, row, fault=number_fault(row))
        if calls[row_id]:
            progress.log_id, outcome, progress.moment, end = calls[row_id].pop()
            if outcome in UNDER_WAY or (end and end > now):
                progress.state = IN_CALL
            else:
                progress.state = outcome or "called"
        elif queued[row_id]:
            progress.state, progress.moment = QUEUED, queued[row_id].pop()
        yield progress


def _legacy_progress(campaign: Voicev1Campaign) -> Iterator[RowProgress]:
    waiting = QueuedCall.select(QueuedCall.row_id, QueuedCall.due_at)
    due_times = dict(tuples(waiting.where(QueuedCall.voicev1_campaign_id == campaign.id)))
    for row in campaign.data:
        progress = RowProgress(row.row_id, row.row_data, fault=number_fault(row.row_data))
        outcome = row.outcome or {}  # of its last call, unless the row was changed by hand since then
        progress.log_id = outcome.get("logId")
        if row.row_id in due_times:
            progress.state, progress.moment = QUEUED, due_times[row.row_id]
        elif row.status in OPEN and row.done_at:
            progress.state, progress.moment = IN_CALL, outcome.get("startTime")
        else:
            progress.state = outcome.get("callStatus") or row.status.lower()
            progress.moment = outcome.get("startTime") or row.updated_at
        yield progress

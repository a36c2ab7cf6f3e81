"""The calls of campaigns and batches: one to each contact row, begun when it was due."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random
from typing import Any

from dryline.models.campaigns import OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.queued_calls import QueuedCall, number_fault, phone_number, stated_number
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import OUTCOMES
from dryline.models.voicev1_campaigns import Voicev1Campaign, Voicev1CampaignData
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.simulator.calls import Call, make_call, store
from dryline.simulator.lines import Line, line_of
from dryline.world.clock import parse
from dryline.world.world import current

# How a call that somebody is called by turns out. Fewer are reached than call by themselves. Assumed.
_SHARES = (60, 6, 14, 12, 5, 3)
_REACHED = ("completed", "transferred", "voicemail")


def call_queued(due: Sequence[QueuedCall]) -> None:
    """Call these rows of batches and outbound campaigns, and take them out of the queue."""
    lines = Lines()
    calls = []
    campaigns: dict[str, tuple[str, str]] = {}
    for queued in due:
        at = queued.due_at or ""
        call = place(lines.of(queued), _chance(), at, queued.row, _metadata(queued))
        calls.append(call)
        if queued.campaign_id:
            first, last = campaigns.get(queued.campaign_id, (at, ""))
            campaigns[queued.campaign_id] = first, max(last, call.log["end_time"])
    store(calls)
    for id, (first, last) in campaigns.items():
        OutboundCampaign.placed(id, first, last)
    QueuedCall.delete().where(QueuedCall.id << [queued.id for queued in due]).execute()


def call_legacy_rows(due: Sequence[Voicev1CampaignData]) -> None:
    """Call these rows of legacy campaigns. Their results come with the ends of the calls."""
    lines: dict[str, Line] = {}
    calls = []
    for row in due:
        if row.campaign_id not in lines:
            campaign = Voicev1Campaign.fetch(row, row.campaign_id)
            lines[row.campaign_id] = line_of(VoiceV1Deployment.fetch(row, campaign.deployment_id))
        metadata = {"campaignId": row.campaign_id, "rowId": row.row_id, "row": row.row_data}
        call = place(lines[row.campaign_id], _chance(), row.due_at or "", row.row_data, metadata)
        calls.append(call)
        row.called(call.log["end_time"], _result(call.log))
    store(calls)


def _chance() -> Random:
    """One for each row: how many rows are called at once is a matter of when a thread looks."""
    return Random(current().ids.random.getrandbits(64))


class Lines:
    """The lines of one run's calls, each looked up once."""

    def __init__(self) -> None:
        self._deployments: dict[str, Line] = {}
        self._campaigns: dict[str, Line] = {}

    def of(self, queued: QueuedCall) -> Line:
        """The line that a queued call is placed on: with the campaign's flow, or what the batch extracts."""
        if queued.campaign_id:
            if queued.campaign_id not in self._campaigns:
                campaign = OutboundCampaign.fetch(queued, queued.campaign_id)
                self._campaigns[queued.campaign_id] = _with_flow(self._deployment(queued), campaign)
            return self._campaigns[queued.campaign_id]
        extractions = (queued.terms or {}).get("extractions")
        line = self._deployment(queued)
        return replace(line, extractions=extractions) if extractions else line

    def _deployment(self, queued: QueuedCall) -> Line:
        id = queued.deployment_id
        if id not in self._deployments:
            kind = Deployment.fetch(queued, id).type
            model = VoiceV1Deployment if kind == VoiceV1Deployment.channel else VoiceDeployment
            self._deployments[id] = line_of(model.fetch(queued, id))
        return self._deployments[id]


def _with_flow(line: Line, campaign: OutboundCampaign) -> Line:
    if campaign.flow_id in (None, line.flow_id):
        return line
    return line.with_flow(Flow.find(id=campaign.flow_id, team_id=campaign.team_id), campaign.flow_id)


def place(line: Line, rng: Random, due_at: str, row: dict[str, Any], metadata: dict[str, Any]) -> Call:
    """The call to one row, begun when it was due. Without a usable number it is a failed call that says so."""
    number = phone_number(row)
    common: dict[str, Any] = {"starts": parse(due_at), "direction": "outbound", "row": row}
    if number is not None:
        outcome = rng.choices(OUTCOMES, _SHARES)[0]
        return make_call(line, rng, **common, outcome=outcome, customer_number=number, metadata=metadata)
    error = number_fault(row)
    call = make_call(line, rng, **common, outcome="no-answer", metadata={**metadata, "error": error})
    call.log |= {"status": "failed", "to_number": stated_number(row), "call_sid": None, "external_call_id": None}
    call.log["data"] |= {"disposition": "failed", "disconnection_reason": "invalid_destination"}
    return call


def _metadata(queued: QueuedCall) -> dict[str, Any]:
    """What the log says of where its call came from."""
    row_id = queued.row_id or str(queued.row.get("id") or queued.id)
    metadata = {"campaignId": queued.campaign_id, "rowId": row_id, "row": queued.row}
    return metadata | {name: value for name, value in (queued.terms or {}).items() if name != "extractions"}


def _result(log: dict[str, Any]) -> dict[str, Any]:
    """What came of a legacy row's call. `reached` says whether somebody, or their voicemail, took it."""
    return {
        "reached": log["status"] in _REACHED,
        "logId": log["id"],
        "callStatus": log["status"],
        "duration": log["duration"],
        "startTime": log["start_time"],
        "endTime": log["end_time"],
        "extractions": log["extractions_data"],
        "error": log["metadata"].get("error"),
    }

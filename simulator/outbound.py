"""The calls of campaigns and batches: one to each contact row, begun when it was due."""

from collections.abc import Container, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from random import Random
from typing import Any

from dryline.models.campaigns import OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.queued_calls import QueuedCall, number_fault, phone_number, stated_number
from dryline.models.scripted_outcomes import MEMBER, scripted_outcome
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import OUTCOMES
from dryline.models.voicev1_campaigns import Voicev1CampaignData
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.simulator.calls import make_call, starting_at, store
from dryline.simulator.conversation_rows import ConversationRows
from dryline.simulator.conversations import Conversation, Simulator
from dryline.simulator.deployment_context import DeploymentContext, context_of
from dryline.simulator.facts import Facts
from dryline.simulator.followed import FollowedFlow, NotFollowed
from dryline.simulator.people import facts_of_row
from dryline.simulator.record import ConversationRecord
from dryline.simulator.request import SimulationRequest
from dryline.storage.current_world import current
from dryline.storage.errors import Busy
from dryline.world.clock import parse, wire
from dryline.world.real_time import monotonic
from dryline.world.world import World

# Outcomes of outbound calls in percent. Assumed.
_SHARES = (60, 6, 14, 12, 5, 3)
HELD_S = 1.0  # of real time: other work gets its turn in between
_REACHED = ("completed", "transferred", "voicemail")


@dataclass(slots=True)
class DueRow:
    """A row that is due, with the deployment that calls it, and the call, once it took place.

    Each row has its own random numbers, since the number of rows in a round depends on the time of the round.
    """

    row: QueuedCall
    deployment: DeploymentContext
    contact: dict[str, Any]
    metadata: dict[str, Any]
    chance: Random
    call: Conversation | None = None

    @property
    def key(self) -> str:
        """The key that rows of the same flow share."""
        return self.row.owner_id

    @property
    def begins_at(self) -> datetime:
        """The time at which its call begins: when the row was due, or now if the clock was set back since then."""
        due_at: Any = self.row.due_at
        return min(parse(due_at), current().now())


def queued(rows: Sequence[QueuedCall]) -> list[DueRow]:
    """Return the due rows of batches and campaigns."""
    deployments: dict[str, DeploymentContext] = {}
    due = []
    for row in rows:
        deployment = deployments.get(row.owner_id) or deployments.setdefault(row.owner_id, _context_of(row))
        extractions = (row.terms or {}).get("extractions")
        if extractions and not row.campaign_id:  # a batch says what it extracts
            deployment = replace(deployment, profile=replace(deployment.profile, extractions=extractions))
        due.append(DueRow(row, deployment, _contact(row.row), _metadata(row), Random(row.id)))
    return due


def _context_of(queued: QueuedCall) -> DeploymentContext:
    """Return the deployment of a queued call, with its campaign's flow if that is another one.

    A state document may hold calls of a campaign that was deleted: these follow the deployment's flow.
    """
    kind = Deployment.fetch(queued, queued.deployment_id).type
    model = VoiceV1Deployment if kind == VoiceV1Deployment.channel else VoiceDeployment
    deployment = context_of(model.fetch(queued, queued.deployment_id))
    campaign = OutboundCampaign.find(id=queued.campaign_id, team_id=queued.team_id) if queued.campaign_id else None
    if campaign is None or campaign.flow_id in (None, deployment.flow_id):
        return deployment
    flow = Flow.find(id=campaign.flow_id, team_id=campaign.team_id)  # None if it was deleted
    code, variables = (flow.code, flow.variables) if flow else (None, {})
    return replace(deployment, flow_id=campaign.flow_id, code=code, variables={**deployment.variables, **variables})


def settle(world: World, due: Sequence[DueRow]) -> list[DueRow]:
    """Make calls, which runs the flows of their deployments, and return the rows that were reached.

    It stops after HELD_S. A row without a usable number is not called. A number or member of the row may determine the
    outcome. Raises Busy.
    """
    flows: dict[str, FollowedFlow | NotFollowed] = {}
    late = monotonic() + HELD_S
    for index, one in enumerate(due):
        if index and monotonic() > late:
            return list(due[:index])
        try:
            one.call = _called(world, one, flows)
        except Busy:
            if not index:
                raise
            return list(due[:index])  # the flows of these have run
    return list(due)


def _called(world: World, due: DueRow, flows: dict[str, FollowedFlow | NotFollowed]) -> Conversation | None:
    """Return the call to a row; None if it has no usable number. Raises Busy."""
    number = phone_number(due.contact)
    if number is None:
        return None
    drawn = due.chance.choices(OUTCOMES, _SHARES)[0]
    said = scripted_outcome(number, due.metadata["row"])
    person: dict[str, Any] = {"direction": "outbound", "customer_number": number, "row": due.contact}
    request = SimulationRequest(outcome=said or drawn, is_drawn=said is None, **person)
    if due.key not in flows:
        flows[due.key] = FollowedFlow.read(world, due.deployment)
    return Simulator(due.deployment, due.chance, flows[due.key]).call(request, due.begins_at)


def call_queued(due: Sequence[DueRow], still_queued: Container[str]) -> None:
    """Place the calls of those rows that are `still_queued`, and take them out of the queue.

    The results of rows of Voice V1 campaigns come with the ends of the calls.
    """
    placed = [(one, place(one)) for one in due if one.row.id in still_queued]
    for one, call in placed:
        row = Voicev1CampaignData.find(campaign_id=one.row.voicev1_campaign_id, row_id=one.row.row_id)
        if row is not None:
            row.called(wire(one.begins_at), call.log["end_time"], _result(call.log))
    store([call for _, call in placed], in_progress=True)
    campaigns: dict[str, tuple[str, str]] = {}
    for one, call in placed:
        if one.row.campaign_id:
            first, last = campaigns.get(one.row.campaign_id, (wire(one.begins_at), ""))
            campaigns[one.row.campaign_id] = first, max(last, call.log["end_time"])
    for id, (first, last) in campaigns.items():
        OutboundCampaign.record_calls(id, first, last)
    QueuedCall.delete().where(QueuedCall.id << [one.row.id for one, _ in placed]).execute()


def place(due: DueRow) -> ConversationRows:
    """Return the call to one row, which begins as `begins_at` says; a failed call where it has no usable number."""
    row = due.contact
    start = starting_at(due.begins_at)
    if due.call is not None:
        return make_call(due.deployment, due.chance, due.call, start, metadata=due.metadata)
    facts = Facts(due.deployment, due.chance, facts_of_row(row, None))
    nobody = Conversation(facts, ConversationRecord(facts, due.chance), "no-answer", "outbound", row)
    metadata = {**due.metadata, "error": number_fault(row)}
    call = make_call(due.deployment, due.chance, nobody, start, metadata=metadata)
    call.log |= {"status": "failed", "to_number": stated_number(row), "call_sid": None, "external_call_id": None}
    call.log["data"] |= {"disposition": "failed", "disconnection_reason": "invalid_destination"}
    return call


def _contact(row: Mapping[str, Any]) -> dict[str, Any]:
    """Return the contact's members of a row, without the one that determines the outcome."""
    return {name: value for name, value in row.items() if name != MEMBER}


def _metadata(queued: QueuedCall) -> dict[str, Any]:
    """Return the log's metadata: the row and its campaign or batch."""
    row_id = queued.row_id or str(queued.row.get("id") or queued.id)
    campaign_id = queued.campaign_id or queued.voicev1_campaign_id
    metadata = {"campaignId": campaign_id, "rowId": row_id, "row": queued.row}
    return metadata | {name: value for name, value in (queued.terms or {}).items() if name != "extractions"}


def _result(log: dict[str, Any]) -> dict[str, Any]:
    """Return the result of a legacy row's call. `reached` says whether somebody, or their voicemail, answered."""
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

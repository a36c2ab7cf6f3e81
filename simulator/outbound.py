"""The calls of campaigns and batches: one to each contact row, begun when it was due."""

from collections.abc import Mapping
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
from dryline.simulator.followed import FollowedFlow
from dryline.simulator.people import facts_of_row
from dryline.simulator.record import ConversationRecord
from dryline.simulator.request import SimulationRequest
from dryline.storage.current_world import current
from dryline.world.clock import parse, wire
from dryline.world.world import World

# Outcomes of outbound calls in percent. Assumed.
_SHARES = (60, 6, 14, 12, 5, 3)
_REACHED = ("completed", "transferred", "voicemail")


@dataclass(slots=True)
class DueRow:
    """A row that is due, with the deployment that calls it, and the call, once it took place.

    Each row has its own random numbers, since the number of rows in a step depends on how long they take.
    """

    row: QueuedCall
    deployment: DeploymentContext
    contact: dict[str, Any]
    metadata: dict[str, Any]
    chance: Random
    call: Conversation | None = None

    @property
    def begins_at(self) -> datetime:
        """The time at which its call begins: when the row was due, or now if the clock was set back since then."""
        due_at: Any = self.row.due_at
        return min(parse(due_at), current().now())


def due_row(row: QueuedCall) -> DueRow:
    """Return a row of a batch or campaign that is due."""
    deployment = _context_of(row)
    extractions = (row.terms or {}).get("extractions")
    if extractions and not row.campaign_id:  # a batch says what it extracts
        deployment = replace(deployment, profile=replace(deployment.profile, extractions=extractions))
    return DueRow(row, deployment, _contact(row.row), _metadata(row), Random(row.id))


def _context_of(queued: QueuedCall) -> DeploymentContext:
    """Return the deployment of a queued call, with its campaign's flow if that is another one.

    A state document may hold calls of a campaign that was deleted: these follow the deployment's flow.
    """
    kind = Deployment.fetch(queued, queued.deployment_id).type
    model = VoiceV1Deployment if kind == VoiceV1Deployment.channel else VoiceDeployment
    deployment = context_of(model.fetch(queued, queued.deployment_id))
    if queued.campaign_id is None:
        return deployment
    campaign = OutboundCampaign.find(id=queued.campaign_id, team_id=queued.team_id)
    if campaign is None or campaign.flow_id in (None, deployment.flow_id):
        return deployment
    flow = Flow.find(id=campaign.flow_id, team_id=campaign.team_id)  # None if it was deleted
    code, variables = (flow.code, flow.variables) if flow else (None, {})
    return replace(deployment, flow_id=campaign.flow_id, code=code, variables={**deployment.variables, **variables})


def converse(world: World, due: DueRow) -> None:
    """Make the call to a row, which runs the flow of its deployment. Raises Busy.

    A row without a usable number is not called. A number or member of the row may determine the outcome.
    """
    number = phone_number(due.contact)
    if number is None:
        return
    drawn = due.chance.choices(OUTCOMES, _SHARES)[0]
    scripted = scripted_outcome(number, due.metadata["row"])
    request = SimulationRequest(
        outcome=scripted or drawn,
        is_drawn=scripted is None,
        direction="outbound",
        customer_number=number,
        row=due.contact,
    )
    flow = FollowedFlow.read(world, due.deployment)
    due.call = Simulator(due.deployment, due.chance, flow).call(request, due.begins_at)


def store_call(due: DueRow) -> None:
    """Store the call to a row, and take the row out of the queue.

    The results of rows of Voice V1 campaigns come with the ends of the calls.
    """
    queued, rows = due.row, _make_rows(due)
    begins_at, ends_at = wire(due.begins_at), rows.log["end_time"]
    contact = Voicev1CampaignData.find(campaign_id=queued.voicev1_campaign_id, row_id=queued.row_id)
    if contact is not None:
        contact.record_call(begins_at, ends_at, _result(rows.log))
    store([rows], in_progress=True)
    if queued.campaign_id:
        OutboundCampaign.record_call(queued.campaign_id, begins_at, ends_at)
    queued.remove()


def _make_rows(due: DueRow) -> ConversationRows:
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

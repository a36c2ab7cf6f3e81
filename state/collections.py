"""The collections of the state document: which records they hold and where their links lead. Contract: state.md."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Protocol

from dryline.models.assets import PhoneNumber
from dryline.models.business_hours import BusinessHours, TeamPhoneHours, check_hours
from dryline.models.campaigns import OutboundCampaign
from dryline.models.chat_deployments import ChatDeployment
from dryline.models.chat_embed_deployments import ChatEmbedDeployment
from dryline.models.chat_embed_logs import ChatEmbedLog
from dryline.models.chat_logs import ChatLog
from dryline.models.custom_voices import CustomVoice
from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.default_checks import START, DefaultChecks, DeploymentDefaultChecks
from dryline.models.deployment_history import DeploymentHistoryEntry
from dryline.models.deployment_parameters import DeploymentParameter
from dryline.models.echo import EchoAgent, EchoScorecard, EchoSuite
from dryline.models.exports import LIFE, Export
from dryline.models.flow_versions import FlowVersion
from dryline.models.flows import Flow
from dryline.models.folders import Folder
from dryline.models.integrations import Integration
from dryline.models.llm_logs import LlmLog
from dryline.models.numbering import country_of
from dryline.models.queued_calls import QueuedCall
from dryline.models.resources import Resource
from dryline.models.runtime_errors import RuntimeErrorRecord
from dryline.models.sessions import Session
from dryline.models.sms_logs import SmsLog
from dryline.models.tags import Tag, WorkerTag
from dryline.models.teams import Team
from dryline.models.tests import Test, TestRun
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.models.voicev1_campaigns import Voicev1Campaign, Voicev1CampaignData
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.models.whatsapp_logs import WhatsappLog
from dryline.models.whatsapp_senders import WhatsappSender
from dryline.models.workers import Worker
from dryline.world.clock import wire
from dryline.world.errors import Invalid
from dryline.world.record import Record
from dryline.world.world import current

Row = dict[str, Any]
# Which collections a column may lead into.
Links = Mapping[str, tuple[str, ...]]


class Rows(Protocol):
    """What `fill` may ask of the document that a row is in."""

    def row(self, name: str, id: str) -> Row:
        """The columns of a row, of the document or there already; empty when there is none."""


def by_creation(cells: list[Any]) -> tuple[Any, ...]:
    """Oldest first, then by id. What has no age comes first."""
    return tuple(cell or "" for cell in cells)


@dataclass(frozen=True)
class Collection:
    """One collection. Its rows get their team from what the first of `needs` leads to, or else carry it.

    What `needs` links to must be there, what `may` links to may be gone; both must be of the row's team.
    """

    model: type[Record]
    needs: Links = field(default_factory=dict)
    may: Links = field(default_factory=dict)
    # What every row of it has, and what tells it apart from others in the same table.
    fixed: Mapping[str, Any] = field(default_factory=dict)
    # Rows without an id of their own on the wire get a new one.
    has_id: bool = True
    # The collections whose ids must differ from this one's as well.
    shares_ids: tuple[str, ...] = ()
    # What a creation would have given, beyond the columns' own defaults.
    defaults: Mapping[str, Any] = field(default_factory=dict)
    # Likewise, where it takes thought; the links are good by then. Raises Invalid for what cannot be.
    fill: Callable[[Row, Rows], None] | None = None
    # What makes the order; all of it must be on the wire, or the order would not survive.
    sorted_by: tuple[str, ...] = ("created_at", "id")
    age: Callable[[list[Any]], Any] = by_creation


def _fill_number(row: Row, rows: Rows) -> None:
    row.setdefault("country_code", country_of(row["phone_number"]))
    row.setdefault("provider", "twilio" if row.get("integration_id") else "brainbase")


def _fill_voice_deployment(row: Row, rows: Rows) -> None:
    if "external_config" not in row:
        worker = rows.row("workers", row["worker_id"])
        row["external_config"] = {"engineVersion": worker.get("engine_version", Worker.engine_version.default)}


def _fill_chat_deployment(row: Row, rows: Rows) -> None:
    row.setdefault("chat_agent_id", current().ids.new("chatagent"))


def _fill_embed_deployment(row: Row, rows: Rows) -> None:
    row.setdefault("embed_id", current().ids.new("embed"))


def _fill_voice(row: Row, rows: Rows) -> None:
    for name, value in CustomVoice.looked_up(row["elevenlabs_voice_id"]).items():
        row.setdefault(name, value)


def _fill_sender(row: Row, rows: Rows) -> None:
    row.setdefault("profile", {"name": row["phone_number"]})


def _fill_campaign(row: Row, rows: Rows) -> None:
    deployment = rows.row("voiceDeployments", row["deployment_id"])
    row.setdefault("flow_id", deployment["flow_id"])
    if row.setdefault("worker_id", deployment["worker_id"]) != deployment["worker_id"]:
        raise Invalid("The deployment is of another worker.", "worker_id")


def _fill_resource(row: Row, rows: Rows) -> None:
    folder = rows.row("folders", row["folder_id"]) if row.get("folder_id") else {}
    if folder and folder["worker_id"] != row["worker_id"]:
        raise Invalid("The folder is of another worker.", "folder_id")
    row["created_at"] = row.get("uploaded_at") or row.get("last_updated") or current().clock.stamp()


def _fill_version(row: Row, rows: Rows) -> None:
    row.setdefault("variables", rows.row("flows", row["flow_id"]).get("variables") or {})


def _fill_hours(row: Row, rows: Rows) -> None:
    check_hours(row)


def _fill_export(row: Row, rows: Rows) -> None:
    if row["status"] == "PROCESSING":  # nobody writes it here
        row["status"] = "PENDING"
    if row["status"] == "COMPLETED":
        now = current().clock.now()
        if row.get("expires_at") is None:
            row["expires_at"] = wire(now + LIFE)
        if row["expires_at"] > wire(now):
            row["file_size_bytes"] = row["row_count"] = None  # its file is made anew


DEPLOYMENTS = ("voiceDeployments", "voicev1Deployments", "chatDeployments", "chatEmbedDeployments")
LOGS = ("voiceLogs", "chatLogs", "chatEmbedLogs", "smsLogs", "whatsappLogs")
WORKER = {"worker_id": ("workers",)}
FLOW = {"flow_id": ("flows",)}
DEPLOYMENT = {"deployment_id": DEPLOYMENTS}
VOICE = {"deployment_id": ("voiceDeployments",)}
VERSION = {"flow_version_id": ("flowVersions",)}


def _deployment(model: Any, fill: Any = None, **more: Any) -> Collection:
    return Collection(
        model, needs=WORKER, may={**FLOW, **more}, fixed={"type": model.channel}, shares_ids=DEPLOYMENTS, fill=fill
    )


def _log(model: Any, deployments: tuple[str, ...] = ()) -> Collection:
    links = {"deployment_id": deployments} if deployments else {}
    return Collection(model, needs=WORKER, may={**FLOW, **links}, fixed={"type": model.kind}, shares_ids=LOGS)


# Parents come before their children.
COLLECTIONS: Mapping[str, Collection] = {
    "teams": Collection(Team),
    "integrations": Collection(Integration, may=WORKER, defaults={"config": {}}),
    "phoneNumbers": Collection(PhoneNumber, may={"integration_id": ("integrations",), **WORKER}, fill=_fill_number),
    "whatsappSenders": Collection(WhatsappSender, fill=_fill_sender),
    "customVoices": Collection(CustomVoice, fill=_fill_voice),
    "workers": Collection(Worker),
    "tags": Collection(Tag),
    "workerTags": Collection(
        WorkerTag,
        needs={**WORKER, "tag_id": ("tags",)},
        has_id=False,
        sorted_by=("created_at", "worker_id", "tag_id"),
    ),
    "flows": Collection(Flow, needs=WORKER),
    "flowVersions": Collection(
        FlowVersion, needs=FLOW, defaults={"commit_message": "", "author_type": "API_KEY"}, fill=_fill_version
    ),
    "voiceDeployments": _deployment(VoiceDeployment, _fill_voice_deployment),
    "voicev1Deployments": _deployment(VoiceV1Deployment),
    "chatDeployments": _deployment(ChatDeployment, _fill_chat_deployment, **VERSION),
    "chatEmbedDeployments": _deployment(ChatEmbedDeployment, _fill_embed_deployment, **VERSION),
    "deploymentParameters": Collection(DeploymentParameter, needs=DEPLOYMENT),
    "deploymentHistory": Collection(
        DeploymentHistoryEntry, needs=DEPLOYMENT, defaults={"changes": {}, "author_type": "API_KEY"}
    ),
    "customWebhooks": Collection(CustomWebhook, needs=VOICE),
    "outboundCampaigns": Collection(OutboundCampaign, needs=VOICE, may=FLOW, fill=_fill_campaign),
    "queuedCalls": Collection(QueuedCall, needs=DEPLOYMENT, may={"campaign_id": ("outboundCampaigns",)}),
    "voicev1Campaigns": Collection(Voicev1Campaign, needs={"deployment_id": ("voicev1Deployments",)}),
    "voicev1CampaignData": Collection(
        Voicev1CampaignData,
        needs={"campaign_id": ("voicev1Campaigns",)},
        has_id=False,
        sorted_by=("created_at", "row_id", "campaign_id"),
    ),
    "teamDefaultChecks": Collection(DefaultChecks, defaults=START),
    # The deployment's id is its own.
    "deploymentDefaultChecks": Collection(DeploymentDefaultChecks, needs={"id": DEPLOYMENTS}, sorted_by=("id",)),
    "voiceLogs": _log(VoiceLog, ("voiceDeployments",)),
    "chatLogs": _log(ChatLog, ("chatDeployments",)),
    "chatEmbedLogs": _log(ChatEmbedLog, ("chatEmbedDeployments",)),
    "smsLogs": _log(SmsLog),
    "whatsappLogs": _log(WhatsappLog),
    "sessions": Collection(Session, needs=WORKER, may=FLOW, sorted_by=("session_start", "id")),
    "llmLogs": Collection(LlmLog, may=WORKER),
    "runtimeErrors": Collection(RuntimeErrorRecord, needs=WORKER, may={**DEPLOYMENT, **FLOW}),
    "folders": Collection(Folder, needs=WORKER),
    "resources": Collection(
        Resource,
        needs=WORKER,
        may={"folder_id": ("folders",)},
        fill=_fill_resource,
        sorted_by=("uploaded_at", "last_updated", "id"),
        age=lambda cells: (cells[0] or cells[1] or "", cells[2]),
    ),
    "tests": Collection(
        Test, needs=WORKER, may=FLOW, defaults={"test_mode": "", "system_prompt": "", "checkpoints": []}
    ),
    "testRuns": Collection(TestRun, needs={"test_id": ("tests",)}, defaults={"status": TestRun.waiting}),
    "businessHours": Collection(BusinessHours, fill=_fill_hours),
    "teamPhoneHours": Collection(TeamPhoneHours, needs={"hours_id": ("businessHours",)}),
    "echoSuites": Collection(EchoSuite, may={**DEPLOYMENT, "echo_scorecard_ids": ("echoScorecards",)}),
    "echoScorecards": Collection(
        EchoScorecard, may={**DEPLOYMENT, "suite_id": ("echoSuites",), "agent_id": ("echoAgents",)}
    ),
    "echoAgents": Collection(
        EchoAgent,
        may={**DEPLOYMENT, "suite_id": ("echoSuites",), "scorecard_ids": ("echoScorecards",)},
        defaults={"type": "", "purpose": "", "goals": []},
    ),
    "exports": Collection(Export, may={**WORKER, **DEPLOYMENT}, fill=_fill_export),
}

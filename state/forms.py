"""The state document on the wire: what its collections' rows look like.

A row is the API's own record, so the record's schema says its members and types; beside them it has members that link
it. What rows mean to each other is in `state/collections.py`. Contract: state.md.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import orjson
from marshmallow import fields

from dryline.schemas.assets import PhoneNumberSchema, WhatsappSenderSchema
from dryline.schemas.base import ApiSchema, JsonObject, OneOf, Timestamp, camel
from dryline.schemas.business_hours import BusinessHoursSchema, TeamPhoneHoursSchema
from dryline.schemas.campaigns import STATUSES, OutboundCampaignSchema
from dryline.schemas.chat_deployments import ChatDeploymentSchema
from dryline.schemas.chat_embed_deployments import ChatEmbedDeploymentSchema
from dryline.schemas.chat_embed_logs import ChatEmbedLogSchema
from dryline.schemas.chat_logs import ChatLogSchema
from dryline.schemas.custom_voices import CustomVoiceSchema
from dryline.schemas.custom_webhooks import CustomWebhookSchema
from dryline.schemas.default_checks import DefaultChecksSchema, DeploymentDefaultChecksSchema
from dryline.schemas.deployment_history import DeploymentHistoryEntrySchema
from dryline.schemas.deployment_parameters import DeploymentParameterSchema
from dryline.schemas.echo import EchoAgentSchema, EchoScorecardSchema, EchoSuiteSchema
from dryline.schemas.exports import ExportSchema, Filters
from dryline.schemas.flow_versions import FlowVersionSchema
from dryline.schemas.flows import FlowSchema
from dryline.schemas.folders import FolderSchema
from dryline.schemas.integrations import IntegrationSchema
from dryline.schemas.llm_logs import LlmLogSchema
from dryline.schemas.resources import ResourceSchema
from dryline.schemas.row_forms import (
    MOST_FAULTS,
    ApiKeys,
    ContactRows,
    Digest,
    Faults,
    Row,
    RowForm,
    TextsAsText,
    null_text,
    text,
)
from dryline.schemas.runtime_errors import RuntimeErrorSchema
from dryline.schemas.sessions import SessionSchema
from dryline.schemas.sms_logs import SmsLogSchema
from dryline.schemas.tags import TagSchema
from dryline.schemas.teams import TeamSchema
from dryline.schemas.tests import TestRunSchema, TestSchema
from dryline.schemas.voice_deployments import VoiceDeploymentSchema
from dryline.schemas.voice_logs import VoiceLogSchema
from dryline.schemas.voicev1_campaigns import Voicev1CampaignDataSchema, Voicev1CampaignSchema
from dryline.schemas.voicev1_deployments import VoiceV1DeploymentSchema
from dryline.schemas.whatsapp_logs import WhatsappLogSchema
from dryline.schemas.workers import WorkerSchema
from dryline.world.clock import parse, wire
from dryline.world.errors import BadDocument

VERSION = 1


def wire_changes(row: Row) -> None:
    """The changed members by the wire's names, as the history itself shows them. Parameters keep their own names."""
    if row["changeType"] != "PARAMETERS":
        changes = orjson.loads(orjson.dumps(row["changes"]))
        row["changes"] = {camel(name): change for name, change in changes.items()}


def only_what_is_set(row: Row) -> None:
    """Leave out what is null: it is not overridden."""
    for name in [name for name, value in row.items() if value is None]:
        del row[name]


_API_KEY = RowForm(
    None,
    id="sha256",
    key_id=text(data_key="id", attribute="id"),
    name=null_text(),
    sha256=Digest(),
    created_at=Timestamp(),
)

FORMS: Mapping[str, RowForm] = {
    "teams": RowForm(TeamSchema, "name", without="integrations", api_keys=ApiKeys(_API_KEY)),
    "integrations": RowForm(IntegrationSchema, "appType"),
    "phoneNumbers": RowForm(PhoneNumberSchema, "phoneNumber"),
    "whatsappSenders": RowForm(WhatsappSenderSchema, "phoneNumber", id="senderSid", team_id=text()),
    "customVoices": RowForm(CustomVoiceSchema, "elevenlabsVoiceId"),
    "workers": RowForm(WorkerSchema, "name", without="tags"),
    "tags": RowForm(TagSchema, "label color"),
    "workerTags": RowForm(None, "tagId", id="workerId", worker_id=text(), tag_id=text(), created_at=Timestamp()),
    "flows": RowForm(FlowSchema, "workerId name code", without="merged_parameters"),
    "flowVersions": RowForm(FlowVersionSchema, "flowId versionNumber code"),
    "voiceDeployments": RowForm(VoiceDeploymentSchema, "workerId flowId name", without="custom_webhooks"),
    "voicev1Deployments": RowForm(
        VoiceV1DeploymentSchema,
        "workerId flowId name phoneNumber objective",
        allowed_transfer_numbers=TextsAsText(),
        resource_keys=TextsAsText(),
    ),
    "chatDeployments": RowForm(ChatDeploymentSchema, "workerId flowId name", allowed_users=TextsAsText()),
    "chatEmbedDeployments": RowForm(ChatEmbedDeploymentSchema, "workerId flowId name"),
    "deploymentParameters": RowForm(DeploymentParameterSchema, "deploymentId name value"),
    "deploymentHistory": RowForm(DeploymentHistoryEntrySchema, "deploymentId changeType", shown=wire_changes),
    "customWebhooks": RowForm(CustomWebhookSchema, "deploymentId url fields"),
    "outboundCampaigns": RowForm(
        OutboundCampaignSchema, "deploymentId data", data=ContactRows(), status=text(validate=OneOf(*STATUSES))
    ),
    "queuedCalls": RowForm(
        None,
        "deploymentId row",
        call_id=text(data_key="id", attribute="id"),
        created_at=Timestamp(),
        deployment_id=text(),
        campaign_id=null_text(),
        row=JsonObject(),
    ),
    "voicev1Campaigns": RowForm(Voicev1CampaignSchema, "deploymentId", without="data"),
    "voicev1CampaignData": RowForm(Voicev1CampaignDataSchema, "campaignId rowData"),
    "teamDefaultChecks": RowForm(DefaultChecksSchema),
    "deploymentDefaultChecks": RowForm(
        DeploymentDefaultChecksSchema,
        id="deploymentId",
        without="overridden",
        shown=only_what_is_set,
        deployment_id=text(attribute="id"),
    ),
    "voiceLogs": RowForm(VoiceLogSchema, "workerId", deployment_id=null_text()),
    "chatLogs": RowForm(ChatLogSchema, "workerId", deployment_id=null_text()),
    "chatEmbedLogs": RowForm(ChatEmbedLogSchema, "workerId", deployment_id=null_text()),
    "smsLogs": RowForm(SmsLogSchema, "workerId", deployment_id=null_text()),
    "whatsappLogs": RowForm(WhatsappLogSchema, "workerId", deployment_id=null_text()),
    "sessions": RowForm(SessionSchema, "worker_id"),
    "llmLogs": RowForm(LlmLogSchema, "eventType", worker_id=null_text()),
    "runtimeErrors": RowForm(RuntimeErrorSchema, "workerId error service type"),
    "folders": RowForm(FolderSchema, "workerId name"),
    "resources": RowForm(ResourceSchema, "workerId name ragType"),
    "tests": RowForm(TestSchema, "workerId flowId name"),
    "testRuns": RowForm(TestRunSchema, "testId"),
    "businessHours": RowForm(BusinessHoursSchema, "hours", without="team_phone_hours", team_id=text()),
    "teamPhoneHours": RowForm(TeamPhoneHoursSchema, "hoursId phoneNumber", without="hours team"),
    "echoSuites": RowForm(EchoSuiteSchema, "name"),
    "echoScorecards": RowForm(EchoScorecardSchema, "name"),
    "echoAgents": RowForm(EchoAgentSchema, "name"),
    "exports": RowForm(
        ExportSchema,
        "format status",
        without="download_url",
        team_id=text(),
        start_date=Timestamp(allow_none=True),
        end_date=Timestamp(allow_none=True),
        worker_id=null_text(),
        deployment_id=null_text(),
        field_names=fields.List(fields.String(), allow_none=True, data_key="fields", attribute="fields"),
        filters_json=Filters(allow_none=True),
    ),
}


class Document:
    """A state document that was read. `rows` has each collection's rows by column; None for a collection left out."""

    def __init__(self, rows: Mapping[str, list[Row] | None], as_of: str | None = None) -> None:
        self.rows = rows
        self.as_of = as_of

    def path(self, collection: str, index: int, column: str = "") -> str:
        """How a message names a row, or a member of it: `flows[2].workerId`."""
        if not column:
            return f"{collection}[{index}]"
        names = {attribute: name for name, attribute in FORMS[collection].names.items()}
        return f"{collection}[{index}].{names.get(column, camel(column))}"


def read(document: Any, *, strict: bool = False) -> Document:
    """The rows of a state document. Raises BadDocument, which names each row and member that is wrong.

    `asOf` is the moment that the document's times were written at, for documents that shall not grow old.
    """
    if not isinstance(document, dict):
        raise BadDocument([("", "The state document must be an object.")])
    faults: Faults = []
    if type(document.get("version")) is not int or document["version"] != VERSION:
        faults.append(("version", f"Must be {VERSION}."))
    as_of = document.get("asOf")
    if as_of is not None:
        try:
            as_of = wire(parse(as_of))
        except (TypeError, ValueError):
            faults.append(("asOf", "Not a valid datetime."))
    known = ("version", "asOf", *FORMS)
    faults += [(name, "There is no such collection.") for name in document if name not in known]
    rows = {name: _read_rows(name, form, document.get(name), faults, strict) for name, form in FORMS.items()}
    if faults:
        raise BadDocument(faults[:MOST_FAULTS])
    return Document(rows, as_of)


def _read_rows(name: str, form: RowForm, rows: Any, faults: Faults, strict: bool) -> list[Row] | None:
    if rows is None:
        return None
    if not isinstance(rows, list):
        faults.append((name, "Must be a list."))
        return None
    found = []
    for index, row in enumerate(rows):
        found.append(form.read(row, f"{name}[{index}]", faults, strict))
        if len(faults) >= MOST_FAULTS:
            break
    return found


def finish(rows: Mapping[str, list[Row]]) -> dict[str, Any]:
    """The document of these rows, which are in wire form."""
    for name, form in FORMS.items():
        if form.shown is not None:
            for row in rows[name]:
                form.shown(row)
    return {"version": VERSION, **rows}


StateSchema = ApiSchema.from_dict(
    {
        "version": fields.Constant(VERSION, metadata={"type": "integer"}),
        **{name: fields.List(JsonObject(), data_key=name) for name in FORMS},
    },
    name="StateSchema",
)
StateSchema.__doc__ = "Everything there is: a list of rows for each collection."

"""Campaigns of both kinds: progress row by row, the next batch, and new campaigns from CSV."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import Any, NamedTuple

from flask import g, render_template, request, url_for
from werkzeug.exceptions import BadRequest

from dryline.blueprints.console import charts
from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, require_team, without_new_rows
from dryline.blueprints.console.operations import form_body, perform_operation, refusal, show_sent
from dryline.blueprints.console.template_filters import in_text
from dryline.models.campaign_progress import (
    IDLE,
    IN_CALL,
    QUEUED,
    RowProgress,
    campaigns_of,
    find_campaign,
    progress_of_rows,
)
from dryline.models.campaigns import ACTIVE, OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.logs import Page
from dryline.models.queued_calls import number_fault
from dryline.models.teams import Team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.workers import Worker
from dryline.schemas.campaigns import OutboundCampaignBody
from dryline.schemas.contact_rows import Contacts, read_contacts
from dryline.storage.current_world import current
from dryline.world.wording import count

blp = PageBlueprint("campaigns", "Campaigns", "m", path="/campaigns")

CAMPAIGNS_PATH = "/api/workers/{}/deployments/voice/{}/outbound-campaigns"
ROWS_PER_PAGE = 100
MAX_PREVIEWED_ROWS = 20
MAX_ROWS_BEFORE_CREATION = 5  # so that the button below them is seen
MAX_PREVIEWED_FAULTS = 50
MAX_COLUMNS = 6
_COLOURS = {QUEUED: "queued", IN_CALL: "in-call", IDLE: "idle", **charts.OUTCOME_COLOURS}


@blp.get("")
def show() -> Any:
    """List the team's campaigns of both kinds, newest first."""
    campaigns, new_count = without_new_rows(campaigns_of(g.team))
    names = {one.id: one.name for one in Deployment.listing(g.team)} if campaigns else {}
    return render_template("campaigns.html", campaigns=campaigns, new_count=new_count, deployments=names)


@blp.get("/<campaign_id>")
def campaign(campaign_id: str) -> Any:
    """Show a campaign with a line for each row; `state` in the address selects lines."""
    return render_template("campaign.html", page=CampaignPage(find_campaign(require_team(), campaign_id)))


class CampaignPart(NamedTuple):
    """The rows of a campaign that have one state: the number of them, and of those in the parts before."""

    state: str
    number: int
    x: int

    @property
    def colour(self) -> str:
        """The colour of the state: a class in the style sheet."""
        return _COLOURS.get(self.state, "other")


@dataclass
class CampaignPage:
    """The page of a campaign, with its rows, or with those of the state that the address has."""

    campaign: OutboundCampaign | Voicev1Campaign

    @property
    def is_outbound(self) -> bool:
        """Whether the campaign is one of voice deployments, which can be started and stopped."""
        return isinstance(self.campaign, OutboundCampaign)

    @property
    def can_start(self) -> bool:
        """Whether the campaign can be started."""
        return self.is_outbound and self.campaign.status not in (*ACTIVE, "COMPLETED")

    @property
    def can_stop(self) -> bool:
        """Whether the campaign can be stopped."""
        return self.is_outbound and self.campaign.status in ACTIVE

    @cached_property
    def deployment(self) -> Deployment | None:
        """The deployment, unless it was deleted."""
        return Deployment.find(id=self.campaign.deployment_id)

    # The rows.

    @cached_property
    def rows(self) -> list[RowProgress]:
        """The rows of the campaign, with their states."""
        return progress_of_rows(self.campaign)

    @property
    def is_calling(self) -> bool:
        """Whether a row is being called."""
        return any(row.state == IN_CALL for row in self.rows)

    @cached_property
    def parts(self) -> list[CampaignPart]:
        """The rows by their states."""
        counts = Counter(row.state for row in self.rows)
        starts = accumulate(counts.values(), initial=0)
        return [CampaignPart(state, number, x) for (state, number), x in zip(counts.items(), starts, strict=False)]

    @property
    def columns(self) -> list[str]:
        """The columns of the list: those of the first rows."""
        rows = (row.row for row in self.rows[:MAX_PREVIEWED_ROWS])
        names = dict.fromkeys(name for row in rows for name in row if name not in ("id", "phoneNumber"))
        return list(names)[:MAX_COLUMNS]

    @property
    def state(self) -> str | None:
        """The state of the rows that are listed; None for all."""
        return request.args.get("state")

    @cached_property
    def listed(self) -> Page:
        """The rows that are listed."""
        rows = [row for row in self.rows if not self.state or row.state == self.state]
        last_page = max(-(-len(rows) // ROWS_PER_PAGE), 1)
        number = min(max(request.args.get("page", 1, int), 1), last_page)
        start = (number - 1) * ROWS_PER_PAGE
        rows_of_page = rows[start : start + ROWS_PER_PAGE]
        return Page(rows_of_page, len(rows), number, ROWS_PER_PAGE)

    @cached_property
    def results(self) -> dict[str, str]:
        """The results of the calls of these rows."""
        return call_results(self.listed.data)

    # The next batch.

    @cached_property
    def _due_times(self) -> list[str]:
        return sorted(row.moment for row in self.rows if row.state == QUEUED and row.moment)

    @property
    def next_at(self) -> str | None:
        """The time of the next batch."""
        return self._due_times[0] if self._due_times else None

    @property
    def next_count(self) -> int:
        """The number of rows in the next batch."""
        return self._due_times.count(self.next_at or "")


def call_results(rows: list[RowProgress]) -> dict[str, str]:
    """Return by the id of a call what it came to: its summary, or the extracted values that its row has not."""
    ids = {row.log_id: set(map(str, row.row.values())) for row in rows if row.log_id}
    results: dict[str, str] = {}
    if not ids:
        return results
    columns = VoiceLog.id, VoiceLog.extractions_data, VoiceLog.data, VoiceLog.other_shapes
    for log in VoiceLog.select(*columns).where(VoiceLog.id.in_([*ids])):
        extracted = log.extractions_data or {}
        values = {name: value for name, value in extracted.items() if str(value) not in ids[log.id]}
        extracted_text = in_text(values) if values else ""
        results[log.id] = log.analysis.get("call_summary") or extracted_text
    return results


@blp.post("/<campaign_id>/next")
def next_batch(campaign_id: str) -> Any:
    """Call the rows of the next batch now."""
    with current().transaction():
        number = find_campaign(require_team(), campaign_id).run_next_batch_now()
    current().run_due()
    return flash_and_redirect(f"Calling {count(number, 'row')}." if number else "No rows are queued.")


@blp.post("/<campaign_id>/start")
def start(campaign_id: str) -> Any:
    campaign = OutboundCampaign.fetch(require_team(), campaign_id)
    path = f"{CAMPAIGNS_PATH}/{{}}"
    ids = (campaign.worker_id, campaign.deployment_id, campaign.id)
    answer = perform_operation("PATCH", path, *ids, body={"status": "STARTED"})
    current().run_due()
    return show_sent(answer, "The campaign is running.")


@blp.post("/<campaign_id>/stop")
def stop(campaign_id: str) -> Any:
    """Stop the campaign and remove its rows from the queue."""
    campaign = OutboundCampaign.fetch(require_team(), campaign_id)
    path = "/api/workers/{}/deployments/voice/{}/stop-campaign"
    body = {"campaign_id": campaign.id}
    answer = perform_operation("POST", path, campaign.worker_id, campaign.deployment_id, body=body)
    return show_sent(answer, f"The campaign is stopped. {answer.body['removedCount']} rows are no longer queued.")


@blp.get("/new")
def new() -> Any:
    refused = refusal()
    return _show_form(refused.values if refused else request.args.to_dict(), is_preview=refused is not None)


@blp.post("/new")
def preview() -> Any:
    """Show the form with the rows of the CSV text or file, and why some of them cannot be called."""
    values = request.form.to_dict()
    file = request.files.get("file")
    if file and (content := file.read()):
        values["data"] = content.decode("utf-8-sig", errors="replace")
    with current().reading():
        g.team = require_team()
        return _show_form(values, is_preview=True)


def _show_form(values: dict[str, str], is_preview: bool = False) -> str:
    page = NewCampaignPage(require_team(), values, is_preview)
    return render_template("campaign_new.html", page=page, current_url=url_for("campaigns.new"))


@dataclass
class NewCampaignPage:
    """The page that makes a campaign: its form, with a preview of the rows."""

    team: Team
    form: dict[str, str]
    is_preview: bool

    @cached_property
    def deployments(self) -> list[VoiceDeployment]:
        """The deployments that a campaign can call with."""
        return list(VoiceDeployment.listing(self.team))

    @property
    def chosen(self) -> VoiceDeployment | None:
        """The chosen deployment."""
        return next((one for one in self.deployments if one.id == self.form.get("deploymentId")), None)

    @cached_property
    def worker_names(self) -> dict[str, str]:
        """The names of the workers by id."""
        return {one.id: one.name for one in Worker.listing(self.team)}

    @cached_property
    def contacts(self) -> Contacts:
        """The rows of the text, with the faults of its lines."""
        return read_contacts(self.form.get("data", ""))

    @property
    def first_rows(self) -> list[tuple[int, dict[str, Any]]]:
        """The first rows, with their lines."""
        return list(self.contacts.rows.items())[:MAX_ROWS_BEFORE_CREATION]

    @cached_property
    def faults(self) -> dict[int, str]:
        """The reasons why rows cannot be called, by line."""
        bad_numbers = {line: fault for line, row in self.contacts.rows.items() if (fault := number_fault(row))}
        return self.contacts.faults | bad_numbers

    @property
    def first_faults(self) -> list[tuple[int, str]]:
        """The first reasons, with their lines."""
        return sorted(self.faults.items())[:MAX_PREVIEWED_FAULTS]

    @property
    def callable_count(self) -> int:
        """The number of rows that can be called."""
        return sum(line not in self.faults for line in self.contacts.rows)


@blp.post("")
def create() -> Any:
    """Create a campaign of the rows that can be called."""
    deployment = VoiceDeployment.fetch(require_team(), request.form.get("deploymentId", ""), field="deployment_id")
    rows = [row for row in read_contacts(request.form.get("data", "")).rows.values() if not number_fault(row)]
    if not rows:
        raise BadRequest("There are no rows that can be called.")
    body = {**form_body(OutboundCampaignBody, "deploymentId", "data"), "data": rows}
    answer = perform_operation("POST", CAMPAIGNS_PATH, deployment.worker_id, deployment.id, body=body)
    current().run_due()
    message = f"The campaign has {count(len(rows), 'row')}."
    return show_sent(answer, message, "campaigns.campaign", campaign_id=answer.body["id"])

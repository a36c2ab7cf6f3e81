"""Campaigns of both kinds: progress row by row, the next batch, and new campaigns from CSV."""

from collections import Counter
from collections.abc import Iterable
from typing import Any

from flask import g, render_template, request, url_for

from dryline.blueprints.console import charts
from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, hide_new_rows, load_form, require_team
from dryline.blueprints.console.conversation import call_analysis
from dryline.blueprints.console.template_filters import in_text
from dryline.models.campaign_progress import IDLE, IN_CALL, QUEUED, RowProgress, campaigns_of, find_campaign, rows_of
from dryline.models.campaigns import ACTIVE, OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.logs import Page
from dryline.models.queued_calls import number_fault
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.models.workers import Worker
from dryline.schemas.contact_rows import CampaignSheetSchema, read_contacts
from dryline.storage.current_world import current
from dryline.world.wording import count

blp = PageBlueprint("campaigns", "Campaigns", "m", path="/campaigns")

ROWS_PER_PAGE = 100
MAX_PREVIEWED_ROWS = 20
MAX_PREVIEWED_FAULTS = 50
MAX_COLUMNS = 6


@blp.get("")
def show() -> Any:
    """List the team's campaigns of both kinds, newest first."""
    campaigns, new_count = hide_new_rows(campaigns_of(g.team))
    names = {one.id: one.name for one in Deployment.listing(g.team)} if campaigns else {}
    return render_template("campaigns.html", campaigns=campaigns, new_count=new_count, deployments=names)


@blp.get("/<campaign_id>")
def campaign(campaign_id: str) -> Any:
    """Show a campaign with a square and a line for each row; `state` in the address selects lines."""
    campaign = find_campaign(require_team(), campaign_id)
    rows = rows_of(campaign)
    state = request.args.get("state")
    listed = [row for row in rows if state in (None, "", row.state)]
    last_page = max(-(-len(listed) // ROWS_PER_PAGE), 1)
    number = min(max(request.args.get("page", 1, int), 1), last_page)
    data = listed[(number - 1) * ROWS_PER_PAGE : number * ROWS_PER_PAGE]
    due_times = sorted(row.at for row in rows if row.state == QUEUED and row.at)
    return render_template(
        "campaign.html",
        campaign=campaign,
        is_outbound=isinstance(campaign, OutboundCampaign),
        is_active=campaign.status in ACTIVE,
        deployment=Deployment.find(id=campaign.deployment_id),
        rows=rows,
        counts=Counter(row.state for row in rows),
        colour=_colour,
        page=Page(data, len(listed), number, ROWS_PER_PAGE),
        columns=_columns(row.row for row in rows[:MAX_PREVIEWED_ROWS]),
        results=results_of(data),
        state_filter=state,
        next_at=due_times[0] if due_times else None,
        next_count=due_times.count(due_times[0]) if due_times else 0,
        is_calling=any(row.state == IN_CALL for row in rows),
    )


def results_of(rows: list[RowProgress]) -> dict[str, str]:
    """Return by the id of a call what it came to: its summary, or the extracted values that its row has not."""
    ids = {row.log_id: set(map(str, row.row.values())) for row in rows if row.log_id}
    results: dict[str, str] = {}
    if not ids:
        return results
    for log in VoiceLog.select(VoiceLog.id, VoiceLog.extractions_data, VoiceLog.data).where(VoiceLog.id.in_([*ids])):
        extracted = log.extractions_data if isinstance(log.extractions_data, dict) else {}
        values = {name: value for name, value in extracted.items() if str(value) not in ids[log.id]}
        results[log.id] = call_analysis(log).get("call_summary") or (in_text(values) if values else "")
    return results


def _colour(state: str) -> str:
    colours = {QUEUED: "queued", IN_CALL: "in-call", IDLE: "idle", **charts.OUTCOME_COLOURS}
    return colours.get(state, "other")


def _columns(rows: Iterable[dict[str, Any]]) -> list[str]:
    return list(dict.fromkeys(name for row in rows for name in row if name not in ("id", "phoneNumber")))[:MAX_COLUMNS]


@blp.post("/<campaign_id>/next")
def next_batch(campaign_id: str) -> Any:
    """Call the rows of the next batch now."""
    with current().transaction():
        number = find_campaign(require_team(), campaign_id).run_next_batch_now()
    current().run_due()
    return flash_and_redirect(f"Calling {count(number, 'row')}." if number else "No rows are queued.")


@blp.post("/<campaign_id>/start")
def start(campaign_id: str) -> Any:
    with current().transaction():
        OutboundCampaign.fetch(require_team(), campaign_id).revise(status="STARTED")
    current().run_due()
    return flash_and_redirect("The campaign is running.")


@blp.post("/<campaign_id>/stop")
def stop(campaign_id: str) -> Any:
    """Stop the campaign and remove its rows from the queue."""
    with current().transaction():
        removed = OutboundCampaign.fetch(require_team(), campaign_id).stop()
    return flash_and_redirect(f"The campaign is stopped. {len(removed)} rows are no longer queued.")


@blp.get("/new")
def new() -> Any:
    return _show_form(request.args.to_dict())


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
    deployments = list(VoiceDeployment.listing(require_team()))
    chosen = next((one for one in deployments if one.id == values.get("deploymentId")), None)
    contacts = read_contacts(values.get("data", ""))
    faults = contacts.faults | {line: fault for line, row in contacts.rows.items() if (fault := number_fault(row))}
    return render_template(
        "campaign_new.html",
        form=values,
        is_preview=is_preview,
        contacts=contacts,
        preview_rows=list(contacts.rows.items())[:MAX_PREVIEWED_ROWS],
        faults=sorted(faults.items()),
        max_faults=MAX_PREVIEWED_FAULTS,
        callable_count=sum(line not in faults for line in contacts.rows),
        deployments=deployments,
        chosen=chosen,
        workers={one.id: one.name for one in Worker.listing(require_team())},
        current_url=url_for("campaigns.new"),
    )


@blp.post("")
def create() -> Any:
    """Create a campaign of the rows that can be called."""
    body = load_form(CampaignSheetSchema)
    with current().transaction():
        deployment = VoiceDeployment.fetch(require_team(), body.pop("deployment_id"), field="deployment_id")
        body["data"] = [row for row in body["data"] if not number_fault(row)]
        campaign = OutboundCampaign.launch(deployment, **body)
    current().run_due()
    message = f"The campaign has {count(len(body['data']), 'row')}."
    return flash_and_redirect(message, "campaigns.campaign", campaign_id=campaign.id)

"""Campaigns of both kinds: their rows as they are called, the next batch, and new ones from CSV."""

from __future__ import annotations

from collections import Counter
from typing import Any

from flask import g, render_template, request, url_for

from dryline.blueprints.console import charts
from dryline.blueprints.console.base import Pages, done, form, settled, team
from dryline.models.campaign_progress import IDLE, IN_CALL, QUEUED, campaigns_of, find_campaign, rows_of
from dryline.models.campaigns import ACTIVE, OutboundCampaign
from dryline.models.deployments import Deployment
from dryline.models.deployments_lookup import look_up_deployment
from dryline.models.queued_calls import number_fault, numbered
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voicev1_campaigns import Voicev1Campaign
from dryline.models.voicev1_deployments import VoiceV1Deployment
from dryline.models.workers import Worker
from dryline.schemas.contact_rows import CampaignSheetSchema, read_contacts
from dryline.schemas.voicev1_campaigns import Voicev1CampaignRunSchema
from dryline.storage.current_world import current

blp = Pages("campaigns", "Campaigns", "m", path="/campaigns")

ROWS_A_PAGE = 100
PREVIEWED = 20
FAULTS_TOLD = 50


@blp.get("")
def show() -> Any:
    """The team's campaigns."""
    found, waiting = settled(campaigns_of(g.team) if g.team else [])
    names = {one.id: one.name for one in Deployment.listing(g.team)} if found else {}
    return render_template("campaigns.html", campaigns=found, waiting=waiting, deployments=names)


@blp.get("/<campaign_id>")
def campaign(campaign_id: str) -> Any:
    """One campaign: a square and a line for each row."""
    found = find_campaign(team(), campaign_id)
    rows = rows_of(found)
    wanted = request.args.get("state")
    listed = [row for row in rows if wanted in (None, "", row.state)]
    pages = max(-(-len(listed) // ROWS_A_PAGE), 1)
    page = min(max(request.args.get("page", 1, int), 1), pages)
    queued = sorted(row.at for row in rows if row.state == QUEUED and row.at)
    return render_template(
        "campaign.html",
        campaign=found,
        outbound=isinstance(found, OutboundCampaign),
        active=found.status in ACTIVE,
        deployment=Deployment.find(id=found.deployment_id),
        rows=rows,
        counts=Counter(row.state for row in rows),
        grid=charts.row_grid([_shade(row.state) for row in rows]),
        shade=_shade,
        listed=listed[(page - 1) * ROWS_A_PAGE : page * ROWS_A_PAGE],
        columns=list(dict.fromkeys(name for row in rows[:PREVIEWED] for name in row.row if name != "id"))[:6],
        wanted=wanted,
        pagination={
            "page": page,
            "totalPages": pages,
            "total": len(listed),
            "hasPrev": page > 1,
            "hasNext": page < pages,
        },
        next_at=queued[0] if queued else None,
        next_count=queued.count(queued[0]) if queued else 0,
        calling=any(row.state == IN_CALL for row in rows),
    )


def _shade(state: str) -> str:
    """The colour of a row's square."""
    known = {QUEUED: "queued", IN_CALL: "in-call", IDLE: "idle", **charts.SHADES}
    return known.get(state, "other")


@blp.post("/<campaign_id>/next")
def next_batch(campaign_id: str) -> Any:
    """Have the next batch called now."""
    with current().transaction():
        count = find_campaign(team(), campaign_id).run_next_batch_now()
    current().run_due()
    return done(f"{count} rows are called now." if count else "No rows are queued.")


@blp.post("/<campaign_id>/start")
def start(campaign_id: str) -> Any:
    """Begin, or go on, to call."""
    with current().transaction():
        OutboundCampaign.fetch(team(), campaign_id).revise(status="STARTED")
    current().run_due()
    return done("The campaign calls.")


@blp.post("/<campaign_id>/stop")
def stop(campaign_id: str) -> Any:
    """Take what is queued out."""
    with current().transaction():
        removed = OutboundCampaign.fetch(team(), campaign_id).stop()
    return done(f"Stopped: {len(removed)} rows are not called.")


@blp.get("/new")
def new() -> Any:
    """What a campaign is made of."""
    return _new(request.args.to_dict(), previewed=False)


@blp.post("/new")
def preview() -> Any:
    """The same with the rows that were pasted or dropped, and those among them that cannot be called."""
    given = request.form.to_dict()
    file = request.files.get("file")
    if file and (sent := file.read()):
        given["data"] = sent.decode("utf-8-sig", errors="replace")
    with current().reading():
        g.team = team()
        return _new(given, previewed=True)


def _new(given: dict[str, str], previewed: bool) -> str:
    deployments = [*VoiceDeployment.listing(team()), *VoiceV1Deployment.listing(team())]
    chosen = next((one for one in deployments if one.id == given.get("deploymentId")), None)
    contacts = read_contacts(given.get("data", ""))
    faults = contacts.faults | _faults(contacts.rows, chosen)
    return render_template(
        "campaign_new.html",
        given=given,
        previewed=previewed,
        contacts=contacts,
        shown=list(contacts.rows.items())[:PREVIEWED],
        faults=sorted(faults.items()),
        told=FAULTS_TOLD,
        good=sum(line not in faults for line in contacts.rows),
        deployments=deployments,
        chosen=chosen,
        workers={one.id: one.name for one in Worker.listing(team())},
        here=url_for("campaigns.new"),
    )


def _faults(rows: dict[int, dict[str, str]], deployment: Deployment | None) -> dict[int, str]:
    """Which rows cannot be called on this deployment, by line."""
    faults = {line: fault for line, row in rows.items() if (fault := number_fault(row))}
    if isinstance(deployment, VoiceV1Deployment):
        sent = [{"id": id, **row} for id, row in numbered(list(rows.values()))]
        told: Any = Voicev1CampaignRunSchema().validate({"data": sent})
        lines = list(rows)
        for index, fault in told.get("data", {}).items():
            faults.setdefault(lines[index], "; ".join(f"{name}: {' '.join(texts)}" for name, texts in fault.items()))
    return faults


@blp.post("")
def create() -> Any:
    """Make a campaign of the rows that can be called."""
    asked = form(CampaignSheetSchema)
    with current().transaction():
        deployment = look_up_deployment(team(), asked.pop("deployment_id"))
        faults = _faults(dict(enumerate(asked["data"])), deployment)
        asked["data"] = [row for index, row in enumerate(asked["data"]) if index not in faults]
        if isinstance(deployment, VoiceV1Deployment):
            rows = [{**row, "id": id} for id, row in numbered(asked["data"])]
            made: OutboundCampaign | Voicev1Campaign = Voicev1Campaign.launch(deployment).run(rows)
        else:
            voice = VoiceDeployment.fetch(team(), deployment.id, field="deployment_id")
            made = OutboundCampaign.launch(voice, **asked)
    current().run_due()
    return done(f"The campaign has {len(asked['data'])} rows.", "campaigns.campaign", campaign_id=made.id)

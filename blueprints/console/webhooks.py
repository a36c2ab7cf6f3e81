"""Webhook deliveries, sent again or fired by hand, and an inbox on this server."""

from typing import Any

from flask import g, render_template, request

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, hide_new_rows, require_team, team_names
from dryline.blueprints.console.template_filters import in_words
from dryline.blueprints.control.requests import entry_fields
from dryline.models import activity
from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.deployments import Deployment
from dryline.models.teams import Team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery, fire
from dryline.models.workers import Worker
from dryline.schemas.webhook_deliveries import EVENTS, STATUSES
from dryline.storage.current_world import current
from dryline.web.links import base_url
from dryline.world.outgoing import INBOX, OWN_INBOX
from dryline.world.request_log import Entry
from dryline.world.request_search import Criteria
from dryline.world.wording import count

blp = PageBlueprint("webhooks", "Webhooks", "h", path="/webhooks", all_teams=True)

MAX_LISTED = 50
OWN_INBOX_URL = f"http://{OWN_INBOX}{INBOX}webhooks"  # wherever the server is
_FILTERS = ("status", "event", "webhook_id", "log_id", "deployment_id")


@blp.get("")
def show() -> Any:
    """List deliveries. Filters in the address choose them; without a status, refused ones are listed together."""
    filters = {name: request.args[name] for name in _FILTERS if request.args.get(name)}
    where = {**filters, **({"team_id": g.team.id} if request.args.get("team") else {})}
    is_folded = "status" not in filters
    rows = WebhookDelivery.search(MAX_LISTED, but="REFUSED" if is_folded else None, **where)
    deliveries, new_count = hide_new_rows(rows)
    teams = [g.team] if request.args.get("team") else Team.everyone()
    return render_template(
        "webhooks.html",
        deliveries=deliveries,
        refusals=WebhookDelivery.refusals(**where) if is_folded else [],
        deployment_names={one.id: one.name for team in teams for one in Deployment.listing(team)},
        new_count=new_count,
        received_count=len(_received()),
        team_names=team_names(),
        filters=filters,
        statuses=[(status, in_words(status)) for status in STATUSES],
        events=[(event, in_words(event)) for event in EVENTS],
    )


@blp.get("/inbox")
def inbox() -> Any:
    """Show what the inbox received."""
    received = _received()
    inbox_url = f"{base_url()}{INBOX}webhooks"
    return render_template(
        "inbox.html",
        inbox=inbox_url,
        sending=CustomWebhook.senders(g.team, (inbox_url, OWN_INBOX_URL)),
        received=[entry_fields(entry) for entry in received[:MAX_LISTED]],
        received_count=len(received),
        deployments=activity.usual_lines(g.team),
        worker_names={worker.id: worker.name for worker in Worker.listing(g.team)},
    )


def _received() -> list[Entry]:
    return list(Criteria(path=f"{INBOX}*").matches(current().requests.newest_first()))


@blp.get("/<delivery_id>")
def delivery(delivery_id: str) -> Any:
    delivery = WebhookDelivery.by_id(delivery_id)
    other_team = delivery.team_id if delivery.team_id != g.team.id else None
    log = VoiceLog.find(id=delivery.log_id, team_id=delivery.team_id)
    return render_template("webhook.html", delivery=delivery, log=log, events=EVENTS, other_team=other_team)


@blp.post("/<delivery_id>/redeliver")
def redeliver(delivery_id: str) -> Any:
    """Send the message again as a new delivery."""
    with current().transaction():
        fresh = WebhookDelivery.by_id(delivery_id).redeliver()
    return flash_and_redirect("The message is being sent again.", "webhooks.delivery", delivery_id=fresh.id)


@blp.post("/fire")
def fire_event() -> Any:
    """Send one event of a call to the webhooks of its deployment."""
    with current().transaction():
        log = VoiceLog.fetch(require_team(), request.form.get("logId", ""))
        deliveries = fire(log.__data__, request.form.get("event", EVENTS[-1]))
    message = f"Sent to {count(len(deliveries), 'webhook')}."
    return flash_and_redirect(message, "webhooks.show", log_id=log.id)


@blp.post("/inbox")
def use_inbox() -> Any:
    """Send a deployment's events to the inbox, also those that its webhooks send to `url`."""
    with current().transaction():
        deployment = VoiceDeployment.fetch(require_team(), request.form.get("deploymentId", ""))
        CustomWebhook.move(deployment, request.form.get("url", ""), OWN_INBOX_URL)
    return flash_and_redirect(f"{deployment.name} sends its events to the inbox.", "webhooks.inbox")

"""Webhook deliveries, sent again or fired by hand, and an inbox on this server."""

from __future__ import annotations

from itertools import islice
from typing import Any

from flask import g, render_template, request

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, hide_new_rows, require_team, team_names
from dryline.blueprints.control.requests import shown
from dryline.blueprints.links import base_url
from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery, fire
from dryline.schemas.webhook_deliveries import EVENTS, STATUSES
from dryline.storage.current_world import current
from dryline.traffic.request_search import Criteria, find
from dryline.world.outgoing import INBOX

blp = PageBlueprint("webhooks", "Webhooks", "h", path="/webhooks", all_teams=True)

MAX_LISTED = 50
_FILTERS = ("status", "webhook_id", "log_id", "deployment_id")


@blp.get("")
def show() -> Any:
    """List deliveries and what the inbox received. Filters in the address choose deliveries."""
    filters = {name: request.args[name] for name in _FILTERS if request.args.get(name)}
    team = {"team_id": g.team.id} if request.args.get("team") else {}
    deliveries, new_count = hide_new_rows(WebhookDelivery.search(MAX_LISTED, **filters, **team))
    received = find(current().requests, Criteria(path=f"{INBOX}*"))
    return render_template(
        "webhooks.html",
        deliveries=deliveries,
        new_count=new_count,
        team_names=team_names(),
        filters=filters,
        statuses=STATUSES,
        inbox=_inbox_url(),
        received=[shown(entry) for entry in islice(received, MAX_LISTED)],
        deployments=list(VoiceDeployment.listing(g.team)) if g.team else [],
    )


@blp.get("/<delivery_id>")
def delivery(delivery_id: str) -> Any:
    delivery = WebhookDelivery.by_id(delivery_id)
    other_team = delivery.team_id if g.team and delivery.team_id != g.team.id else None
    return render_template("webhook.html", delivery=delivery, events=EVENTS, other_team=other_team)


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
    message = f"Sent to {len(deliveries)} webhook{'' if len(deliveries) == 1 else 's'}."
    return flash_and_redirect(message, "webhooks.show", log_id=log.id)


@blp.post("/inbox")
def use_inbox() -> Any:
    """Add a webhook to a deployment that sends its events to the inbox."""
    with current().transaction():
        deployment = VoiceDeployment.fetch(require_team(), request.form.get("deploymentId", ""))
        CustomWebhook.add(deployment, deployment_id=deployment.id, url=_inbox_url(), name="Inbox")
    return flash_and_redirect(f"{deployment.name} sends its events to the inbox.", "webhooks.show")


def _inbox_url() -> str:
    return f"{base_url()}{INBOX}webhooks"

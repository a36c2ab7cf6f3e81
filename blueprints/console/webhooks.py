"""Webhooks: what was delivered and what was answered, sent again by hand; and an inbox on this server."""

from __future__ import annotations

from itertools import islice
from typing import Any

from flask import g, render_template, request

from dryline.blueprints.console.base import Pages, done, settled, team
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

blp = Pages("webhooks", "Webhooks", "h", path="/webhooks")

SHOWN = 50
BOX = "webhooks"


@blp.get("")
def show() -> Any:
    """The page. `status`, `webhook_id`, `log_id` and `deployment_id` in the address choose deliveries."""
    names = ("status", "webhook_id", "log_id", "deployment_id")
    wanted = {name: request.args[name] for name in names if request.args.get(name)}
    deliveries, waiting = settled(WebhookDelivery.search(SHOWN, **wanted))
    received = find(current().requests, Criteria(path=f"{INBOX}*"))
    return render_template(
        "webhooks.html",
        deliveries=deliveries,
        waiting=waiting,
        wanted=wanted,
        statuses=STATUSES,
        inbox=f"{base_url()}{INBOX}{BOX}",
        received=[shown(entry) for entry in islice(received, SHOWN)],
        deployments=list(VoiceDeployment.listing(g.team)) if g.team else [],
    )


@blp.get("/<delivery_id>")
def delivery(delivery_id: str) -> Any:
    """One delivery."""
    return render_template("webhook.html", delivery=WebhookDelivery.by_id(delivery_id), events=EVENTS)


@blp.post("/<delivery_id>/redeliver")
def redeliver(delivery_id: str) -> Any:
    """Send its message again."""
    with current().transaction():
        again = WebhookDelivery.by_id(delivery_id).redeliver()
    return done("It is being sent again.", "webhooks.delivery", delivery_id=again.id)


@blp.post("/fire")
def fire_event() -> Any:
    """Tell a call's webhooks of one of its events, now."""
    with current().transaction():
        log = VoiceLog.fetch(team(), request.form.get("logId", ""))
        sent = fire(log.__data__, request.form.get("event", EVENTS[-1]))
    return done(f"Sent to {len(sent)} webhook{'' if len(sent) == 1 else 's'}.", "webhooks.show", log_id=log.id)


@blp.post("/inbox")
def point_here() -> Any:
    """Have a deployment tell the inbox of its calls."""
    with current().transaction():
        deployment = VoiceDeployment.fetch(team(), request.form.get("deploymentId", ""))
        CustomWebhook.add(deployment, deployment_id=deployment.id, url=f"{base_url()}{INBOX}{BOX}", name="Inbox")
    return done(f"{deployment.name} tells the inbox of its calls.", "webhooks.show")

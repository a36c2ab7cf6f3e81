"""Webhook deliveries, sent again or fired by hand, and an inbox on this server."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple
from urllib.parse import quote, urlsplit

from flask import g, render_template, request

from dryline.blueprints.console.base import (
    PageBlueprint,
    flash_and_redirect,
    require_team,
    team_names,
    without_new_rows,
)
from dryline.blueprints.console.snippets import plane_curl
from dryline.blueprints.console.template_filters import in_words
from dryline.blueprints.control.requests import entry_fields
from dryline.models import activity
from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.deployments import Deployment
from dryline.models.teams import Team
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.voice_logs import VoiceLog
from dryline.models.webhook_deliveries import WebhookDelivery, create_deliveries_now
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
MAX_MESSAGES = 25  # of the inbox, whose bodies are on its page
OWN_INBOX_URL = f"http://{OWN_INBOX}{INBOX}webhooks"  # wherever the server is
_FILTERS = ("status", "event", "webhook_id", "log_id", "deployment_id")


@blp.get("")
def show() -> Any:
    """List deliveries. Filters in the address choose them; without a status, refused ones are listed together."""
    return render_template("webhooks.html", page=WebhooksPage())


class WebhooksPage:
    """The list of deliveries: filters, and those that pass them."""

    statuses = tuple((status, in_words(status)) for status in STATUSES)
    events = tuple((event, in_words(event)) for event in EVENTS)

    @cached_property
    def filters(self) -> dict[str, str]:
        """The filters of the address."""
        return {name: request.args[name] for name in _FILTERS if request.args.get(name)}

    @property
    def _where(self) -> dict[str, str]:
        return {**self.filters, **_team_filter()}

    @property
    def _is_folded(self) -> bool:
        """Whether refused deliveries are listed together."""
        return "status" not in self.filters

    @cached_property
    def _shown(self) -> tuple[Sequence[WebhookDelivery], int]:
        folded_status = "REFUSED" if self._is_folded else None
        return without_new_rows(WebhookDelivery.search(MAX_LISTED, but=folded_status, **self._where))

    @property
    def deliveries(self) -> Sequence[WebhookDelivery]:
        """The deliveries that the page was loaded with."""
        return self._shown[0]

    @property
    def new_count(self) -> int:
        """The number of newer ones."""
        return self._shown[1]

    @cached_property
    def refusals(self) -> list[dict[str, Any]]:
        """The refused deliveries, equal ones with their number."""
        return WebhookDelivery.refusals(**self._where) if self._is_folded else []

    @cached_property
    def deployment_names(self) -> dict[str, str]:
        """The names of the deployments by id."""
        teams = [g.team] if request.args.get("team") else Team.everyone()
        return {one.id: one.name for team in teams for one in Deployment.listing(team)}

    @property
    def deployments(self) -> list[tuple[str, str]]:
        """The deployments to choose from, pairs of an id and a name."""
        return list(self.deployment_names.items())

    @property
    def received_count(self) -> int:
        """The number of messages in the inbox."""
        return len(InboxPage().all_messages)

    @cached_property
    def team_names(self) -> dict[str, str]:
        """The names of the teams, if the page shows deliveries of all of them."""
        return team_names()


def _team_filter() -> dict[str, str]:
    """Return the filter of the team, if the address names one."""
    return {"team_id": g.team.id} if request.args.get("team") else {}


@blp.get("/inbox")
def inbox() -> Any:
    """Show what the inbox received."""
    return render_template("inbox.html", page=InboxPage())


class InboxMessage(NamedTuple):
    """A message that the inbox received. `delivery` is the webhook's, if this server has sent it."""

    time: str
    event: str
    request: str
    headers: dict[str, str]
    body: Any
    delivery: WebhookDelivery | None = None


@dataclass
class InboxPage:
    """The page of the inbox: delivered webhook messages, which a new or a reset world has, too, and other requests."""

    @property
    def address(self) -> str:
        """The address of the inbox on this server."""
        return f"{base_url()}{INBOX}webhooks"

    @cached_property
    def sending(self) -> set[str]:
        """The ids of the deployments that send their events to the inbox."""
        return CustomWebhook.sending_deployment_ids(g.team, (self.address, OWN_INBOX_URL))

    @cached_property
    def deployments(self) -> list[VoiceDeployment]:
        """The deployments that can send their events to the inbox."""
        return activity.usual_lines(g.team)

    @property
    def others(self) -> list[VoiceDeployment]:
        """The deployments that do not send their events to the inbox."""
        return [one for one in self.deployments if one.id not in self.sending]

    @cached_property
    def worker_names(self) -> dict[str, str]:
        """The names of the workers by id."""
        return {worker.id: worker.name for worker in Worker.listing(g.team)}

    @cached_property
    def all_messages(self) -> list[WebhookDelivery | Entry]:
        """All messages that the inbox received, newest first. A delivery stands for the requests of its attempts.

        A request that a fault answered with an error did not reach the inbox.
        """
        addresses = [f"{start}{INBOX}" for start in (base_url(), f"http://{OWN_INBOX}")]
        deliveries = WebhookDelivery.delivered_to(addresses, **_team_filter())
        ids = {one.id for one in deliveries}
        entries = Criteria(path=f"{INBOX}*").matches(current().requests.newest_first())
        received = (entry for entry in entries if not entry.status or entry.status < 400)
        others = [entry for entry in received if dict(entry.headers).get("X-Dryline-Delivery") not in ids]
        return sorted([*deliveries, *others], key=_received_at, reverse=True)

    @property
    def messages(self) -> list[InboxMessage]:
        """The newest messages."""
        return [_inbox_message(one) for one in self.all_messages[:MAX_MESSAGES]]


def _received_at(one: WebhookDelivery | Entry) -> str:
    return one.time if isinstance(one, Entry) else one.delivered_at or ""


def _inbox_message(one: WebhookDelivery | Entry) -> InboxMessage:
    if isinstance(one, Entry):
        members = entry_fields(one)
        event = members["headers"].get("x-dryline-event", "")
        return InboxMessage(one.time, event, f"{one.method} {one.path}", members["headers"], members["body"])
    sent = one.request
    path = urlsplit(one.url).path
    headers = {"x-dryline-event": one.event, "x-dryline-delivery": one.id}
    return InboxMessage(one.delivered_at or "", one.event, f"{one.method} {path}", headers, sent["body"], one)


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
    curl = plane_curl("POST", f"/webhooks/{quote(delivery_id, safe='')}/redeliver")
    return flash_and_redirect("The message is being sent again.", "webhooks.delivery", curl=curl, delivery_id=fresh.id)


@blp.post("/fire")
def fire_event() -> Any:
    """Send one event of a call to the webhooks of its deployment."""
    with current().transaction():
        log = VoiceLog.fetch(require_team(), request.form.get("logId", ""))
        event = request.form.get("event", EVENTS[-1])
        deliveries = create_deliveries_now(log.__data__, event)
    message = f"Sent to {count(len(deliveries), 'webhook')}."
    curl = plane_curl("POST", "/webhooks", {"logId": log.id, "event": event})
    return flash_and_redirect(message, "webhooks.show", curl=curl, log_id=log.id)


@blp.post("/inbox")
def use_inbox() -> Any:
    """Send a deployment's events to the inbox, also those that its webhooks send to `url`."""
    with current().transaction():
        deployment = VoiceDeployment.fetch(require_team(), request.form.get("deploymentId", ""))
        CustomWebhook.redirect(deployment, request.form.get("url", ""), OWN_INBOX_URL)
    return flash_and_redirect(f"{deployment.name} sends its events to the inbox.", "webhooks.inbox")

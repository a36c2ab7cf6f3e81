"""Deliveries of call events to the custom webhooks of deployments. Contract: records.custom_webhook_delivery.

A call has two events, its start and its end. A delivery is PENDING until it is DELIVERED, or FAILED after three
retries, or REFUSED if its address must not be reached. jobs/webhooks.py sends them.
"""

from collections import Counter
from collections.abc import Sequence
from datetime import timedelta
from functools import cache, cached_property, reduce
from operator import or_
from typing import Any, Self

from peewee import IntegerField, TextField

from dryline.models.collection import DEPLOYMENT, ImportContext, Row, StateCollection
from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.due import due_rows
from dryline.models.recordings import addresses_at
from dryline.models.voice_deployments import VoiceDeployment
from dryline.models.webhook_payloads import (
    ENDED,
    STARTED,
    LogRow,
    batch_payload,
    split_names,
    unknown_names,
    webhook_payload,
)
from dryline.storage.current_world import current
from dryline.storage.errors import Conflict, Invalid
from dryline.storage.json_shapes import readable
from dryline.storage.json_values import json_list, json_members
from dryline.storage.record import JsonField, Record, Rows, constant, tuples
from dryline.world.clock import parse, wire
from dryline.world.masking import mask_addresses

# The retries: API time between one attempt and the next. Assumed.
BACKOFF = (timedelta(seconds=10), timedelta(minutes=1), timedelta(minutes=5))
MAX_FOLDED = 1_000  # deliveries among which equal refusals are found
MAX_FINISHED = 5_000  # older finished deliveries are deleted
MAX_PENDING = 100_000  # of further ones, the first that are due fail


def _find_unknown_fields(webhook_id: str | None, deployment_id: str) -> list[str]:
    deployment = VoiceDeployment.find(id=deployment_id)
    webhook = CustomWebhook.find(id=webhook_id)
    return unknown_names(split_names(webhook.fields), deployment) if deployment and webhook else []


class WebhookDelivery(Record):
    """One message to one address. `error` is the fault of the last attempt."""

    id_prefix = "delivery"

    webhook_id = TextField(null=True)
    deployment_id = TextField()
    log_id = TextField()
    event = TextField()
    method = TextField(default="POST")
    url = TextField()
    body = JsonField()
    status = TextField(default="PENDING")
    attempts = IntegerField(default=0)
    due_at = TextField(null=True)
    delivered_at = TextField(null=True)
    response_status = IntegerField(null=True)
    response_body = TextField(null=True)
    error = TextField(null=True)

    @property
    def request(self) -> dict[str, Any]:
        """The request to send, with the recording's address on this server, and its own without credentials."""
        body = self.body
        if isinstance(body.get("recording_url"), str):
            addresses = addresses_at(current().base_url)
            body = {**body, "recording_url": addresses.of(self.log_id, body["recording_url"])}
        return {"method": self.method, "url": mask_addresses(self.url), "body": body}

    @cached_property
    def unknown_fields(self) -> list[str]:
        """The names in the webhook's `fields` that no call has a value for."""
        return _find_unknown_fields(self.webhook_id, self.deployment_id)

    @property
    def response(self) -> dict[str, Any] | None:
        """The response to the last attempt, or None if there was none."""
        if self.response_status is None:
            return None
        return {"status": self.response_status, "body": self.response_body}

    @classmethod
    def due(cls, moment: str, limit: int, *, but_urls: Sequence[str] = ()) -> list[Self]:
        """Return the next deliveries that are due, without those to `but_urls`."""
        urls = json_list(but_urls)
        due = due_rows(cls._due_query, limit, moment=moment, but_urls=urls)
        if due:
            return due

        # When a delivery is due again whose first, second and third attempt was at the moment.
        first, second, third = (wire(parse(moment) + pause) for pause in BACKOFF)
        return due_rows(
            cls._begun_later_query, limit, moment=moment, first=first, second=second, third=third, but_urls=urls
        )

    @classmethod
    def _due_query(cls, moment: str, but_urls: str) -> Any:
        return cls._pending(but_urls).where(cls.due_at <= moment).order_by(cls.due_at, cls.id)

    @classmethod
    def _begun_later_query(cls, moment: str, first: str, second: str, third: str, but_urls: str) -> Any:
        """Return the deliveries that were created, or tried in vain, after the moment, before the clock was set back.

        Such a delivery is due later than one whose last attempt, of as many, was at the moment.
        """
        new = cls._due_after(moment, attempts=0).where(cls.created_at > moment)
        tried_once, tried_twice = cls._due_after(first, attempts=1), cls._due_after(second, attempts=2)
        tried_thrice = cls._due_after(third, attempts=3)
        # Four queries of ids, since SQLite would read all pending deliveries if these were four conditions.
        ids = new | tried_once | tried_twice | tried_thrice
        return cls._pending(but_urls).where(cls.id.in_(ids)).order_by(cls.due_at, cls.id)

    @classmethod
    def _due_after(cls, moment: str, attempts: int) -> Any:
        is_pending = cls.status == constant("PENDING")
        return cls.select(cls.id).where(is_pending, cls.attempts == attempts, cls.due_at > moment)

    @classmethod
    def _pending(cls, but_urls: str) -> Any:
        return cls.select().where(cls.status == constant("PENDING"), cls.url.not_in(json_members(but_urls)))

    @classmethod
    def search(cls, limit: int, *, but: str | None = None, **where: Any) -> list[Self]:
        """Return the newest `limit` deliveries of any team with these column values, without those of status `but`."""
        query = cls.select().filter(**where).order_by(cls.created_at.desc(), cls.id.desc()).limit(limit)
        deliveries = list(query.where(cls.status != but) if but else query)
        lookup = cache(_find_unknown_fields)
        for delivery in deliveries:
            delivery.unknown_fields = lookup(delivery.webhook_id, delivery.deployment_id)
        return deliveries

    @classmethod
    def delivered_to(cls, addresses: Sequence[str], **where: Any) -> list[Self]:
        """Return what was delivered to URLs that begin like one of these, newest first."""
        begins = reduce(or_, (cls.url.startswith(address) for address in addresses))
        query = cls.select().filter(status="DELIVERED", **where).where(begins)
        return list(query.order_by(cls.delivered_at.desc(), cls.id.desc()))

    @classmethod
    def refusals(cls, **where: Any) -> list[dict[str, Any]]:
        """Return the refused deliveries among the last ones with these column values, equal ones with their number."""
        names = ("team_id", "deployment_id", "url", "error")
        columns = [getattr(cls, name) for name in (*names, "status")]
        newest = cls.select(*columns).filter(**where).order_by(cls.created_at.desc(), cls.id.desc()).limit(MAX_FOLDED)
        numbers = Counter(row[:-1] for row in tuples(newest) if row[-1] == "REFUSED")
        return [dict(zip((*names, "number"), (*about, number), strict=True)) for about, number in numbers.items()]

    @classmethod
    def clear(cls, **where: Any) -> None:
        """Delete all deliveries with these column values, pending ones too."""
        cls.remove_where(**where)

    def redeliver(self) -> Self:
        """Create a delivery of the same message to the same address, due now. Contract: DESIGN, the control plane."""
        world = current()
        now = world.stamp()
        copied = ("team_id", "webhook_id", "deployment_id", "log_id", "event", "method", "url", "body")
        fresh = {"id": world.ids.new(self.id_prefix), "due_at": now, "created_at": now}
        delivery = type(self)(**{name: getattr(self, name) for name in copied}, **fresh)
        delivery.insert_row()
        world.db.after_commit(world.wake)
        return delivery

    def has_active_webhook(self) -> bool:
        """Return whether the webhook exists and is active, which is true of the `wsUrl` of a batch."""
        webhook = CustomWebhook.find(id=self.webhook_id) if self.webhook_id else None
        return self.webhook_id is None or (webhook is not None and webhook.active)

    @property
    def retry_delay(self) -> timedelta | None:
        """The time between the next attempt and the one after it, or None if the next attempt is the last."""
        return BACKOFF[self.attempts] if self.attempts < len(BACKOFF) else None

    def record_success(self, moment: str, status: int, body: str) -> None:
        """Record that the receiver accepted the message at a moment."""
        delivered = {"status": "DELIVERED", "due_at": None, "delivered_at": moment, "error": None}
        self._update_pending(attempts=self.attempts + 1, response_status=status, response_body=body, **delivered)

    def record_failure(self, moment: str, error: str, status: int | None = None, body: str | None = None) -> None:
        """Record an attempt that failed at a moment, and schedule the next one unless it was the last."""
        pause = self.retry_delay
        due_at = wire(parse(moment) + pause) if pause is not None else None
        answer = {"response_status": status, "response_body": body, "error": error}
        self._update_pending(
            status="PENDING" if due_at else "FAILED", attempts=self.attempts + 1, due_at=due_at, **answer
        )

    def give_up(self, error: str, status: str = "FAILED") -> None:
        """End the delivery without an attempt."""
        self._update_pending(status=status, due_at=None, error=error)

    def _update_pending(self, **values: Any) -> None:
        cls = type(self)
        # While it was sent, it may have been given up, as one of too many.
        cls.update(**values).where(cls.id == self.id, cls.status == "PENDING").execute()

    @classmethod
    def limit_pending(cls) -> None:
        """End the pending deliveries beyond MAX_PENDING, those that are due first."""
        pending = cls.select(cls.id).where(cls.status == "PENDING").order_by(cls.due_at.desc(), cls.id.desc())
        error = f"More than {MAX_PENDING:,} deliveries were pending."
        surplus = pending.limit(-1).offset(MAX_PENDING)
        cls.update(status="FAILED", due_at=None, error=error).where(cls.id << surplus).execute()

    @classmethod
    def require_none_deleted(cls) -> None:
        """Raise Invalid if there are as many finished deliveries as are kept: older ones may have been deleted."""
        if cls.select().where(cls.status != "PENDING").count() >= MAX_FINISHED:
            message = f"Of finished deliveries the newest {MAX_FINISHED:,} are kept, and there may have been more. "
            raise Invalid(message + "Delete them before: DELETE /_dryline/webhooks.", "times")

    @classmethod
    def delete_old(cls) -> None:
        """Delete finished deliveries but for the last MAX_FINISHED."""
        finished = cls.status != "PENDING"
        newest = cls.select(cls.id).where(finished).order_by(cls.id.desc()).limit(1).offset(MAX_FINISHED)
        cls.delete().where(finished, cls.id <= newest).execute()


def create_deliveries(logs: Sequence[LogRow], *events: str) -> None:
    """Create deliveries of calls, as rows by column names, to the webhooks of their deployments.

    Each active webhook gets a message for each of `events`, due at the event's time; without events, for the start and
    the end, due not before now. A batch's `wsUrl` gets one for the end. Runs in the caller's transaction.
    """
    now = current().stamp()
    deployment_ids = {log["deployment_id"] for log in logs}
    webhooks = {id: list(_active_webhooks(id)) for id in deployment_ids}
    rows: list[dict[str, Any]] = []
    for log in logs:
        for event in events or (STARTED, ENDED):
            event_time = log["start_time" if event == STARTED else "end_time"]
            # An event that has happened is not announced later than now, if the clock was set back during the call.
            due_at = min(event_time, now) if events else max(event_time, now)
            rows += [_delivery_to_webhook(log, event, webhook, due_at) for webhook in webhooks[log["deployment_id"]]]
            batch_url = (readable(log, "metadata") or {}).get("wsUrl")
            if event == ENDED and batch_url:
                rows.append(_new_delivery(log, event, due_at, url=batch_url, method="POST", body=batch_payload(log)))
    if not rows:
        return
    WebhookDelivery.add_many(rows)
    WebhookDelivery.limit_pending()
    current().db.after_commit(current().wake)


def create_deliveries_now(log: LogRow, event: str) -> list[WebhookDelivery]:
    """Create deliveries of one event of a call, due now, to the active webhooks of its deployment.

    Raises Conflict if the deployment has none.
    """
    now = current().stamp()
    rows = [_delivery_to_webhook(log, event, webhook, now) for webhook in _active_webhooks(log["deployment_id"])]
    if not rows:
        raise Conflict(f"The deployment of {log['id']} has no active webhook.")
    WebhookDelivery.add_many(rows)
    current().db.after_commit(current().wake)
    return [WebhookDelivery.by_id(row["id"]) for row in rows]


def _active_webhooks(deployment_id: str | None) -> Rows:
    """Return the active webhooks of a deployment, oldest first."""
    return Rows(CustomWebhook, {"deployment_id": deployment_id, "active": True}, order=("id",))


def _delivery_to_webhook(log: LogRow, event: str, webhook: CustomWebhook, due_at: str) -> dict[str, Any]:
    about = {"webhook_id": webhook.id, "method": webhook.method, "url": webhook.url}
    return _new_delivery(log, event, due_at, **about, body=webhook_payload(webhook, log, event))


def _new_delivery(log: LogRow, event: str, due_at: str, **values: Any) -> dict[str, Any]:
    world = current()
    return {
        "id": world.ids.new(WebhookDelivery.id_prefix),
        "team_id": log["team_id"],
        "created_at": world.stamp(),
        "deployment_id": log["deployment_id"],
        "log_id": log["id"],
        "event": event,
        "status": "PENDING",
        "attempts": 0,
        "due_at": due_at,
        **values,
    }


def complete_imported_delivery(row: Row, rows: ImportContext) -> None:
    """Make an imported pending delivery due now if it has no `due_at`."""
    if row.setdefault("status", "PENDING") == "PENDING" and row.get("due_at") is None:
        row["due_at"] = current().stamp()


# Webhook, deployment and log may be deleted; the deliveries stay. They must not be another team's, though.
STATE = {
    "webhookDeliveries": StateCollection(
        WebhookDelivery,
        optional_links={"webhook_id": ("customWebhooks",), **DEPLOYMENT},
        complete=complete_imported_delivery,
    )
}

"""Deliveries of calls to the custom webhooks of their deployments. Contract: records.custom_webhook_delivery.

A webhook hears of a call twice, when it starts and when it ends. PENDING -> DELIVERED, or, after three more attempts,
FAILED; REFUSED where the address may not be reached. What sends them is in jobs/webhooks.py.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import timedelta
from typing import Any, Self

import orjson
from peewee import IntegerField, TextField

from dryline.models.collection import DEPLOYMENT, Collection, Neighbours, Row
from dryline.models.custom_webhooks import CustomWebhook
from dryline.models.due import due_rows
from dryline.models.recordings import addresses_at
from dryline.storage.current_world import current
from dryline.storage.errors import Conflict
from dryline.storage.record import JsonField, Record, connection, connection_execute
from dryline.storage.statements import select_sql
from dryline.world.clock import parse, wire, work_for

Log = Mapping[str, Any]

STARTED, ENDED = "call_started", "call_ended"
_AT_START = "ringing"  # every call's `status` then (calls_in_progress.py)
# API time between one attempt and the next; their number is that of the retries. Assumed.
BACKOFF = (timedelta(seconds=10), timedelta(minutes=1), timedelta(minutes=5))
KEPT = 5_000  # finished deliveries that stay on record


class WebhookDelivery(Record):
    """One message to one address. `error` is what went wrong with the last attempt."""

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
        """What is sent: the recording is where it can be heard."""
        body = self.body
        if isinstance(body.get("recording_url"), str):
            addresses = addresses_at(current().base_url)
            body = {**body, "recording_url": addresses.of(self.log_id, body["recording_url"])}
        return {"method": self.method, "url": self.url, "body": body}

    @property
    def response(self) -> dict[str, Any] | None:
        """What came back at the last attempt; None when nothing did."""
        if self.response_status is None:
            return None
        return {"status": self.response_status, "body": self.response_body}

    @classmethod
    def due(cls, moment: str, limit: int) -> list[Self]:
        """The next `limit` messages that are to be sent by a moment, in their turn."""
        return due_rows(cls, "status = 'PENDING' AND due_at <= :moment", "due_at, id", limit, moment=moment)

    @classmethod
    def search(cls, limit: int, **where: Any) -> list[Self]:
        """The last `limit` deliveries of any team with these column values, newest first."""
        found = cls.select().order_by(cls.created_at.desc(), cls.id.desc()).limit(limit)
        for name, value in where.items():
            found = found.where(getattr(cls, name) == value)
        return list(found)

    @classmethod
    def clear(cls) -> None:
        """Forget all of them, those still waiting too."""
        cls.delete().execute()

    def again(self) -> Self:
        """A new delivery of the same message to the same address, due now. Contract: DESIGN, the control plane."""
        work_for(self.team_id)
        world = current()
        copied = ("team_id", "webhook_id", "deployment_id", "log_id", "event", "method", "url", "body")
        fresh = {"id": world.ids.new(self.id_prefix), "due_at": world.clock.stamp(), "created_at": world.clock.stamp()}
        delivery = type(self)(**{name: getattr(self, name) for name in copied}, **fresh)
        delivery.insert_row()
        world.db.after_commit(world.wake)
        return delivery

    def is_wanted(self) -> bool:
        """Whether its webhook is still there and switched on."""
        webhook = CustomWebhook.find(id=self.webhook_id) if self.webhook_id else None
        return self.webhook_id is None or (webhook is not None and webhook.active)

    @property
    def retry_in(self) -> timedelta | None:
        """How long after the next attempt, where that fails, there is another one; None where there is none."""
        return BACKOFF[self.attempts] if self.attempts < len(BACKOFF) else None

    def delivered(self, status: int, body: str) -> None:
        """It was taken."""
        now = current().clock.stamp()
        answer = {"response_status": status, "response_body": body, "error": None}
        self._note(status="DELIVERED", attempts=self.attempts + 1, due_at=None, delivered_at=now, **answer)

    def failed(self, error: str, status: int | None = None, body: str | None = None) -> None:
        """An attempt failed: there is another one, later, unless it was the last."""
        answer = {"response_status": status, "response_body": body, "error": error}
        if (pause := self.retry_in) is not None:
            due = wire(parse(self.due_at or self.created_at) + pause)
            self._note(attempts=self.attempts + 1, due_at=due, **answer)
        else:
            self._note(status="FAILED", attempts=self.attempts + 1, due_at=None, **answer)

    def give_up(self, error: str, status: str = "FAILED") -> None:
        """It is not sent, and will not be."""
        self._note(status=status, due_at=None, error=error)

    def postpone(self) -> None:
        """Not now: the address does not answer. This is no attempt."""
        self._note(due_at=wire(current().clock.now() + BACKOFF[0]))

    def _note(self, **values: Any) -> None:
        cls = type(self)
        # While it was sent, an import or a reset may have put another row in its place, even under the same id.
        same = (cls.id == self.id, cls.created_at == self.created_at, cls.attempts == self.attempts)
        cls.update(**values).where(*same, cls.status == "PENDING").execute()

    @classmethod
    def forget_old(cls) -> None:
        """Keep the last finished deliveries only."""
        connection_execute(
            "DELETE FROM webhook_delivery WHERE status <> 'PENDING' AND id <= (SELECT id FROM webhook_delivery"
            " WHERE status <> 'PENDING' ORDER BY id DESC LIMIT 1 OFFSET ?)",
            (KEPT,),
        )


def announce(logs: Sequence[Log], *events: str) -> None:
    """Tell the webhooks of their deployments about calls, given as rows by column names; in the caller's transaction.

    Each active webhook gets a message for each of `events`, which have just come; without events, for the start and
    the end, at these times, or now where they are past. A batch's `wsUrl` gets one for the end.
    """
    now = current().clock.stamp()
    webhooks = _webhooks({log["deployment_id"] for log in logs})
    rows: list[dict[str, Any]] = []
    for log in logs:
        for webhook in webhooks.get(log["deployment_id"], ()):
            about = {"webhook_id": webhook.id, "method": webhook.method, "url": webhook.url}
            for event in events or (STARTED, ENDED):
                rows.append(_row(log, event, **about, body=payload(webhook, log, event)))
        address = log["metadata"].get("wsUrl") if log["metadata"] else None
        if address and ENDED in (events or (ENDED,)):
            rows.append(_row(log, ENDED, url=address, method="POST", body=_batch_payload(log)))
    for row in rows:
        row["due_at"] = row["due_at"] if events else max(row["due_at"], now)
    if not rows:
        return
    WebhookDelivery.add_many(rows)
    current().db.after_commit(current().wake)


def fire(log: Log, event: str) -> list[WebhookDelivery]:
    """Tell the active webhooks of a call's deployment of one of its events, now, whenever that was.

    Raises Conflict where the deployment has none.
    """
    work_for(log["team_id"])
    now = current().clock.stamp()
    told = {"due_at": now}
    rows = [
        _row(log, event, webhook_id=hook.id, method=hook.method, url=hook.url, body=payload(hook, log, event), **told)
        for hook in _webhooks({log["deployment_id"]}).get(log["deployment_id"], ())
    ]
    if not rows:
        raise Conflict(f"The deployment of {log['id']} has no active webhook.")
    WebhookDelivery.add_many(rows)
    current().db.after_commit(current().wake)
    return [WebhookDelivery.by_id(row["id"]) for row in rows]


def payload(webhook: CustomWebhook, log: Log, event: str) -> dict[str, Any]:
    """What the webhook is sent: three ids, and every name in its `fields`; null where the call has no such value (yet).

    A name is one of the contract's, an extraction's key, or else a member of the log itself.
    """
    body: dict[str, Any] = {"webhook_id": webhook.id, "log_id": log["id"], "deployment_id": log["deployment_id"]}
    known = _started(log) | {"status": _AT_START} if event == STARTED else _ended(log)
    for name in webhook.fields.split(","):
        name = name.strip()
        if name and name not in body:
            body[name] = known.get(name)
    return body


def _webhooks(deployment_ids: Iterable[str | None]) -> dict[str, list[CustomWebhook]]:
    found: dict[str, list[CustomWebhook]] = {}
    for id in deployment_ids:
        if id is not None and (webhooks := _active(id)):
            found[id] = webhooks
    return found


def _active(deployment_id: str) -> list[CustomWebhook]:
    sql = select_sql(CustomWebhook, CustomWebhook._meta.sorted_field_names, ("deployment_id", "active"), ("id",))
    return [CustomWebhook.from_row(row) for row in connection().execute(sql, (deployment_id, 1))]


def _row(log: Log, event: str, **values: Any) -> dict[str, Any]:
    """The row of a message, due when the event came."""
    world = current()
    now = world.clock.stamp()
    return {
        "id": world.ids.new(WebhookDelivery.id_prefix),
        "team_id": log["team_id"],
        "created_at": now,
        "deployment_id": log["deployment_id"],
        "log_id": log["id"],
        "event": event,
        "status": "PENDING",
        "attempts": 0,
        "due_at": log["start_time" if event == STARTED else "end_time"],
        **values,
    }


def _started(log: Log) -> dict[str, Any]:
    """What is known of a call when it starts."""
    names = ("from_number", "to_number", "direction", "call_sid", "external_call_id", "start_time")
    return {name: log.get(name) for name in names} | {"start_timestamp": _ms(log["start_time"])}


def _ended(log: Log) -> dict[str, Any]:
    """What is known of a call when it is over."""
    analysis = (log.get("data") or {}).get("call_analysis") or {}
    extracted = {name: _text(value) for name, value in (log.get("extractions_data") or {}).items()}
    return {
        **{name: value for name, value in log.items() if isinstance(value, str | int | None)},
        **_started(log),
        **extracted,
        "transcript": log.get("transcription"),
        "recording_url": log.get("recording_url"),
        "duration_ms": (log.get("duration") or 0) * 1000,
        "end_timestamp": _ms(log["end_time"]),
        "sentiment": analysis.get("user_sentiment"),
        "summary": analysis.get("call_summary"),
    }


def _batch_payload(log: Log) -> dict[str, Any]:
    """What a batch's `wsUrl` is sent. No source shows it: assumed."""
    return {
        "log_id": log["id"],
        "deployment_id": log["deployment_id"],
        "row_id": log["metadata"].get("rowId"),
        "status": log["status"],
        "duration_ms": (log.get("duration") or 0) * 1000,
        "extractions": log.get("extractions_data"),
    }


def _ms(stamp: str | None) -> int | None:
    """Milliseconds since 1970."""
    return None if stamp is None else round(parse(stamp).timestamp() * 1000)


def _text(value: Any) -> str | None:
    """An extraction as the contract has it: text, booleans too."""
    return value if isinstance(value, str) or value is None else orjson.dumps(value).decode()


def complete_delivery(row: Row, rows: Neighbours) -> None:
    """One that waits is due now, unless it says when."""
    if row.setdefault("status", "PENDING") == "PENDING" and row.get("due_at") is None:
        row["due_at"] = current().clock.stamp()


# Webhook, deployment and log may be gone: what was sent stays on record. Never another team's, though.
STATE = {
    "webhookDeliveries": Collection(
        WebhookDelivery,
        may={"webhook_id": ("customWebhooks",), **DEPLOYMENT},
        complete=complete_delivery,
    )
}

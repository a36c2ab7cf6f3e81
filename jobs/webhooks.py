"""Sends webhook deliveries over HTTP: outside of any transaction, in their turn, to no more than it may reach."""

from __future__ import annotations

import logging
import queue
import threading
import time
from collections.abc import Iterable, Iterator
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.world.outgoing import Answer, Cut, NoAddress, Refused, Unanswered
from dryline.world.world import World

log = logging.getLogger("dryline")

TIMEOUT_S = 10.0  # real time, for all of one attempt
AT_ONCE = 64  # deliveries in one step
LAP_S = 1.0  # real time after which a step begins no further attempt
_SENDERS = 8  # addresses that are written to at the same time
_ANSWER_BYTES = 2_000  # of an answer that are kept


class Attempt(NamedTuple):
    """One delivery, and what came of sending it; None where its address had let another one wait."""

    delivery: WebhookDelivery
    outcome: Answer | Unanswered | None


def deliver(world: World, moment: str) -> bool:
    """Send the next messages whose time has come."""
    due = WebhookDelivery.due(moment, AT_ONCE)
    if not due:
        return False
    with world.reading():
        unwanted = {delivery.id for delivery in due if not delivery.has_active_webhook()}
    attempts = list(_send_all(world, [delivery for delivery in due if delivery.id not in unwanted]))
    with world.transaction():
        for delivery in due:
            if delivery.id in unwanted:
                delivery.give_up("The webhook was deleted or switched off.")
        for attempt in attempts:
            _note(attempt)
        WebhookDelivery.delete_old()
    for attempt in attempts:
        _tell(world, attempt)
    return True


def _note(attempt: Attempt) -> None:
    delivery, outcome = attempt
    if outcome is None:
        delivery.postpone()
    elif isinstance(outcome, Refused):
        delivery.give_up(str(outcome), "REFUSED")
    elif isinstance(outcome, NoAddress):
        delivery.give_up(str(outcome))
    elif isinstance(outcome, Unanswered):
        delivery.record_failure(str(outcome))
    else:
        text = outcome.body.decode(errors="replace")
        if 200 <= outcome.status < 300:
            delivery.record_success(outcome.status, text)
        else:
            why = ": redirects are not followed." if 300 <= outcome.status < 400 else "."
            delivery.record_failure(f"Answered {outcome.status}{why}", outcome.status, text)


def _tell(world: World, attempt: Attempt) -> None:
    """Say to who watches what came of it."""
    delivery, outcome = attempt
    status = outcome.status if isinstance(outcome, Answer) else None
    bad = status is None or not 200 <= status < 300
    facts = {"deliveryId": delivery.id, "event": delivery.event, "url": delivery.url, "status": status}
    told = str(outcome if status is None else status)
    if outcome is None:
        told = "waits: its address lets another one wait"
    elif bad and not isinstance(outcome, Refused | NoAddress):
        pause = delivery.retry_delay
        told += f" → retry in {_span(pause)}" if pause else " → given up"
    world.news.tell(f"webhook {delivery.event} {delivery.url} {told}", bad=bad, **facts)


def _span(pause: timedelta) -> str:
    seconds = round(pause.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _send_all(world: World, deliveries: Iterable[WebhookDelivery]) -> Iterator[Attempt]:
    """Send them, to each address one after the other, and give what came of it.

    An address that lets one wait gets no more of them for now. What is cut, or not begun within LAP_S, is as it was.
    """
    by_address: dict[str, list[WebhookDelivery]] = {}
    for delivery in deliveries:
        by_address.setdefault(delivery.url, []).append(delivery)
    addresses: queue.SimpleQueue[list[WebhookDelivery]] = queue.SimpleQueue()
    for waiting in by_address.values():
        addresses.put(waiting)
    done: queue.SimpleQueue[Attempt | None] = queue.SimpleQueue()  # None where a sender has ended
    lap = time.monotonic() + LAP_S

    def work() -> None:
        try:
            while True:
                for attempt in _send_in_turn(world, addresses.get_nowait(), lap):
                    done.put(attempt)
        except queue.Empty:
            pass
        finally:
            done.put(None)

    senders = min(_SENDERS, len(by_address))
    for _ in range(senders):
        threading.Thread(target=work, name="dryline-webhook", daemon=True).start()
    # A sender that still looks for its host or connects cannot be cut: a server that ends does not wait for it.
    while senders and not (world.ending.is_set() and done.empty()):
        try:
            attempt = done.get(timeout=0.2)
        except queue.Empty:
            continue
        if attempt is None:
            senders -= 1
        else:
            yield attempt


def _send_in_turn(world: World, deliveries: list[WebhookDelivery], lap: float) -> Iterator[Attempt]:
    late = False
    for delivery in deliveries:
        outcome: Answer | Unanswered | None = None
        if not late:
            if time.monotonic() > lap:
                return
            try:
                outcome = _send(world, delivery)
            except Cut:
                return
            except Unanswered as fault:
                outcome, late = fault, fault.timed_out
            except Exception:
                log.exception("Delivery %s could not be sent.", delivery.id)
                outcome = Unanswered("Internal error.")
        yield Attempt(delivery, outcome)


def _send(world: World, delivery: WebhookDelivery) -> Answer:
    """One attempt. Raises Unanswered."""
    headers = {"X-Dryline-Event": delivery.event, "X-Dryline-Delivery": delivery.id}
    with world.active():
        message = delivery.request["body"]
    url, body = delivery.url, None
    if delivery.method == "GET":  # its message is in the query
        url = url.partition("#")[0] + ("&" if "?" in url else "?") + urlencode(_flat(message))
    else:
        headers["Content-Type"] = "application/json"
        body = orjson.dumps(message)
    return world.outgoing.send(delivery.method, url, headers=headers, body=body, within_s=TIMEOUT_S, most=_ANSWER_BYTES)


def _flat(body: dict[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in body.items()}

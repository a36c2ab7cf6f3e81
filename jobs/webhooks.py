"""Sending of webhook deliveries over HTTP, outside of any transaction."""

import logging
import queue
import threading
from collections.abc import Iterable, Iterator, Sequence
from datetime import timedelta
from typing import Any, NamedTuple
from urllib.parse import urlencode

import orjson

from dryline.jobs.isolation import work_on
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.traffic.real_time import monotonic
from dryline.world.outgoing import Cut, HttpResponse, NoAddress, Refused, Unanswered
from dryline.world.world import World

log = logging.getLogger("dryline")

TIMEOUT_S = 10.0  # real time of one attempt
BATCH_SIZE = 64  # deliveries in one step
STEP_S = 1.0  # real time after which a step begins no further attempt
MAX_SENDERS = 8  # URLs that are sent to at the same time
MAX_ANSWER_BYTES = 2_000  # of an answer that are stored


class Attempt(NamedTuple):
    """A delivery and its outcome; None if it was not sent because its URL had let another one time out."""

    delivery: WebhookDelivery
    outcome: HttpResponse | Unanswered | None


def deliver(world: World, now: str) -> bool:
    """Send the next deliveries that are due."""
    due = WebhookDelivery.due(now, BATCH_SIZE)
    if not due:
        return False
    with world.reading():
        obsolete = {delivery.id for delivery in due if not delivery.has_active_webhook()}
    attempts = {
        attempt.delivery.id: attempt
        for attempt in _send_all(world, [delivery for delivery in due if delivery.id not in obsolete])
    }

    def store(deliveries: Sequence[WebhookDelivery]) -> None:
        with world.transaction():
            for delivery in deliveries:
                if delivery.id in obsolete:
                    delivery.give_up("The webhook was deleted or switched off.")
                elif delivery.id in attempts:
                    _store(attempts[delivery.id])

    work_on(world, due, store)
    with world.transaction():
        WebhookDelivery.delete_old()
    for attempt in attempts.values():
        _add_event(world, attempt)
    return True


def _store(attempt: Attempt) -> None:
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
            reason = ": redirects are not followed." if 300 <= outcome.status < 400 else "."
            delivery.record_failure(f"Answered {outcome.status}{reason}", outcome.status, text)


def _add_event(world: World, attempt: Attempt) -> None:
    delivery, outcome = attempt
    status = outcome.status if isinstance(outcome, HttpResponse) else None
    failed = status is None or not 200 <= status < 300
    result = str(outcome if status is None else status)
    if outcome is None:
        result = "waits: its URL let another delivery time out"
    elif failed and not isinstance(outcome, Refused | NoAddress):
        delay = delivery.retry_delay
        result += f" → retry in {_in_words(delay)}" if delay else " → given up"
    world.events.add(
        f"webhook {delivery.event} {delivery.url} {result}",
        is_problem=failed,
        deliveryId=delivery.id,
        event=delivery.event,
        url=delivery.url,
        status=status,
    )


def _in_words(delay: timedelta) -> str:
    seconds = round(delay.total_seconds())
    return f"{seconds} s" if seconds < 120 else f"{seconds // 60} min"


def _send_all(world: World, deliveries: Iterable[WebhookDelivery]) -> Iterator[Attempt]:
    """Send deliveries in several threads, those to one URL in their order, and yield the attempts.

    After a timeout the remaining deliveries to that URL are skipped. Deliveries that are cut by the server's end, or
    not begun within STEP_S, yield nothing: a later step sends them.
    """
    by_url: dict[str, list[WebhookDelivery]] = {}
    for delivery in deliveries:
        by_url.setdefault(delivery.url, []).append(delivery)
    queued: queue.SimpleQueue[list[WebhookDelivery]] = queue.SimpleQueue()
    for group in by_url.values():
        queued.put(group)
    done: queue.SimpleQueue[Attempt | None] = queue.SimpleQueue()  # None: a sender has ended
    deadline = monotonic() + STEP_S

    def send() -> None:
        try:
            while True:
                for attempt in _send_in_order(world, queued.get_nowait(), deadline):
                    done.put(attempt)
        except queue.Empty:
            pass
        finally:
            done.put(None)

    senders = min(MAX_SENDERS, len(by_url))
    for _ in range(senders):
        threading.Thread(target=send, name="dryline-webhook", daemon=True).start()
    # A sender that looks up a host or connects cannot be cut: the end of the server does not wait for it.
    while senders and not (world.ending.is_set() and done.empty()):
        try:
            attempt = done.get(timeout=0.2)
        except queue.Empty:
            continue
        if attempt is None:
            senders -= 1
        else:
            yield attempt


def _send_in_order(world: World, deliveries: list[WebhookDelivery], deadline: float) -> Iterator[Attempt]:
    timed_out = False
    for delivery in deliveries:
        outcome: HttpResponse | Unanswered | None = None
        if not timed_out:
            if monotonic() > deadline:
                return
            try:
                outcome = _send(world, delivery)
            except Cut:
                return
            except Unanswered as error:
                outcome, timed_out = error, error.timed_out
            except Exception:
                log.exception("Delivery %s could not be sent.", delivery.id)
                outcome = Unanswered("Internal error.")
        yield Attempt(delivery, outcome)


def _send(world: World, delivery: WebhookDelivery) -> HttpResponse:
    """Send a delivery once. Raises Unanswered."""
    headers = {"X-Dryline-Event": delivery.event, "X-Dryline-Delivery": delivery.id}
    with world.active():
        message = delivery.request["body"]
    url, body = delivery.url, None
    if delivery.method == "GET":  # the message is in the query
        url = url.partition("#")[0] + ("&" if "?" in url else "?") + urlencode(_as_parameters(message))
    else:
        headers["Content-Type"] = "application/json"
        body = orjson.dumps(message)
    send = world.outgoing.send
    return send(delivery.method, url, headers=headers, body=body, within_s=TIMEOUT_S, max_bytes=MAX_ANSWER_BYTES)


def _as_parameters(body: dict[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in body.items()}

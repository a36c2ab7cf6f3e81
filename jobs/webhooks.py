"""Sending of webhook deliveries over HTTP, outside of any transaction."""

import logging
import threading
from collections.abc import Iterable
from urllib.parse import urlencode

import orjson

from dryline.jobs.due_rows import retried_later
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.world.masking import mask_addresses
from dryline.world.outgoing import Cut, HttpResponse, NoAddress, Refused, Unanswered
from dryline.world.real_time import monotonic
from dryline.world.world import World

log = logging.getLogger("dryline")

TIMEOUT_S = 10.0  # real time of one attempt
BATCH_SIZE = 64  # deliveries in one step
STEP_S = 1.0  # real time after which a step begins no further attempt
MAX_SENDERS = 8  # URLs that are sent to at the same time
MAX_ANSWER_BYTES = 2_000  # of an answer that are stored


# The result of an attempt; None if it was not made because its URL had let another one time out.
Outcome = HttpResponse | Unanswered | None


def deliver(world: World, now: str) -> bool:
    """Send the next deliveries that are due."""
    due = WebhookDelivery.due(now, BATCH_SIZE)
    if not due:
        return False
    with world.reading():
        obsolete = {delivery.id for delivery in due if not delivery.has_active_webhook()}
    outcomes = _send_all(world, [delivery for delivery in due if delivery.id not in obsolete])
    for delivery in due:
        with retried_later(world, delivery):
            if delivery.id in obsolete:
                with world.transaction():
                    delivery.give_up("The webhook was deleted or switched off.")
            elif delivery.id in outcomes:
                with world.transaction():
                    _store(delivery, outcomes[delivery.id])
                _add_event(world, delivery, outcomes[delivery.id])
    with world.transaction():
        WebhookDelivery.delete_old()
    return True


def _store(delivery: WebhookDelivery, outcome: Outcome) -> None:
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


def _add_event(world: World, delivery: WebhookDelivery, outcome: Outcome) -> None:
    status = outcome.status if isinstance(outcome, HttpResponse) else None
    failed = status is None or not 200 <= status < 300
    result = str(outcome if status is None else status)
    if outcome is None:
        result = "waits: its URL let another delivery time out"
    elif failed and not isinstance(outcome, Refused | NoAddress):
        delay = delivery.retry_delay
        result += f" → retry in {delay.total_seconds():.0f} s" if delay else " → given up"
    url = mask_addresses(delivery.url)
    members = {"deliveryId": delivery.id, "event": delivery.event, "url": url, "status": status}
    world.events.add(f"webhook {delivery.event} {url} {result}", is_problem=failed, **members)


def _send_all(world: World, deliveries: Iterable[WebhookDelivery]) -> dict[str, Outcome]:
    """Send deliveries to at most MAX_SENDERS URLs, each in a thread of its own, and return the outcomes by id.

    Those that are cut by the server's end, not begun within STEP_S, or to further URLs are left for a later step.
    """
    by_url: dict[str, list[WebhookDelivery]] = {}
    for delivery in deliveries:
        by_url.setdefault(delivery.url, []).append(delivery)
    outcomes: dict[str, Outcome] = {}
    threads = [
        threading.Thread(target=_send_in_order, args=(world, group, outcomes), name="dryline-webhook", daemon=True)
        for group in list(by_url.values())[:MAX_SENDERS]
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(0.2)
        while thread.is_alive() and not world.ending.is_set():  # looking up a host and connecting cannot be cut
            thread.join(0.2)
    return dict(outcomes)


def _send_in_order(world: World, deliveries: list[WebhookDelivery], outcomes: dict[str, Outcome]) -> None:
    """Send deliveries to one URL. After a timeout the remaining ones have the outcome None: they are put off unsent."""
    deadline = monotonic() + STEP_S
    outcome: Outcome = None
    for delivery in deliveries:
        if isinstance(outcome, Unanswered) and outcome.timed_out:
            outcomes.update((skipped.id, None) for skipped in deliveries if skipped.id not in outcomes)
            return
        if monotonic() > deadline:
            return
        try:
            outcome = outcomes[delivery.id] = _send(world, delivery)
        except Cut:
            return
        except Unanswered as error:
            outcome = outcomes[delivery.id] = error
        except Exception:
            log.exception("Delivery %s could not be sent.", delivery.id)
            outcomes[delivery.id] = Unanswered("Internal error.")


def _send(world: World, delivery: WebhookDelivery) -> HttpResponse:
    """Send a delivery once. Raises Unanswered."""
    headers = {"X-Dryline-Event": delivery.event, "X-Dryline-Delivery": delivery.id}
    with world.active():
        message = delivery.request["body"]
    url, body = delivery.url, None
    if delivery.method == "GET":  # the message is in the query
        query = urlencode({name: "" if value is None else value for name, value in message.items()})
        url = url.partition("#")[0] + ("&" if "?" in url else "?") + query
    else:
        headers["Content-Type"] = "application/json"
        body = orjson.dumps(message)
    send = world.outgoing.send
    return send(delivery.method, url, headers=headers, body=body, within_s=TIMEOUT_S, max_bytes=MAX_ANSWER_BYTES)

"""Sending of webhook deliveries over HTTP, outside of any transaction, by a thread for each URL."""

import contextlib
import threading
from collections.abc import Callable, Sequence
from contextvars import copy_context
from dataclasses import dataclass
from urllib.parse import urlencode

import orjson

from dryline.jobs.due_rows import is_outside_rows, retry_row_later
from dryline.models.due import SET_ASIDE
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.storage.current_world import Task, WorldLocal, current_task, running_part_of_task
from dryline.world.epochs import EpochEnded
from dryline.world.exchange import Cut, HttpResponse, Unanswered
from dryline.world.masking import mask_addresses
from dryline.world.outgoing import NoAddress, Refused
from dryline.world.real_time import monotonic
from dryline.world.world import World

TIMEOUT_S = 10.0  # real time of one attempt
BATCH_SIZE = 64  # deliveries in one step
STEP_S = 1.0  # real time after which a sender begins no further attempt, and a step waits no longer for its senders
STORE_AGAIN_S = 1.0  # real time between two attempts to store an outcome
PUT_OFF_S = 10.0  # real time for which a URL that let a delivery time out gets no other
MAX_SENDERS = 8  # URLs that are sent to at the same time
MAX_ANSWER_BYTES = 2_000  # of an answer that are stored

Outcome = HttpResponse | Unanswered


def deliver(world: World, now: str) -> bool:
    """Send the next deliveries that are due. Return whether an address has answered, so that there may be more.

    A URL that lets its sender wait holds back no other: the step ends without it.
    """
    senders = SENDERS.of(world)
    due = WebhookDelivery.due(now, BATCH_SIZE, but_urls=senders.busy_urls())
    if not due:
        return False
    begun = senders.begin(due, now)
    has_progress = senders.wait(begun)
    with world.transaction():
        WebhookDelivery.delete_old()
    return has_progress


@dataclass(eq=False)
class Sender:
    """A thread that sends deliveries to a URL. `task` is the round that has begun it."""

    url: str
    task: Task


class Senders:
    """The threads that send deliveries of a world. Each ends when it has sent what it was given."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._ended = threading.Condition()
        self._senders: list[Sender] = []
        self._failure: Exception | None = None  # of a sender: a step raises it
        world.exit_stack.callback(self._wait_for_all)

    def busy_urls(self) -> list[str]:
        """Return the URLs that are being sent to. A sender of an earlier epoch, which is about to end, has none."""
        with self._ended:
            return [sender.url for sender in self._senders if self._world.epochs.is_of_world(sender.task)]

    def begin(self, deliveries: Sequence[WebhookDelivery], now: str) -> set[str]:
        """Begin to send deliveries, at most to MAX_SENDERS URLs at a time, and return the URLs that were begun."""
        by_url: dict[str, list[WebhookDelivery]] = {}
        for delivery in deliveries:
            by_url.setdefault(delivery.url, []).append(delivery)
        with self._ended:
            begun = list(by_url)[: MAX_SENDERS - len(self.busy_urls())]
            for url in begun:
                sender = Sender(url, current_task())
                arguments = (self._send, sender, by_url[url], now)
                # A copy of the context each: the sender works in the round's epoch and at its moment.
                thread = threading.Thread(
                    target=copy_context().run, args=arguments, name="dryline-webhook", daemon=True
                )
                self._senders.append(sender)
                thread.start()
        return set(begun)

    def wait(self, urls: set[str]) -> bool:
        """Wait until the senders of these URLs have ended, at most STEP_S. Return whether one of any URLs has.

        Raises the failure of a sender that could not go on, since a cause outside of its deliveries stopped it.
        """
        with self._ended:
            busy = set(self.busy_urls())
            self._ended.wait_for(lambda: urls.isdisjoint(self.busy_urls()) or self._failure, STEP_S)
            failure, self._failure = self._failure, None
            if failure is not None:
                raise failure
            return not busy <= set(self.busy_urls())

    def _send(self, sender: Sender, deliveries: Sequence[WebhookDelivery], now: str) -> None:
        world = self._world
        try:
            with world.active(), contextlib.suppress(EpochEnded):
                _send_in_order(world, deliveries, now)
        except Exception as error:
            with self._ended:
                self._failure = error
                self._ended.notify_all()
            world.ending.wait(STORE_AGAIN_S)
        finally:
            with self._ended:
                self._senders.remove(sender)
                self._ended.notify_all()
            world.wake()

    def _wait_for_all(self) -> None:
        """Wait for all senders at the world's end, which cuts their requests."""
        with self._ended:
            self._ended.wait_for(lambda: not self._senders, TIMEOUT_S)


SENDERS = WorldLocal(Senders)


def _send_in_order(world: World, deliveries: Sequence[WebhookDelivery], now: str) -> None:
    """Send deliveries to one URL, and store each outcome. After a timeout the others are put off. Raises EpochEnded."""
    deadline = monotonic() + STEP_S
    for index, delivery in enumerate(deliveries):
        if monotonic() > deadline or world.ending.is_set():
            return
        with retry_row_later(world, delivery), running_part_of_task(team_id=delivery.team_id):
            outcome = _send_once(world, delivery.id, now)
            if isinstance(outcome, Unanswered) and outcome.timed_out:
                _put_off(world, deliveries[index + 1 :])
                return


def _put_off(world: World, deliveries: Sequence[WebhookDelivery]) -> None:
    """Leave deliveries alone for PUT_OFF_S, since their URL has let another one time out."""
    until = monotonic() + PUT_OFF_S
    SET_ASIDE.of(world).update({(WebhookDelivery, delivery.id): until for delivery in deliveries})


def _send_once(world: World, id: str, now: str) -> Outcome | None:
    """Send a delivery and store the outcome. None if it was not sent, or cut by the server's end."""
    with world.reading():  # a request may have changed it meanwhile
        delivery = WebhookDelivery.find(id=id)
        if delivery is None or delivery.status != "PENDING":
            return None
        has_webhook = delivery.has_active_webhook()
    if not has_webhook:
        _store_when_possible(world, lambda: delivery.give_up("The webhook was deleted or switched off."))
        return None

    outcome: Outcome
    try:
        outcome = _send(world, delivery)
    except Cut:
        return None
    except Unanswered as error:
        outcome = error
    if not _store_when_possible(world, lambda: _store_outcome(delivery, outcome, now)):
        return None
    _add_event(world, delivery, outcome)
    return outcome


def _store_when_possible(world: World, store: Callable[[], None]) -> bool:
    """Store what has become of a delivery, as soon as the database is not locked and the disk is not full.

    Until then nothing more is sent to the URL: the same message would come again and again. Return whether it was
    stored before the server's end. Raises EpochEnded.
    """
    while True:
        try:
            with world.transaction():
                store()
            return True
        except Exception as error:
            if not is_outside_rows(error):
                raise
        if world.ending.wait(STORE_AGAIN_S):
            return False


def _store_outcome(delivery: WebhookDelivery, outcome: Outcome, now: str) -> None:
    if isinstance(outcome, Refused):
        delivery.give_up(str(outcome), "REFUSED")
    elif isinstance(outcome, NoAddress):
        delivery.give_up(str(outcome))
    elif isinstance(outcome, Unanswered):
        delivery.record_failure(now, str(outcome))
    else:
        text = outcome.body.decode(errors="replace")
        if 200 <= outcome.status < 300:
            delivery.record_success(now, outcome.status, text)
        else:
            reason = ": redirects are not followed." if 300 <= outcome.status < 400 else "."
            delivery.record_failure(now, f"Answered {outcome.status}{reason}", outcome.status, text)


def _add_event(world: World, delivery: WebhookDelivery, outcome: Outcome) -> None:
    status = outcome.status if isinstance(outcome, HttpResponse) else None
    failed = status is None or not 200 <= status < 300
    result = str(outcome if status is None else status)
    if failed and not isinstance(outcome, Refused | NoAddress):
        delay = delivery.retry_delay
        result += f" → retry in {delay.total_seconds():.0f} s" if delay else " → given up"
    url = mask_addresses(delivery.url)
    members = {"deliveryId": delivery.id, "event": delivery.event, "url": url, "status": status}
    world.events.add(f"webhook {delivery.event} {url} {result}", is_problem=failed, **members)


def _send(world: World, delivery: WebhookDelivery) -> HttpResponse:
    """Send a delivery once. Raises Unanswered."""
    headers = {"X-Dryline-Event": delivery.event, "X-Dryline-Delivery": delivery.id}
    message = delivery.request["body"]
    url, body = delivery.url, None
    if delivery.method == "GET":  # the message is in the query
        query = urlencode({name: "" if value is None else value for name, value in message.items()})
        separator = "&" if "?" in url else "?"
        without_fragment, _, _ = url.partition("#")
        url = f"{without_fragment}{separator}{query}"
    else:
        headers["Content-Type"] = "application/json"
        body = orjson.dumps(message)
    send = world.outgoing.send
    return send(delivery.method, url, headers=headers, body=body, within_s=TIMEOUT_S, max_bytes=MAX_ANSWER_BYTES)

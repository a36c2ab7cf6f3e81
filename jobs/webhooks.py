"""Sends webhook deliveries over HTTP: outside of any transaction, in their turn, to no more than it may reach."""

from __future__ import annotations

import contextlib
import http.client
import socket
import threading
from collections.abc import Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from ipaddress import ip_address
from typing import Any
from urllib.parse import SplitResult, urlencode, urlsplit

import orjson

from dryline import __version__
from dryline.jobs import only_if
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.world.world import World

TIMEOUT_S = 10.0  # real time, for all of one attempt
AT_ONCE = 64  # deliveries in one step
_SENDERS = 8  # addresses that are written to at the same time
_ANSWER_BYTES = 2_000  # of an answer that are kept


@dataclass(slots=True)
class Attempt:
    """What came of sending. Without `status` nothing was answered; `final` means that trying again is no use."""

    status: int | None = None
    body: str | None = None
    error: str | None = None
    timed_out: bool = False
    refused: bool = False
    final: bool = False


@only_if("SELECT 1 FROM webhook_delivery WHERE status = 'PENDING' LIMIT 1")
def deliver(world: World) -> bool:
    """Send the messages whose time has come. Says whether there were any."""
    with world.reading():
        due = WebhookDelivery.due(AT_ONCE)
        unwanted = {delivery.id for delivery in due if not delivery.is_wanted()}
    if not due:
        return False
    wanted = [delivery for delivery in due if delivery.id not in unwanted]
    attempts = send_all(wanted, world.settings.webhook_hosts)
    with world.transaction():
        for delivery in due:
            if delivery.id in unwanted:
                delivery.give_up("The webhook was deleted or switched off.")
            else:
                _note(delivery, attempts.get(delivery.id))
        WebhookDelivery.forget_old()
    return True


def _note(delivery: WebhookDelivery, attempt: Attempt | None) -> None:
    if attempt is None:
        delivery.postpone()
    elif attempt.refused:
        delivery.give_up(attempt.error or "", "REFUSED")
    elif attempt.final:
        delivery.give_up(attempt.error or "")
    elif attempt.error is None and attempt.status is not None:
        delivery.delivered(attempt.status, attempt.body or "")
    else:
        delivery.failed(attempt.error or "", attempt.status, attempt.body)


def send_all(deliveries: Iterable[WebhookDelivery], hosts: tuple[str, ...]) -> dict[str, Attempt]:
    """Send them, to each address one after the other. An address that lets one wait gets no more of them for now."""
    queues: dict[str, list[WebhookDelivery]] = {}
    for delivery in deliveries:
        queues.setdefault(delivery.url, []).append(delivery)

    def send_queue(queue: list[WebhookDelivery]) -> dict[str, Attempt]:
        done: dict[str, Attempt] = {}
        for delivery in queue:
            attempt = done[delivery.id] = send(delivery, hosts)
            if attempt.timed_out:
                break
        return done

    if len(queues) < 2:
        return {id: attempt for queue in queues.values() for id, attempt in send_queue(queue).items()}
    with ThreadPoolExecutor(min(_SENDERS, len(queues)), "dryline-webhooks") as pool:
        return {id: attempt for done in pool.map(send_queue, queues.values()) for id, attempt in done.items()}


def send(delivery: WebhookDelivery, hosts: tuple[str, ...]) -> Attempt:
    """One attempt. Redirects are not followed: they could lead elsewhere."""
    try:
        url = urlsplit(delivery.url)
        port = url.port
    except ValueError as fault:
        return Attempt(error=f"Not an address: {fault}.", final=True)
    if url.scheme not in ("http", "https") or not url.hostname:
        return Attempt(error=f"Only http and https addresses are sent to, not {delivery.url}.", refused=True)
    if not may_reach(url.hostname, hosts):
        why = f"The host {url.hostname} is neither loopback nor named by --webhook-hosts."
        return Attempt(error=why, refused=True)
    connection_type = http.client.HTTPSConnection if url.scheme == "https" else http.client.HTTPConnection
    connection = connection_type(url.hostname, port, timeout=TIMEOUT_S)
    # The connection's own time limit is for each piece that comes; this one is for the whole.
    overdue = threading.Event()
    deadline = threading.Timer(TIMEOUT_S, _cut, (connection, overdue))
    deadline.start()
    try:
        return _exchange(connection, delivery, url)
    except (http.client.InvalidURL, UnicodeError) as fault:
        return Attempt(error=f"Not an address: {fault}.", final=True)
    except (OSError, http.client.HTTPException) as fault:
        if isinstance(fault, TimeoutError) or overdue.is_set():
            return Attempt(error=f"No answer within {TIMEOUT_S:g} s.", timed_out=True)
        return Attempt(error=f"{type(fault).__name__}: {fault}")
    finally:
        deadline.cancel()
        connection.close()


def _exchange(connection: http.client.HTTPConnection, delivery: WebhookDelivery, url: SplitResult) -> Attempt:
    body, query = orjson.dumps(delivery.body), url.query
    headers = {
        "User-Agent": f"dryline/{__version__}",
        "X-Dryline-Event": delivery.event,
        "X-Dryline-Delivery": delivery.id,
    }
    if delivery.method == "GET":  # its message is in the query
        query = "&".join(filter(None, (query, urlencode(_flat(delivery.body)))))
        connection.request("GET", _target(url, query), headers=headers)
    else:
        headers["Content-Type"] = "application/json"
        connection.request(delivery.method, _target(url, query), body, headers)
    answer = connection.getresponse()
    text = answer.read(_ANSWER_BYTES).decode(errors="replace")
    error = None
    if 300 <= answer.status < 400:
        error = f"Answered {answer.status}: redirects are not followed."
    elif not 200 <= answer.status < 300:
        error = f"Answered {answer.status}."
    return Attempt(status=answer.status, body=text, error=error)


def may_reach(host: str, hosts: tuple[str, ...]) -> bool:
    """Whether a host is this machine, by a name or number that cannot mean another, or was allowed by name."""
    if host in {name.lower() for name in hosts} or host == "localhost":
        return True
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return False


def _target(url: SplitResult, query: str) -> str:
    return (url.path or "/") + (f"?{query}" if query else "")


def _flat(body: dict[str, Any]) -> dict[str, str]:
    return {name: "" if value is None else str(value) for name, value in body.items()}


def _cut(connection: http.client.HTTPConnection, overdue: threading.Event) -> None:
    overdue.set()  # before the cut: whoever reads from the connection sees that at once
    if connection.sock is not None:
        with contextlib.suppress(OSError):
            connection.sock.shutdown(socket.SHUT_RDWR)

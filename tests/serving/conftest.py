"""Fixtures: a server in a thread, and clients that send it requests in parallel."""

import http.client
import socket
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from dryline.settings import DEFAULT_API_KEY, Settings
from dryline.world.faults import Fault

KEY = {"x-api-key": DEFAULT_API_KEY, "content-type": "application/json"}
NEW_WORKER = b'{"name": "Front desk", "description": null, "status": null}'
PATIENCE_S = 20  # before a test counts as stuck


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="empty", seed=1, port=0)


@pytest.fixture
def ask(server):
    """Send a request on a new connection, and return the status of the response."""

    def ask(method, path, body=None):
        connection = http.client.HTTPConnection(server.url.removeprefix("http://"), timeout=PATIENCE_S)
        try:
            connection.request(method, path, body, KEY)
            answer = connection.getresponse()
            answer.read()
            return answer.status
        finally:
            connection.close()

    return ask


@pytest.fixture
def begin(ask):
    """Send a request from a thread. Returns a function that waits for the status, or for the name of the error."""

    def ask_or_fail(*request):
        try:
            return ask(*request)
        except (OSError, http.client.HTTPException) as error:
            return type(error).__name__

    with ThreadPoolExecutor(64) as pool:
        yield lambda *request: pool.submit(ask_or_fail, *request).result


@pytest.fixture
def delayed(begin, control, monkeypatch):
    """Send requests that a fault delays by ten minutes, and wait until all of them are delayed."""
    waits = threading.Semaphore(0)
    delay = Fault.wait_for_delay

    def count_and_delay(*args):
        waits.release()
        return delay(*args)

    monkeypatch.setattr(Fault, "wait_for_delay", count_and_delay)

    def make(count=50, **rule):
        rule = control.post("/faults", {"path": "/api/*", "delayMs": 600_000} | rule).json
        outcomes = [begin("POST", "/api/workers", NEW_WORKER) for _ in range(count)]
        for _ in range(count):
            assert waits.acquire(timeout=PATIENCE_S)
        return rule["id"], outcomes

    yield make
    control.delete("/faults")


@pytest.fixture
def raw(server):
    """Open plain sockets to the server."""
    opened = []

    def connect():
        host, port = server.url.removeprefix("http://").split(":")
        opened.append(socket.create_connection((host, int(port)), timeout=PATIENCE_S))
        return opened[-1]

    yield connect
    for connection in opened:
        connection.close()

"""The views that say `quick = True`: the event loop answers their GET requests, so they never wait or take long."""

import re
import socket
import time
from unittest.mock import patch

import pytest

from dryline.tests.contract import OPERATIONS
from dryline.tests.many_rows import ManyRows, request_of, statements_of
from dryline.web.operations import find_view

CALLS = 10_000
MAX_MS = 5
WRITE = re.compile(r"\s*(INSERT|UPDATE|DELETE|REPLACE|CREATE|DROP|ALTER|VACUUM|PRAGMA)\b", re.IGNORECASE)


@pytest.fixture(scope="module")
def many_rows(module_app):
    many_rows = ManyRows(module_app)
    many_rows.fill(CALLS, "voiceLogs")
    return many_rows


def quick_requests(app):
    """Return a request of each quick view, and one with each of its query parameters, by a name."""
    with app.app_context():
        views = {find_view(rule.endpoint) for rule in app.url_map.iter_rules()}
    quick = {view.get.operation_id for view in views if getattr(view, "quick", False)}
    requests = {"getHealth": {"path": "/_dryline/health"}}
    for operation in OPERATIONS:
        if operation["id"] in quick:
            requests[operation["id"]] = request_of(operation)
            for parameter in operation["query"] or ():
                requests[f"{operation['id']}?{parameter['name']}"] = request_of(operation, parameter)
    assert quick <= set(requests)
    return requests


def reasons_against_the_loop(app, request):
    """Return why the event loop must not answer a request; the shortest of five durations counts."""
    client, durations = app.test_client(), []

    def send():
        begin = time.perf_counter()
        answer = client.open(**request)
        durations.append((time.perf_counter() - begin) * 1000)
        assert answer.status_code in (200, 201), answer.text

    with patch.object(socket.socket, "connect", side_effect=AssertionError) as connect:
        statements = statements_of(app, send)
        for _ in range(4):
            send()
    reasons = [f"writes: {each[:60]}" for each in statements if WRITE.match(each) or "IMMEDIATE" in each]
    reasons += ["sends a request"] if connect.mock_calls else []
    return reasons + ([f"takes {min(durations):.1f} ms"] if min(durations) > MAX_MS else [])


def test_a_quick_view_neither_writes_nor_sends_a_request_nor_takes_long(module_app, many_rows):
    requests = quick_requests(module_app)
    reasons = {name: reasons_against_the_loop(module_app, request) for name, request in requests.items()}
    assert {name: each for name, each in reasons.items() if each} == {}

"""The views that say `quick = True`: the event loop answers their GET requests, so they never wait or work long."""

import re
import socket
import sys
from unittest.mock import patch

import pytest

from dryline.tests.contract import OPERATIONS
from dryline.tests.many_rows import ManyRows, request_of, statements_of
from dryline.web.operations import find_view

CALLS = 10_000
# Limits of a request's work, in units that do not depend on the machine. Most have 1,400 and 100, and a page of voice
# logs 2,500 and 35,000.
MAX_FUNCTION_CALLS = 5_000
MAX_SQLITE_STEPS = 5_000
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


def work_of(app, function):
    """Run a function of the test's thread, and return how many functions it calls, and how many steps SQLite takes."""
    counts = {"calls": 0, "steps": 0}

    def count_call(frame, event, argument):
        counts["calls"] += event in ("call", "c_call")

    def count_steps():
        counts["steps"] += 100

    with app.world.active():
        connection = app.world.db.connection()
        connection.set_progress_handler(count_steps, 100)
        sys.setprofile(count_call)
        try:
            function()
        finally:
            sys.setprofile(None)
            connection.set_progress_handler(None, 0)
    return counts["calls"], counts["steps"]


def reasons_against_the_loop(app, request):
    """Return why the event loop must not answer a request."""
    client, answers = app.test_client(), []

    def send():
        answers.append(client.open(**request))

    with patch.object(socket.socket, "connect", side_effect=AssertionError) as connect:
        statements = statements_of(app, send)
        calls, steps = work_of(app, send)
    assert [answer.status_code for answer in answers] == [200, 200]
    reasons = [f"writes: {each[:60]}" for each in statements if WRITE.match(each) or "IMMEDIATE" in each]
    if connect.mock_calls:
        reasons.append("sends a request")
    if calls > MAX_FUNCTION_CALLS:
        reasons.append(f"calls {calls:,} functions")
    if steps > MAX_SQLITE_STEPS:
        reasons.append(f"takes {steps:,} steps of SQLite")
    return reasons


def test_a_quick_view_neither_writes_nor_sends_a_request_nor_works_long(module_app, many_rows):
    requests = quick_requests(module_app)
    reasons = {name: reasons_against_the_loop(module_app, request) for name, request in requests.items()}
    assert {name: each for name, each in reasons.items() if each} == {}

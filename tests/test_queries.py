"""No operation that reads runs a query for each row."""

from functools import partial

import pytest

from dryline.tests.contract import OPERATIONS, by_id
from dryline.tests.contract.two_teams import document
from dryline.tests.many_rows import ManyRows, request_of, statements_of

FEW, MANY = 3, 30
MORE_FOR_A_SECOND_PAGE = 3  # a list with more than one page may count its rows
# Collections that the reads list, without those whose rows have a unique name or number.
LISTED = (
    *(
        "flows",
        "deploymentHistory",
        "customWebhooks",
        "voiceLogs",
        "chatLogs",
        "chatEmbedLogs",
        "smsLogs",
        "whatsappLogs",
    ),
    *("sessions", "llmLogs", "runtimeErrors", "tests", "testRuns", "exports"),
)
READS = [operation for operation in OPERATIONS if operation["method"] == "GET"]


@pytest.fixture(scope="module")
def numbers(module_app):
    """Return how many statements each operation that reads runs, with few rows of each collection and with many."""
    world, client = ManyRows(module_app), module_app.test_client()
    numbers = {by_id(operation): [] for operation in READS}
    for count in (FEW, MANY):
        world.fill(count, *LISTED)
        for operation in READS:
            statements = statements_of(module_app, partial(client.open, **request_of(operation)))
            numbers[by_id(operation)].append(len(statements))
    return numbers


@pytest.mark.parametrize("operation", READS, ids=by_id)
def test_an_operation_runs_no_query_for_each_row(numbers, operation):
    few, many = numbers[by_id(operation)]
    assert many <= few + MORE_FOR_A_SECOND_PAGE


WRITES = ("INSERT", "UPDATE", "DELETE", "REPLACE")
# Operations that write with other data than that of the test.
NOTHING_TO_WRITE = {"makeVoiceBatchCalls", "initTeamDefaultChecks", "assignTag"}
POSTS = [each for each in OPERATIONS if each["method"] == "POST" and each["id"] not in NOTHING_TO_WRITE]


@pytest.mark.alone
@pytest.mark.parametrize("operation", POSTS, ids=by_id)
def test_an_operation_that_writes_nothing_takes_no_write_lock(app, operation):
    """A long search would else hold up all writes, background work and the reset."""
    client = app.test_client()
    assert client.put("/_dryline/state", json=document()).status_code == 204
    statements = statements_of(app, partial(client.open, **request_of(operation)))
    is_write = any(sql.lstrip().startswith(WRITES) for sql in statements)
    assert is_write == ("BEGIN IMMEDIATE" in statements)

"""Query counts: no list of the API and no page of the console runs a query for each of its rows."""

import pytest

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.many_rows import ManyRows

FEW, MANY = 10, 60
# A list with more than one page may count its rows.
MORE_FOR_A_SECOND_PAGE = 3


@pytest.fixture(scope="module")
def many_rows():
    """One stand-in for all requests."""
    app = create_app(Settings(ephemeral=True, scenario="empty", seed=1))
    yield ManyRows(app)
    app.close()


def test_no_list_or_page_runs_a_query_for_each_row(many_rows):
    many_rows.fill(FEW)
    reads = many_rows.reads()
    assert len(reads) >= 115
    counts = {}
    for rows in (FEW, FEW, MANY):  # the first time, caches of the process are filled
        many_rows.fill(rows)
        counts[rows] = {name: len(many_rows.statements(**read)) for name, read in reads.items()}
    most = {name: count + MORE_FOR_A_SECOND_PAGE for name, count in counts[FEW].items()}
    assert {name: count for name, count in counts[MANY].items() if count > most[name]} == {}


def test_received_llm_logs_look_their_worker_up_once(api, make_worker, statements):
    record = {"metadata": {"workerId": make_worker()["id"], "callId": "CA1"}}

    def send(count):
        answer = api.client.post("/portkey-logs", json=[record] * count, headers={"x-api-key": api.key})
        assert answer.status_code == 200

    send(1)
    assert len(statements(lambda: send(10))) == len(statements(lambda: send(2)))

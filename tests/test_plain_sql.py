"""The queries that are plain SQL find their rows by an index, in the order in which they are needed."""

from functools import partial

import pytest

from dryline.tests.contract.two_teams import KEYS, NORTH, id_of
from dryline.tests.many_rows import ManyRows, plans_of

WORKER = f"/api/workers/{id_of(NORTH, 'workers')}"
VOICE_LOGS = f"{WORKER}/deploymentLogs/voice"
SORTED = "USE TEMP B-TREE FOR ORDER BY"


@pytest.fixture
def plan(app):
    """Return the plan of the one statement of a request that contains a text."""
    ManyRows(app).fill(3, "voiceLogs", "resources")
    send = partial(app.test_client().open, headers={"x-api-key": KEYS[NORTH]})

    def plan(text, path, method="GET", **request):
        answers = []
        plans = plans_of(app, lambda: answers.append(send(path, method=method, **request)))
        assert answers[0].status_code < 300, answers[0].text
        (statement_plan,) = [steps for sql, steps in plans.items() if text in sql]
        return statement_plan

    return plan


@pytest.mark.parametrize("order", ["asc", "desc"])
def test_a_page_of_voice_logs_is_read_in_the_order_of_an_index(plan, order):
    query = f"sortBy=startTime&sortOrder={order}&limit=1"
    read = plan("SELECT start_time, id", f"{VOICE_LOGS}?{query}")
    assert "INDEX voice_log_listing (worker_id=?)" in read
    assert SORTED not in read


def test_a_page_after_a_cursor_begins_at_its_row(app, plan):
    page = app.test_client().get(f"{VOICE_LOGS}?limit=1", headers={"x-api-key": KEYS[NORTH]}).json
    read = plan("SELECT start_time, id", f"{VOICE_LOGS}?limit=1&cursor={page['nextCursor']}")
    assert "(worker_id=? AND (start_time,id)<(?,?))" in read
    assert SORTED not in read


def test_a_call_is_found_by_the_index_of_its_id(plan):
    assert "(call_sid=?)" in plan("SELECT start_time, id", f"{VOICE_LOGS}?callSid=CA1")


def test_calls_of_a_number_are_found_in_an_index_that_has_the_numbers(plan):
    read = plan("instr(from_number", "/console/search?q=%2B1415555")
    assert "SEARCH voice_log USING COVERING INDEX voice_log_filters (worker_id=?)" in read
    assert "SCAN" not in read


@pytest.mark.parametrize("column", ["id", "call_sid", "external_call_id"])
def test_a_call_is_searched_by_the_index_of_an_id(plan, column):
    read = plan(f"SELECT id FROM voice_log WHERE {column} >=", "/console/search?q=log_1000")
    assert f"({column}>? AND {column}<?)" in read
    assert SORTED not in read


def test_the_figures_of_calls_are_read_from_their_period(plan):
    read = plan("JSON_GROUP_ARRAY", "/console")
    assert "(team_id=? AND start_time>? AND start_time<?)" in read


def test_resources_are_found_by_the_index_of_words(plan):
    read = plan("resource_index MATCH", f"{WORKER}/resources/query", "POST", json={"query": "opening hours"})
    assert "SCAN resource_index VIRTUAL TABLE INDEX" in read
    assert "SCAN t" not in read
    assert "SCAN r" not in read.replace("SCAN resource_index", "")


@pytest.mark.parametrize("table", ["llm_log", "runtime_error", "session", "voice_log"])
def test_the_logs_of_a_deleted_worker_are_found_by_an_index(app, table):
    ManyRows(app).fill(3, "voiceLogs", "resources")
    send = partial(app.test_client().delete, WORKER, headers={"x-api-key": KEYS[NORTH]})
    deletions = {sql: plan for sql, plan in plans_of(app, send).items() if f"DELETE FROM {table} " in sql}
    assert deletions
    assert "SCAN" not in "\n".join(deletions.values())


def test_the_rows_of_a_document_are_read_by_their_numbers(plan):
    read = plan('FROM "voice_log" WHERE rowid IN', "/_dryline/state")
    assert read == "SEARCH voice_log USING INTEGER PRIMARY KEY (rowid=?)"


def test_a_document_to_add_finds_known_ids_by_their_index(app, plan):
    document = app.test_client().get("/_dryline/state").json
    row = {**next(iter(document["tags"])), "id": "tag_new", "label": "New"}
    added = {"version": document["version"], "tags": [row]}
    read = plan('SELECT id FROM "tag" WHERE id IN', "/_dryline/state", "POST", json=added)
    assert "(id=?)" in read and "SCAN tag" not in read


@pytest.mark.parametrize("table", ["resource_text", "voice_log"])
def test_the_rows_of_a_team_are_deleted_by_an_index(app, table):
    ManyRows(app).fill(3, "voiceLogs", "resources")
    reset = partial(app.test_client().post, f"/_dryline/reset?team={id_of(NORTH, 'teams')}")
    deletions = {sql: plan for sql, plan in plans_of(app, reset).items() if f'DELETE FROM "{table}" ' in sql}
    assert deletions
    assert "SCAN" not in "\n".join(deletions.values())

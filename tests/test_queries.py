"""Queries: an index answers each list, and no list or page runs a query for each row."""

import re

import pytest

from dryline.models.voice_logs import VoiceLog
from dryline.schemas.voice_logs import SORTABLE
from dryline.tests.many_rows import ManyRows, plans_of

START = "2026-11-20T10:00:00.000Z"
CALL = {
    "start_time": START, "status": "completed", "direction": "inbound", "external_call_id": "ext-1", "call_sid": "CA1",
}  # fmt: skip
# Filters, and the index that finds and counts the logs.
FILTERS = [
    ({}, "voice_log_listing"),
    ({"status": "completed"}, "voice_log_listing"),
    ({"direction": "inbound"}, "voice_log_listing"),
    ({"deploymentId": "deploy_1"}, "voice_log_listing"),
    ({"status": "failed", "direction": "inbound", "deploymentId": "deploy_1"}, "voice_log_listing"),
    ({"startTimeAfter": START}, "voice_log_listing (worker_id=? AND start_time>?)"),
    ({"startTimeBefore": START}, "voice_log_listing (worker_id=? AND start_time<?)"),
    ({"startDate": START, "endDate": START}, "voice_log_listing (worker_id=? AND start_time>? AND start_time<?)"),
    ({"flowId": "flow_1"}, "voice_log_filters"),
    ({"endTimeAfter": START, "endTimeBefore": START}, "voice_log_filters"),
    ({"minDuration": 1, "maxDuration": 90}, "voice_log_filters"),
    ({"fromNumber": "415", "toNumber": "415", "status": "completed"}, "voice_log_filters"),
]


@pytest.fixture
def worker(worker, add_log):
    for _ in range(5):
        add_log(VoiceLog, worker, **CALL)
    return worker


@pytest.fixture
def list_plans(app, api, worker):
    """Return the plans of a list page's queries on voice logs, without the query by the ids on the page."""

    def list_plans(**query):
        path = f"/workers/{worker['id']}/deploymentLogs/voice"
        plan_of = plans_of(app, lambda: api.get(path, query_string={"limit": 1, **query}))
        result = [plan for sql, plan in plan_of.items() if '"voice_log"' in sql and '"id" IN (' not in sql]
        assert result
        return result

    return list_plans


@pytest.mark.parametrize(("query", "index"), FILTERS)
def test_a_list_of_voice_logs_is_found_and_counted_in_an_index_alone(list_plans, query, index):
    for plan in list_plans(**query):
        assert f"USING COVERING INDEX {index}" in plan
        assert "TEMP B-TREE" not in plan and "SCAN" not in plan


@pytest.mark.parametrize(
    ("name", "value", "index"),
    [
        ("callSid", "CA1", "voice_log_call_sid (call_sid=?)"),
        ("externalCallId", "ext-1", "voice_log_external_call (external_call_id=?)"),
    ],
)
def test_a_call_is_looked_up_by_its_ids_whatever_the_other_filters(list_plans, name, value, index):
    for plan in list_plans(**{name: value, "status": "completed"}):
        assert f"USING INDEX {index}" in plan


def test_a_cursor_starts_at_its_place_in_the_index(api, worker, list_plans):
    for order in ("asc", "desc"):
        path = f"/workers/{worker['id']}/deploymentLogs/voice"
        cursor = api.get(path, query_string={"limit": 1, "sortOrder": order}).json["nextCursor"]
        keys, *_ = list_plans(cursor=cursor)
        assert f"(worker_id=? AND (start_time,id){'<' if order == 'desc' else '>'}(?,?))" in keys


@pytest.mark.parametrize("name", SORTABLE)
def test_another_order_is_sorted_from_an_index_alone(list_plans, name):
    assert all("USING COVERING INDEX" in plan for plan in list_plans(sortBy=name))


# All requests

LOG_TABLES = {
    *("voice_log", "chat_log", "chat_embed_log", "sms_log", "whatsapp_log", "api_log", "session", "llm_log"),
    *("runtime_error", "webhook_delivery", "deployment_history_entry", "queued_call", "voicev1_campaign_data"),
}
READS_ALL = {"/_dryline/state": "all rows are in its answer"}
ALIAS = re.compile(r'"?(\w+)"? (?:AS )?"?\b(t\d+|[a-z])\b"?')
STEP = re.compile(r"(SCAN|SEARCH) (\w+)(?: USING (INDEX|COVERING INDEX) (\w+)(?: \((.*)\))?)?")
# Of calls that were transferred only.
PARTIAL_INDEXES = {"voice_log_transfers"}


FEW, MANY = 5, 30
# A list with more than one page may count its rows.
MORE_FOR_A_SECOND_PAGE = 3


@pytest.fixture(scope="module")
def many_rows(module_app):
    return ManyRows(module_app)


@pytest.fixture(scope="module")
def reads(many_rows):
    """Return all requests that read, by name, with the statements that each runs where there are few rows."""
    many_rows.fill(FEW)
    reads = many_rows.reads() | many_rows.filtered_reads()
    assert len(reads) >= 190
    return {name: (read, many_rows.statements(**read)) for name, read in reads.items()}


def reads_too_much(sql, plan):
    """Return whether a statement reads all rows of a log table, or all of a team, that no index has in its order."""
    if " LIMIT " in sql and "ORDER BY" not in plan:
        return False
    tables = {alias: table for table, alias in ALIAS.findall(sql)}
    for kind, name, index_kind, index, terms in STEP.findall(plan):
        if tables.get(name, name) not in LOG_TABLES or index in PARTIAL_INDEXES:
            continue
        if kind == "SCAN" or (index_kind == "INDEX" and terms == "team_id=?"):
            return True
    return False


def too_much(many_rows, name, statements):
    """Return the statements of a request that read too much, with their plans."""
    plans = {sql: many_rows.plan(sql) for sql in statements}
    return [(name, sql, plan) for sql, plan in plans.items() if name not in READS_ALL and reads_too_much(sql, plan)]


def test_no_list_or_page_reads_all_logs(many_rows, reads):
    assert [each for name, (_, run) in reads.items() for each in too_much(many_rows, name, run)] == []


def test_no_list_or_page_runs_a_query_for_each_row(many_rows, reads):
    many_rows.fill(MANY)
    counts = {name: (len(run), len(many_rows.statements(**read))) for name, (read, run) in reads.items()}
    assert {name: (few, many) for name, (few, many) in counts.items() if many > few + MORE_FOR_A_SECOND_PAGE} == {}


def test_no_write_reads_all_logs(many_rows):
    many_rows.fill(3)
    failed = []
    for name, request in many_rows.writes().items():
        failed += too_much(many_rows, name, many_rows.statements(**request))
        many_rows.undo()
    assert failed == []


def test_the_calls_of_a_campaign_are_looked_up_by_its_id(app, api, make_voice_deployment):
    deployment = make_voice_deployment()
    path = f"/workers/{deployment['workerId']}/deployments/voice/{deployment['id']}/outbound-campaigns"
    campaign = api.post(path, {"data": [{"phoneNumber": "+14155550199"}]})
    assert campaign.status_code == 201, campaign.text
    plan_of = plans_of(app, lambda: app.test_client().get(f"/console/campaigns/{campaign.json['id']}"))
    [plan] = [plan for sql, plan in plan_of.items() if '"voice_log"' in sql]
    assert "voice_log_campaign (<expr>=? AND deployment_id=?)" in plan and "TEMP B-TREE" not in plan

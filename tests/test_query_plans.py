"""Query plans: an index answers each list, however many rows there are."""

import pytest

from dryline.models.voice_logs import VoiceLog

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
def worker(make_worker, add_log):
    worker = make_worker()
    for _ in range(5):
        add_log(VoiceLog, worker, **CALL)
    return worker


@pytest.fixture
def list_plans(api, worker, plans):
    """The plans of the queries on voice logs that a page of the list runs, but for that by the ids on the page."""

    def list_plans(**query):
        path = f"/workers/{worker['id']}/deploymentLogs/voice"
        found = plans(lambda: api.get(path, query_string={"limit": 1, **query}))
        result = [plan for sql, plan in found.items() if '"voice_log"' in sql and '"id" IN (' not in sql]
        assert result
        return result

    return list_plans


@pytest.mark.parametrize(("query", "index"), FILTERS)
def test_a_list_of_voice_logs_is_found_and_counted_in_an_index_alone(list_plans, query, index):
    for plan in list_plans(**query):
        assert f"USING COVERING INDEX {index}" in plan
        assert "TEMP B-TREE" not in plan and "SCAN" not in plan


@pytest.mark.parametrize(("name", "value", "index"), [
    ("callSid", "CA1", "voice_log_call_sid (call_sid=?)"),
    ("externalCallId", "ext-1", "voice_log_external_call (external_call_id=?)"),
])  # fmt: skip
def test_a_call_is_looked_up_by_its_ids_whatever_else_is_asked_for(list_plans, name, value, index):
    for plan in list_plans(**{name: value, "status": "completed"}):
        assert f"USING INDEX {index}" in plan


def test_a_cursor_starts_at_its_place_in_the_index(api, worker, list_plans):
    for order in ("asc", "desc"):
        path = f"/workers/{worker['id']}/deploymentLogs/voice"
        cursor = api.get(path, query_string={"limit": 1, "sortOrder": order}).json["nextCursor"]
        keys, *_ = list_plans(cursor=cursor)
        assert f"(worker_id=? AND (start_time,id){'<' if order == 'desc' else '>'}(?,?))" in keys


@pytest.mark.parametrize("name", ["endTime", "direction", "fromNumber", "toNumber", "status", "externalCallId",
                                  "createdAt", "updatedAt"])  # fmt: skip
def test_another_order_is_sorted_from_an_index_alone(list_plans, name):
    assert all("USING COVERING INDEX" in plan for plan in list_plans(sortBy=name))

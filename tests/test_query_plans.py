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
    """Return the plans of a list page's queries on voice logs, without the query by the ids on the page."""

    def list_plans(**query):
        path = f"/workers/{worker['id']}/deploymentLogs/voice"
        plan_of = plans(lambda: api.get(path, query_string={"limit": 1, **query}))
        result = [plan for sql, plan in plan_of.items() if '"voice_log"' in sql and '"id" IN (' not in sql]
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


# Other lists


@pytest.mark.parametrize("channel", ["chat", "chat-embed", "sms", "whatsapp"])
@pytest.mark.parametrize("query", ["", "?deploymentId=deploy_1"])
def test_lists_of_the_other_channels_are_found_in_order_in_an_index(api, worker, plans, channel, query):
    plan_of = plans(lambda: api.get(f"/workers/{worker['id']}/deploymentLogs/{channel}{query}"))
    table = f'"{channel.replace("-", "_")}_log"'
    logs = [plan for sql, plan in plan_of.items() if table in sql]
    assert logs and all("SEARCH" in plan and "TEMP B-TREE" not in plan for plan in logs)


@pytest.mark.parametrize(
    "query",
    [
        "llm-logs",
        "llm-logs?eventType=afterRequestHook",
        "llm-logs/by-call/CA1",
        "llm-logs/by-session/session_1",
        "runtime-errors",
        "runtime-errors?severity=error",
    ],
)
def test_lists_of_llm_logs_and_errors_are_found_in_order_in_an_index(api, worker, plans, query):
    plan_of = plans(lambda: api.get(f"/workers/{worker['id']}/{query}"))
    logs = [plan for sql, plan in plan_of.items() if '"llm_log"' in sql or '"runtime_error"' in sql]
    assert logs and all("SEARCH" in plan and "TEMP B-TREE" not in plan for plan in logs)


# Pages of the console


@pytest.fixture
def page_plans(app, plans):
    """Return the plans of the queries on a table that a page of the console runs."""

    def page_plans(path, table):
        plan_of = plans(lambda: app.test_client().get(f"/console{path}"))
        result = [plan for sql, plan in plan_of.items() if f'"{table}"' in sql or f" {table} " in sql]
        assert result
        return result

    return page_plans


def test_the_llm_logs_of_a_call_are_looked_up_by_its_session_and_by_its_id(worker, add_log, page_plans):
    id = add_log(VoiceLog, worker, bb_engine_session_id="session_1", call_sid="CA2")
    (plan,) = page_plans(f"/calls/{id}", "llm_log")
    assert "llm_log_session (team_id=? AND session_id=?)" in plan
    assert "llm_log_call (team_id=? AND call_id=?)" in plan


def test_the_deliveries_of_a_call_are_looked_up_by_its_id(worker, add_log, page_plans):
    (plan,) = page_plans(f"/calls/{add_log(VoiceLog, worker)}", "webhook_delivery")
    assert "webhook_delivery_log (log_id=?)" in plan and "TEMP B-TREE" not in plan


def test_the_newest_deliveries_are_read_in_order(page_plans):
    # Refused deliveries are grouped by their address. There are 5,000 finished deliveries at most.
    plans = [plan for plan in page_plans("/webhooks", "webhook_delivery") if "GROUP BY" not in plan]
    assert plans
    for plan in plans:
        assert "USING INDEX webhook_delivery_listing" in plan and "TEMP B-TREE" not in plan


def test_the_overviews_chart_is_counted_in_an_index_alone(worker, page_plans):
    chart, *_ = page_plans("", "voice_log")
    assert "COVERING INDEX voice_log_team (team_id=? AND start_time>?)" in chart


def test_the_calls_of_a_campaign_are_looked_up_by_its_id(api, make_voice_deployment, page_plans):
    deployment = make_voice_deployment()
    path = f"/workers/{deployment['workerId']}/deployments/voice/{deployment['id']}/outbound-campaigns"
    campaign = api.post(path, {"data": [{"phoneNumber": "+14155550199"}]})
    assert campaign.status_code == 201, campaign.text
    (plan,) = page_plans(f"/campaigns/{campaign.json['id']}", "voice_log")
    assert "voice_log_campaign (<expr>=? AND deployment_id=?)" in plan and "TEMP B-TREE" not in plan

"""Logs of every channel, and what hangs on them: sessions, LLM logs, runtime errors, analysis."""

import pytest


@pytest.fixture
def line(make_voice_deployment, worker, flow):
    """Return the id of a voice deployment of the worker."""
    return make_voice_deployment({"id": flow, "workerId": worker})["id"]


@pytest.fixture
def calls(control, worker, line):
    """Return the ids of simulated calls of the deployment."""
    body = {"workerId": worker, "deploymentId": line, "count": 12, "seed": 1}
    return control.post("/simulate/calls", body).json["ids"]


def test_calls_are_listed_and_read(client, api, worker, line, flow, calls):
    listed = client.workers.deployment_logs.voice.list(worker, limit=5, page=3, sort_by="startTime", sort_order="asc")
    assert (len(listed.data), listed.pagination.total, listed.pagination.has_next) == (2, 12, False)
    log = client.workers.deployment_logs.voice.retrieve(listed.data[0].id, worker_id=worker)
    assert log.id == listed.data[0].id in calls
    assert api.get(f"/logs/{log.id}").json["type"] == "VoiceDeploymentLog"


def test_every_filter_finds_the_call_that_it_describes(client, api, worker, line, flow, calls):
    logs = api.get(f"/workers/{worker}/deploymentLogs/voice").json["data"]
    log = next(log for log in logs if log["endTime"] and log["transcription"] and log["externalCallId"])
    page = client.workers.deployment_logs.voice.list(
        worker,
        call_sid=log["call_sid"],
        deployment_id=line,
        direction=log["direction"],
        end_date="2999-01-01T00:00:00Z",
        end_time_after="2000-01-01T00:00:00Z",
        end_time_before="2999-01-01T00:00:00Z",
        external_call_id=log["externalCallId"],
        flow_id=log["flowId"],
        from_number=log["fromNumber"][2:],
        search_query=log["transcription"][:30].upper(),
        start_date="2000-01-01T00:00:00Z",
        start_time_after="2000-01-01T00:00:00Z",
        start_time_before="2999-01-01T00:00:00Z",
        status=log["status"],
        to_number=log["toNumber"][2:],
    )
    assert [call.id for call in page.data] == [log["id"]]
    assert client.workers.deployment_logs.voice.list(worker, flow_id="flow_none").data == []


def test_the_analysis_counts_the_calls(client, worker, line, calls):
    answer = client.voice_analysis.analyze(
        start_date="2000-01-01T00:00:00Z",
        end_date="2999-01-01T00:00:00Z",
        granularity="daily",
        deployment_ids=[line],
        worker_id=worker,
        include_transfers=True,
        include_call_details=True,
        timezone="Europe/Oslo",
    )
    assert answer.summary.total_calls == len(calls) == len(answer.to_dict()["callDetails"])
    assert client.voice_analysis.analyze(worker_id=worker, deployment_ids=["deploy_none"]).summary.total_calls == 0


def test_a_calls_session_and_llm_logs(client, api, worker, calls):
    log = next(log for id in calls if (log := api.get(f"/logs/{id}").json)["bbEngineSessionId"])
    session = client.workers.retrieve_session(log["bbEngineSessionId"], worker_id=worker)
    assert session.worker_id == worker
    assert client.workers.sessions.retrieve(session.id, worker_id=worker)["id"] == session.id
    by_session = client.workers.llm_logs.get_by_session(session.id, worker_id=worker)
    assert {row.session_id for row in by_session} == {session.id}

    call = by_session[0].call_id
    by_call = client.workers.llm_logs.by_call.list(call, worker_id=worker)
    assert {row.id for row in by_call} == {row.id for row in by_session}
    page = client.workers.llm_logs.list(
        worker, call_id=call, session_id=session.id, event_type="afterRequestHook", limit=1, offset=1
    )
    after = [row.id for row in by_call if row.event_type == "afterRequestHook"]
    assert (page.total, page.limit, page.offset) == (len(after), 1, 1)

    first = by_call[0].id
    client.workers.llm_logs.retrieve(first, worker_id=worker)
    client.workers.llm_logs.delete(first, worker_id=worker)
    assert api.get(f"/workers/{worker}/llm-logs/{first}").status_code == 404
    client.workers.llm_logs.by_call.delete(call, worker_id=worker)
    assert client.workers.llm_logs.by_call.list(call, worker_id=worker) == []


def test_a_hooks_report_becomes_an_llm_log(client, worker):
    client.portkey_logs.create(
        body={"eventType": "beforeRequestHook", "metadata": {"callId": "call-1", "sessionId": "session-1"}}
    )
    (entry,) = client.workers.llm_logs.list(worker, call_id="call-1").logs
    assert (entry.event_type, entry.session_id) == ("beforeRequestHook", "session-1")


def test_a_runtime_error_is_recorded_and_found(client, api, worker, line, flow):
    client.workers.runtime_errors.record(
        worker,
        error="division by zero",
        service="based_engine",
        type="ZeroDivisionError",
        severity="critical",
        deployment_id=line,
        flow_id=flow,
        bb_engine_session_id="session-1",
        function_name="main",
        line_number=7,
        traceback="line 7",
        metadata={"turn": 3},
    )
    client.workers.runtime_errors.list(
        worker,
        deployment_id=line,
        type="ZeroDivisionError",
        service="based_engine",
        severity="critical",
        limit=10,
        offset=0,
    )
    (entry,) = api.get(f"/workers/{worker}/runtime-errors", query_string={"severity": "critical"}).json
    assert (entry["lineNumber"], entry["metadata"], entry["deploymentId"]) == (7, {"turn": 3}, line)
    assert client.workers.runtime_errors.retrieve(entry["id"], worker_id=worker) is None


def test_chats_are_listed_and_read(client, control, worker, flow, api):
    desk = api.post(f"/workers/{worker}/deployments/chat", {"name": "Desk", "flowId": flow}).json["id"]
    ids = control.post("/simulate/chats", {"workerId": worker, "deploymentId": desk, "count": 3}).json["ids"]
    logs = client.workers.deployment_logs.chat.list(worker, deployment_id=desk, flow_id=flow)
    assert {log.id for log in logs} == set(ids)
    log = client.workers.deployment_logs.chat.retrieve(ids[0], worker_id=worker)
    assert log.message_count > 0
    assert client.workers.deployment_logs.chat.list(worker, deployment_id="deploy_none") == []


def test_widget_chats_are_listed_and_read(client, control, worker, flow, api):
    widget = api.post(f"/workers/{worker}/deployments/chat-embed", {"name": "W", "flowId": flow}).json["id"]
    ids = control.post("/simulate/chats", {"workerId": worker, "deploymentId": widget, "count": 2}).json["ids"]
    log = client.workers.deployment_logs.chat.embed.retrieve(ids[0], worker_id=worker)
    logs = client.workers.deployment_logs.chat.embed.list(
        worker, deployment_id=widget, flow_id=flow, session_id=log.session_id
    )
    assert [entry.id for entry in logs] == [log.id]
    assert len(client.workers.deployment_logs.chat.embed.list(worker)) == 2


def test_text_messages_are_listed_and_read(client, api, control, worker, flow):
    for kind in ("sms", "whatsapp"):
        row = {"id": f"log_{kind}", "workerId": worker, "deploymentId": "deploy_1", "flowId": flow}
        assert control.post("/state", {"version": 1, f"{kind}Logs": [row]}).status_code == 204
    client.workers.deployment_logs.sms.list(worker, deployment_id="deploy_1", flow_id=flow, page=1, limit=10)
    client.workers.deployment_logs.sms.retrieve("log_sms", worker_id=worker)
    client.workers.deployment_logs.whatsapp.list(worker, deployment_id="deploy_1", flow_id=flow, page=1, limit=10)
    client.workers.deployment_logs.whatsapp.retrieve("log_whatsapp", worker_id=worker)
    for kind in ("sms", "whatsapp"):
        logs = f"/workers/{worker}/deploymentLogs/{kind}"
        assert [log["id"] for log in api.get(logs, query_string={"flowId": flow}).json["data"]] == [f"log_{kind}"]
        assert api.get(logs, query_string={"deploymentId": "deploy_2"}).json["data"] == []

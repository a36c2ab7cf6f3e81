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


def test_chats_are_listed_and_read(client, control, worker, flow, api):
    desk = api.post(f"/workers/{worker}/deployments/chat", {"name": "Desk", "flowId": flow}).json["id"]
    ids = control.post("/simulate/chats", {"workerId": worker, "deploymentId": desk, "count": 3}).json["ids"]
    logs = client.workers.deployment_logs.chat.list(worker, deployment_id=desk, flow_id=flow)
    assert {log.id for log in logs} == set(ids)
    log = client.workers.deployment_logs.chat.retrieve(ids[0], worker_id=worker)
    assert log.message_count > 0
    assert client.workers.deployment_logs.chat.list(worker, deployment_id="deploy_none") == []

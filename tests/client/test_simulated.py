"""Logs of simulated calls and chats, and what hangs on them, read by the vendor's client."""

import pytest

from dryline.tests.simulator.conftest import FLOW, VARIABLES


@pytest.fixture
def line(make_flow, make_voice_deployment, worker):
    flow = make_flow(worker, code=FLOW, variables=VARIABLES)
    return make_voice_deployment(flow, extractions={"day": {"type": "string", "description": "", "required": True}})


@pytest.mark.parametrize("follow", ["flow", "script"])
def test_logs_sessions_llm_logs_and_errors_are_read(client, control, api, worker, line, follow):
    outcomes, ids = ("completed", "transferred", "failed"), []
    for outcome in outcomes:
        body = {"workerId": worker, "deploymentId": line["id"], "count": 3, "follow": follow, "outcome": outcome}
        ids += control.post("/simulate/calls", body | {"direction": "inbound"}).json["ids"]
    assert len(client.workers.deployment_logs.voice.list(worker, limit=100).data) == 9
    seen = set()
    for id in ids:
        log = client.workers.deployment_logs.voice.retrieve(id, worker_id=worker)
        seen.add(log.status)
        session_id = api.get(f"/logs/{id}").json["bbEngineSessionId"]
        session = client.workers.retrieve_session(session_id, worker_id=worker)
        assert session.id == session_id
        client.workers.llm_logs.get_by_session(session.id, worker_id=worker)
    assert seen == set(outcomes)
    errors = api.get(f"/workers/{worker}/runtime-errors").json
    assert errors
    for error in errors:
        client.workers.runtime_errors.retrieve(error["id"], worker_id=worker)

"""Legacy voice deployments, their batches and campaigns."""

import json

import brainbase_labs
import pytest

EXTRACTIONS = {"topic": {"type": "string", "description": "topic of the call", "required": True}}
ROW = {"id": "row-1", "phone_number": "+14155550201", "status": "PENDING"}


@pytest.fixture
def line(api, worker, flow):
    """Return the id of a legacy deployment of the worker."""
    body = {
        "name": "Old line",
        "phoneNumber": "+14155550100",
        "flowId": flow,
        "objective": "Help",
        "startSentence": None,
        "endSentence": None,
        "voiceId": None,
        "language": None,
        "allowedTransferNumbers": [],
        "functions": None,
        "model": None,
        "resourceKeys": [],
        "wsBaseUrl": None,
        "config": {},
    }
    return api.post(f"/workers/{worker}/deployments/voicev1", body).json["id"]


def test_a_deployment_from_creation_to_deletion(client, worker, flow):
    made = client.workers.deployments.voicev1.create(
        worker,
        name="Old line",
        phone_number="+14155550100",
        flow_id=flow,
        objective="Book a table",
        start_sentence="Hello.",
        end_sentence="Goodbye.",
        voice_id="rachel",
        language="en",
        allowed_transfer_numbers=["+14155550111"],
        functions="{}",
        model="gpt-4o",
        resource_keys=["menu"],
        ws_base_url="wss://example.com",
        config={"speed": 1},
        extractions=EXTRACTIONS,
    )
    assert json.loads(made.allowed_transfer_numbers) == ["+14155550111"]
    assert (made.objective, made.start_sentence) == ("Book a table", "Hello.")
    assert client.workers.deployments.voicev1.list(worker) == [made]

    client.workers.deployments.voicev1.update(
        made.id,
        worker_id=worker,
        name="Older line",
        phone_number="+14155550102",
        flow_id=flow,
        objective="Cancel a table",
        start_sentence=None,
        end_sentence=None,
        voice_id=None,
        language=None,
        allowed_transfer_numbers=[],
        functions=None,
        model=None,
        resource_keys=["menu", "wine"],
        ws_base_url=None,
        config='{"speed": 2}',
        extractions={},
    )
    changed = client.workers.deployments.voicev1.retrieve(made.id, worker_id=worker)
    assert (changed.objective, changed.start_sentence, changed.model) == ("Cancel a table", None, None)
    assert json.loads(changed.resource_keys) == ["menu", "wine"]

    client.workers.deployments.voicev1.delete(made.id, worker_id=worker)
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.deployments.voicev1.retrieve(made.id, worker_id=worker)


def test_a_batch_is_called(client, api, worker, line, advance):
    client.workers.deployments.voicev1.make_batch_calls(
        line,
        worker_id=worker,
        data=[ROW],
        batch_size=1,
        batch_interval_minutes=1,
        condition="{{id}} == 'row-1'",
        extractions={"topic": {"type": "array", "description": "topic", "required": False, "example": "[]"}},
        additional_data={"season": "spring"},
        ws_url="wss://example.com",
    )
    advance(3600)
    logs = api.get(f"/workers/{worker}/deploymentLogs/voice").json["data"]
    assert [(log["toNumber"], log["deploymentId"]) for log in logs] == [(ROW["phone_number"], line)]


def test_a_campaign_and_its_rows(client, api, worker, line):
    made = client.workers.deployments.voicev1.campaigns.create(line, worker_id=worker, steps=[{"name": "call"}])
    assert made.steps == [{"name": "call"}]
    path = f"/workers/{worker}/deployments/voicev1/{line}/campaigns/{made.id}"

    client.workers.deployments.voicev1.campaigns.run(made.id, worker_id=worker, deployment_id=line, data=[ROW])
    client.workers.deployments.voicev1.campaigns.retrieve(made.id, worker_id=worker, deployment_id=line)
    assert [row["id"] for row in api.get(path).json["data"]] == ["row-1"]

    client.workers.deployments.voicev1.campaigns.data.update(
        "row-1",
        worker_id=worker,
        deployment_id=line,
        campaign_id=made.id,
        row_data={"phoneNumber": "+14155550202"},
        status="COMPLETED",
        result={"answered": True},
    )
    client.workers.deployments.voicev1.campaigns.data.retrieve(
        "row-1", worker_id=worker, deployment_id=line, campaign_id=made.id
    )
    row = api.get(f"{path}/data/row-1").json
    assert (row["status"], row["result"]) == ("COMPLETED", {"answered": True})
    assert row["rowData"]["phoneNumber"] == "+14155550202"

"""Calls placed in batches and by campaigns."""

import brainbase_labs
import pytest

ROWS = [{"id": str(n), "phoneNumber": f"+1415555020{n}", "name": "Ada"} for n in range(3)]


@pytest.fixture
def line(make_voice_deployment, worker, flow):
    """Return the id of a voice deployment of the worker."""
    return make_voice_deployment({"id": flow, "workerId": worker})["id"]


def outbound(api, worker):
    """Return the outbound calls of the list."""
    return api.get(f"/workers/{worker}/deploymentLogs/voice", query_string={"direction": "outbound"}).json["data"]


def test_a_batch_is_called_and_its_rest_is_stopped(client, api, worker, line, advance):
    answer = client.workers.deployments.voice.make_batch_calls(
        line,
        worker_id=worker,
        data=ROWS,
        batch_size=1,
        batch_interval_minutes=10,
        condition=None,
        country="US",
        extractions=None,
        additional_data="none",
        ws_url="ws://127.0.0.1:9",
    )
    assert answer.rows_processed == 3
    advance(0)
    stopped = client.workers.deployments.voice.stop_batch_calls(line, worker_id=worker)
    assert stopped.removed_count == len(stopped.removed_items) == 2
    advance(86_400)
    assert [log["toNumber"] for log in outbound(api, worker)] == [ROWS[0]["phoneNumber"]]


def test_a_campaign_from_creation_to_deletion(client, api, worker, line, flow, advance):
    made = client.workers.deployments.voice.outbound_campaigns.create(
        line,
        worker_id=worker,
        data=ROWS,
        name="Spring",
        description="Calls in spring",
        batch_size=1,
        batch_interval_minutes=10,
        additional_data={"season": "spring"},
        telephony_provider={"name": "twilio"},
        status="CREATED",
        flow_id=flow,
        team_id="ignored",
        created_by="user_1",
    )
    assert (made.batch_size, made.flow_id, made.created_by_id) == (1, flow, "user_1")
    assert made.additional_data == {"season": "spring"}
    campaigns = client.workers.deployments.voice.outbound_campaigns
    listed = client.workers.deployments.voice.outbound_campaigns.list(line, worker_id=worker)
    assert [campaign.to_dict() for campaign in listed] == [made.to_dict()]
    campaign = client.workers.deployments.voice.outbound_campaigns.retrieve(
        made.id, worker_id=worker, deployment_id=line
    )
    assert campaign.to_dict() == made.to_dict()

    client.workers.deployments.voice.outbound_campaigns.update(
        made.id,
        worker_id=worker,
        deployment_id=line,
        data=ROWS[:2],
        name="Summer",
        description="Calls in summer",
        batch_size=1,
        batch_interval_minutes=60,
        additional_data={"season": "summer"},
        telephony_provider={"name": "other"},
        status="STARTED",
    )
    advance(0)
    assert [log["toNumber"] for log in outbound(api, worker)] == [ROWS[0]["phoneNumber"]]
    stopped = client.workers.deployments.voice.stop_campaign(line, worker_id=worker, campaign_id=made.id)
    assert stopped.removed_count == 1
    advance(86_400)
    assert len(outbound(api, worker)) == 1
    campaign = campaigns.retrieve(made.id, worker_id=worker, deployment_id=line)
    assert (campaign.name, campaign.batch_interval_minutes, campaign.status) == ("Summer", 60, "STOPPED")

    client.workers.deployments.voice.outbound_campaigns.delete(made.id, worker_id=worker, deployment_id=line)
    with pytest.raises(brainbase_labs.NotFoundError):
        campaigns.retrieve(made.id, worker_id=worker, deployment_id=line)

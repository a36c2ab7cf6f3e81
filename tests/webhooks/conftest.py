"""Fixtures of the webhooks' tests: a receiver, and calls with webhooks."""

import pytest

from dryline.tests.conftest import created
from dryline.tests.webhooks.receiver import Receiver


@pytest.fixture
def receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def other_receiver():
    receiver = Receiver()
    yield receiver
    receiver.close()


@pytest.fixture
def deployment(make_voice_deployment):
    return make_voice_deployment(
        extractions={"wants_callback": {"type": "boolean", "description": "Call again?", "required": True}}
    )


@pytest.fixture
def add_webhook(api, deployment):
    def add(url, fields="transcript", **body):
        path = f"/workers/{deployment['workerId']}/deployments/{deployment['id']}/voice/customWebhooks"
        return created(api.post(path, {"url": url, "fields": fields, **body}))

    return add


@pytest.fixture
def simulate(control, deployment, advance):
    """Make a call that is over, and deliver what is due. Returns the log's id."""

    def simulate(**body):
        body = {"workerId": deployment["workerId"], "deploymentId": deployment["id"], "outcome": "completed"} | body
        answer = control.post("/simulate/calls", body)
        assert answer.status_code == 201, answer.text
        advance()
        return answer.json["ids"][0]

    return simulate


@pytest.fixture
def deliveries(control):
    """Return the deliveries, oldest first."""

    def read(**query):
        answer = control.get("/webhooks", query_string=query)
        assert answer.status_code == 200, answer.text
        return answer.json[::-1]

    return read


@pytest.fixture(autouse=True)
def still(control):
    control.put("/clock", {"now": "2026-01-02T00:00:00Z", "frozen": True})

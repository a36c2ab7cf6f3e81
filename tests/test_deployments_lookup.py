"""Any deployment of the team by its id alone."""

import pytest

from dryline.tests.test_voicev1_deployments import NEW as NEW_VOICEV1

NEW = {
    "voice": {"name": "Line", "phoneNumber": "+14155550100"},
    "voicev1": NEW_VOICEV1,
    "chat": {"name": "Chat"},
    "chat-embed": {"name": "Widget"},
}


@pytest.fixture
def make(api, make_flow):
    """Create a deployment of a channel."""

    def make(channel, **body):
        flow = make_flow()
        path = f"/workers/{flow['workerId']}/deployments/{channel}"
        return api.post(path, {**NEW[channel], "flowId": flow["id"], **body}).json

    return make


@pytest.mark.parametrize("channel", NEW)
def test_a_deployment_of_any_channel_has_its_channels_members(api, make, channel):
    made = make(channel)
    deployment = api.get(f"/deployments/{made['id']}").json
    made.pop("successCriteria", None)
    assert deployment == made


@pytest.mark.parametrize("channel", NEW)
def test_requested_members_are_included(api, make, channel):
    made = make(channel)
    names = ["sentinelAssignments", "successCriteria", "deploymentParameters"]
    deployment = api.get(f"/deployments/{made['id']}", query_string={"include": ",".join(names)}).json
    assert [deployment[name] for name in names] == [[], [], []]


def test_included_members_are_the_deployments_own(api, make):
    criteria = [{"title": "Tone", "items": []}]
    made = make("voice", successCriteria=criteria)
    path = f"/workers/{made['workerId']}/deployments/{made['id']}/params"
    parameter = api.post(path, {"name": "a", "value": {"b": 1}}).json
    query = {"include": "deploymentParameters, successCriteria"}
    deployment = api.get(f"/deployments/{made['id']}", query_string=query).json
    assert (deployment["deploymentParameters"], deployment["successCriteria"]) == ([parameter], criteria)
    assert "sentinelAssignments" not in deployment


def test_webhooks_are_there_for_voice(api, make):
    made = make("voice")
    base = f"/workers/{made['workerId']}/deployments"
    api.patch(f"{base}/voice/{made['id']}", {"customWebhooks": [{"url": "http://127.0.0.1/a"}]})
    (webhook,) = api.get(f"/deployments/{made['id']}").json["customWebhooks"]
    assert webhook["url"] == "http://127.0.0.1/a"


def test_an_unknown_include_is_refused_by_name(api, make):
    answer = api.get(f"/deployments/{make('chat')['id']}", query_string={"include": "successCriteria,logs"})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "include")
    assert "logs" in answer.json["error"]

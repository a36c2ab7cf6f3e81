"""Deployments of every channel: their members, the ways to find them, and what becomes of them without their flow."""

import pytest

from dryline.tests.conftest import created

CHANNELS = ("voice", "voicev1", "chat", "chat-embed")
EACH_CHANNEL = pytest.mark.parametrize("channel", CHANNELS)


@pytest.fixture
def make(api, make_flow, make_voice_deployment, make_voicev1_deployment):
    """Create a deployment of a channel, of a new flow unless one is given."""
    voice = {"voice": make_voice_deployment, "voicev1": make_voicev1_deployment}

    def make(channel, flow=None, **body):
        if channel in voice:
            return voice[channel](flow, **body)
        flow = flow or make_flow()
        path = f"/workers/{flow['workerId']}/deployments/{channel}"
        return created(api.post(path, {"name": "Chat", "flowId": flow["id"], **body}))

    return make


def path_of(deployment, channel):
    return f"/workers/{deployment['workerId']}/deployments/{channel}/{deployment['id']}"


@EACH_CHANNEL
def test_a_deployment_of_another_channel_is_not_found(api, make, channel):
    made = make(channel)
    for other in set(CHANNELS) - {channel}:
        assert api.get(f"/workers/{made['workerId']}/deployments/{other}").json == []
        assert api.get(path_of(made, other)).status_code == 404
        assert api.delete(path_of(made, other)).status_code == 404
    assert api.get(f"/workers/{made['workerId']}/deployments/{channel}").json == [made]


# By id alone


@EACH_CHANNEL
def test_a_deployment_found_by_its_id_has_its_channels_and_the_included_members(api, make, channel):
    made = make(channel)
    made.pop("successCriteria", None)
    assert api.get(f"/deployments/{made['id']}").json == made
    names = ["sentinelAssignments", "successCriteria", "deploymentParameters"]
    deployment = api.get(f"/deployments/{made['id']}", query_string={"include": ",".join(names)}).json
    assert deployment == made | {name: [] for name in names}


def test_included_members_are_the_deployments_own(api, make):
    criteria = [{"title": "Tone", "items": []}]
    made = make("voice", successCriteria=criteria)
    path = f"/workers/{made['workerId']}/deployments/{made['id']}/params"
    parameter = api.post(path, {"name": "a", "value": {"b": 1}}).json
    made = api.patch(path_of(made, "voice"), {"customWebhooks": [{"url": "http://127.0.0.1/a"}]}).json
    assert made["customWebhooks"][0]["url"] == "http://127.0.0.1/a"
    query = {"include": "deploymentParameters, successCriteria"}
    deployment = api.get(f"/deployments/{made['id']}", query_string=query).json
    assert deployment == made | {"deploymentParameters": [parameter], "successCriteria": criteria}
    answer = api.get(f"/deployments/{made['id']}", query_string={"include": "successCriteria,logs"})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "include")


# Chats and chat widgets


@pytest.mark.parametrize(
    ("channel", "name", "path"),
    [
        ("chat", "chatAgentId", "/workers/{workerId}/deployments/chat/agent"),
        ("chat-embed", "embedId", "/workers/deployments/chat-embed/by-embed"),
    ],
)
def test_a_chat_is_found_by_the_id_that_a_page_knows(api, make, channel, name, path):
    made = make(channel)
    path = path.format(**made)
    assert api.get(f"{path}/{made[name]}").json == made
    assert api.get(f"{path}/{made['id']}").status_code == 404


@pytest.mark.parametrize("channel", ["chat", "chat-embed"])
def test_a_flow_version_is_one_of_the_flow_and_goes_with_it(api, make, make_flow, channel):
    flow = make_flow()
    other = make_flow(flow["workerId"])
    versions = f"/workers/{flow['workerId']}/flows/{flow['id']}/versions"
    version = created(api.post(versions, {"commitMessage": "Done"}))["id"]
    body = {"name": "Other", "flowId": other["id"], "flowVersionId": version}
    answer = api.post(f"/workers/{flow['workerId']}/deployments/{channel}", body)
    assert (answer.status_code, "flowVersionId" in answer.json["error"]) == (404, True)
    made = make(channel, flow, flowVersionId=version)
    path = path_of(made, channel)
    assert api.patch(path, {"flowId": flow["id"]}).json["flowVersionId"] == made["flowVersionId"] == version
    assert api.patch(path, {"flowId": other["id"]}).json["flowVersionId"] is None
    second = make(channel, flow, flowVersionId=version)
    assert api.delete(f"/workers/{flow['workerId']}/flows/{flow['id']}").status_code == 204
    assert api.get(path_of(second, channel)).json == second | {"flowVersionId": None}


# Voice V1, the legacy form


FUNCTIONS = [{"name": "transfer", "description": "Transfer the call", "parameters": {"type": "object"}}]


@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ('{"a": 1}', {"a": 1}), ("transfer()", {"text": "transfer()"}), ("[1]", {"text": "[1]"}), ("", None),
        (FUNCTIONS, FUNCTIONS),
    ],
)  # fmt: skip
def test_functions_of_a_legacy_deployment_are_answered_as_an_object_or_list(api, make, sent, answered):
    made = make("voicev1", functions=sent, config={"speed": 2}, allowedTransferNumbers=["+14155550101"])
    assert (made["functions"], made["allowedTransferNumbers"]) == (answered, '["+14155550101"]')
    for config in ('{"speed": 3}', {"speed": 3}):
        assert api.put(path_of(made, "voicev1"), {"config": config}).json["config"] == {"speed": 3}
    for wrong in (["transfer"], 7, {"a": 1}):
        assert api.put(path_of(made, "voicev1"), {"functions": wrong}).status_code == 400


def test_the_vendors_example_of_a_legacy_deployment_gets_its_201(api, control, make_flow):
    flow = make_flow()
    body = {"name": "Line", "phoneNumber": "+14155550123", "flowId": flow["id"], "objective": "Book a table"}
    body |= {"functions": FUNCTIONS, "allowedTransferNumbers": [], "resourceKeys": [], "info": "what it is for"}
    answer = api.post(f"/workers/{flow['workerId']}/deployments/voicev1", body)
    assert answer.status_code == 201, answer.text
    assert (answer.json["functions"], answer.json["config"], "info" in answer.json) == (FUNCTIONS, {}, False)
    exported = control.get("/state")
    assert control.put("/state", data=exported.data, content_type="application/json").status_code == 204
    assert control.get("/state").json["voicev1Deployments"] == exported.json["voicev1Deployments"]


# Without the flow


def test_a_deployment_whose_flow_is_gone_can_be_changed_and_given_another(api, make, make_flow):
    flow = make_flow()
    path = path_of(make("chat", flow), "chat")
    api.delete(f"/workers/{flow['workerId']}/flows/{flow['id']}")
    assert api.patch(path, {"name": "New"}).json["name"] == "New"
    assert api.patch(path, {"flowId": flow["id"]}).status_code == 404
    other = make_flow(flow["workerId"])
    assert api.patch(path, {"flowId": other["id"]}).json["flowId"] == other["id"]

"""The history of changes of a deployment."""

import pytest


@pytest.fixture
def line(make_voice_deployment):
    return make_voice_deployment()


@pytest.fixture
def change(api, line):
    """Change the deployment."""
    return lambda **body: api.patch(f"/workers/{line['workerId']}/deployments/voice/{line['id']}", body)


@pytest.fixture
def history(api, line):
    """Read the deployment's history."""
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/history"
    return lambda **query: api.get(path, query_string=query)


def test_a_new_deployment_has_no_history(history):
    assert history().json == {"data": [], "total": 0, "hasMore": False}


def test_a_change_is_entered_with_before_after_and_author(history, change, line, api):
    change(name="New", backupPhoneNumber="+14155550199")
    (entry,) = history().json["data"]
    flow = api.get(f"/flows/{line['flowId']}").json
    assert entry["id"].startswith("dh_")
    assert entry | {"id": "", "createdAt": ""} == {
        "id": "",
        "createdAt": "",
        "deploymentId": line["id"],
        "changeType": "CONFIG",
        "changes": {
            "name": {"from": "Line", "to": "New"},
            "backupPhoneNumber": {"from": None, "to": "+14155550199"},
        },
        "authorType": "API_KEY",
        "authorUserId": None,
        "authorApiKeyId": flow["lastEditedByApiKeyId"],
    }


@pytest.fixture
def webhooks(line):
    """Return the path of the deployment's webhooks."""
    return f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"


def test_a_webhook_that_comes_moves_or_goes_is_entered_as_by_an_update_of_the_deployment(api, history, webhooks):
    here, there = "http://127.0.0.1/here", "http://127.0.0.1/there"
    made = api.post(webhooks, {"url": here, "fields": "transcript"}).json
    api.patch(f"{webhooks}/{made['id']}", {"url": there})
    api.delete(f"{webhooks}/{made['id']}")
    entries = history().json["data"]
    assert {entry["changeType"] for entry in entries} == {"CONFIG"}
    assert [entry["changes"] for entry in entries[::-1]] == [
        {"customWebhooks": {"from": [], "to": [{"url": here}]}},
        {"customWebhooks": {"from": [{"url": here}], "to": [{"url": there}]}},
        {"customWebhooks": {"from": [{"url": there}], "to": []}},
    ]


def test_a_webhook_that_keeps_its_address_enters_nothing(api, history, webhooks):
    made = api.post(webhooks, {"url": "http://127.0.0.1/", "fields": "transcript"}).json
    api.patch(f"{webhooks}/{made['id']}", {"active": False})
    assert history().json["total"] == 1


def test_each_kind_of_change_has_its_own_entry(history, change, line, make_flow):
    flow = make_flow(line["workerId"])
    change(name="New", flowId=flow["id"], enableVoiceSentiment=True, externalConfig={"volume": 1})
    entries = {entry["changeType"]: entry["changes"] for entry in history().json["data"]}
    assert entries == {
        "CONFIG": {"name": {"from": "Line", "to": "New"}},
        "FLOW_VERSION": {"flowId": {"from": line["flowId"], "to": flow["id"]}},
        "VOICE_SETTINGS": {
            "enableVoiceSentiment": {"from": False, "to": True},
            "externalConfig": {"from": {"engineVersion": "v2"}, "to": {"engineVersion": "v2", "volume": 1}},
        },
    }


def test_an_update_without_a_change_has_no_entry(history, change, line):
    change(name=line["name"], externalConfig={"engineVersion": "v2"}, customWebhooks=[], enableVoiceSentiment=False)
    change()
    assert history().json["total"] == 0


def test_true_instead_of_1_is_a_change(history, change):
    change(externalConfig={"mine": 1})
    change(externalConfig={"mine": True})
    assert history().json["total"] == 2


def test_replaced_webhooks_are_a_change_of_configuration(history, change):
    change(customWebhooks=[{"url": "http://127.0.0.1/a"}])
    (entry,) = history().json["data"]
    expected = {"customWebhooks": {"from": [], "to": [{"url": "http://127.0.0.1/a"}]}}
    assert (entry["changeType"], entry["changes"]) == ("CONFIG", expected)


def test_a_refused_change_is_not_entered(history, change):
    assert change(name="New", flowId="flow_none").status_code == 404
    assert history().json["total"] == 0


def test_entries_are_listed_newest_first_in_windows(history, change):
    for name in "abc":
        change(name=name)
    page = history(limit=2).json
    assert [entry["changes"]["name"]["to"] for entry in page["data"]] == ["c", "b"]
    assert (page["total"], page["hasMore"]) == (3, True)
    rest = history(limit=2, offset=2).json
    assert [entry["changes"]["name"]["to"] for entry in rest["data"]] == ["a"]
    assert rest["hasMore"] is False


def test_one_kind_of_change_can_be_asked_for(history, change):
    change(name="New", enableVoiceSentiment=True)
    page = history(changeType="VOICE_SETTINGS").json
    assert ([entry["changeType"] for entry in page["data"]], page["total"]) == (["VOICE_SETTINGS"], 1)


def test_a_chat_deployments_change_of_version_is_entered_with_its_flow(api, make_flow):
    flow = make_flow()
    path = f"/workers/{flow['workerId']}"
    version = api.post(f"{path}/flows/{flow['id']}/versions", {"commitMessage": "One"}).json
    body = {"name": "Chat", "flowId": flow["id"], "flowVersionId": version["id"]}
    chat = api.post(f"{path}/deployments/chat", body).json
    other = make_flow(flow["workerId"])
    api.patch(f"{path}/deployments/chat/{chat['id']}", {"flowId": other["id"]})
    (entry,) = api.get(f"{path}/deployments/{chat['id']}/history").json["data"]
    assert entry["changeType"] == "FLOW_VERSION"
    assert entry["changes"] == {
        "flowId": {"from": flow["id"], "to": other["id"]},
        "flowVersionId": {"from": version["id"], "to": None},
    }

"""Deployment parameters, and the history of changes of a deployment."""

import pytest


@pytest.fixture
def base(line):
    return f"/workers/{line['workerId']}/deployments/{line['id']}"


@pytest.fixture
def change(api, line):
    return lambda **body: api.patch(f"/workers/{line['workerId']}/deployments/voice/{line['id']}", body)


@pytest.fixture
def history(api, base):
    """Read the deployment's history."""
    return lambda **query: api.get(f"{base}/history", query_string=query).json


@pytest.fixture
def changes(history):
    """Return the type and the changes of each entry, oldest first."""
    return lambda: [(entry["changeType"], entry["changes"]) for entry in reversed(history()["data"])]


def test_a_change_is_entered_with_before_after_and_author(history, change, line, api):
    assert history() == {"data": [], "total": 0, "hasMore": False}
    change(name="New", backupPhoneNumber="+14155550199")
    (entry,) = history()["data"]
    assert entry["changes"] == {
        "name": {"from": "Line", "to": "New"}, "backupPhoneNumber": {"from": None, "to": "+14155550199"},
    }  # fmt: skip
    key_id = api.get(f"/flows/{line['flowId']}").json["lastEditedByApiKeyId"]
    author = entry["authorType"], entry["authorUserId"], entry["authorApiKeyId"]
    assert (entry["deploymentId"], entry["changeType"], *author) == (line["id"], "CONFIG", "API_KEY", None, key_id)


def test_each_kind_of_change_has_its_own_entry(history, changes, change, line, make_flow):
    flow = make_flow(line["workerId"])
    change(name="New", flowId=flow["id"], enableVoiceSentiment=True, externalConfig={"volume": 1})
    assert dict(changes()) == {
        "CONFIG": {"name": {"from": "Line", "to": "New"}},
        "FLOW_VERSION": {"flowId": {"from": line["flowId"], "to": flow["id"]}},
        "VOICE_SETTINGS": {
            "enableVoiceSentiment": {"from": False, "to": True},
            "externalConfig": {"from": {"engineVersion": "v2"}, "to": {"engineVersion": "v2", "volume": 1}},
        },
    }
    page = history(changeType="VOICE_SETTINGS")
    assert ([entry["changeType"] for entry in page["data"]], page["total"]) == (["VOICE_SETTINGS"], 1)


def test_an_update_that_changes_nothing_or_is_refused_has_no_entry(history, change, line):
    change(name=line["name"], externalConfig={"engineVersion": "v2"}, customWebhooks=[], enableVoiceSentiment=False)
    change()
    assert change(name="New", flowId="flow_none").status_code == 404
    assert history()["total"] == 0


def test_entries_are_listed_newest_first_in_windows(history, change):
    for name in "abc":
        change(name=name)
    page, rest = history(limit=2), history(limit=2, offset=2)
    assert [entry["changes"]["name"]["to"] for entry in page["data"] + rest["data"]] == ["c", "b", "a"]
    assert (page["total"], page["hasMore"], rest["hasMore"]) == (3, True, False)


def test_webhooks_are_entered_by_their_addresses(api, changes, change, base):
    webhooks = f"{base}/voice/customWebhooks"
    here, there = {"url": "http://127.0.0.1/here"}, {"url": "http://127.0.0.1/there"}
    made = api.post(webhooks, here | {"fields": "transcript"}).json
    api.patch(f"{webhooks}/{made['id']}", {"active": False})
    api.patch(f"{webhooks}/{made['id']}", there)
    api.delete(f"{webhooks}/{made['id']}")
    change(customWebhooks=[here])
    assert changes() == [
        ("CONFIG", {"customWebhooks": {"from": [], "to": [here]}}),
        ("CONFIG", {"customWebhooks": {"from": [here], "to": [there]}}),
        ("CONFIG", {"customWebhooks": {"from": [there], "to": []}}),
        ("CONFIG", {"customWebhooks": {"from": [], "to": [here]}}),
    ]


# Parameters


@pytest.fixture
def make(api, base):
    """Create a parameter."""
    return lambda name="greeting", value="Hi", base=base: api.post(f"{base}/params", {"name": name, "value": value})


def test_a_parameter_has_any_json_value(api, base, make):
    values = ["", 0, 1.5, False, [1, None], {"a_b": {"c": None}}]
    for number, value in enumerate(values):
        assert make(f"value {number}", value).json["value"] == value
    assert [parameter["value"] for parameter in reversed(api.get(f"{base}/params").json)] == values


def test_a_parameters_name_is_unique_in_the_deployment(api, base, make, make_voice_deployment):
    make()
    path = f"{base}/params/{make('other').json['id']}"
    assert make().status_code == 409
    assert api.patch(path, {"name": "greeting"}).status_code == 409
    assert api.patch(path, {"name": "other"}).status_code == 200
    line = make_voice_deployment()
    assert make(base=f"/workers/{line['workerId']}/deployments/{line['id']}").status_code == 201


def test_a_parameters_changes_are_entered_under_its_own_name(api, base, changes, make):
    path = f"{base}/params/{make('first_words').json['id']}"
    for change in ({"value": "Hello"}, {"value": "Hello"}, {"description": "Words"}, {"name": "opening"}):
        assert api.patch(path, change).status_code == 200
    assert api.delete(path).status_code == 204
    assert changes() == [("PARAMETERS", entry) for entry in [
        {"first_words": {"from": None, "to": "Hi"}},
        {"first_words": {"from": "Hi", "to": "Hello"}},
        {"first_words.description": {"from": None, "to": "Words"}},
        {
            "first_words": {"from": "Hello", "to": None}, "first_words.description": {"from": "Words", "to": None},
            "opening": {"from": None, "to": "Hello"}, "opening.description": {"from": None, "to": "Words"},
        },
        {"opening": {"from": "Hello", "to": None}, "opening.description": {"from": "Words", "to": None}},
    ]]  # fmt: skip

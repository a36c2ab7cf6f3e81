"""Voice deployments."""

import pytest

CRITERIA = [{"title": "Tone", "items": [{"title": "Kind", "description": "Is it", "type": "SCORE", "threshold": 0.5}]}]


def path_of(deployment):
    return f"/workers/{deployment['workerId']}/deployments/voice/{deployment['id']}"


def test_a_new_deployment_is_active_and_has_the_rest_empty(make_voice_deployment):
    made = make_voice_deployment()
    assert (made["type"], made["status"], made["enableVoiceSentiment"]) == ("Voice", "ACTIVE", False)
    assert made["customWebhooks"] == []
    assert made["extractions"] is made["successCriteria"] is made["twilmlBinSid"] is made["agentId"] is None


def test_the_engine_version_is_the_workers_unless_it_is_sent(make_flow, make_voice_deployment):
    flow = make_flow()
    assert make_voice_deployment(flow)["externalConfig"] == {"engineVersion": "v2"}
    sent = {"engineVersion": "v1", "voiceSpeed": 1}
    assert make_voice_deployment(flow, externalConfig=sent)["externalConfig"] == sent
    assert (
        make_voice_deployment(flow, externalConfig={"engineVersion": None})["externalConfig"]["engineVersion"] is None
    )


def test_json_is_stored_as_sent(make_voice_deployment):
    sent = {
        "externalConfig": {"engineVersion": "v2", "newThing": {"a_b": [1]}, "piiConfig": {"mode": "off", "more": 1}},
        "extractions": {"order_id": {"type": "string", "description": "The order", "required": True}},
        "successCriteria": CRITERIA,
    }
    assert make_voice_deployment(**sent).items() >= sent.items()


@pytest.mark.parametrize(
    ("body", "path"),
    [
        ({"externalConfig": {"voiceSpeed": "fast"}}, "externalConfig.voiceSpeed"),
        ({"name": None}, "name"),
    ],
)
def test_a_bad_value_is_refused_by_name_and_changes_nothing(api, make_voice_deployment, body, path):
    made = make_voice_deployment()
    answer = api.patch(path_of(made), {"backupPhoneNumber": "+14155550199", **body})
    assert answer.status_code == 400
    assert path in [detail["path"] for detail in answer.json["details"]]
    assert api.get(path_of(made)).json == made


def test_an_update_merges_external_config_and_replaces_the_rest(api, make_voice_deployment):
    made = make_voice_deployment(
        externalConfig={"voiceSpeed": 1, "language": "en"},
        extractions={"a": {"type": "string", "description": "A"}},
    )
    body = {
        "externalConfig": {"voiceSpeed": 2, "language": None, "volume": 0.5},
        "extractions": {"b": {"type": "number", "description": "B"}},
    }
    changed = api.patch(path_of(made), body).json
    config = {"engineVersion": "v2", "voiceSpeed": 2, "language": None, "volume": 0.5}
    assert changed == made | {
        "externalConfig": config,
        "extractions": body["extractions"],
        "updatedAt": changed["updatedAt"],
    }
    assert api.get(path_of(made)).json == changed


def test_webhooks_that_are_sent_take_the_place_of_those_before(api, make_voice_deployment):
    made = make_voice_deployment()
    urls = [{"url": "http://127.0.0.1/a"}, {"url": "http://127.0.0.1/b"}]
    first = api.patch(path_of(made), {"customWebhooks": urls}).json["customWebhooks"]
    assert [webhook["url"] for webhook in first] == ["http://127.0.0.1/a", "http://127.0.0.1/b"]
    assert api.get(path_of(made)).json["customWebhooks"] == first
    assert api.get(f"/workers/{made['workerId']}/deployments/voice").json[0]["customWebhooks"] == first
    assert api.patch(path_of(made), {"customWebhooks": urls[1:]}).json["customWebhooks"][0]["url"].endswith("/b")
    assert api.patch(path_of(made), {"customWebhooks": []}).json["customWebhooks"] == []


def test_the_same_addresses_sent_again_leave_the_webhooks_alone(api, make_voice_deployment):
    made = make_voice_deployment()
    urls = {"customWebhooks": [{"url": "http://127.0.0.1/a"}]}
    first = api.patch(path_of(made), urls).json["customWebhooks"]
    assert api.patch(path_of(made), urls).json["customWebhooks"] == first

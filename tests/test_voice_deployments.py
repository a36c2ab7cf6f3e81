"""Voice deployments."""

CRITERIA = [{"title": "Tone", "items": [{"title": "Kind", "description": "Is it", "type": "SCORE", "threshold": 0.5}]}]

PII = {"mode": "off", "more": 1}


def path_of(deployment):
    return f"/workers/{deployment['workerId']}/deployments/voice/{deployment['id']}"


def test_the_engine_version_is_the_workers_unless_it_is_sent(make_flow, make_voice_deployment):
    flow = make_flow()
    assert make_voice_deployment(flow)["externalConfig"] == {"engineVersion": "v2"}
    sent = {"engineVersion": "v1", "voiceSpeed": 1}
    assert make_voice_deployment(flow, externalConfig=sent)["externalConfig"] == sent


def test_an_update_merges_external_config_and_replaces_other_json(api, make_voice_deployment):
    new = {
        "externalConfig": {"engineVersion": "v2", "voiceSpeed": 1, "newThing": {"a_b": [1]}, "piiConfig": PII},
        "extractions": {"order_id": {"type": "string", "description": "The order", "required": True}},
        "successCriteria": CRITERIA,
    }
    made = make_voice_deployment(**new)
    assert made | new == made
    body = {
        "externalConfig": {"voiceSpeed": 2, "language": None, "volume": 0.5},
        "extractions": {"b": {"type": "number", "description": "B"}},
    }
    changed = api.patch(path_of(made), body).json
    config = new["externalConfig"] | body["externalConfig"]
    assert changed == made | body | {"externalConfig": config, "updatedAt": changed["updatedAt"]}
    assert api.get(path_of(made)).json == changed


def test_webhooks_with_other_addresses_replace_those_before(api, make_voice_deployment):
    made = make_voice_deployment()
    urls = [{"url": "http://127.0.0.1/a"}, {"url": "http://127.0.0.1/b"}]
    first = api.patch(path_of(made), {"customWebhooks": urls}).json["customWebhooks"]
    assert [{"url": webhook["url"]} for webhook in first] == urls
    assert api.patch(path_of(made), {"customWebhooks": urls}).json["customWebhooks"] == first
    assert api.get(path_of(made)).json["customWebhooks"] == first
    assert api.get(f"/workers/{made['workerId']}/deployments/voice").json[0]["customWebhooks"] == first
    assert api.patch(path_of(made), {"customWebhooks": urls[1:]}).json["customWebhooks"][0]["url"].endswith("/b")
    assert api.patch(path_of(made), {"customWebhooks": []}).json["customWebhooks"] == []

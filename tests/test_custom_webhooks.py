"""Custom webhooks of a voice deployment."""

import re

import pytest

NEW = {"url": "http://127.0.0.1:9/hook", "fields": "transcript,duration_ms"}


@pytest.fixture
def path(make_voice_deployment):
    line = make_voice_deployment()
    return f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"


def test_an_id_looks_like_a_cuid(api, path):
    ids = [api.post(path, NEW).json["id"] for _ in range(20)]
    assert all(re.fullmatch("c[0-9a-z]{24}", id) for id in ids)
    assert sorted(set(ids)) == ids


def test_strict_refuses_a_field_that_no_call_has(api, control, make_flow, make_voice_deployment):
    flow = make_flow(code='loop:\n    res = talk("Hello", False)\nstate["told"] = 1\n')
    line = make_voice_deployment(
        flow, extractions={"wants_callback": {"type": "boolean", "description": "x", "required": True}}
    )
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    control.put("/settings", {"strict": True})
    webhook = NEW | {"fields": "summary,wants_callback,told,from_number"}
    webhook = api.post(path, webhook | {"name": "Mine"}).json
    wrong = {"fields": "summary, sumary"}
    for answer in (api.post(path, NEW | wrong), api.patch(f"{path}/{webhook['id']}", wrong)):
        assert answer.status_code == 400 and "sumary" in answer.json["error"]
    control.put("/settings", {"strict": False})
    assert api.patch(f"{path}/{webhook['id']}", wrong).json["fields"] == wrong["fields"]


def test_a_deployment_of_another_channel_has_no_webhooks(api, make_voicev1_deployment):
    line = make_voicev1_deployment()
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    assert api.post(path, NEW).status_code == 404

"""Recordings in state documents, exports and webhooks."""

import pytest

from dryline.settings import BadSetting, Settings
from dryline.tests.recordings.calls import NEUTRAL

WINDOW = {"startDate": "2026-01-01", "endDate": "2026-01-03"}


def test_state_documents_are_portable(control, add_call, restart):
    log = add_call()
    document = control.get("/state").json
    assert document["voiceLogs"][0]["recordingUrl"] == NEUTRAL.format(log["call_sid"])
    api, plane = restart(speech="tones")
    assert plane.put("/state", document).status_code == 204
    shown = api.get(f"/logs/{log['id']}").json
    assert api.client.get(log["recordingUrl"], buffered=True).status_code == 403  # another server's signature
    assert api.client.get(shown["recordingUrl"], buffered=True).status_code == 200


@pytest.mark.parametrize(
    ("form", "fields", "text"),
    [
        ("CSV", ["recordingUrl"], "recordingUrl\r\n{}\r\n"),
        ("JSON", ["recordingUrl"], '[{{"recordingUrl":"{}"}}]'),
        ("CSV", ["id", "recordingUrl", "flowSnapshot"], "id,recordingUrl,flowSnapshot\r\nlog_1,{},\r\n"),
    ],
)
def test_exports_have_addresses_that_work(api, add_call, fetch, advance, form, fields, text):
    log = add_call()
    body = {"format": form, **WINDOW, "logType": "voice", "fields": fields}
    made = api.post("/team/exports", body, headers={"Host": "dryline.test"}).json
    advance()
    expected = log["recordingUrl"].replace("http://localhost", "http://dryline.test")
    assert fetch(api.get(f"/team/exports/{made['id']}").json["downloadUrl"]).text == text.format(expected)
    assert fetch(expected).status_code == 200


def test_webhooks_have_addresses_that_work(api, control, line, simulate, fetch):
    hooks = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    assert api.post(hooks, {"url": "http://127.0.0.1:9/", "fields": "recording_url"}).status_code == 201
    log = simulate()
    url = control.get("/webhooks").json[0]["request"]["body"]["recording_url"]
    assert url == log["recordingUrl"] and fetch(url).status_code == 200


def test_settings_that_cannot_work_are_refused():
    for wrong in ("loud", "command:", "command: 'x", "command: no-such-program-here", "command: cat {words}"):
        with pytest.raises(BadSetting):
            Settings(speech=wrong)
    with pytest.raises(BadSetting):
        Settings(recordings_mb=0)

"""Recordings in state documents, exports and webhooks, and of servers that other programs start."""

from urllib.request import Request, urlopen

import pytest

from dryline.settings import BadSetting, Settings
from dryline.testing import DrylineServer
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


@pytest.mark.parametrize("fields", [None, ["recordingUrl"]])
@pytest.mark.parametrize("form", ["CSV", "JSON"])
def test_exports_have_addresses_that_work(app, api, add_call, fetch, advance, form, fields):
    log = add_call()
    body = {"format": form, **WINDOW, "logType": "voice"}
    headers = {"Host": "dryline.test"}
    made = api.post("/team/exports", body | ({"fields": fields} if fields else {}), headers=headers).json
    advance()
    text = fetch(api.get(f"/team/exports/{made['id']}").json["downloadUrl"]).text
    expected = log["recordingUrl"].replace("http://localhost", "http://dryline.test")
    assert expected in text and "dryline.invalid" not in text
    assert fetch(expected).status_code == 200
    if fields == ["recordingUrl"]:
        assert text == (f"recordingUrl\r\n{expected}\r\n" if form == "CSV" else f'[{{"recordingUrl":"{expected}"}}]')


def test_list_webhook_and_player_agree_over_http():
    with DrylineServer(speech="tones") as dryline, dryline.client() as client:
        worker = client.workers.create(name="Desk", description=None, status=None).id
        flow = client.workers.flows.create(worker, name="F", label=None, code="loop:\n    talk()").id
        line = client.workers.deployments.voice.create(worker, name="L", phone_number="+14155550100", flow_id=flow).id
        hook = {"url": f"{dryline.url}/no-such-path", "fields": "recording_url"}
        client.post(f"/api/workers/{worker}/deployments/{line}/voice/customWebhooks", body=hook, cast_to=object)
        body = {"workerId": worker, "deploymentId": line, "outcome": "completed"}
        dryline.plane("POST", "/simulate/calls", body)
        (log,) = dryline.state()["voiceLogs"]
        url = dryline.plane("GET", "/webhooks")[0]["request"]["body"]["recording_url"]
        assert url == client.get(f"/api/logs/{log['id']}", cast_to=object)["recordingUrl"]
        with urlopen(Request(url, headers={"Range": "bytes=0-3"})) as answer:
            assert url.startswith(f"{dryline.url}/recordings/")
            assert (answer.status, answer.read()) == (206, b"RIFF")


def test_settings_that_cannot_work_are_refused():
    for wrong in ("loud", "command:", "command: 'x", "command: no-such-program-here", "command: cat {words}"):
        with pytest.raises(BadSetting):
            Settings(speech=wrong)
    with pytest.raises(BadSetting):
        Settings(recordings_mb=0)

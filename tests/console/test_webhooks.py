"""The page of webhooks, what is sent again by hand, and the inbox."""

import pytest

from dryline.settings import Settings


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.fixture
def call(api, control):
    """A call of a deployment that has a webhook: deployment, and the log's id."""
    for worker in api.get("/workers").json:
        for deployment in api.get(f"/workers/{worker['id']}/deployments/voice").json:
            if deployment["customWebhooks"]:
                made = control.post(
                    "/simulate/calls",
                    {"workerId": worker["id"], "deploymentId": deployment["id"], "outcome": "completed"},
                )
                return deployment, made.json["ids"][0]
    raise LookupError


def test_a_delivery_is_sent_again(visitor, control, call):
    first = control.get(f"/webhooks?logId={call[1]}").json[0]
    visitor.go(f"/webhooks/{first['id']}")
    page = visitor.send("/redeliver")
    assert "being sent again" in page.text
    again = control.get(f"/webhooks?logId={call[1]}").json[0]
    assert again["id"] != first["id"]
    assert again["request"] == first["request"]
    assert (again["status"], again["attempts"]) == ("PENDING", 0)


def test_an_event_is_told_by_hand(control, call):
    before = len(control.get(f"/webhooks?logId={call[1]}").json)
    made = control.post("/webhooks", {"logId": call[1], "event": "call_ended"})
    assert made.status_code == 201
    assert [one["event"] for one in made.json] == ["call_ended"] * sum(
        hook["active"] for hook in call[0]["customWebhooks"]
    )
    assert len(control.get(f"/webhooks?logId={call[1]}").json) == before + len(made.json)


def test_a_call_whose_deployment_has_no_webhook_tells_nobody(api, control, call):
    worker = call[0]["workerId"]
    api.patch(f"/workers/{worker}/deployments/voice/{call[0]['id']}", {"customWebhooks": []})
    answer = control.post("/webhooks", {"logId": call[1], "event": "call_ended"})
    assert answer.status_code == 409 and "no active webhook" in answer.json["error"]


def test_an_unknown_call_or_event_is_refused(control, call):
    assert control.post("/webhooks", {"logId": "log_x", "event": "call_ended"}).status_code == 404
    assert control.post("/webhooks", {"logId": call[1], "event": "call_vanished"}).status_code == 400


def test_the_status_chooses_deliveries(visitor, control, call):
    assert "call_ended" in visitor.go("/webhooks?status=PENDING").text
    control.delete("/webhooks")
    assert "No deliveries" in visitor.go("/webhooks?status=PENDING").text


def test_sending_again_is_in_sight_however_long_the_address_and_the_answer(tab, served):
    client = served.app.test_client()
    headers = {"x-api-key": "dryline-local-key"}
    worker = next(one for one in client.get("/_dryline/workers").json if one["deployments"])
    line = next(one for one in worker["deployments"] if one["type"] == "Voice")
    hook = {"url": f"https://{'hooks.' * 12}example/calls", "fields": ""}
    address = f"/api/workers/{worker['id']}/deployments/{line['id']}/voice/customWebhooks"
    assert client.post(address, json=hook, headers=headers).status_code == 201
    asked = {"workerId": worker["id"], "deploymentId": line["id"], "outcome": "completed"}
    assert client.post("/_dryline/simulate/calls", json=asked).status_code == 201
    client.post("/_dryline/clock/advance", json={"seconds": 1})
    page = tab(served).go("/webhooks")
    page.get_by_text("hooks.hooks.").first.wait_for()
    button = page.get_by_role("button", name="Send again").first.bounding_box()
    assert button["x"] + button["width"] <= 1280


def test_the_inbox_receives_what_a_deployment_sends(tab, served):
    """The whole way, over the socket: the server writes to itself, but nowhere else than there."""
    seen = tab(served)
    page = seen.go("/webhooks")
    page.get_by_role("button", name="Send its calls here").click()
    page.get_by_text("tells the inbox").wait_for()
    deployment = page.locator("#inbox-deployment").input_value()
    app = served.app
    with app.world.active(), app.world.reading():
        from dryline.models.voice_deployments import VoiceDeployment

        worker = VoiceDeployment.by_id(deployment).worker_id
    client = app.test_client()
    client.post(
        "/_dryline/simulate/calls", json={"workerId": worker, "deploymentId": deployment, "outcome": "completed"}
    )
    page.locator("#received summary").filter(has_text="call_ended").wait_for()


def test_the_inbox_is_the_only_place_on_this_server_that_a_webhook_reaches(served):
    from dryline.world.outgoing import Refused

    send = served.app.world.outgoing.send
    asked = {"headers": {}, "body": b"{}", "within_s": 5.0, "most": 100}
    assert send("POST", f"{served.url}/inbox/any", **asked).status == 204
    for path in ("/_dryline/reset", "/api/workers", "/inbox", "/console/bar/reset", "//inbox/x"):
        with pytest.raises(Refused):
            send("POST", f"{served.url}{path}", **asked)


def test_no_dots_lead_out_of_the_inbox(served):
    asked = {"headers": {}, "body": b"{}", "within_s": 5.0, "most": 100}
    workers = len(served.app.test_client().get("/_dryline/state").json["workers"])
    for path in ("/inbox/../_dryline/reset", "/inbox/%2e%2e/_dryline/reset", "/inbox/..;/_dryline/reset"):
        try:
            status = served.app.world.outgoing.send("POST", f"{served.url}{path}", **asked).status
        except Exception as error:
            assert "leads to this server" in str(error)
        else:
            assert status == 204  # taken as the name of a box
    assert len(served.app.test_client().get("/_dryline/state").json["workers"]) == workers

"""Webhook deliveries, events sent by hand, and the inbox."""

import pytest

from dryline.world.outgoing import Refused

HOOK = {"url": "https://hooks.example/calls", "fields": ""}


@pytest.fixture
def line(api, make_voice_deployment):
    line = make_voice_deployment()
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    assert api.post(path, HOOK).status_code == 201
    return line


@pytest.fixture
def call(simulate, line):
    return simulate(line, 1, outcome="completed")[0]["id"]


def test_an_event_is_sent_by_hand(control, call):
    before = len(control.get(f"/webhooks?logId={call}").json)
    answer = control.post("/webhooks", {"logId": call, "event": "call_ended"})
    assert (answer.status_code, [one["event"] for one in answer.json]) == (201, ["call_ended"])
    assert len(control.get(f"/webhooks?logId={call}").json) == before + 1


def test_an_event_that_has_no_call_name_or_webhook_is_refused(api, control, line, call):
    assert control.post("/webhooks", {"logId": "log_x", "event": "call_ended"}).status_code == 404
    assert control.post("/webhooks", {"logId": call, "event": "call_vanished"}).status_code == 400
    api.patch(f"/workers/{line['workerId']}/deployments/voice/{line['id']}", {"customWebhooks": []})
    answer = control.post("/webhooks", {"logId": call, "event": "call_ended"})
    assert answer.status_code == 409 and "no active webhook" in answer.json["error"]


def test_deliveries_are_filtered_by_status(visitor, control, call):
    assert "call_ended" in visitor.go("/webhooks?status=PENDING").text
    control.delete("/webhooks")
    assert "No deliveries" in visitor.go("/webhooks?status=PENDING").text


def test_equal_refusals_are_one_row_which_leads_to_the_inbox(visitor, api, control, line, simulate, advance):
    simulate(line, 3, outcome="completed")
    advance(1)
    refused = control.get("/webhooks?status=REFUSED").json
    page = visitor.go("/webhooks")
    assert f"{len(refused)} messages of {line['name']}" in page.text and len(refused) >= 3
    assert page.answer.text.count("neither loopback") == 1
    visitor.send("/webhooks/inbox")
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    (hook,) = api.get(path).json
    assert hook["url"].endswith("/inbox/webhooks")
    assert visitor.go("/webhooks?status=REFUSED").answer.text.count("neither loopback") == len(refused)


def test_the_deliveries_of_the_chosen_team_are_listed(visitor, api, other_api, call):
    own_id, other_id = (client.get("/team").json["id"] for client in (api, other_api))
    assert "call_ended" in visitor.go("/webhooks").text
    assert '<th scope="col">Team</th>' in visitor.page.answer.text
    assert "call_ended" in visitor.go(f"/webhooks?team={own_id}").text
    assert "No deliveries" in visitor.go(f"/webhooks?team={other_id}").text


def test_a_delivery_of_another_team_has_links_to_its_call(visitor, api, control, other_api, call):
    own_id, team = (client.get("/team").json["id"] for client in (api, other_api))
    delivery = control.get(f"/webhooks?logId={call}").json[0]["id"]
    page = visitor.go(f"/webhooks/{delivery}?team={team}")
    assert f"/console/calls/{call}?team={own_id}" in page.links
    assert f"/console/world/reset?team={team}" in [form["action"] for form in page.forms]
    assert any(form["action"] == f"/console/webhooks/fire?team={own_id}" for form in page.forms)


def test_the_button_is_visible_beside_a_long_address(tab, served):
    client = served.app.test_client()
    worker = next(one for one in client.get("/_dryline/workers").json if one["deployments"])
    line = next(one for one in worker["deployments"] if one["type"] == "Voice")
    hook = HOOK | {"url": f"https://{'hooks.' * 12}example/calls"}
    address = f"/api/workers/{worker['id']}/deployments/{line['id']}/voice/customWebhooks"
    assert client.post(address, json=hook, headers={"x-api-key": "dryline-local-key"}).status_code == 201
    body = {"workerId": worker["id"], "deploymentId": line["id"], "outcome": "completed"}
    assert client.post("/_dryline/simulate/calls", json=body).status_code == 201
    client.post("/_dryline/clock/advance", json={"seconds": 1})
    page = tab(served).go("/webhooks")
    page.get_by_text("hooks.hooks.").first.wait_for()
    button = page.get_by_role("button", name="Send again").first.bounding_box()
    assert button["x"] + button["width"] <= 1280


@pytest.mark.parametrize("path", ["/_dryline/reset", "/api/workers", "/inbox", "/console/bar/reset", "//inbox/x"])
def test_a_webhook_reaches_only_the_inbox_of_this_server(demo, path):
    send = demo.app.world.outgoing.send
    options = {"headers": {}, "body": b"{}", "within_s": 5.0, "max_bytes": 100}
    assert send("POST", f"{demo.url}/inbox/any", **options).status == 204
    with pytest.raises(Refused):
        send("POST", f"{demo.url}{path}", **options)


def test_dots_in_an_address_do_not_leave_the_inbox(served):
    options = {"headers": {}, "body": b"{}", "within_s": 5.0, "max_bytes": 100}
    workers = len(served.app.test_client().get("/_dryline/state").json["workers"])
    for path in ("/inbox/../_dryline/reset", "/inbox/%2e%2e/_dryline/reset", "/inbox/..;/_dryline/reset"):
        try:
            status = served.app.world.outgoing.send("POST", f"{served.url}{path}", **options).status
        except Exception as error:
            assert "leads to this server" in str(error)
        else:
            assert status == 204  # the name of an inbox
    assert len(served.app.test_client().get("/_dryline/state").json["workers"]) == workers

"""Webhook deliveries, events sent by hand, and the inbox."""

import re

import pytest

from dryline.settings import Settings


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.fixture
def call(api, control):
    """Return a deployment with a webhook, and the id of a call on it."""
    for worker in api.get("/workers").json:
        for deployment in api.get(f"/workers/{worker['id']}/deployments/voice").json:
            if deployment["customWebhooks"]:
                body = {"workerId": worker["id"], "deploymentId": deployment["id"], "outcome": "completed"}
                return deployment, control.post("/simulate/calls", body).json["ids"][0]
    raise LookupError


def test_an_event_is_sent_by_hand(control, call):
    before = len(control.get(f"/webhooks?logId={call[1]}").json)
    answer = control.post("/webhooks", {"logId": call[1], "event": "call_ended"})
    assert answer.status_code == 201
    assert [one["event"] for one in answer.json] == ["call_ended"] * sum(
        hook["active"] for hook in call[0]["customWebhooks"]
    )
    assert len(control.get(f"/webhooks?logId={call[1]}").json) == before + len(answer.json)


def test_an_event_of_a_deployment_without_webhooks_is_refused(api, control, call):
    worker = call[0]["workerId"]
    api.patch(f"/workers/{worker}/deployments/voice/{call[0]['id']}", {"customWebhooks": []})
    answer = control.post("/webhooks", {"logId": call[1], "event": "call_ended"})
    assert answer.status_code == 409 and "no active webhook" in answer.json["error"]


def test_an_unknown_call_or_event_is_refused(control, call):
    assert control.post("/webhooks", {"logId": "log_x", "event": "call_ended"}).status_code == 404
    assert control.post("/webhooks", {"logId": call[1], "event": "call_vanished"}).status_code == 400


def test_deliveries_are_filtered_by_status(visitor, control, call):
    assert "call_ended" in visitor.go("/webhooks?status=PENDING").text
    control.delete("/webhooks")
    assert "No deliveries" in visitor.go("/webhooks?status=PENDING").text


def test_equal_refusals_are_one_row_which_leads_to_the_inbox(visitor, api, control, call, advance):
    line = call[0]
    for _ in range(3):
        body = {"workerId": line["workerId"], "deploymentId": line["id"], "outcome": "completed"}
        control.post("/simulate/calls", body)
    advance(1)
    refused = control.get("/webhooks?status=REFUSED").json
    page = visitor.go("/webhooks")
    assert f"{len(refused)} messages of {line['name']}" in page.text
    assert page.answer.text.count("neither loopback") == 1
    visitor.send("/webhooks/inbox")
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    urls = [hook["url"] for hook in api.get(path).json]
    assert refused[0]["request"]["url"] not in urls
    assert any(url.endswith("/inbox/webhooks") for url in urls)
    assert len(re.findall("neither loopback", visitor.go("/webhooks?status=REFUSED").answer.text)) == len(refused)


def test_the_deliveries_of_the_chosen_team_are_listed(visitor, api, other_api, call):
    own_id, other_id = (client.get("/team").json["id"] for client in (api, other_api))
    assert "call_ended" in visitor.go("/webhooks").text
    assert '<th scope="col">Team</th>' in visitor.page.answer.text
    assert "call_ended" in visitor.go(f"/webhooks?team={own_id}").text
    assert "No deliveries" in visitor.go(f"/webhooks?team={other_id}").text


def test_a_delivery_of_another_team_has_links_to_its_call(visitor, control, other_api, call):
    team = other_api.get("/team").json["id"]
    delivery = control.get(f"/webhooks?logId={call[1]}").json[0]["id"]
    own_id = control.get("/teams").json[0]["id"]
    page = visitor.go(f"/webhooks/{delivery}?team={team}")
    assert f"/console/calls/{call[1]}?team={own_id}" in page.links
    assert f"/console/world/reset?team={team}" in [form["action"] for form in page.forms]
    assert any(form["action"] == f"/console/webhooks/fire?team={own_id}" for form in page.forms)


def test_the_button_is_visible_beside_a_long_address(tab, served):
    client = served.app.test_client()
    headers = {"x-api-key": "dryline-local-key"}
    worker = next(one for one in client.get("/_dryline/workers").json if one["deployments"])
    line = next(one for one in worker["deployments"] if one["type"] == "Voice")
    hook = {"url": f"https://{'hooks.' * 12}example/calls", "fields": ""}
    address = f"/api/workers/{worker['id']}/deployments/{line['id']}/voice/customWebhooks"
    assert client.post(address, json=hook, headers=headers).status_code == 201
    body = {"workerId": worker["id"], "deploymentId": line["id"], "outcome": "completed"}
    assert client.post("/_dryline/simulate/calls", json=body).status_code == 201
    client.post("/_dryline/clock/advance", json={"seconds": 1})
    page = tab(served).go("/webhooks")
    page.get_by_text("hooks.hooks.").first.wait_for()
    button = page.get_by_role("button", name="Send again").first.bounding_box()
    assert button["x"] + button["width"] <= 1280


def test_a_webhook_reaches_only_the_inbox_of_this_server(served):
    from dryline.world.outgoing import Refused

    send = served.app.world.outgoing.send
    options = {"headers": {}, "body": b"{}", "within_s": 5.0, "max_bytes": 100}
    assert send("POST", f"{served.url}/inbox/any", **options).status == 204
    for path in ("/_dryline/reset", "/api/workers", "/inbox", "/console/bar/reset", "//inbox/x"):
        with pytest.raises(Refused):
            send("POST", f"{served.url}{path}", **options)


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

"""Webhook deliveries, events sent by hand, and the inbox."""

from contextlib import suppress

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


def test_an_event_that_has_no_call_name_or_webhook_is_refused(api, control, line, call):
    assert control.post("/webhooks", {"logId": "log_x", "event": "call_ended"}).status_code == 404
    assert control.post("/webhooks", {"logId": call, "event": "call_vanished"}).status_code == 400
    api.patch(f"/workers/{line['workerId']}/deployments/voice/{line['id']}", {"customWebhooks": []})
    answer = control.post("/webhooks", {"logId": call, "event": "call_ended"})
    assert answer.status_code == 409 and "no active webhook" in answer.json["error"]


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


def test_a_line_that_sends_to_the_inbox_is_not_offered_again(visitor, line):
    visitor.go("/webhooks/inbox")
    page = visitor.send("/webhooks/inbox")
    assert f"{line['name']} sends its events here." in page.text and "Send its events here" not in page.text


def test_the_deliveries_of_the_chosen_team_are_listed(visitor, api, other_api, call):
    own_id, other_id = (client.get("/team").json["id"] for client in (api, other_api))
    assert "call_ended" in visitor.go("/webhooks").text
    assert '<th scope="col">Team</th>' in visitor.page.answer.text
    assert "call_ended" in visitor.go(f"/webhooks?team={own_id}").text
    assert "No deliveries" in visitor.go(f"/webhooks?team={other_id}").text


OTHER_PATHS = (
    *("/_dryline/reset", "/api/workers", "/inbox", "/console/bar/reset", "//inbox/x"),
    *("/inbox/../_dryline/reset", "/inbox/%2e%2e/_dryline/reset", "/inbox/..;/_dryline/reset"),
)


def test_a_webhook_reaches_only_the_inbox_of_this_server(served):
    client, options = served.app.test_client(), {"headers": {}, "body": b"{}", "within_s": 5.0, "max_bytes": 100}
    send = served.app.world.outgoing.send
    workers = client.get("/_dryline/workers").json
    assert send("POST", f"{served.url}/inbox/any", **options).status == 204
    for path in OTHER_PATHS:
        with suppress(Refused):  # or it is the name of an inbox
            assert send("POST", f"{served.url}{path}", **options).status == 204, path
        assert client.get("/_dryline/workers").json == workers, path

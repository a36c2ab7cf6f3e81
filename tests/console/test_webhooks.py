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


class TestInbox:
    def test_a_fresh_world_has_what_its_deliveries_say_was_delivered(self, served):
        client = served.app.test_client()
        delivered = [one for one in client.get("/_dryline/webhooks?limit=1000").json if one["status"] == "DELIVERED"]
        page = client.get("/console/webhooks/inbox").get_data(as_text=True)
        assert f"Inbox ({len(delivered)})" in page and delivered
        newest = max(delivered, key=lambda one: one["deliveredAt"])
        assert page.count(f'href="/console/calls/{newest["logId"]}"') >= 1

    def test_its_address_is_that_of_this_server(self, served):
        client = served.app.test_client()
        line = next(one for one in client.get("/_dryline/webhooks").json)
        pages = ("/webhooks", "/webhooks/inbox", f"/webhooks/{line['id']}", f"/calls/{line['logId']}")
        for address in pages:
            page = client.get(f"/console{address}").get_data(as_text=True)
            assert "dryline.invalid" not in page.partition("<main")[2], address
            assert "http://localhost/inbox/webhooks" in page, address

    def test_a_delivered_message_is_one_message_however_often_it_was_tried(
        self, server, visitor, control, line, simulate, advance
    ):
        control.post("/faults", {"path": "/inbox/webhooks", "status": 503, "times": 1})
        visitor.go("/webhooks/inbox")
        visitor.send("/webhooks/inbox")
        simulate(line, 1, outcome="completed")
        advance(5)
        assert "Inbox (1)" in visitor.go("/webhooks/inbox").text  # a fault answered the other message
        advance(60)
        advance(60)  # the retry
        tried = control.get("/requests?path=/inbox/*").json
        delivered = control.get("/webhooks?status=DELIVERED").json
        assert sorted(one["attempts"] for one in delivered) == [1, 2] and len(tried) == 3
        assert "Inbox (2)" in visitor.go("/webhooks/inbox").text

    def test_what_others_post_is_there_too(self, visitor):
        visitor.client.post("/inbox/any", json={"summary": "Posted by hand"})
        page = visitor.go("/webhooks/inbox")
        assert "Posted by hand" in page.text and "Inbox (1)" in page.text

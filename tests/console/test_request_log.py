"""The page of what programs asked."""

import json
import subprocess

import pytest


def newest(visitor):
    """Open the newest request."""
    links = visitor.go("/traffic").links
    found = next(link for link in links if link.startswith("/console/traffic/") and link[-1].isdigit())
    return visitor.go(found.removeprefix("/console"))


WORKER = {"name": "Front desk", "description": None, "status": None}


def test_request_and_answer_are_shown(visitor, api):
    worker = api.post("/workers", WORKER).json
    page = newest(visitor)
    assert "Front desk" in page.text and worker["teamId"] in page.text
    assert f"/console/workers/{worker['id']}" in page.links


@pytest.mark.parametrize(
    ("query", "shown"),
    [
        ("", {"/api/workers", "/api/workers/none", "/api/team"}),
        ("?path=/api/workers*", {"/api/workers", "/api/workers/none"}),
        ("?status=4xx", {"/api/workers/none"}),
        ("?status=404", {"/api/workers/none"}),
        ("?fault=only", {"/api/team"}),
        ("?method=POST", set()),
    ],
)
def test_requests_are_chosen(visitor, api, control, query, shown):
    api.get("/workers")
    api.get("/workers/none")
    control.post("/faults", {"path": "/api/team", "status": 503})
    api.get("/team")
    text = visitor.go(f"/traffic{query}").text
    assert {path for path in ("/api/workers", "/api/workers/none", "/api/team") if f"GET {path}\n" in text} == shown


def test_new_ones_are_announced_and_not_pushed_in(tab, served):
    client, key = served.app.test_client(), {"x-api-key": "dryline-local-key"}
    client.get("/api/team", headers=key)
    seen = tab(served)
    page = seen.go("/traffic")
    client.get("/api/workers", headers=key)
    seen.pulse()
    page.get_by_role("link", name="1 new").wait_for()
    assert page.locator("tbody tr").count() == 1
    page.get_by_role("link", name="1 new").click()
    page.locator("tbody tr", has_text="/api/workers").wait_for()


def test_a_request_is_asked_again(visitor, api):
    api.post("/workers", WORKER)
    newest(visitor)
    assert "Asked again: 201" in visitor.send("/replay").text
    assert len(api.get("/workers").json) == 2


def test_a_request_to_the_engine_is_asked_again_with_the_servers_own_key(visitor, app, api, make_flow):
    flow = make_flow(code='say("Hello")\n')
    key = "dryline-local-key"
    query = {"agent_id": flow["workerId"], "session_id": "one"}
    body = {"model": "m", "messages": [{"role": "user", "content": "Hi"}]}
    headers = {"authorization": f"Bearer {key}", "x-brainbase-api-key": key}
    client = app.test_client()
    answer = client.post("/v1/chat/completions", query_string=query, json=body, headers=headers)
    assert answer.status_code == 200, answer.text
    newest(visitor)
    assert "Asked again: 200" in visitor.send("/replay").text


def test_a_signed_link_is_not_offered_to_be_asked_again(visitor, control):
    control.client.get("/downloads/exports/one?expires=1&signature=secret")
    assert all(not form["action"].endswith("/replay") for form in newest(visitor).forms)


def test_what_is_asked_again_may_be_cut_by_a_fault(visitor, api, control):
    api.get("/workers")
    control.post("/faults", {"drop": True})
    newest(visitor)
    assert "ClientDisconnected" in visitor.send("/replay").text


def test_the_curl_line_asks_the_same(visitor, served):
    client = served.app.test_client()
    client.post("/api/workers", json=WORKER | {"name": "O'Hara's \"desk\""}, headers={"x-api-key": "dryline-local-key"})
    from dryline.blueprints.console.request_log import as_curl

    with served.app.world.active(), served.app.test_request_context(base_url=served.url):
        line = as_curl(served.app.world.requests.newest_first()[0])
    answer = subprocess.run(f"{line} -s", shell=True, capture_output=True, text=True).stdout
    assert json.loads(answer)["name"] == "O'Hara's \"desk\""


def test_the_next_ones_like_it_fail(visitor, api):
    api.get("/workers")
    newest(visitor)
    visitor.send("/faults", preset="unavailable-twice")
    assert api.get("/workers").status_code == 503
    assert api.post("/workers", WORKER).status_code == 201


def test_the_documentation_of_its_operation_is_a_click_away(visitor, api, control):
    api.get("/workers/worker_1")
    (link,) = [link for link in newest(visitor).links if link.startswith("/docs#")]
    _, _, tag, operation = link.split("/")[-4:]
    document = visitor.client.get("/openapi.json").json
    found = document["paths"]["/api/workers/{id}"]["get"]
    assert (tag, operation) == (found["tags"][0], found["operationId"])


def test_why_a_check_missed_is_told(visitor, api):
    api.post("/workers", WORKER)
    text = visitor.go("/traffic/verify?method=POST&path=/api/workers&bodyContains=Back+desk").text
    assert "Not so" in text and "bodyContains" in text
    assert "As expected" in visitor.go("/traffic/verify?method=POST&bodyContains=Front&max=1").text
    assert "too many" in visitor.go("/traffic/verify?method=POST&max=0").text


def test_a_bad_check_is_told(visitor):
    assert "regular expression" in visitor.go("/traffic/verify?bodyMatches=(").text


def test_the_record_is_emptied(visitor, api):
    api.get("/workers")
    visitor.go("/traffic")
    assert "Nothing was asked" in visitor.send("/forget").text


def test_a_request_that_is_forgotten_is_not_found(visitor):
    assert visitor.go("/traffic/17").status == 404

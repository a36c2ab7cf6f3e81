"""The request log: its entries, the requests that it leaves out, and its bounds."""

import pytest

from dryline.tests.conftest import NEW_WORKER
from dryline.world import request_log


def test_an_entry_has_the_request_and_its_answer(api, control):
    worker = api.post("/workers?trace=1", NEW_WORKER).json
    (entry,) = control.get("/requests").json
    assert (entry["method"], entry["path"], entry["status"]) == ("POST", "/api/workers", 201)
    assert entry["query"] == {"trace": ["1"]}
    assert entry["body"] == NEW_WORKER
    assert entry["headers"]["content-type"] == "application/json"
    assert entry["durationMs"] > 0
    assert entry["faultId"] is None
    assert (entry["answer"], entry["touched"]) == (worker, [worker["id"]])
    assert entry["answerHeaders"]["content-type"] == "application/json"


def test_the_requests_of_one_team_can_be_counted_and_cleared(api, other_api, control, make_worker):
    team = make_worker()["teamId"]
    other_api.get("/workers")
    assert control.get(f"/requests/count?team={team}").json == {"count": 1}
    control.delete(f"/requests?team={team}")
    assert [entry["method"] for entry in control.get("/requests").json] == ["GET"]
    control.delete("/requests")
    assert control.get("/requests").json == []


@pytest.mark.alone
def test_the_number_of_entries_is_limited(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_ENTRIES", 3)
    for _ in range(5):
        api.get("/workers")
    assert [entry["number"] for entry in control.get("/requests").json] == [5, 4, 3]


def test_only_the_beginning_of_a_large_answer_is_kept(api, control):
    for _ in range(3):
        api.post("/workers", NEW_WORKER | {"description": "x" * 40_000})
    api.get("/workers")
    assert len(control.get("/requests").json[0]["answer"]) == request_log.ANSWER_BYTES


def test_the_newest_request_is_kept_whatever_its_length(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_BYTES", 1_000)
    api.get("/workers")
    api.post("/workers", NEW_WORKER | {"description": "x" * 40_000})
    (entry,) = control.get("/requests").json
    assert entry["body"]["description"] == entry["answer"]["description"] == "x" * 40_000


def test_the_bodies_of_requests_and_of_answers_have_a_bound_together(api, control, monkeypatch):
    monkeypatch.setattr(request_log, "MAX_BYTES", 100_000)
    api.post("/workers", NEW_WORKER | {"description": "x" * 9_000})
    for _ in range(20):
        api.get("/workers")
    assert 5 <= len(control.get("/requests").json) <= 10
    for _ in range(9):
        api.post("/workers", NEW_WORKER | {"description": "x" * 9_000})
    assert len(control.get("/requests").json) == 5


@pytest.mark.alone
@pytest.mark.parametrize("part", ["path", "query", "one header", "many headers"])
def test_the_bound_counts_what_else_a_client_can_make_long(app, control, monkeypatch, part):
    monkeypatch.setattr(request_log, "MAX_BYTES", 200_000)
    text = "x" * 30_000
    headers = {"one header": {"x-a": text}, "many headers": {f"x-{number}": "x" for number in range(600)}}
    path = f"/inbox/{text if part == 'path' else ''}?a={text if part == 'query' else ''}"
    for _ in range(10):
        app.test_client().get(path, headers=headers.get(part))
    assert 1 <= len(control.get("/requests").json) <= 6


def test_an_entry_has_the_ids_of_the_rows_that_it_is_about(api, control):
    worker = api.post("/workers", NEW_WORKER).json["id"]
    flow = api.post(f"/workers/{worker}/flows", {"name": "One", "code": "say('Hi')"}).json["id"]
    api.patch(f"/workers/{worker}", {"name": "Another"})
    touched = [entry["touched"] for entry in control.get("/requests").json]
    assert touched == [[worker], [worker, flow], [worker]]


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/assets/swagger-ui.css", "/openapi.json", "/favicon.ico"])
def test_requests_for_the_documentation_are_not_logged(app, control, path):
    app.test_client().get(path).close()
    assert control.get("/requests/count").json == {"count": 0}

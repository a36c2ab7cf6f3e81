"""The request log: waiting for requests, its export as an HTTP archive, and the requests that it leaves out."""

import json
import threading
from urllib.parse import urlencode

import pytest
from waitress.channel import ClientDisconnected

from dryline.tests.conftest import Api
from dryline.traffic.request_search import Criteria, wait
from dryline.world.clock import parse

WORKER = {"name": "Front desk", "description": None, "status": None}


# Waiting


def test_a_wait_is_over_at_once_where_it_was_called_before(api, control):
    api.post("/workers", WORKER)
    answer = control.post("/requests/wait", {"method": "POST", "path": "/api/workers"})
    assert (answer.status_code, answer.json["count"]) == (200, 1)
    assert answer.json["requests"] == control.get("/requests").json


def test_a_wait_ends_with_the_last_call_that_it_needs(app, api, control):
    answers = []
    waiting = threading.Thread(
        target=lambda: answers.append(
            Api(app.test_client(), "", "/_dryline").post(
                "/requests/wait", {"path": "/api/workers", "count": 3, "timeoutMs": 60_000}
            )
        )
    )
    waiting.start()
    api.get("/team/tags")
    for _ in range(3):
        assert waiting.is_alive()
        api.post("/workers", WORKER)
    waiting.join(20)
    assert (answers[0].status_code, answers[0].json["count"]) == (200, 3)


def test_a_wait_for_what_does_not_come_is_a_409_with_the_nearest(api, control):
    api.post("/workers", WORKER)
    answer = control.post("/requests/wait", {"path": "/api/workers", "bodyContains": "Back", "timeoutMs": 0})
    assert answer.status_code == 409
    assert answer.json["error"] == "Expected 1 within 0 ms, found 0."
    assert answer.json["nearest"][0]["misses"] == ["bodyContains"]


def test_a_wait_can_be_for_what_comes_next(api, control):
    api.post("/workers", WORKER)
    (made,) = control.get("/requests").json
    asked = {"path": "/api/workers", "after": made["number"], "timeoutMs": 0}
    assert control.post("/requests/wait", asked).status_code == 409
    api.post("/workers", WORKER)
    assert control.post("/requests/wait", asked).json["count"] == 1
    assert len(control.get(f"/requests?after={made['number']}").json) == 1


class Meanwhile:
    """In the place of what tells that the server ends: something happens, then it does."""

    def __init__(self, *happens):
        self.happens = list(happens)

    def is_set(self):
        if not self.happens:
            return True
        self.happens.pop(0)()
        return False


def test_what_a_reset_took_is_not_waited_for(app, api, control):
    api.get("/workers")
    meanwhile = Meanwhile(lambda: (control.post("/reset", {}), api.get("/workers")))
    assert len(wait(app.world.requests, Criteria(), 2, 60, meanwhile)) == 1


def test_what_was_looked_at_once_still_counts(app, api):
    api.get("/workers")
    meanwhile = Meanwhile(lambda: api.get("/team"), lambda: api.get("/workers"))
    assert len(wait(app.world.requests, Criteria(path="/api/workers"), 2, 60, meanwhile)) == 2


def test_the_servers_end_ends_a_wait(app):
    app.world.ending.set()
    answer = app.test_client().post("/_dryline/requests/wait", json={"timeoutMs": 60_000})
    assert (answer.status_code, answer.json["error"]) == (409, "Expected 1 until the server ended, found 0.")


# What is recorded


@pytest.mark.parametrize("path", ["/", "/docs", "/docs/assets/swagger-ui.css", "/openapi.json", "/favicon.ico"])
def test_a_look_at_the_documentation_is_not_recorded(app, control, path):
    app.test_client().get(path).close()
    assert control.get("/requests/count").json == {"count": 0}
    assert "swagger" not in control.get("/metrics").text


def test_a_fault_for_what_no_fault_hits_is_refused(control):
    assert "do not apply" in control.post("/faults", {"path": "/docs", "status": 503}).json["error"]


# An archive

# https://w3c.github.io/web-performance/specs/HAR/Overview.html: what each object must have, and what it may have.
HAR = {
    "log": ({"version": str, "creator": dict, "entries": list}, {"browser": dict, "pages": list, "comment": str}),
    "creator": ({"name": str, "version": str}, {"comment": str}),
    "entry": (
        {
            "startedDateTime": str,
            "time": (int, float),
            "request": dict,
            "response": dict,
            "cache": dict,
            "timings": dict,
        },
        {"pageref": str, "serverIPAddress": str, "connection": str, "comment": str},
    ),
    "request": (
        {
            **{"method": str, "url": str, "httpVersion": str, "cookies": list, "headers": list},
            **{"queryString": list, "headersSize": int, "bodySize": int},
        },
        {"postData": dict, "comment": str},
    ),
    "response": (
        {
            **{"status": int, "statusText": str, "httpVersion": str, "cookies": list, "headers": list},
            **{"content": dict, "redirectURL": str, "headersSize": int, "bodySize": int},
        },
        {"comment": str},
    ),
    "content": ({"size": int, "mimeType": str}, {"compression": int, "text": str, "encoding": str, "comment": str}),
    "postData": ({"mimeType": str, "text": str}, {"params": list, "comment": str}),
    "timings": (
        {"send": (int, float), "wait": (int, float), "receive": (int, float)},
        {"blocked": int, "dns": int, "connect": int, "ssl": int, "comment": str},
    ),
    "pair": ({"name": str, "value": str}, {"comment": str}),
}


def check_har(kind, found):
    """An object has all that it must have, and beside what it may have only members with an underscore."""
    needed, allowed = HAR[kind]
    assert set(needed) <= set(found)
    for name, value in found.items():
        if not name.startswith("_"):
            assert isinstance(value, (needed | allowed)[name]), (kind, name)
        if isinstance(value, dict) and name in HAR:
            check_har(name, value)
        for pair in value if name in ("headers", "queryString") else ():
            check_har("pair", pair)


def test_the_record_is_an_http_archive(api, control):
    fault = control.post("/faults", {"path": "/api/team", "status": 503}).json["id"]
    api.post("/workers?x=1&y=%20", WORKER)
    api.get("/team")
    control.delete("/faults")
    api.get("/files/nothing here")
    answer = control.get("/requests.har")
    log = answer.json["log"]
    check_har("log", log)
    check_har("creator", log["creator"])
    for entry in log["entries"]:
        check_har("entry", entry)
        assert parse(entry["startedDateTime"]).tzinfo
    made, failed, unknown = log["entries"]
    assert log["version"] == "1.2" and "dryline.har" in answer.headers["Content-Disposition"]
    assert (made["request"]["method"], made["response"]["status"], made["response"]["statusText"]) == (
        "POST",
        201,
        "Created",
    )
    assert made["request"]["url"] == "http://localhost/api/workers?x=1&y=%20"
    assert made["request"]["queryString"] == [{"name": "x", "value": "1"}, {"name": "y", "value": " "}]
    assert json.loads(made["request"]["postData"]["text"]) == WORKER
    assert {"name": "X-Api-Key", "value": "***"} in made["request"]["headers"]
    assert json.loads(made["response"]["content"]["text"])["name"] == WORKER["name"]
    assert failed["_faultId"] == fault
    assert unknown["request"]["url"].endswith("/api/files/nothing%20here")


def test_an_archive_has_what_was_cut_and_what_is_no_text(api, control):
    control.post("/faults", {"path": "/api/team", "drop": True})
    control.post("/faults", {"path": "/api/workers", "malformed": "garbage"})
    with pytest.raises(ClientDisconnected):
        api.get("/team")
    api.post("/workers", data=b"\xff\xfe", content_type="application/octet-stream")
    cut, garbled = control.get("/requests.har?path=/api/*").json["log"]["entries"]
    check_har("entry", cut)
    check_har("entry", garbled)
    assert cut["response"]["status"] == 0


def test_an_archive_has_the_size_of_a_file_that_the_record_does_not_keep(api, control, advance):
    window = {"format": "CSV", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-01-02T00:00:00Z"}
    export = api.post("/team/exports", window).json["id"]
    advance()
    with api.client.get(api.get(f"/team/exports/{export}").json["downloadUrl"]) as answer:
        size = len(answer.data)
    (entry,) = control.get("/requests.har?path=/downloads/*").json["log"]["entries"]
    assert (entry["response"]["content"]["size"], entry["response"]["bodySize"]) == (size, size)


def test_an_archive_holds_what_is_asked_for(api, control):
    api.post("/workers", WORKER)
    api.get("/workers")
    entries = control.get("/requests.har?method=GET").json["log"]["entries"]
    assert [entry["request"]["method"] for entry in entries] == ["GET"]


@pytest.mark.parametrize(
    ("criteria", "says"),
    [
        ({"path": "/api/wrokers"}, "did you mean /api/workers?"),
        ({"path": "/workers"}, "did you mean /api/workers?"),
        ({"path": "/api/workers?limit=3"}, "Must not have a query"),
        ({"method": "PSOT", "path": "/api/workers"}, "Must be one of: GET"),
        ({"method": "PUT", "path": "/api/workers"}, "/api/workers has GET"),
        ({"status": 2000}, "Must be 100 to 599."),
    ],
)
def test_a_search_for_a_request_that_cannot_be_made_is_refused(control, criteria, says):
    never = {**criteria, "times": {"max": 0}}
    for answer in (
        control.post("/requests/verify", never),
        control.post("/requests/wait", {**criteria, "timeoutMs": 0}),
        control.get(f"/requests?{urlencode(criteria)}"),
        control.get(f"/requests/count?{urlencode(criteria)}"),
        control.get(f"/requests.har?{urlencode(criteria)}"),
    ):
        assert answer.status_code == 400, answer.text
        assert says in answer.json["error"]


def test_a_wrong_path_that_was_requested_can_be_searched_for(api, control):
    api.get("/wrokers")
    assert control.get("/requests/count?path=/api/wrokers").json == {"count": 1}


def test_the_path_of_a_canned_answer_can_be_searched_for(control):
    control.post("/faults", {"path": "/api/newer", "override": {"status": 200}})
    assert control.get("/requests/count?path=/api/newer").json == {"count": 0}

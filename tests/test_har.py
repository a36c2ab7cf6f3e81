"""The request log as an HTTP Archive (HAR 1.2)."""

import json

import pytest
from waitress.channel import ClientDisconnected

from dryline.world.clock import parse

WORKER = {"name": "Front desk", "description": None, "status": None}

# The required and the optional members of each object:
# https://w3c.github.io/web-performance/specs/HAR/Overview.html
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


def check_har(kind, document):
    """Check that an object has all required members, and beside the optional ones only some with an underscore."""
    needed, allowed = HAR[kind]
    assert set(needed) <= set(document)
    for name, value in document.items():
        if not name.startswith("_"):
            assert isinstance(value, (needed | allowed)[name]), (kind, name)
        if isinstance(value, dict) and name in HAR:
            check_har(name, value)
        for pair in value if name in ("headers", "queryString") else ():
            check_har("pair", pair)


def test_the_archive_has_the_form_of_the_specification(api, control):
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
    created, failed, unknown = log["entries"]
    assert log["version"] == "1.2" and "dryline.har" in answer.headers["Content-Disposition"]
    assert (created["request"]["method"], created["response"]["status"], created["response"]["statusText"]) == (
        "POST",
        201,
        "Created",
    )
    assert created["request"]["url"] == "http://localhost/api/workers?x=1&y=%20"
    assert created["request"]["queryString"] == [{"name": "x", "value": "1"}, {"name": "y", "value": " "}]
    assert json.loads(created["request"]["postData"]["text"]) == WORKER
    assert {"name": "X-Api-Key", "value": "***"} in created["request"]["headers"]
    assert json.loads(created["response"]["content"]["text"])["name"] == WORKER["name"]
    assert failed["_faultId"] == fault
    assert unknown["request"]["url"].endswith("/api/files/nothing%20here")


def test_the_archive_has_dropped_answers_and_binary_bodies(api, control):
    control.post("/faults", {"path": "/api/team", "drop": True})
    control.post("/faults", {"path": "/api/workers", "malformed": "garbage"})
    with pytest.raises(ClientDisconnected):
        api.get("/team")
    api.post("/workers", data=b"\xff\xfe", content_type="application/octet-stream")
    cut, garbled = control.get("/requests.har?path=/api/*").json["log"]["entries"]
    check_har("entry", cut)
    check_har("entry", garbled)
    assert cut["response"]["status"] == 0


def test_the_archive_has_the_size_of_a_downloaded_file(api, control, advance):
    window = {"format": "CSV", "startDate": "2026-01-01T00:00:00Z", "endDate": "2026-01-02T00:00:00Z"}
    export = api.post("/team/exports", window).json["id"]
    advance()
    with api.client.get(api.get(f"/team/exports/{export}").json["downloadUrl"]) as answer:
        size = len(answer.data)
    (entry,) = control.get("/requests.har?path=/downloads/*").json["log"]["entries"]
    assert (entry["response"]["content"]["size"], entry["response"]["bodySize"]) == (size, size)


def test_the_archive_can_be_filtered(api, control):
    api.post("/workers", WORKER)
    api.get("/workers")
    entries = control.get("/requests.har?method=GET").json["log"]["entries"]
    assert [entry["request"]["method"] for entry in entries] == ["GET"]

"""Errors have one form, whatever is sent and wherever; nothing sent ends in a 500."""

from __future__ import annotations

import gzip
import re

import pytest

from dryline.app import create_app
from dryline.models.workers import Worker
from dryline.settings import Settings
from dryline.tests.conftest import NEW_WORKER

JSON = "application/json"


def assert_error(answer, status):
    """Check that the answer is an error in the API's form: a sentence, and details only where members are at fault."""
    assert answer.status_code == status, answer.text
    assert answer.content_type == JSON
    assert answer.json.keys() <= {"error", "details"}
    assert isinstance(answer.json["error"], str) and answer.json["error"]
    if "details" in answer.json:
        assert status == 400
        assert all(detail.keys() == {"path", "message"} for detail in answer.json["details"])


@pytest.mark.parametrize("path", ["/nothing", "/api/nothing", "/api/team/nothing/more", "/_dryline/nothing", "/docs/x"])
@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
def test_an_unknown_path_is_not_found(app, method, path):
    assert_error(app.test_client().open(path, method=method), 404)


@pytest.mark.parametrize(
    "id", ["%00", "%FF", "%F0%9F%93%9E", "%2e%2e", "'%20OR%201=1", "x" * 5000, "a%0Ab", "..%2F..%2Fx"]
)
def test_an_odd_id_is_not_found(api, id):
    assert_error(api.get(f"/workers/{id}"), 404)


@pytest.mark.parametrize(
    "id, sent", [("a/b", "a%2Fb"), ("/", "%2f"), ("a/b c/é", "a%2Fb%20c%2F%C3%A9"), ("%2F", "%252F")]
)
def test_an_id_is_any_text(api, control, id, sent):
    team = api.get("/team").json["id"]
    row = {"id": id, "teamId": team, "name": "Imported"}
    assert control.post("/state", {"version": 1, "workers": [row]}).status_code == 204
    assert api.get(f"/workers/{sent}").json["id"] == id
    assert api.get(f"/workers/{sent}/flows").json == []
    assert api.delete(f"/workers/{sent}").status_code == 204


@pytest.mark.parametrize("method", ["GET", "POST", "DELETE"])
@pytest.mark.parametrize(
    "path", ["/api//workers", "/api/workers//flows", "/_dryline//reset", "/api/workers/a%2Fb//flows"]
)
def test_doubled_slashes_are_no_path_and_the_answer_says_so(api, app, control, method, path):
    before = control.get("/state").data
    sent = path.replace("%2F", "/")
    environ = {"PATH_INFO": sent, "REQUEST_URI": path}
    answer = app.test_client().open(
        method=method, environ_overrides=environ, json=NEW_WORKER, headers={"x-api-key": api.key}
    )
    assert_error(answer, 404)
    assert f"{method} {sent}. There is nothing between two slashes" in answer.json["error"]
    assert control.get("/state").data == before


@pytest.mark.parametrize("coding", ["gzip", "br", "gzip, identity"])
@pytest.mark.parametrize("path", ["/api/workers", "/_dryline/state", "/v1/chat/completions"])
def test_a_compressed_body_is_refused_by_the_name_of_its_header(app, api, path, coding):
    headers = {"x-api-key": api.key, "Authorization": f"Bearer {api.key}", "Content-Encoding": coding}
    answer = app.test_client().post(path, data=gzip.compress(b"{}"), content_type=JSON, headers=headers)
    assert answer.status_code == 415
    assert f"Content-Encoding: {coding}" in answer.text


@pytest.mark.parametrize("number", [2**64, -(2**63) - 1, int("9" * 300)])
@pytest.mark.parametrize("where", ['{"name":"F","code":"","variables":{"n":%d}}', "[ -1, %d]"])
def test_an_integer_beyond_64_bits_is_refused(api, worker, where, number):
    answer = api.post(f"/workers/{worker['id']}/flows", data=where % number, content_type=JSON)
    assert_error(answer, 400)
    assert "needs more than 64 bits" in answer.json["error"]


@pytest.mark.parametrize(
    ("path", "body", "sent", "meant"),
    [
        ("/workers", {"Name": "A"}, "Name", "name"),
        ("/workers/{id}/deployments/voice", {"name": "L", "flow_id": "f"}, "flow_id", "flowId"),
    ],
)
def test_a_missing_member_names_the_similar_one_that_was_sent(api, worker, path, body, sent, meant):
    answer = api.post(path.format(id=worker["id"]), body)
    assert_error(answer, 400)
    message = f"Missing data for required field; {sent} is unknown, did you mean {meant}?"
    assert {"path": meant, "message": message} in answer.json["details"]


def test_no_path_allows_an_unknown_verb(app):
    client = app.test_client()
    for path, verbs in client.get("/openapi.json").json["paths"].items():
        answer = client.open(re.sub("{.*?}", "x", path), method="BREW")
        assert_error(answer, 405)
        assert {verb.upper() for verb in verbs if verb != "parameters"} <= set(answer.headers["Allow"].split(", "))


@pytest.mark.parametrize("key", [None, "", " ", "dryline-local-key2", "\xff", "x" * 10_000])
def test_a_missing_or_unknown_key_is_refused(app, key):
    headers = {} if key is None else {"x-api-key": key}
    assert_error(app.test_client().get("/api/workers", headers=headers), 401)


@pytest.mark.parametrize("content_type", ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""])
def test_a_body_that_is_not_declared_as_json_is_an_unsupported_media_type(api, content_type):
    assert_error(api.post("/workers", data=b'{"name": "x"}', content_type=content_type), 415)


@pytest.mark.parametrize("content_type", [JSON, "application/json; charset=utf-8", "application/vnd.api+json"])
def test_json_may_be_declared_with_parameters(api, content_type):
    body = b'{"name": "x", "description": null, "status": null}'
    assert api.post("/workers", data=body, content_type=content_type).status_code == 201


@pytest.mark.parametrize(
    "body",
    [
        *(
            b"{",
            b'{"name":}',
            b"{'name': 'x'}",
            b'{"name": NaN}',
            b'{"name": "\xff"}',
            b"\x00",
            b" ",
            b'{"name": "x"} {}',
        ),
        b'{"name": "\\ud800", "description": null, "status": null}',
        b'{"name": ' + b"[" * 1_000 + b"]" * 1_000 + b"}",
        b"[" * 100_000,
    ],
)
def test_malformed_json_is_a_bad_request(api, body):
    assert_error(api.post("/workers", data=body, content_type=JSON), 400)
    assert api.get("/workers").json == []


@pytest.mark.parametrize("text", ["a\x00b", "\x00", "\u2028\ufeff", "\U0001f4de", "x" * 9_900_000], ids=lambda t: t[:3])
def test_any_text_comes_back_as_it_was_sent(api, text):
    made = api.post("/workers", {**NEW_WORKER, "name": text})
    assert made.status_code == 201
    assert api.get(f"/workers/{made.json['id']}").json["name"] == text


def nest(depth):
    return b'{"variables": ' + b'{"a":' * depth + b"1" + b"}" * (depth + 1)


@pytest.mark.parametrize("depth", [204, 50_000])
def test_a_deeper_nest_is_refused_and_changes_nothing(api, make_flow, depth):
    flow = make_flow()
    path = f"/workers/{flow['workerId']}/flows/{flow['id']}"
    assert_error(api.patch(path, data=nest(depth), content_type=JSON), 400)
    assert api.get(path).json == flow


def deep(levels):
    value = 1
    for _ in range(levels):
        value = {"a": value}
    return value


def test_the_deepest_value_of_a_body_can_be_answered_everywhere(api, control, make_voice_deployment):
    deployment = make_voice_deployment()
    path = f"/workers/{deployment['workerId']}/deployments"
    sent = {"externalConfig": {"newer": deep(202)}}
    assert api.patch(f"{path}/voice/{deployment['id']}", sent).status_code == 200
    history = api.get(f"{path}/{deployment['id']}/history").json["data"]
    assert history[0]["changes"]["externalConfig"]["to"]["newer"] == deep(202)
    assert control.put("/state", data=control.get("/state").data, content_type=JSON).status_code == 204
    sent["externalConfig"]["newer"] = deep(203)
    assert_error(api.patch(f"{path}/voice/{deployment['id']}", sent), 400)


class TestSmallBodies:
    @pytest.fixture
    def settings(self):
        return Settings(ephemeral=True, scenario="empty", seed=1, max_body_mb=1)

    def test_a_body_beyond_the_limit_is_too_large(self, api):
        answer = api.post("/workers", {**NEW_WORKER, "name": "x" * 1_100_000})
        assert_error(answer, 413)
        assert "1 MB" in answer.json["error"]
        assert api.get("/workers").json == []


def test_an_unexpected_error_is_logged_under_an_id_that_the_caller_gets(api, monkeypatch, caplog):
    def fail(*args, **kwargs):
        raise RuntimeError("the inner workings")

    monkeypatch.setattr(Worker, "add", fail)
    answer = api.post("/workers", NEW_WORKER)
    assert_error(answer, 500)
    reference = re.search(r"error_[0-9a-f-]{36}", answer.json["error"])[0]
    assert reference in caplog.text and "the inner workings" in caplog.text
    assert "workings" not in answer.text and "Traceback" not in answer.text


def test_an_unexpected_error_leaves_nothing_half_done(api, monkeypatch):
    add = Worker.add.__func__

    def fail_late(cls, *args, **kwargs):
        add(cls, *args, **kwargs)
        raise RuntimeError

    monkeypatch.setattr(Worker, "add", classmethod(fail_late))
    assert_error(api.post("/workers", NEW_WORKER), 500)
    assert api.get("/workers").json == []


# The way out


@pytest.mark.parametrize(
    ("path", "near"),
    [
        ("/api/api/workers", "The base URL has no /api at its end; did you mean /api/workers?"),
        ("/workers", "did you mean /api/workers?"),
        ("/api/workerz", "did you mean /api/workers?"),
        ("/workers/w/flows", "did you mean /api/workers/{workerId}/flows?"),
        (
            "/api/workers/w/deployments/voice/d/custom-webhooks",
            "did you mean /api/workers/{workerId}/deployments/{deploymentId}/voice/customWebhooks?",
        ),
    ],
)
def test_a_path_that_there_is_not_is_answered_with_the_nearest(app, path, near):
    answer = app.test_client().get(path)
    assert answer.status_code == 404
    assert answer.json["error"].endswith(near)


def test_a_path_that_is_like_no_other_is_answered_without_one(app):
    answer = app.test_client().get("/nothing/of/the/kind")
    assert answer.json == {"error": "No such path: GET /nothing/of/the/kind"}


@pytest.mark.parametrize("path", ["/_drylinex", "/docsx"])
def test_a_path_that_only_begins_like_an_unrecorded_one_is_recorded(app, control, path):
    app.test_client().get(path)
    assert control.get("/requests").json[0]["path"] == path


def test_on_loopback_an_error_about_the_key_names_the_default_key(app):
    answer = app.test_client().get("/api/workers", headers={"x-api-key": "wrong"})
    assert_error(answer, 401)
    assert answer.json["error"].endswith("without --api-key it is dryline-local-key.")


def test_on_other_addresses_an_error_about_the_key_names_no_key():
    app = create_app(Settings(ephemeral=True, scenario="empty", host="0.0.0.0"))
    answer = app.test_client().get("/api/workers", headers={"x-api-key": "wrong"})
    app.close()
    assert answer.json == {"error": "The API key is not valid."}


@pytest.mark.parametrize(
    ("method", "path", "methods"),
    [("PUT", "/api/workers", "GET, POST"), ("PATCH", "/_dryline/clock", "DELETE, GET, PUT")],
)
def test_the_methods_that_a_path_has_are_named(app, method, path, methods):
    answer = app.test_client().open(path, method=method)
    assert_error(answer, 405)
    assert answer.json["error"].endswith(f"; it has {methods}.")


@pytest.mark.parametrize("body", [b"[]", b'"x"', b"null"])
def test_a_body_that_is_no_object_is_a_bad_request_that_says_so(api, body):
    answer = api.post("/workers", data=body, content_type=JSON)
    assert_error(answer, 400)
    assert answer.json["error"] == "Must be a JSON object."

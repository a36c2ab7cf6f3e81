"""Secrets are masked in all places that show requests."""

import json
import logging

import pytest

from dryline.serving.log_output import JsonFormatter, TextFormatter

SECRET = "s3cr3t"
MEMBERS = [
    *("token", "authToken", "access_token", "twilioSubaccountAuthToken", "client_secret", "clientSecret", "key"),
    *("apiKey", "api_key", "apikey", "x-api-key", "x-portkey-api-key", "password", "authorization", "Cookie"),
]
PARAMETERS = ["token", "access_token", "X-Dryline-Token", "client_secret", "key", "apiKey", "password", "api%5Fkey"]
HEADERS = ["x-api-key", "team-secret", "x-dryline-token", "authorization", "proxy-authorization", "x-gateway-password"]
HEADERS += ["x-brainbase-api-key"]


def send_secrets(app):
    """Send a request that is full of secrets, to an address that takes any request."""
    app.test_client().post(
        "/inbox/gateway?" + "&".join(f"{name}={SECRET}" for name in PARAMETERS) + f"&signature={SECRET}",
        json=dict.fromkeys(MEMBERS, SECRET) | {"request": {"headers": {"authorization": f"Bearer {SECRET}"}}},
        headers=dict.fromkeys(HEADERS, SECRET),
    )


PLACES = [
    *("/_dryline/requests", "/console/requests?origin=all", "/console/requests/{number}"),
    "/console/webhooks/inbox",
]


@pytest.mark.parametrize("place", PLACES)
def test_a_request_is_shown_without_its_secrets(app, place):
    send_secrets(app)
    client = app.test_client()
    number = client.get("/_dryline/requests").json[0]["number"]
    page = client.get(place.format(number=number))
    assert page.status_code == 200
    assert "/inbox/gateway" in page.text
    assert SECRET not in page.text


ADDRESSES = {
    "plain": f"http://user:{SECRET}@host.test/path",
    "with an @": f"https://user:a@{SECRET}@host.test",
    "token": f"http://{SECRET}@host.test",
    "in text": f"see (http://user:{SECRET}@host.test), please",
    "other scheme": f"postgres://user:{SECRET}@db",
}


@pytest.mark.parametrize("place", PLACES)
def test_a_request_is_shown_without_the_credentials_of_addresses(app, place):
    client = app.test_client()
    client.post("/inbox/gateway", query_string=ADDRESSES, json=ADDRESSES, headers={"X-Callback": ADDRESSES["plain"]})
    client.post("/inbox/gateway", data=json.dumps(ADDRESSES).replace("/", "\\/"))
    client.post("/inbox/gateway", data=ADDRESSES)
    entries = client.get("/_dryline/requests").json
    assert entries[-1]["query"]["plain"] == ["http://***@host.test/path"]
    for entry in entries:
        page = client.get(place.format(number=entry["number"]))
        assert "/inbox/gateway" in page.text
        assert SECRET not in page.text


@pytest.mark.parametrize(
    "criteria",
    [
        {"json": {"urls": [ADDRESSES["plain"]]}},
        {"query": {"a": ADDRESSES["token"]}},
        {"bodyContains": ADDRESSES["plain"]},
    ],
)
def test_a_check_of_credentials_in_an_address_is_refused(control, criteria):
    answer = control.post("/requests/verify", criteria | {"times": 0})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, next(iter(criteria)))


def test_a_webhook_is_shown_without_the_credentials_of_its_address(app, api, control, line, simulate, advance, caplog):
    caplog.set_level(logging.INFO, "dryline")
    body = {"url": f"http://user:{SECRET}@127.0.0.1:9/hook", "fields": ""}
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    assert api.post(path, body).json["url"] == body["url"]
    simulate(line, count=1)
    advance()
    deliveries = control.get("/webhooks").json
    assert deliveries[0]["request"]["url"] == "http://***@127.0.0.1:9/hook"
    client = app.test_client()
    pages = [client.get(f"/console/webhooks{page}").text for page in ("", f"/{deliveries[0]['id']}")]
    for text in (str(deliveries), control.get("/requests").text, caplog.text, *pages):
        assert "127.0.0.1:9/hook" in text
        assert SECRET not in text


def test_a_flows_trace_shows_addresses_without_credentials(control):
    code = "import requests\nfor scheme in ('http', 'ftp'):\n    try:\n"
    code += f"        requests.get(scheme + '://user:{SECRET}@127.0.0.1:9/x')\n"
    code += "    except Exception as error:\n        print(error)\n"
    talked = control.post("/talk", {"code": code})
    assert "127.0.0.1:9/x" in talked.text
    assert SECRET not in talked.text


@pytest.mark.parametrize("formatter", [TextFormatter, JsonFormatter])
def test_the_terminal_shows_a_request_without_its_secrets(app, caplog, formatter):
    caplog.set_level(logging.INFO, "dryline.access")
    send_secrets(app)
    text = "\n".join(formatter(app).format(record) for record in caplog.records)
    assert "/inbox/gateway" in text
    assert SECRET not in text


@pytest.mark.parametrize("place", ["/_dryline/requests", "/console/requests/{number}"])
def test_an_answer_is_shown_without_its_secrets(app, api, control, place):
    state = control.get("/state").json
    state["teams"][0]["twilioSubaccountAuthToken"] = SECRET
    control.put("/state", state)
    assert api.get("/team").json["twilioSubaccountAuthToken"] == SECRET
    (entry,) = control.get("/requests").json
    assert entry["answer"]["twilioSubaccountAuthToken"] == "***"
    assert SECRET not in app.test_client().get(place.format(number=entry["number"])).text


def test_a_header_of_an_answer_is_masked(api, control):
    control.post("/faults", {"headers": {"Set-Cookie": f"session={SECRET}"}})
    api.get("/workers")
    assert control.get("/requests").json[0]["answerHeaders"]["set-cookie"] == "***"


@pytest.mark.parametrize("value", [SECRET, 12345, [SECRET, "]"], {"a": {"b": "}"}}])
def test_a_secret_of_any_type_is_masked(app, control, value):
    app.test_client().post("/inbox/a", json={"first": 1, "token": value, "last": [2]})
    assert control.get("/requests").json[0]["body"] == {"first": 1, "token": "***", "last": [2]}


def test_a_member_without_a_secret_stays(app, control):
    body = {"token": None, "password": False, "monkey": "a", "tokens": 3, "idempotencyKey": "b", "note": 'a "token": c'}
    app.test_client().post("/inbox/a?monkey=a", json=body, headers={"idempotency-key": "b"})
    (entry,) = control.get("/requests").json
    assert (entry["body"], entry["query"], entry["headers"]["idempotency-key"]) == (body, {"monkey": ["a"]}, "b")


def test_text_around_a_secret_stays_as_it_was_sent(app, control):
    app.test_client().post("/inbox/a", data=json.dumps({"a": 1, "token": SECRET, "b": 2}, indent=3))
    answer = control.post("/requests/verify", {"bodyContains": '"a": 1,\n   "token": "***",\n   "b": 2'})
    assert answer.json == {"count": 1}


@pytest.mark.parametrize("data", [b'\xff {"password": ' + SECRET.encode(), {"password": SECRET, "a": "1"}])
def test_a_secret_in_a_form_or_in_a_text_that_is_no_json_is_masked(app, control, data):
    app.test_client().post("/inbox/a", data=data)
    body = control.get("/requests").json[0]["body"]
    assert "password" in body and SECRET not in body


@pytest.mark.parametrize("part", ["x", "&", "=", "%", "token", "a=b&", "=token=", '"', '"token": '])
@pytest.mark.parametrize("content_type", ["application/x-www-form-urlencoded", "application/json"])
def test_a_long_body_of_any_text_does_not_hold_anything_up(app, control, content_type, part):
    """Would take a quarter of an hour if its time grew with the square of the body."""
    body = part * (500_000 // len(part))
    app.test_client().post("/inbox/a", data=body, content_type=content_type)
    assert control.get("/requests/count").json == {"count": 1}


def test_each_parameter_of_a_query_is_masked_by_its_own_name(app, control):
    query = f"plain&=x&token&token=&token=={SECRET}&a=token={SECRET[::-1]}&signature={SECRET}&&"
    app.test_client().post("/inbox/a", data=query, content_type="application/x-www-form-urlencoded")
    (entry,) = control.get("/requests").json
    assert entry["body"] == f"plain&=x&token&token=&token=***&a=token={SECRET[::-1]}&signature=***&&"


def test_a_secret_at_the_end_of_a_long_answer_is_masked(app, api, control, make_integration):
    make_integration(authToken=SECRET * 20_000)
    api.get("/team?includeIntegrations=true")
    assert SECRET not in control.get("/requests").text

"""Flows reach the network through a function of the caller's, and meet what `requests` raises without one."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest

from dryline.engine import Engine
from dryline.engine.web import fetcher
from dryline.world.outgoing import HttpResponse, Outgoing, Refused, Unanswered


class Net:
    """Answers 200 with what it was asked, as JSON; 404 below /missing, 302 below /moved; nothing below /slow."""

    def __init__(self):
        self.asked = []

    def __call__(self, method, url, headers, body, timeout_s):
        self.asked.append((method, url, headers, body, timeout_s))
        path = urlsplit(url).path
        if path == "/slow":
            raise Unanswered("No answer within 1 s.", timed_out=True)
        told = {"method": method, "body": (body or b"").decode(), "error": None}
        status = {"/missing": 404, "/moved": 302}.get(path, 200)
        return HttpResponse(status, {"X-Kind": "test"}, json.dumps(told).encode() if path != "/text" else b"plain")


@pytest.fixture
def net():
    return Net()


@pytest.fixture
def web_engine(net):
    with Engine(fetch=net) as engine:
        yield engine


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("import requests", 'requests.post("http://x/a", json={"n": 1})'),
        ("import json, requests as web", 'web.post("http://x/a", json={"n": 1})'),
        ("from requests import post", 'post("http://x/a", json={"n": 1})'),
        ("from requests import (get, post as send)", 'send("http://x/a", json={"n": 1})'),
        ("import requests, re", 'requests.request("post", url="http://x/a", json={"n": 1})'),
        ("import requests.exceptions", 'requests.post("http://x/a", data=\'{"n":1}\')'),
    ],
)
def test_requests_works_however_it_is_imported(talk, web_engine, imported, call):
    code = f'{imported}\nanswer = {call}\nsay(f"{{answer.ok}} {{answer.status_code}} {{answer.json()["body"]}}")\n'
    assert talk(code, on=web_engine).said == ['True 200 {"n":1}']


def test_a_request_has_its_line_under_any_name_of_the_module(talk, web_engine):
    talked = talk('import requests as web\n\nweb.get("http://x/a")\n', on=web_engine)
    assert [event.line for event in talked.of("requested")] == [3]


def test_a_member_that_requests_lacks_here_is_a_warning(engine):
    code = 'import requests\nrequests.get("http://x").ok\nrequests.Session()\nprint(requests.codes.ok)\n'
    warnings = [
        (finding.line, finding.severity) for finding in engine.check(code) if "no such member" in finding.sentence
    ]
    assert warnings == [(3, "warning"), (4, "warning")]


def test_parameters_headers_and_time_limits_are_passed_on(talk, web_engine, net):
    code = (
        "import requests\n"
        'requests.get("http://x/a?z=1", params={"q": "a b"}, headers={"A": "b"}, timeout=3, auth=("u", "p"))\n'
    )
    talked = talk(code, on=web_engine)
    assert talked.session.failure is None
    headers = {"A": "b", "Authorization": "Basic dTpw"}
    assert net.asked == [("GET", "http://x/a?z=1&q=a+b", headers, None, 3.0)]
    requested = talked.of("requested")[0]
    assert (requested.line, requested["method"], requested["status"]) == (2, "GET", 200)


def test_a_form_is_sent_as_one(talk, web_engine, net):
    talk('import requests\nrequests.put("http://x/a", data={"a": "b c"})\n', on=web_engine)
    assert net.asked[0][2:4] == ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=b+c")


def test_a_refusal_raises_for_status(talk, web_engine):
    code = """
import requests
answer = requests.get("http://x/missing")
try:
    answer.raise_for_status()
except requests.exceptions.HTTPError as error:
    say(f"{answer.ok} {error}")
"""
    assert talk(code, on=web_engine).said == ["False 404 Client Error: Not Found for url: http://x/missing"]


@pytest.mark.parametrize("catch", ["requests.HTTPError", "requests.RequestException", "OSError"])
def test_a_refusal_is_caught_by_its_name_and_by_its_bases(talk, web_engine, catch):
    asks = 'requests.get("http://x/missing").raise_for_status()'
    code = f'import requests\ntry:\n    {asks}\nexcept {catch}:\n    say("yes")\n'
    assert talk(code, on=web_engine).said == ["yes"]


def test_a_refusal_that_nobody_catches_fails_under_its_name(talk, web_engine):
    code = 'import requests\nrequests.get("http://x/missing").raise_for_status()\n'
    failure = talk(code, on=web_engine).session.failure
    assert (failure.exception, failure.line) == ("HTTPError", 2)
    assert failure.traceback.endswith("\nHTTPError: 404 Client Error: Not Found for url: http://x/missing")


def test_an_answer_that_is_no_json_raises_when_it_is_read_as_such(talk, web_engine):
    code = (
        'import requests\nanswer = requests.get("http://x/text")\ntry:\n'
        "    answer.json()\nexcept ValueError:\n    say(answer.text)\n"
    )
    assert talk(code, on=web_engine).said == ["plain"]


@pytest.mark.parametrize(
    "catch", ["Exception", "requests.RequestException", "requests.exceptions.ConnectionError", "OSError"]
)
def test_without_a_network_requests_raises_as_ever(talk, catch):
    code = (
        f'import requests\ntry:\n    requests.get("https://api.example.com/a?b=c", timeout=5)\n'
        f"except {catch} as error:\n    say(str(error))\n"
    )
    talked = talk(code)
    assert talked.said[0].startswith(
        "HTTPSConnectionPool(host='api.example.com', port=443): Max retries exceeded with url: /a?b=c (Caused by"
    )
    assert talked.of("requested")[0].line == 3


def test_a_server_that_is_down_is_told_as_such(talk, free_port):
    code = (
        f'import requests\ntry:\n    requests.get("http://127.0.0.1:{free_port}/slots")\n'
        "except requests.exceptions.ConnectionError as error:\n    say(str(error))\n"
    )
    with Engine(fetch=fetcher(Outgoing())) as engine:
        (said,) = talk(code, on=engine).said
    assert "url: /slots (Caused by ConnectionRefusedError: " in said


@pytest.mark.parametrize(
    "passes",
    ["requests.exceptions.SSLError", "requests.exceptions.TooManyRedirects", "ConnectionError", "requests.HTTPError"],
)
def test_a_connection_that_fails_is_not_caught_as_something_else(talk, passes):
    code = (
        "import requests\ntry:\n    requests.get('https://api.example/')\n"
        f"except {passes}:\n    say('no')\nexcept requests.exceptions.RequestException:\n    say('yes')\n"
    )
    assert talk(code).said == ["yes"]


@pytest.mark.parametrize("catch", ["requests.Timeout", "requests.exceptions.ReadTimeout", "Exception"])
def test_a_timeout_can_be_caught_as_one(talk, web_engine, catch):
    code = f'import requests\ntry:\n    requests.get("http://x/slow")\nexcept {catch} as error:\n    say(str(error))\n'
    assert talk(code, on=web_engine).said == ["HTTPConnectionPool(host='x', port=80): Read timed out."]


@pytest.mark.parametrize(
    "url", ["shop", "ftp://x/a", "http://", "http://[", "http://x:99999/", "file:///etc/passwd", ""]
)
def test_what_is_no_address_is_an_error_of_the_flow(talk, web_engine, net, url):
    session = talk(f"import requests\nrequests.get({url!r})\n", on=web_engine).session
    assert (session.failure.exception, session.failure.line) == ("OSError", 2)
    assert net.asked == []


def test_the_older_api_answers_with_one_dict(talk, web_engine):
    code = """
answer = api.post_req(url="http://x/a", data={"n": 1}, headers={"A": "b"})
say(f'{answer["data"]["body"]} {answer["response"]["method"]} {answer["status"]}')
say(api.get_req("http://x/b", {"q": 1})["data"]["method"])
"""
    assert talk(code, on=web_engine).said == ['{"n":1} POST 200', "GET"]


def test_a_fetcher_asks_only_what_a_world_may_ask(api_server):
    outgoing = Outgoing()
    fetch = fetcher(outgoing)
    assert fetch("GET", api_server, {}, None, 5).status == 200
    with pytest.raises(Refused):
        fetch("GET", "http://hooks.example.com/", {}, None, 5)
    outgoing.own.append(("127.0.0.1", urlsplit(api_server).port))
    with pytest.raises(Refused, match="this server itself"):
        fetch("GET", api_server, {}, None, 5)


def test_a_redirect_is_told_and_not_followed(talk, api_server):
    with Engine(fetch=fetcher(Outgoing())) as engine:
        code = f'import requests\nr = requests.get("{api_server}away")\nsay(f"{{r.status_code}} {{r.headers}}")\n'
        (said,) = talk(code, on=engine).said
    assert said.startswith("302 ") and "http://169.254.169.254/" in said


@pytest.fixture
def api_server():
    import threading
    from http.server import BaseHTTPRequestHandler, HTTPServer

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(302 if self.path == "/away" else 200)
            self.send_header("Location", "http://169.254.169.254/")
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_):
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()

"""A flow's requests to other servers, as Python's `requests` makes them."""

from __future__ import annotations

import json
from urllib.parse import urlsplit

import pytest

from dryline.flow.engine import Engine
from dryline.flow.language.web import fetcher
from dryline.tests.conftest import send
from dryline.world.exchange import HttpResponse, Unanswered
from dryline.world.outgoing import Outgoing, Refused


class Network:
    """Answers with the request as JSON, or with what the path names."""

    def __init__(self):
        self.requests = []

    def __call__(self, method, url, headers, body, timeout_s):
        self.requests.append((method, url, headers, body, timeout_s))
        path = urlsplit(url).path
        if path == "/slow":
            raise Unanswered("No answer within 1 s.", timed_out=True)
        if path == "/closed":
            raise Unanswered("The connection was refused.")
        echo = json.dumps({"method": method, "body": (body or b"").decode(), "error": None}).encode()
        return HttpResponse(404 if path == "/missing" else 200, {}, b"plain" if path == "/text" else echo)


@pytest.fixture
def network():
    return Network()


@pytest.fixture
def web_talk(talk, network):
    """Run a flow on an engine with the network."""
    with Engine(fetch=network) as engine:
        yield lambda code: talk(code, on=engine)


@pytest.mark.parametrize(
    ("imported", "call"),
    [
        ("import requests", 'requests.post("http://x/a", json={"n": 1})'),
        ("import json, requests as web", 'web.post("http://x/a", json={"n": 1})'),
        ("from requests import (get, post as send)", 'send("http://x/a", json={"n": 1})'),
        ("import requests.exceptions", 'requests.post("http://x/a", data=\'{"n":1}\')'),
    ],
)
def test_requests_works_however_it_is_imported(web_talk, imported, call):
    code = f'{imported}\nanswer = {call}\nsay(f"{{answer.ok}} {{answer.status_code}} {{answer.json()["body"]}}")\n'
    assert web_talk(code).said == ['True 200 {"n":1}']


def test_parameters_headers_forms_and_time_limits_are_passed_on(web_talk, network):
    talked = web_talk(
        "import requests\n"
        'requests.get("http://x/a?z=1", params={"q": "a b"}, headers={"A": "b"}, timeout=3)\n'
        'requests.put("http://x/a", data={"a": "b c"})\n'
    )
    assert network.requests[0] == ("GET", "http://x/a?z=1&q=a+b", {"A": "b"}, None, 3.0)
    assert network.requests[1][2:4] == ({"Content-Type": "application/x-www-form-urlencoded"}, b"a=b+c")
    requested = talked.of("requested")[0]
    assert (requested.line, requested["method"], requested["status"]) == (2, "GET", 200)


MISSING = 'requests.get("http://x/missing").raise_for_status()'
NOT_FOUND = "404 Client Error: Not Found for url: http://x/missing"
TIMED_OUT = "HTTPConnectionPool(host='x', port=80): Read timed out."


@pytest.mark.parametrize(
    ("call", "error", "text"),
    [
        (MISSING, "requests.exceptions.HTTPError", NOT_FOUND),
        (MISSING, "OSError", NOT_FOUND),
        ('requests.get("http://x/text").json()', "ValueError", ""),
        ('requests.get("http://x/slow")', "requests.exceptions.ReadTimeout", TIMED_OUT),
        ('requests.get("http://x/slow")', "Exception", TIMED_OUT),
        ('requests.get("http://x/closed")', "requests.exceptions.ConnectionError", "Max retries exceeded with url"),
    ],
)
def test_an_exception_of_requests_is_caught_by_its_name_and_its_bases(web_talk, call, error, text):
    (said,) = web_talk(f"import requests\ntry:\n    {call}\nexcept {error} as error:\n    say(error)\n").said
    assert text in said


@pytest.mark.parametrize("url", ["shop", "http://", "http://[", "http://x:99999/", "file:///etc/passwd"])
def test_a_text_that_is_no_address_is_an_error_of_the_flow(talk, url):
    with Engine(fetch=fetcher(Outgoing())) as engine:
        failure = talk(f"import requests\nrequests.get({url!r})\n", on=engine).session.failure
    assert (failure.exception, failure.line) == ("OSError", 2)
    assert failure.error.startswith("Invalid URL")


def test_the_older_functions_answer_with_a_dict(web_talk):
    code = """
answer = api.post_req(url="http://x/a", data={"n": 1}, headers={"A": "b"})
say(f'{answer["data"]["body"]} {answer["response"]["method"]} {answer["status"]}')
say(api.get_req("http://x/b", {"q": 1})["data"]["method"])
"""
    assert web_talk(code).said == ['{"n":1} POST 200', "GET"]


def test_a_flow_does_not_reach_other_hosts_than_loopback():
    with pytest.raises(Refused):
        fetcher(Outgoing())("GET", "http://hooks.example.com/", {}, None, 5)


def test_a_redirect_is_not_followed(talk, http_server):
    redirecting = http_server(lambda handler: send(handler, 302, Location="http://169.254.169.254/"))
    with Engine(fetch=fetcher(Outgoing())) as engine:
        code = f'import requests\nr = requests.get("{redirecting}/")\nsay(f"{{r.status_code}} {{r.headers}}")\n'
        (said,) = talk(code, on=engine).said
    assert said.startswith("302 ") and "http://169.254.169.254/" in said

"""A language model behind HTTP decides in place of the built-in one."""

import json
import threading

import pytest

from dryline.flow.model.remote_model import RemoteModel
from dryline.tests.conftest import json_body, send

CODE = """
loop:
    r = talk("Be kind.", True, {"shop": "Oak"}, {"plan": "gold"})
until "user wants tea":
    extract("it", r.ask("How many?", {"cups": 1}))
    say(r.summarize())
until {"name": "coffee", "description": "user wants coffee", "parameters": {"type": "object"}} as wish:
    extract("wish", wish)
"""


class ModelServer:
    """A server that answers with `answers` in their order and stores the requests."""

    def __init__(self, http_server):
        self.answers, self.requests, self.status = [], [], 200
        self.url = http_server(self._answer) + "/v1"

    def _answer(self, handler):
        key = handler.headers["Authorization"]
        self.requests.append({"path": handler.path, "key": key, **json_body(handler)})
        content = self.answers.pop(0) if self.answers else ""
        choices = [{"message": {"role": "assistant", "content": content}}]
        send(handler, self.status, json.dumps({"choices": choices}).encode())


@pytest.fixture
def server(http_server):
    return ModelServer(http_server)


@pytest.fixture
def converse(talk, server):
    """Run CODE with the model behind the server, which gives these answers."""

    def converse(said, *answers):
        server.answers = ["Hi", *answers]
        return talk(CODE, said, model=RemoteModel(server.url, "small", "secret"))

    return converse


def test_a_model_speaks_decides_answers_and_summarizes(converse, server):
    choice = 'Sure: ```json\n{"index": 0, "why": "They said so.", "sure": 0.9}\n```'
    talked = converse("three teas", choice, '{"value": {"cups": 3}}', "Three cups.")
    assert [event["text"] for event in talked.of("said")] == ["Hi", "Three cups."]
    taken = talked.of("taken")[0]
    assert (taken["index"], taken["why"], taken["sure"], taken["by"]) == (0, "They said so.", 0.9, "small")
    assert talked.session.extracted == {"it": {"cups": 3}}
    assert {request["path"] for request in server.requests} == {"/v1/chat/completions"}
    assert {request["key"] for request in server.requests} == {"Bearer secret"}
    prompt = server.requests[0]["messages"][0]["content"]
    assert prompt.startswith("Be kind.") and "Oak" in prompt and "gold" in prompt


def test_a_model_fills_the_arguments_of_a_tool(converse):
    talked = converse("a big one", '{"index": 1, "why": "w", "sure": 1, "arguments": {"size": "big"}}')
    assert talked.session.extracted == {"wish": {"size": "big"}}


def test_a_model_can_say_that_no_condition_is_met(converse):
    talked = converse("hm", '{"index": null, "why": "w", "sure": 1}', "Tea or coffee?")
    assert talked.events[-1]["text"] == "Tea or coffee?"


@pytest.mark.parametrize("answer", ["", "no json", "[1]", '{"index": 7}', '{"index": "0"}'])
def test_the_built_in_model_replaces_a_wrong_decision_and_the_event_says_so(converse, answer):
    taken = converse("I want tea", answer).of("taken")[0]
    assert (taken["index"], taken["by"]) == (0, "built-in")
    assert taken["why"].startswith("The model")


def test_events_name_the_failure_of_a_models_server(converse, server):
    server.status = 500
    talked = converse("I want tea")
    assert "The model's server answered 500." in talked.of("taken")[0]["why"]
    assert "answered 500" in talked.of("said")[0]["how"]
    assert "answered 500" in talked.of("asked")[0]["how"][""]


def test_a_slow_model_is_replaced(talk, http_server, monkeypatch):
    """It drips: each byte comes in time, and the whole does not."""
    monkeypatch.setattr("dryline.flow.model.remote_model.TIMEOUT_S", 0.1)
    release = threading.Event()

    def answer(handler):
        handler.send_response(200)
        handler.end_headers()
        while not release.wait(0.02):
            handler.wfile.write(b" ")
        handler.close_connection = True

    taken = talk(CODE, "I want tea", model=RemoteModel(f"{http_server(answer)}/v1", "small")).of("taken")[0]
    release.set()
    assert "No answer within 0.1 s" in taken["why"]

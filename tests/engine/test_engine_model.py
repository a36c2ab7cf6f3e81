"""A model can judge instead: a small server of the tests' own stands for it."""

from __future__ import annotations

import json
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from dryline.engine.remote_model import RemoteModel

CODE = """
loop:
    r = talk("Be kind.", True, {"shop": "Oak"})
until "user wants tea":
    extract("it", r.ask("How many?", {"cups": 1}))
    say(r.summarize())
until {"name": "coffee", "description": "user wants coffee", "parameters": {"type": "object"}} as wish:
    extract("wish", wish)
"""


class Model:
    """Answers with what the test put in `answers`, in turn; keeps what it was asked."""

    def __init__(self):
        self.answers, self.asked, self.status = [], [], 200
        model = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                model.asked.append({"path": self.path, "key": self.headers["Authorization"], **body})
                content = model.answers.pop(0) if model.answers else ""
                answer = json.dumps({"choices": [{"message": {"role": "assistant", "content": content}}]}).encode()
                self.send_response(model.status)
                self.send_header("Content-Length", str(len(answer)))
                self.end_headers()
                self.wfile.write(answer)

            def log_message(self, *_):
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/v1"
        threading.Thread(target=self.server.serve_forever, args=(0.01,), daemon=True).start()


@pytest.fixture
def model():
    model = Model()
    yield model
    model.server.shutdown()
    model.server.server_close()


def test_a_model_speaks_judges_answers_and_sums_up(talk, model):
    model.answers = [
        "Welcome!",
        'Sure: ```json\n{"index": 0, "why": "They said so.", "sure": 0.9}\n```',
        '{"value": {"cups": 3}}',
        "Three cups.",
    ]
    talked = talk(CODE, "three teas", model=RemoteModel(model.url, "small", "secret"))
    assert [event["text"] for event in talked.of("said")] == ["Welcome!", "Three cups."]
    taken = talked.of("taken")[0]
    assert (taken["index"], taken["why"], taken["sure"], taken["by"]) == (0, "They said so.", 0.9, "small")
    assert talked.session.extracted == {"it": {"cups": 3}}
    assert {asked["path"] for asked in model.asked} == {"/v1/chat/completions"}
    assert {asked["key"] for asked in model.asked} == {"Bearer secret"}
    assert model.asked[0]["messages"][0]["content"].startswith("Be kind.")


def test_a_model_fills_a_tool(talk, model):
    model.answers = ["Hi", '{"index": 1, "why": "w", "sure": 1, "arguments": {"size": "big"}}']
    assert talk(CODE, "a big one", model=RemoteModel(model.url, "small")).session.extracted == {"wish": {"size": "big"}}


def test_a_model_can_find_that_no_condition_holds(talk, model):
    model.answers = ["Hi", '{"index": null, "why": "w", "sure": 1}', "Tea or coffee?"]
    talked = talk(CODE, "hm", model=RemoteModel(model.url, "small"))
    assert talked.events[-1]["text"] == "Tea or coffee?"


@pytest.mark.parametrize("answer", ["", "no json", "[1]", '{"index": 7}', '{"index": "0"}'])
def test_a_model_that_cannot_judge_is_replaced_and_the_event_says_so(talk, model, answer):
    model.answers = ["Hi", answer]
    taken = talk(CODE, "I want tea", model=RemoteModel(model.url, "small")).of("taken")[0]
    assert (taken["index"], taken["by"]) == (0, "built-in")
    assert taken["why"].startswith("The model")


def test_a_server_that_fails_is_told(talk, model):
    model.status = 500
    talked = talk(CODE, "I want tea", model=RemoteModel(model.url, "small"))
    assert "The model's server answered 500." in talked.of("taken")[0]["why"]
    assert "answered 500" in talked.of("said")[0]["how"]
    assert "answered 500" in talked.of("asked")[0]["how"][""]


def test_a_server_that_is_not_there_is_told(talk):
    taken = talk(CODE, "I want tea", model=RemoteModel("http://127.0.0.1:9/v1", "small")).of("taken")[0]
    assert taken["why"].startswith("The model did not answer")


@pytest.mark.parametrize("drips", [False, True])
def test_a_model_that_is_slow_is_replaced(talk, monkeypatch, drips):
    monkeypatch.setattr("dryline.engine.remote_model.TIMEOUT_S", 0.1)
    release = threading.Event()

    class Slow(BaseHTTPRequestHandler):
        def do_POST(self):
            if drips:
                self.send_response(200)
                self.end_headers()
            while not release.wait(0.02 if drips else 10):
                self.wfile.write(b" ")
            self.close_connection = True

        def log_message(self, *_):
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Slow)
    threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
    taken = talk(CODE, "I want tea", model=RemoteModel(f"http://127.0.0.1:{server.server_port}/v1", "small")).of(
        "taken"
    )[0]
    release.set()
    server.shutdown()
    server.server_close()
    assert "No answer within 0.1 s" in taken["why"]

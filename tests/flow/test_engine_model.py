"""A language model behind HTTP decides in place of the built-in one."""

import json
import threading

import pytest

from dryline.flow.language.language_model import Question
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
        self.answers, self.requests, self.status, self.error = [], [], 200, None
        self.url = http_server(self._answer) + "/v1"

    def _answer(self, handler):
        key = handler.headers["Authorization"]
        self.requests.append({"path": handler.path, "key": key, **json_body(handler)})
        content = self.answers.pop(0) if self.answers else ""
        choices = [{"message": {"role": "assistant", "content": content}}]
        answer = {"choices": choices} if self.status == 200 else {"error": self.error}
        send(handler, self.status, json.dumps(answer).encode())


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


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "no json",
        "[1]",
        '{"index": 7}',
        '{"index": true}',
        '{"index": 0.5}',
        '{"index": "tea"}',
        '{"sure": 1}',
        "{}",
    ],
)
def test_the_built_in_model_replaces_a_wrong_decision_and_the_event_says_so(converse, answer):
    taken = converse("I want tea", answer).of("taken")[0]
    assert (taken["index"], taken["by"]) == (0, "built-in")
    assert taken["why"].startswith("The model")


THINKING = [
    "<think>They said tea {or coffee}.</think>\n\n{}",
    '<THINK lang=en>\n{"index": 1}\n</THINK>{}',
    "<thinking>a</thinking>{}",
    "<reasoning>a<think>b</think>c</reasoning>{}",
    '<seed:think>{"index": 1} or {"value": {"cups": 9}}</seed:think>{}',
    "They want tea. {index 1}</think>{}",
    "<|begin_of_thought|>a<|end_of_thought|>{}",
    "[THINK]a[/THINK]{}",
    "◁think▷a◁/think▷{}",
    "<|channel|>analysis<|message|>a<|end|><|start|>assistant<|channel|>final<|message|>{}<|return|>",
    "{}<think>I could say more",
]


@pytest.mark.parametrize("reply", THINKING)
def test_the_thoughts_of_a_model_are_neither_said_nor_read(converse, reply):
    choice = '{"index": 0, "why": "w"}'
    answers = [reply.replace("{}", each) for each in (choice, '{"value": {"cups": 3}}', "Three cups [of tea].")]
    talked = converse("three teas", *answers)
    assert (talked.of("taken")[0]["by"], talked.session.extracted) == ("small", {"it": {"cups": 3}})
    assert talked.of("said")[-1]["text"] == "Three cups [of tea]."


def test_an_answer_that_is_all_thoughts_is_replaced(converse):
    talked = converse("I want tea", "<think>Tea or coffee?")
    assert talked.of("taken")[0]["by"] == "built-in" and "said nothing" in talked.of("taken")[0]["why"]


@pytest.mark.parametrize(
    "answer",
    [
        '{"index": 0}\n{"index": 1}',
        '{"index": 0} I used {index} there.',
        'As {"why": "asked"}, so: {"index": 0}',
        '{"index": "0"}',
        '{"index": 0.0}',
        '{"index": "0.0"}',
        '{"Index": 0, "Why": "w"}',
        [{"type": "thinking", "thinking": [{"text": "no"}]}, {"type": "text", "text": '{"index": 0}'}],
    ],
)
def test_the_first_decision_counts_in_any_spelling(converse, answer):
    taken = converse("I want tea", answer).of("taken")[0]
    assert (taken["index"], taken["by"]) == (0, "small")


@pytest.mark.parametrize("index", ["null", '"null"', '""', '"None"'])
def test_no_condition_may_be_spelled_as_a_text(converse, index):
    assert converse("hm", f'{{"index": {index}}}', "Tea or coffee?").events[-1]["text"] == "Tea or coffee?"


# An example, the answer of a model to an `.ask` with it, and the value that the flow gets.
ORDER = {"day": "Monday", "cups": 1, "price": 1.5, "vip": True, "items": [{"name": "tea", "size": "s"}]}
NOTHING = {"day": None, "cups": None, "price": None, "vip": None, "items": []}
SHAPED = [
    (ORDER, {"value": None}, NOTHING),
    (ORDER, {"value": {}}, NOTHING),
    (ORDER, {"value": {"Day": "Tuesday", "CUPS": "2"}}, NOTHING | {"day": "Tuesday", "cups": 2}),
    (ORDER, {"value": json.dumps({"day": "Tuesday"})}, NOTHING | {"day": "Tuesday"}),
    (ORDER, {"value": [{"day": "Tuesday"}]}, NOTHING | {"day": "Tuesday"}),
    (ORDER, {"day": "Tuesday", "cups": 2.0}, NOTHING | {"day": "Tuesday", "cups": 2}),
    (
        ORDER,
        {"value": {"day": 5, "cups": True, "price": "2", "vip": "yes"}},
        NOTHING | {"day": "5", "price": 2.0, "vip": True},
    ),
    (ORDER, {"value": {"day": {"x": 1}, "cups": "many", "vip": "maybe", "items": None}}, NOTHING),
    (
        ORDER,
        {"value": {"items": [{"Name": "tea"}, {"size": "l", "sugar": 1}]}},
        NOTHING | {"items": [{"name": "tea", "size": None}, {"name": None, "size": "l"}]},
    ),
    (ORDER, {"value": {"items": {"name": "tea"}}}, NOTHING | {"items": [{"name": "tea", "size": None}]}),
    ({"day": "Monday"}, {"value": "Tuesday"}, {"day": "Tuesday"}),
    ({"pick_up": {"day": "Monday"}}, {"value": {"pickUp": {"day": "Tuesday"}}}, {"pick_up": {"day": "Tuesday"}}),
    (["tea"], {"value": "tea"}, ["tea"]),
    (["tea"], {"value": None}, []),
    ("Monday", {"value": ["Monday", "Tuesday"]}, "Monday, Tuesday"),
    (None, {"value": 3.0}, "3"),
    (None, {"value": None}, None),
]


@pytest.mark.parametrize(("example", "answer", "value"), SHAPED)
def test_the_answer_of_a_model_has_the_shape_of_the_example(server, example, answer, value):
    server.answers = [json.dumps(answer)]
    made = RemoteModel(server.url, "small").ask(Question("On Tuesday", "When?", example))
    assert (made.value, made.by) == (value, "small")
    assert type(made.value) is type(value)


@pytest.mark.parametrize(
    ("schema", "answer", "value"),
    [
        ({"type": "integer"}, {"value": "2"}, 2),
        ({"enum": ["small", "large"]}, {"value": "Large"}, "large"),
        ({"enum": ["small", "large"]}, {"value": "huge"}, None),
        ({"type": ["array", "null"], "items": {"type": "string"}}, {"value": "a"}, ["a"]),
        (
            {"properties": {"day": {"type": "string"}, "n": {}}},
            {"value": {"DAY": "x", "n": [1]}},
            {"day": "x", "n": [1]},
        ),
    ],
)
def test_the_answer_of_a_model_has_the_shape_of_the_schema(server, schema, answer, value):
    server.answers = [json.dumps(answer)]
    made = RemoteModel(server.url, "small").ask(Question("On Tuesday", "When?", schema=schema))
    assert (made.value, made.by) == (value, "small")


@pytest.mark.parametrize(
    "answer",
    [
        '{"value": ' + '{"day":' * 900 + "1" + "}" * 900 + "}",
        '{"value": ' + "[" * 100 + "]" * 100 + "}",
        '{"value": 5}',
        '{"value": {"day": "\\ud800"}}',
        '{"value": {"cups": NaN}}',
        '{"value": {"day": "Tues',
        "{" * 5_000,
    ],
)
def test_the_built_in_model_replaces_an_answer_without_the_shape(server, answer):
    server.answers = [answer]
    made = RemoteModel(server.url, "small").ask(Question("On Tuesday", "When?", ORDER))
    assert made.by == "built-in" and made.value.keys() == ORDER.keys()
    assert made.how[""].startswith("The model's answer has")


@pytest.mark.parametrize(
    ("error", "says"),
    [
        ({"message": "temperature is not supported"}, "answered 400: temperature is not supported"),
        ("no such model", "answered 400: no such model"),
        ({"message": "Incorrect key: secret"}, "answered 400: Incorrect key: ***"),
    ],
)
def test_events_name_the_failure_of_a_models_server(converse, server, error, says):
    server.status, server.error = 400, error
    talked = converse("I want tea")
    assert says in talked.of("taken")[0]["why"]
    assert says in talked.of("said")[0]["how"]
    assert says in talked.of("asked")[0]["how"][""]


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

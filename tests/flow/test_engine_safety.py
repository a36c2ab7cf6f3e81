"""A flow cannot harm the server: it has limits, no files and no environment, and other flows do not notice."""

from __future__ import annotations

import threading

import pytest

from dryline.flow.language import interpreter, sandbox
from dryline.flow.language.branches import FlowMap
from dryline.tests.flow.conftest import QUIZ

# Flows that only the limit of time ends.
ENDLESS = {
    "an endless loop": "while True:\n    pass\n",
    "an endless loop that catches all": "while True:\n    try:\n        while True:\n"
    "            pass\n    except BaseException:\n        pass\n",
    "a slow pattern": 'import re\nre.match("(a+)+$", "a" * 40 + "b")\nwhile True:\n    pass\n',
    "a number that squares itself": "x = 3\nwhile True:\n    x = x * x\n",
    "a condition without end": 'def f():\n    while True:\n        pass\nloop:\n    talk("p", False)\n'
    "until f():\n    pass\n",
    "code in a text": "exec('while True: pass')\n",
}
# Flows that another limit ends, long before.
TOO_MUCH = {
    "a memory bomb": 'x = "a"\nwhile True:\n    x = x + x\n',
    "a huge list": "x = [0] * 10 ** 12\n",
    "a huge number": "x = 10 ** 10 ** 8\n",
    "deep recursion": "def f(n):\n    return f(n + 1)\nf(0)\n",
    "ten thousand says that catch all": 'for n in range(10000):\n    try:\n        say("hi")\n'
    "    except BaseException:\n        pass\n",
    "long says": 'for n in range(400):\n    say("x" * 100000)\n',
    "calls of unknown names": "while True:\n    try:\n        nothing()\n    except NameError:\n        pass\n",
    "a value that holds one value many times": 'x = []\nfor n in range(60):\n    x = [x, x]\nextract("x", x)\n',
    "a state that holds one value many times": 'x = []\nfor n in range(60):\n    x = [x, x]\nstate["x"] = x\n'
    'loop:\n    talk("p", False)\nuntil "a":\n    pass\n',
    "many extractions": 'for n in range(400):\n    extract(str(n), "x" * 1_000_000)\n',
    "an answer of 500 values": '"t".ask("q", {str(n): "a" for n in range(500)})\n',
}


@pytest.mark.parametrize("code", ENDLESS.values(), ids=ENDLESS.keys())
def test_an_endless_flow_is_ended_by_time(hurried, talk, code):
    session = talk(code).session
    assert session.failure.bound
    assert_an_error_of_its_own(session, code)


@pytest.mark.parametrize("name", TOO_MUCH)
def test_a_flow_that_runs_away_ends_as_an_error_of_its_own(talk, name):
    session = talk(TOO_MUCH[name]).session
    assert_an_error_of_its_own(session, TOO_MUCH[name])
    if name in ("a memory bomb", "a huge list"):
        failure = session.failure
        assert (failure.exception, failure.error) == ("MemoryError", "The flow took more memory than it may.")
        assert failure.bound


LOOP = "loop:\n    talk({}, False{})\nuntil {}:\n    return {}\n"
TOO_LONG = {
    "a key": ('"t".ask("q", {"a " * 501: "x"})', "whose keys and texts have at most 1,000 characters"),
    "an example": ('"t".ask("q", {"x": ["monday " * 200]})', "whose keys and texts have at most 1,000 characters"),
    "a schema": (
        '"t".ask("q", schema={"properties": {"x": {"description": "a" * 1001}}})',
        "whose keys and texts have at most 1,000 characters",
    ),
    "a question": ('"t".ask("q" * 10001)', "a question of at most 10,000 characters"),
    "a text that a question is about": ('("t" * 200001).ask("q")', "a text of at most 200,000 characters"),
    "a text to summarize": ('("t" * 200001).summarize()', "a text of at most 200,000 characters"),
    "a prompt": (LOOP.format('"p" * 200001', "", '"yes"', "1"), "a prompt of at most 200,000 characters"),
    "info": (LOOP.format('"p"', ', info={"x": "i" * 200001}', '"yes"', "1"), "of at most 200,000 characters"),
    "a condition": (LOOP.format('"p"', "", '"c" * 10001', "1"), "a condition of at most 10,000 characters"),
    "a tool's schema": (
        LOOP.format('"p"', "", '{"name": "f", "parameters": {"properties": {"a" * 1001: {}}}}', "1"),
        "whose keys and texts have at most 1,000 characters",
    ),
    "what a return hands back": (LOOP.format('"p"', "", '"yes"', '"n" * 200001'), "of at most 200,000 characters"),
    "what is said": ('say("s" * 200001)', "a text of at most 200,000 characters"),
    "an extraction's key": ('extract("k" * 1001, 1)', "a key of at most 1,000 characters"),
    "an address": ('import requests\nrequests.get("http://a/" + "b" * 50000)', "more than 50,000 characters"),
}


@pytest.mark.parametrize("name", TOO_LONG)
def test_a_text_that_a_flow_passes_on_has_a_bound(engine, name):
    code, sentence = TOO_LONG[name]
    session = engine.open(engine.program(f"{code}\n"))
    session.start()
    if session.waiting:
        session.choose(0)
    assert session.ended == "failed"
    assert sentence in session.failure.error


@pytest.mark.parametrize(("length", "line"), [(10_000, None), (10_001, 2)])
def test_a_line_of_code_has_a_bound(engine, length, line):
    code = f'x = 1\nx = "{"a" * (length - 6)}"\n'
    findings = engine.check(code)
    assert [(each.line, each.column) for each in findings] == ([(line, 10_001)] if line else [])
    assert all("longer than 10,000 characters. Break it" in each.sentence for each in findings)


def test_the_map_of_a_flow_is_read_in_linear_time(engine):
    """Would take minutes if each `if` were compared with each line by a regular expression."""
    guard = f"if {' + '.join(['a'] * 480)} == 'q':\n    end_call()\n"
    code = 'loop:\n    talk("p", False)\nuntil "b":\n    a = "q"\n' + guard * 90
    flow_map = FlowMap(engine.program(code))
    assert [condition.text for condition in flow_map.endings["completed"]] == ["b"]


PASSING = {
    "texts": ('text = "p " * 50_000', "talk(text)"),
    "members": ("value = [1] * 10_000", "value.to_json()"),
    "members of objects": ("class Box:\n    pass\nbox = Box()\nbox.value = [[]] * 5_000", "box.to_json()"),
    "large numbers": ("number = 10 ** 200_000", "number.to_json()"),
    "a value that holds one value many times": ("x = []\nfor n in range(60):\n    x = [x, x]", "x.to_json()"),
}


@pytest.mark.parametrize(("value", "call"), PASSING.values(), ids=PASSING.keys())
def test_the_calls_of_a_turn_pass_only_so_much(talk, value, call):
    """Each keeps the server busy for as long as its values are large."""
    repeated = f"for n in range(499):\n    try:\n        {call}\n    except Exception:\n        pass\n"
    failure = talk(f"{value}\n{repeated}").session.failure
    assert failure.error.startswith("The flow's calls passed more than 10,000,000 characters, or 625,000 members,")
    assert failure.bound


def test_the_turn_of_a_user_begins_a_new_count_of_what_calls_pass(engine, monkeypatch):
    monkeypatch.setattr(interpreter, "PASSED_A_TURN", 1_500)
    session = engine.open(
        engine.program('loop:\n    talk("p", False)\nuntil "x":\n    ("t" * 1_000).to_json()\n    return\n')
    )
    session.start()
    for _ in range(3):
        session.choose(0)
    assert session.waiting


def assert_an_error_of_its_own(session, code):
    assert session.ended == "failed"
    assert 1 <= session.failure.line <= code.count("\n")
    assert len(session.failure.traceback) < 50_000


def test_a_flow_that_calls_now_and_then_is_ended_by_the_time_of_its_conversation(talk, monkeypatch):
    monkeypatch.setattr(sandbox, "CONVERSATION_S", 0.1)
    code = 'while True:\n    for n in range(20_000):\n        pass\n    "x".to_json()\n'
    failure = talk(code).session.failure
    assert (failure.exception, failure.bound) == ("TimeoutError", True)


def test_others_go_on_while_a_flow_runs_away(engine, monkeypatch):
    monkeypatch.setattr(sandbox, "STEP_S", 1.0)
    ended = threading.Event()

    def bomb():
        session = engine.open(engine.program(ENDLESS["an endless loop"]))
        session.start()
        ended.set()

    runaway = threading.Thread(target=bomb)
    runaway.start()
    turns = 0
    while not ended.is_set():
        session = engine.open(engine.program(QUIZ))
        session.start()
        session.choose(0)
        assert session.waiting
        turns += 1
    runaway.join()
    assert turns > 20  # alone it would be hundreds


@pytest.mark.parametrize(
    "code",
    [
        'open("/etc/passwd").read()',
        "import os\nos.listdir('/')",
        "import os\nos.environ['PATH']",
        "import subprocess",
        "import pathlib\npathlib.Path('/etc/passwd').read_text()",
        "__import__('os').system('true')",
    ],
)
def test_there_are_no_files_no_processes_and_no_environment(talk, code):
    assert talk(code + "\n").session.ended == "failed"


def test_a_conversation_has_an_end(talk, engine, monkeypatch):
    monkeypatch.setattr("dryline.flow.language.session.TURNS", 3)
    session = engine.open(engine.program('loop:\n    talk("p", False)\nuntil "x":\n    pass\n'))
    session.start()
    for _ in range(4):
        session.say("hm")
    assert "more than 3 turns" in session.failure.error

# ruff: noqa: E501 - a flow stays on one line.
"""Code that is hard to read, or tries to leave the sandbox: it runs, or its own line says why not."""

from __future__ import annotations

import pytest

from dryline.flow.engine import CodeRefused

# Each of these runs to its last line, whatever stands above it, and fails there alone.
RUNS = {
    "tabs": 'loop:\n\ttalk("p", False)\nuntil "a":\n\tif True:\n\t\t1 / 0',
    "line ends of Windows": 'loop:\r\n    talk("p", False)\r\nuntil "a":\r\n    x = """a\r\nb"""\r\n    1 / 0',
    "a byte order mark": '\ufeffsay("a")\n1 / 0',
    "separators in a text": 'x = "a\x1cb\x1dc\x1ed\x85e\u2028f\u2029g"\n1 / 0',
    "a text in the form of code": '"""\nuntil "x":\nloop:\n    return\n"""\n1 / 0',
    "f-strings in f-strings": 'a = 1\nsay(f"{f"{f"{a}"}"}" + f"{a:{f"{10}"}}" + f"{a!r:>{5 + 5}}" + f"{ {1: 2}[1] }")\n1 / 0',
    "headers over many lines": 'loop:\n    r = \\\n      talk("p", \\\n      False)\nuntil \\\n  ("a"\n  "b"):\n    1 / 0',
    "comments everywhere": 'loop: # a\n    talk("p", False) # b\nuntil "a": # c\n    # d\n    1 / 0 # e',
    "names of the headers": "until: int = 3\nloop: int = 4\ndef f(loop, until=1): return loop\nf(1)\n1 / 0",
    "values that hold themselves": 'x = []\nx.append(x)\nextract("x", x)\nsay(str(x))\nstate["x"] = x\ns = {}\ns["properties"] = {"a": s}\n'
    '"x".ask("q", schema=s)\n1 / 0',
    "numbers that JSON lacks": 'state["n"] = [float("nan"), float("inf"), 2 ** 70_000, 1j, b"\\xff"]\nsay(2 ** 70)\n1 / 0',
    "half a sign": 'say("\\ud800")\nextract("\\udfff", "\\ud800")\nstate["\\ud800"] = 1\n1 / 0',
}  # fmt: skip
# None of these runs further than its line.
STOPS = {
    "the way over a class": ("x = 1\n().__class__.__base__.__subclasses__()\n", 2),
    "the way over a function": ('say("a")\nsay.__globals__\n', 2),
    "a way that is spelled out": ('getattr(state, "__class__")\n', 1),
    "an exception in a condition": ('loop:\n    talk("p", False)\nuntil f"{1 / 0}":\n    pass\n', 3),
    "a line end in a header": ('import requests\nrequests.get("http://127.0.0.1:9/", headers={"a": "b\\r\\nc: d"})\n', 2),
}  # fmt: skip


@pytest.fixture
def failure(engine):
    """Run a flow, taking the first condition in each turn; return its failure. The session is stored between turns."""

    def failure(code):
        session = engine.open(engine.program(code))
        session.start()
        for _ in range(50):
            if session.ended:
                break
            session = engine.load(session.dump())
            session.choose(0)
        return session.failure

    return failure


@pytest.mark.parametrize("code", RUNS.values(), ids=RUNS.keys())
def test_odd_code_runs_to_its_last_line(failure, code):
    rows = code.replace("\r\n", "\n").split("\n")
    failed = failure(code)
    assert (failed.exception, failed.line) == ("ZeroDivisionError", len(rows)), failed.traceback
    assert failed.column == rows[-1].index("1 / 0") + 1


@pytest.mark.parametrize(("code", "line"), STOPS.values(), ids=STOPS.keys())
def test_code_that_cannot_run_stops_on_its_line(failure, code, line):
    failed = failure(code)
    assert failed.line == line
    assert "_based_" not in failed.traceback and "monty" not in failed.traceback


@pytest.mark.parametrize("code", ['x = "t"' + '.ask("q")' * 10_000, "x = a" + ".a.ask(1)" * 10_000, "# x\n" * 60_000])
def test_code_that_would_take_minutes_to_read_is_refused(engine, code):
    with pytest.raises(CodeRefused):
        engine.program(code + "\n")

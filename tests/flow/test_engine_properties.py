"""Generated code: it runs or is refused with a line, never hangs and never raises into the server."""

from __future__ import annotations

from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from dryline.flow.engine import CodeRefused

SIMPLE = st.sampled_from(
    """x += 1|say(f"{x}")|extract("k", x)|z = r.ask("q", {"a": 1, "b": "c"})|print(x)|return|return "value"
return x  # why|break|continue|done()|pass|end_call()|1 / 0|nothing|x = (1,\\n2)|if x: return|for n in [1, 2]: x += n
def f(): return 1|talk('outside')|until = 1|state = {}""".replace("\n", "|")
    .replace("\\n", "\n")
    .split("|")
)


def indented(lines, by="    "):
    return [by + line for line in lines]


def blocks(inner):
    body = st.lists(inner, min_size=1, max_size=3).map(lambda parts: [line for part in parts for line in part])
    python = st.sampled_from(["if x:", "for n in [1, 2]:", "while x < 3:", "try:", "with_it = 1", "def g():"])

    def wrap(head, block):
        if head == "with_it = 1":
            return [head, *block]
        tail = ["finally:", "    x += 1"] if head == "try:" else ["else:", "    x += 1"] if head != "def g():" else []
        step = ["    x += 1"] if head.startswith("while") else []
        return [head, *step, *indented(block), *tail]

    def loop(block, untils, inside):
        lines = ["loop:", *indented(block), '    r = talk("p", False)']
        for index, until in enumerate(untils):
            head = [f'until "condition {index}" as args:', *indented(until)]
            lines += indented(head) if inside else head
        return lines

    return st.one_of(
        st.builds(wrap, python, body),
        st.builds(loop, st.one_of(st.just([]), body), st.lists(body, max_size=3), st.booleans()),
    )


FLOWS = st.lists(st.recursive(SIMPLE.map(lambda line: [line]), blocks, max_leaves=12), min_size=1, max_size=4).map(
    lambda parts: "x = 0\nr = 'nothing'\n" + "\n".join(line for part in parts for line in part) + "\n"
)


def errors_of(engine, code):
    try:
        engine.checked_program(code)
    except CodeRefused as refused:
        return refused.findings
    return []


@settings(max_examples=80, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=FLOWS, turns=st.lists(st.integers(0, 2), max_size=5))
@example(code='loop:\n    talk("a")\n    return\n    r = talk("p", False)\n', turns=[])  # the loop's call has no line
def test_a_generated_flow_runs_or_is_refused_with_a_line(hurried, engine, code, turns):
    findings = errors_of(engine, code)
    for finding in findings:
        assert 1 <= finding.line <= code.count("\n") + 1
    try:
        session = engine.open(engine.program(code))
    except CodeRefused:
        assert findings
        return
    session.start()
    for turn in turns:
        if session.ended:
            break
        session = engine.load(session.dump())
        session.choose(turn % len(session.waiting)) if session.waiting else session.say("hello")
    if findings:
        assert session.ended == "failed"
    if session.failure:
        assert 1 <= session.failure.line <= code.count("\n") + 1


@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(code=st.text(st.sampled_from("lop:until \n\t\"'\\#(){}[]f=as.k,;é\r1!"), max_size=80))
def test_any_text_is_answered(engine, code):
    for finding in engine.check(code):
        assert finding.line >= 1

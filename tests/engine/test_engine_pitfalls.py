"""Each pitfall of contract/based.md (sections 6 and 8) is met, and errors name the flow's own lines."""

from __future__ import annotations

import pytest

from dryline.engine import Busy, CodeRefused, sandbox
from dryline.world.clock import for_team


def test_a_call_of_an_unknown_name_is_a_name_error(talk):
    failure = talk('say("a")\nsya("b")\n').session.failure
    assert (failure.exception, failure.line, failure.error) == ("NameError", 2, "name 'sya' is not defined")


def test_a_built_in_can_be_stored_and_called_later(talk, take):
    code = 'f = say\nloop:\n    talk("p", False)\nuntil "a":\n    [f][0]("kept")\n'
    assert talk(code, take("a")).said == ["kept"]


def test_what_a_host_call_answered_lives_through_a_kept_session(talk, take):
    code = """
from zoneinfo import ZoneInfo
zone = ZoneInfo("Europe/Bern" if False else "Europe/Zurich")
answer = "My name is Ada Byron".ask("?", {"name": ""})
loop:
    r = talk("p", False)
until "a":
    from datetime import datetime
    say(answer["name"] + str(datetime.now(zone).tzinfo is not None))
    say(r.ask("what is said", {"name": ""})["name"])
"""
    assert talk(code, "I am Bob Hill", take("a")).said == ["Ada ByronTrue", "Bob Hill"]


@pytest.mark.parametrize("name", ["Mars/Base", "America", "a" * 300])
def test_an_unknown_zone_is_a_key_error(talk, name):
    assert talk(f'from zoneinfo import ZoneInfo\nZoneInfo("{name}")\n').session.failure.exception == "KeyError"


def test_a_comment_behind_the_last_argument_does_not_swallow_what_is_added(talk, take):
    code = 'loop:\n    r = talk("p",  # the prompt )\n        False  # waits\n    )\nuntil "a":\n    say("A")\n'
    assert talk(code, take("a")).said == ["A"]


def test_a_class_with_a_method_named_ask_keeps_it(talk):
    code = (
        'class Shop:\n    def ask(self, q):\n        return "own " + q\n'
        'say(Shop().ask("x"))\nsay("t".ask("x", {"a": 1}) and "asked")\n'
    )
    assert talk(code).said == ["own x", "asked"]


def test_ask_in_an_f_string_is_asked(talk):
    talked = talk('say(f"It is {"My name is Ada Byron".ask("who?", {"name": ""})["name"]!s:>12}.")\n')
    assert talked.said == ["It is    Ada Byron."]


def test_ask_in_an_f_string_as_older_pythons_write_it(talk):
    assert talk('x = \'My name is Ada Byron\'\nsay(f\'{x.ask("?", {"name": ""})["name"]} {{x}}\')\n').said == [
        "Ada Byron {x}"
    ]


def test_the_word_return_in_texts_and_names_stays(talk, take):
    code = (
        'loop:\n    talk("p", False)\nuntil "a":\n    returned = "return"\n    say(returned + """\n    return\n""")\n'
    )
    assert talk(code, take("a")).said == ["return\n    return\n"]


def test_long_texts_and_continued_lines_in_an_until_keep_their_text(talk, take):
    code = (
        'loop:\n    talk("p", False)\nuntil "a":\n    x = """one\n  two\n'
        '"""\n    y = [1,\n2,\n  3]\n    say(x + str(y) + \\\n"!")\n'
    )
    assert talk(code, take("a")).said == ["one\n  two\n[1, 2, 3]!"]


def test_the_result_of_a_talk_can_be_stored_and_asked_much_later(talk, take):
    code = """
loop:
    r = talk("p", False)
until "a":
    state["text"] = r
loop:
    other = talk("p", False)
until "b":
    say(state["text"].ask("?", {"name": ""})["name"])
"""
    assert talk(code, "I am Bob Hill", take("a"), "I am Ann Lee", take("b")).said == ["Bob Hill"]


def test_a_flow_can_bind_state_anew(talk, take):
    code = 'state = {"mine": 1}\nloop:\n    talk("p", False)\nuntil "a":\n    state["mine"] += 1\n    end_call()\n'
    assert talk(code, take("a"), state={"Caller": "+1"}).session.state == {"mine": 2}


def test_of_two_transfers_only_the_first_counts(talk):
    talked = talk('if True:\n    transfer("+1")\ntransfer("+2")\n')
    assert [event["number"] for event in talked.of("transferred")] == ["+1"]


def test_nested_loops_can_reuse_names_and_conditions(talk, take):
    code = """
loop:
    res = talk("p", False)
until "user wants a thing and more of it":
    loop:
        res = talk("p", False)
    until "user wants a thing and more of it":
        say("inner")
    say("outer")
until "user wants a thing and more of that":
    say("other")
"""
    same = take("user wants a thing and more of it")
    assert talk(code, same, same).said == ["inner", "outer"]
    assert talk(code, take("user wants a thing and more of that")).said == ["other"]


def test_sleep_needs_no_import_and_takes_no_time(talk):
    assert talk('time.sleep(3600)\nsay("a")\n').said == ["a"]


def test_print_arrives_after_a_session_was_kept(talk, take):
    code = 'loop:\n    talk("p", False)\nuntil "a":\n    print("later")\n'
    assert [event["text"] for event in talk(code, take("a")).of("printed")] == ["later"]


def test_names_of_the_engine_are_refused(engine):
    with pytest.raises(CodeRefused, match=r"flow.based:2:1: error: Names that begin with _based_"):
        engine.program('say("a")\n_based_takes = 1\n')


def test_an_exception_is_told_on_the_flows_lines(talk, take):
    code = """say("é")
def worse(n):
    return 1 / n

loop:
    r = talk("p", False)
until "a":
    for n in [1]:
        if n: return
until "b":
    text = '''
    two lines'''
    worse(
        0)
"""
    failure = talk(code, take("b")).session.failure
    assert (failure.exception, failure.line, failure.function) == ("ZeroDivisionError", 3, "worse")
    assert [row for row in failure.traceback.splitlines() if "File" in row] == [
        '  File "flow.based", line 13, in <module>',
        '  File "flow.based", line 3, in worse',
    ]
    assert "return 1 / n" in failure.traceback


@pytest.mark.parametrize("line", range(1, 12))
def test_every_line_is_mapped(talk, take, line):
    rows = [
        "x = 1",
        "loop:",
        "    y = 1",
        '    r = talk("p", False)',
        'until "a":',
        "    for n in [1]:",
        "        z = 1",
        "    loop:",
        '        talk("q", False)',
        '    until "b":',
        "        w = 1",
        "v = 1",
    ]
    if rows[line - 1].strip()[1:] != " = 1":
        rows[line - 1] += "  # as it is"
        return
    rows[line - 1] = rows[line - 1].replace("1", "missing")
    session = talk("\n".join(rows)).session
    for condition in ("a", "b"):
        if not session.ended:
            session.choose(condition)
    assert session.failure.line == line


@pytest.mark.parametrize(
    ("expression", "said"),
    [
        ("next((x for x in [1, 2] if x > 1), None)", "2"),
        ('next((x for x in [1] if x > 1), "none")', "none"),
        ("next(x for x in [3])", "3"),
        ("next(iter([f for f in [4]]))", "4"),
        ("next((iter)([5]))", "5"),
    ],
)
def test_next_takes_the_first_of_a_generator(talk, expression, said):
    assert talk(f"say(str({expression}))\n").said == [said]


@pytest.mark.parametrize(
    ("raised", "told"),
    [
        ("ValueError(3)", "3"),
        ('ValueError("a", {"b": 1})', "('a', {'b': 1})"),
        ('ValueError(f"{1}" "b")', "1b"),
        ('KeyError("k" + "x")', "'kx'"),
        ("OSError()", ""),
    ],
)
def test_an_exception_holds_whatever_it_is_given(talk, raised, told):
    assert talk(f"try:\n    raise {raised}\nexcept Exception as fault:\n    say('.' + str(fault))\n").said == [
        f".{told}"
    ]
    assert talk(f"x = 1\nraise {raised}\n").session.failure.line == 2


def test_del_takes_a_member_out_of_a_dict_or_list(talk):
    code = """d = {"a": {"b": 1}, (1, 2): 3}
x = [1, 2]
del d["a"]["b"]; del d[1, 2]
del x[-1]
say(f"{d} {x}")
del d["c"]
"""
    talked = talk(code)
    assert talked.said == ["{'a': {}} [1]"]
    assert (talked.session.failure.exception, talked.session.failure.line) == ("KeyError", 6)


def test_an_import_can_stand_behind_an_until(talk, take):
    code = 'loop:\n    talk("p", False)\nuntil "a": import requests; say(str(requests.get is None))\n'
    assert talk(code, take("a")).said == ["False"]


@pytest.mark.parametrize(
    ("code", "line", "column", "words"),
    [
        ('say("a")\nuntil "b":\n    pass\n', 2, 1, "no loop before it"),
        ('loop:\n    talk("p")\nsay("x")\nuntil "b":\n    pass\n', 4, 1, "line 3 stands between them"),
        ('Loop:\n    talk("p")\nuntil "b":\n    pass\n', 3, 1, "a loop's header is `loop:`"),
        ('loop:\n    talk("p")\nuntil caller wants to book:\n    pass\n', 3, 7, "in quotes"),
        ("if x\n    y = 1\n", 1, 5, "colon is missing behind this if"),
        ('loop:\n    talk("p")\nuntil "b": x = 1\n    y = 2\n', 4, 5, "indented further"),
        ("say(\u201chello\u201d)\n", 1, 5, "(left double quotation mark)"),
        ("say(\u00a01)\n", 1, 5, "(no-break space)"),
        ('def f():\n    loop:\n        talk("p")\n    until "b":\n        pass\n', 2, 5, "in a function"),
        ('def f():\n    return talk("p")\n', 2, 12, "in a function"),
        ('loop:\n    x = 1\nuntil "b":\n    pass\n', 1, 1, "no talk"),
        ('loop:\n    talk("p")\nuntil "b":\n    # nothing\nsay("x")\n', 3, 1, "needs a statement"),
        ('loop:\n    talk("p")\nuntil:\n    pass\n', 3, 1, "needs a condition"),
        ('loop:\n    talk("p")\nuntill "b":\n    pass\n', 3, 1, "written `until`, not `untill`"),
        ('Loop:\n    talk("p")\nUntil "b":\n    pass\n', 3, 1, "written `until`, not `Until`"),
        ('loop:\n    talk("p")\nuntil "b"\n    pass\n', 3, 10, "colon is missing"),
        ('loop\n    talk("p")\n', 1, 5, "colon is missing"),
        ('loop: talk("p")\n', 1, 7, "a line of its own"),
        ('loop:\nsay("x")\n', 1, 1, "indented block"),
        ('say("a\n', 1, 5, "never closed"),
        ('say("a"\n', 1, 4, "never closed"),
        ("x = f'{a'\n", 1, 9, "never closed"),
        ("x = 1)\n", 1, 6, "closes nothing"),
        ("x = 1\n  y = 2\n", 2, 3, "indented further"),
        ("if x:\n    y = 1\n  z = 2\n", 3, 3, "indented further"),
        ("if x:\n    y = 1\n\tz = 2\n", 3, 2, "other characters"),
        ("say('a')\nx = = 3\n", 2, 5, "Expected an expression"),
        ("say('é')\nclass A(Exception):\n    pass\n", 2, 1, "does not yet support"),
        ("x = 1 // 2\n// not a comment\n", 2, 1, "Expected"),
        ("x = 1 ? 2\n", 1, 7, "no meaning"),
        ("x = '\ud800'\n", 1, 6, "surrogate"),
        ("x = 1\0\n", 1, 6, "NUL"),
    ],
)
def test_what_is_wrong_is_told_with_its_place(engine, code, line, column, words):
    finding = engine.check(code)[0]
    assert (finding.line, finding.column, finding.severity) == (line, column, "error")
    assert words in finding.sentence


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ('loop:\n    talk("p")\n', 1, "never ends"),
        ('loop:\n    talk("p")\nuntil "b":\n    return\n', 1, "nothing leads out"),
        ('loop:\n    talk("p")\nuntil "b":\n    return "x"  # why\nuntil "c":\n    pass\n', 4, "comment behind return"),
        ('loop:\n    talk("p")\nuntil "b":\n    pass\nuntil "b":\n    pass\n', 5, "twice"),
        ('loop:\n    talk("p")\nuntil "b" or "c":\n    pass\n', 3, "only the first of two texts"),
        ('loop:\n    talk("p")\nuntil ("b" and\n  "c"):\n    pass\n', 3, "only the second of two texts"),
        ('loop:\n    talk("p")\nuntil " ":\n    pass\n', 3, "condition is empty"),
        ('loop:\n    talk("p")\nuntil "a":\n    pass\nelse:\n    say("x")\n', 5, "A loop has no else"),
        ('x = 1\nif x:\n    sya("hello")\n', 3, "'sya'"),
        ("import re, json as j, uuid\n", 1, "no module 'uuid'"),
        ("import re\nfrom urllib.parse import quote\n", 2, "no module 'urllib'"),
        ("import re\nfrom collections import (deque, OrderedDict as D)\n", 2, "no 'OrderedDict' in 'collections'"),
        ("import re\nfrom uuid import uuid4\nfrom uuid import uuid5\n", 2, "no module 'uuid'"),
        ('requests.get("http://x")\n', 1, "Nothing defines the name 'requests': import it."),
        ("say(json.dumps(1))\n", 1, "Nothing defines the name 'json': import it."),
    ],
)
def test_what_is_doubtful_is_a_warning(engine, code, line, words):
    (finding,) = engine.check(code)
    assert (finding.line, finding.severity) == (line, "warning")
    assert words in finding.sentence


def test_a_module_that_there_is_not_hides_no_name_that_nothing_defines(engine):
    findings = engine.check("import uuid\nimport calendar\nsya(uuid.uuid4())\n")
    assert [(finding.line, finding.sentence) for finding in findings] == [
        (1, "The sandbox has no module 'uuid'."),
        (2, "The sandbox has no module 'calendar'."),
        (3, "Nothing defines the name 'sya'."),
    ]


def test_code_without_a_fault_has_no_findings(engine, flow):
    every = (
        'import requests, json\nfrom zoneinfo import ZoneInfo\nrequests.get("x")\nsend_sms(1, 2, 3)\n'
        'x = api.get_req("u")\nstate["a"] = x.ask("q")\ntime.sleep(1)\n'
        'x = list(map(str, filter(None, [1]))) + [hasattr(x, "a"), getattr(x, "a", 1), format(1, "d")]\n'
        'if __name__ == "__main__":\n    from requests import post\n    from requests.exceptions import Timeout as T\n'
    )
    assert engine.check(flow.quiz + every) == []


def test_a_finding_reads_as_a_compilers(engine):
    assert str(engine.check('until "b":\n    pass\n', "a/shop.based")[0]) == (
        "a/shop.based:1:1: error: This until has no loop before it."
    )


@pytest.mark.parametrize(
    "code", ["(" * 50_000, "x = " + "[" * 5_000 + "]" * 5_000, "f'{" * 40, "if 1:\n" + " " * 9, ""]
)
def test_hostile_text_is_answered(engine, code):
    assert isinstance(engine.check(code), list)


def test_deep_blocks_are_refused(engine):
    code = "".join(" " * depth + "if x:\n" for depth in range(150)) + " " * 150 + "pass\n"
    assert "too deeply" in engine.check(code)[0].sentence


def test_the_tree_of_conditions_has_their_lines(engine, flow):
    (loop,) = engine.paths(flow.quiz)
    (condition,) = loop["conditions"]
    assert (loop["line"], condition["line"], condition["condition"]) == (2, 4, "player wants a question")
    inner = condition["loops"][0]["conditions"]
    assert [(each["condition"], each["line"], each["leaves"]) for each in inner] == [
        ("answer is yes", 7, True),
        ("player needs time", 9, False),
    ]


def test_one_team_has_at_most_half_of_the_workers(monkeypatch):
    monkeypatch.setattr(sandbox, "_WAIT_S", 0.05)
    pool = sandbox.Sandbox(processes=2)
    try:
        with for_team("north"), pool.worker():
            with pytest.raises(Busy), pool.worker():
                pass
            with for_team("south"), pool.worker():
                pass
        with for_team("north"), pool.worker():
            pass
    finally:
        pool.close()

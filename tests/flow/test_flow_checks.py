"""The checks of a flow's code: errors and warnings with their place."""

from __future__ import annotations

import pytest

from dryline.flow.engine import CodeRefused
from dryline.tests.flow.conftest import QUIZ


def test_names_of_the_engine_are_refused(engine):
    with pytest.raises(CodeRefused, match=r"flow.based:2:1: error: Names that begin with _based_"):
        engine.program('say("a")\n_based_takes = 1\n')


@pytest.mark.parametrize(
    ("code", "line", "column", "words"),
    [
        ('say("a")\nuntil "b":\n    pass\n', 2, 1, "no loop before it"),
        ('loop:\n    talk("p")\nsay("x")\nuntil "b":\n    pass\n', 4, 1, "no loop before it"),
        ('loop:\n    talk("p")\nuntil caller wants to book:\n    pass\n', 3, 7, "in quotes"),
        ("if x\n    y = 1\n", 1, 5, "colon is missing behind this if"),
        ("say(\u201chello\u201d)\n", 1, 5, "(left double quotation mark)"),
        ('def f():\n    loop:\n        talk("p")\n    until "b":\n        pass\n', 2, 5, "in a function"),
        ('def f():\n    return talk("p")\n', 2, 12, "in a function"),
        ('loop:\n    x = 1\nuntil "b":\n    pass\n', 1, 1, "no talk"),
        ('loop:\n    talk("p")\nuntil "b":\n    # nothing\nsay("x")\n', 3, 1, "needs a statement"),
        ('Loop:\n    talk("p")\nuntil "b":\n    pass\n', 1, 1, "written `loop`, not `Loop`"),
        ('loop:\n    talk("p")\nuntil "b"\n    pass\n', 3, 10, "colon is missing"),
        ('loop: talk("p")\n', 1, 7, "a line of its own"),
        ('say("a"\n', 1, 4, "never closed"),
        ("x = 1)\n", 1, 6, "closes nothing"),
        ("x = 1\n  y = 2\n", 2, 3, "indented further"),
        ("say('a')\nx = = 3\n", 2, 5, "Expected an expression"),
        ("say('é')\nclass A(Exception):\n    pass\n", 2, 1, "does not yet support"),
        ("say('a')\u2028say('b')\n", 1, 9, "no meaning"),
        ("x = 1\0\n", 1, 6, "NUL"),
    ],
)
def test_an_error_has_its_place(engine, code, line, column, words):
    finding = engine.check(code)[0]
    assert (finding.line, finding.column, finding.severity) == (line, column, "error")
    assert words in finding.sentence


@pytest.mark.parametrize(
    ("code", "line", "words"),
    [
        ('loop:\n    talk("p")\n', 1, "never ends"),
        ('loop:\n    talk("p")\nuntil "b":\n    return\n', 1, "nothing leads out"),
        ('loop:\n    talk("p")\nuntil "b":\n    pass\nuntil "b":\n    pass\n', 5, "twice"),
        ('x = 1\nif x:\n    sya("hello")\n', 3, "'sya'"),
        ("import re\nfrom urllib.parse import quote\n", 2, "no module 'urllib'"),
        ('requests.get("http://x")\n', 1, "Nothing defines the name 'requests': import it."),
    ],
)
def test_doubtful_code_is_a_warning(engine, code, line, words):
    (finding,) = engine.check(code)
    assert (finding.line, finding.severity) == (line, "warning")
    assert words in finding.sentence


FOREIGN = [
    ("Anrufer möchte einen Termin vereinbaren", "Anrufer nennt einen Tag"),
    ("el cliente quiere pedir una cita", "el cliente quiere cancelar su cita"),
    ("l'appelant veut prendre un rendez-vous", "l'appelant donne son nom"),
    ("顧客 は 予約 を したい です", "顧客 は 質問 が ある"),
]
ENGLISH = [
    ("caller wants to book an appointment", "caller names a day"),
    ("a", "b"),
    ("customer adds items to their order", "customer is done ordering and confirms"),
    ("The user answers yes", "reached voicemail"),
    ("orders pizza margherita", "orders tiramisu"),
    ("caller möchte umbuchen", "wants to cancel the Termin"),
]


@pytest.mark.parametrize(
    ("conditions", "is_foreign"), [*((each, 1) for each in FOREIGN), *((each, 0) for each in ENGLISH)]
)
def test_conditions_that_are_not_english_are_one_warning(engine, conditions, is_foreign):
    untils = "".join(f"until {condition!r}:\n    pass\n" for condition in conditions)
    findings = engine.check(f"say('Hello')\nloop:\n    talk('p')\n{untils}")
    assert [(each.line, each.severity) for each in findings] == [(4, "warning")] * is_foreign
    assert all("English" in each.sentence for each in findings)


def test_code_without_a_fault_has_no_findings(engine):
    every = (
        'import requests, json\nfrom zoneinfo import ZoneInfo\nrequests.get("x")\nsend_sms(1, 2, 3)\n'
        'x = api.get_req("u")\nstate["a"] = x.ask("q")\ntime.sleep(1)\n'
        'x = list(map(str, filter(None, [1]))) + [hasattr(x, "a"), getattr(x, "a", 1), format(1, "d")]\n'
        'if __name__ == "__main__":\n    from requests import post\n    from requests.exceptions import Timeout as T\n'
    )
    assert engine.check(QUIZ + every) == []


@pytest.mark.parametrize(
    "code", ["(" * 50_000, "x = " + "[" * 5_000 + "]" * 5_000, "f'{" * 40, "if 1:\n" + " " * 9, ""]
)
def test_any_nesting_is_checked_without_a_crash(engine, code):
    assert isinstance(engine.check(code), list)

"""What contract/based.md lists and no other test runs: arguments of the built-ins, and the Python that flows use."""

from __future__ import annotations

import pytest

from dryline.engine import Busy, Engine
from dryline.engine.sandbox import Sandbox


@pytest.mark.parametrize(
    "arguments",
    [
        '"Ask for the name.", True',
        '"Ask for the name."',
        '"Ask for the name.", True, {"city": "Bern"}',
        '"Ask for the name.", True, {"city": "Bern"}, {"plan": "gold"}',
        'system_prompt="Ask for the name.", first_prompt=True, default_values={"city": "Bern"}, info={}',
        '"Ask for the name.", first=True, info={"plan": "gold"}',
        '"Ask for the name.", True,',
    ],
)
def test_a_talk_takes_all_forms_of_arguments(talk, arguments):
    talked = talk(f'loop:\n    res = talk({arguments})\nuntil "a":\n    pass\n')
    assert [event["text"] for event in talked.of("said")] == ["Could you tell me the name?"]
    assert talked.of("said")[0]["prompt"] == "Ask for the name."


@pytest.mark.parametrize("arguments", ['"Ask.", False', 'system_prompt="Ask.", first_prompt=False', '"Ask.", first=0'])
def test_a_talk_can_wait_for_the_user(talk, arguments):
    talked = talk(f'loop:\n    talk({arguments})\nuntil "a":\n    pass\n')
    assert (talked.of("said"), talked.session.waiting) == ([], ["a"])


def test_what_is_known_is_handed_to_whoever_judges(engine):
    class Noting:
        def reply(self, talk, said):
            self.known = talk.known
            return engine.model.reply(talk, said)

    judge = Noting()
    code = 'loop:\n    talk("p", True, {"city": "Bern"}, {"plan": "gold"})\nuntil "a":\n    pass\n'
    engine.open(engine.program(code), model=judge).start()
    assert judge.known == {"city": "Bern", "plan": "gold"}


def test_older_arguments_change_nothing(talk):
    code = 'say("hi", True, "gpt-4o")\nx = "I am Ada Byron".ask("Who?", {"name": ""}, model="gpt-4o")\nsay(x["name"])\n'
    code += 'say("a text".summarize(prompt="Shorter.", model="gpt-4o"))\n'
    assert talk(code).said == ["hi", "Ada Byron", "a text"]


def test_a_question_takes_its_arguments_in_their_order(talk):
    schema = '{"type": "object", "properties": {"name": {"type": "string"}}}'
    code = f'a = "I am Ada Byron"\nsay(a.ask("Who?", {{"x": 1}}, {schema})["name"])\nsay(a.ask(question="Who?"))\n'
    assert talk(code).said == ["Ada Byron", "Ada Byron"]


def test_an_answer_can_be_asked_in_its_turn(talk):
    code = 'x = "My name is Ada Byron".ask("Who?", {"name": "", "n": 1})\nsay(x.ask("Who?", {"name": ""})["name"])\n'
    assert talk(code).said == ["Ada Byron"]


def test_a_tool_without_as_drops_its_arguments(talk):
    code = 'loop:\n    talk("p", False)\nuntil {"name": "book", "description": "caller books"}:\n    say("B")\n'
    assert talk(code, "I book").said == ["B"]


def test_the_history_spans_the_loops(engine, take, talk):
    code = """
loop:
    talk("p", False)
until "first":
    say("One.")
loop:
    talk("p", False)
until "second":
    pass
"""
    session = talk(code, "hello", take("first"), "again", take("second")).session
    users = [message.text for message in session.messages if message.who == "user"]
    assert users == ["hello", "again"]
    assert [message.text for message in session.messages].count("One.") == 1


def test_a_flow_for_every_channel_says_goodbye_where_it_cannot_hang_up(talk, take):
    code = """
loop:
    talk("p", False)
until "caller is done":
    try:
        end_call()
    except NameError:
        say("Goodbye.")
        done()
"""
    assert talk(code, take("caller is done"), channel="chat").said == ["Goodbye."]
    assert talk(code, take("caller is done")).session.ended == "end_call"


@pytest.mark.parametrize("around", ["match 1:\n    case 1:\n{}", "try:\n    1 / 0\nexcept ZeroDivisionError:\n{}"])
def test_a_loop_can_stand_in_a_match_and_in_an_except(talk, take, around):
    deep = "        " if "match" in around else "    "
    loop = f'{deep}loop:\n{deep}    talk("p", False)\n{deep}until "a":\n{deep}    say("A")'
    assert talk(around.format(loop) + '\nsay("end")\n', take("a")).said == ["A", "end"]


def test_the_time_is_told_in_a_zone(talk):
    code = """
from datetime import datetime
from zoneinfo import ZoneInfo
now = datetime.now(ZoneInfo("America/New_York"))
say(now.strftime("%A %I:%M %p") + now.strftime("%z"))
"""
    (said,) = talk(code).said
    assert said.split()[0].endswith("day")
    assert said.endswith(("-0400", "-0500"))


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('f"{1234.5:,.2f} {"a":>3} {7!r}"', "1,234.50   a 7"),
        ("str([n for n in (m := [1, 2])] + m)", "[1, 2, 1, 2]"),
    ],
)
def test_expressions_of_python_work(talk, code, said):
    assert talk(f"say({code})\n").said == [said]


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('import re\nx = re.match(r"(?P<n>\\d+)(?=x)", "12x")["n"]', "12"),
        ('from datetime import datetime\nx = datetime.strptime("2030-01-02", "%Y-%m-%d").strftime("%d.%m.")', "02.01."),
        ('import base64, hashlib\nx = base64.b64encode(hashlib.sha256(b"a").digest()).decode()[:4]', "ypeB"),
        ('from decimal import Decimal\nx = str(Decimal("0.1") + Decimal("0.2"))', "0.3"),
        ("from collections import Counter, defaultdict\nx = str(Counter('aab').most_common(1))", "[('a', 2)]"),
        ("import random\nx = str(random.choice([3]) + random.randint(1, 1))", "4"),
        ("from dataclasses import dataclass\n@dataclass\nclass P:\n    n: int\nx = str(P(3).n)", "3"),
        ("def twice(f):\n    return lambda n: f(f(n))\n@twice\ndef add(n): return n + 1\nx = str(add(1))", "3"),
        ('match {"kind": "a", "n": 2}:\n    case {"kind": "a", "n": n}:\n        x = str(n)', "2"),
        ('x = ", ".join(f"{k}={v}" for k, v in sorted({"b": 2, "a": 1}.items()))', "a=1, b=2"),
        ("import asyncio\nasync def f(n): return n\nx = str(await asyncio.gather(f(1), f(2)))", "[1, 2]"),
        ("true_ones = [n for n in [true, false, null] if n]\nx = str(true_ones)", "[True]"),
    ],
)
def test_the_python_that_flows_use_is_there(talk, take, code, said):
    """It lives through a kept session, too."""
    talked = talk(f'{code}\nloop:\n    talk("p", False)\nuntil "a":\n    say(x)\n', take("a"))
    assert talked.said == [said], talked.session.failure


@pytest.mark.parametrize(
    "construct",
    [
        "for n in [1, 2]:\n{}    total += n\n",
        "while total < 2:\n{}    total += 1\n",
        "try:\n{}finally:\n    total += 1\n",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n{}",
        "if total == 0:\n{}else:\n    total = 9\n",
        "match total:\n    case 0:\n        pass\nif True:\n{}",
        "for n in [1]:\n    pass\nelse:\n{}",
    ],
)
def test_a_session_that_is_kept_within_a_construct_goes_on_in_it(engine, take, talk, construct):
    """Kept before each turn, against one that is played at a stretch."""
    inner = '    loop:\n        r = talk("p", False)\n    until "banana":\n        say(f"took {total}")\n'
    code = "total = 0\n" + construct.format(inner) + 'say(f"end {total}")\n'
    session = engine.open(engine.program(code))
    played = [event["text"] for event in session.play(lambda _: "banana") if event.type == "said"]
    kept = talk(code, *[take("banana")] * sum(text.startswith("took") for text in played))
    assert kept.said == [text for text in played if text.startswith(("took", "end"))]
    assert kept.session.ended == "end of the flow"


def test_more_calls_than_the_sandbox_allows_at_a_stretch_are_made_in_a_long_conversation(engine):
    """Pitfall 8: it stops after 1,000 suspensions unless told otherwise."""
    code = "n = 0\nloop:\n    talk('p', False)\nuntil 'banana':\n"
    code += "    for _ in range(100):\n        say('x')\n    n += 1\n    if n < 15: return\nsay(str(n))\n"
    session = engine.open(engine.program(code))
    session.play(lambda _: "banana")
    assert session.messages[-1].text == "15"


def test_a_name_that_is_read_and_not_defined_is_a_name_error(talk):
    """Pitfall 1: it comes as a look-up and not as a call."""
    failure = talk('say("a")\nx = missing\n').session.failure
    assert (failure.exception, failure.line) == ("NameError", 2)


def test_who_finds_no_free_worker_is_told_so(monkeypatch):
    """Pitfall 9: by default the sandbox would wait for ever."""
    monkeypatch.setattr("dryline.engine.sandbox._WAIT_S", 0.05)
    sandbox = Sandbox(1)
    try:
        with sandbox.worker(), pytest.raises(Busy, match="no worker free"), sandbox.worker():
            pass
    finally:
        sandbox.close()


def test_a_closed_engine_runs_nothing():
    engine = Engine()
    engine.close()
    with pytest.raises(Busy):
        engine.open(engine.program("x = 1\n")).start()


@pytest.mark.parametrize("module", ["string", "urllib", "uuid", "enum", "calendar", "logging", "pytz", "httpx"])
def test_a_module_that_is_missing_is_told_before_it_is_run(engine, talk, module):
    (finding,) = engine.check(f"x = 1\nimport {module}\n")
    assert (finding.line, finding.severity) == (2, "warning")
    assert talk(f"x = 1\nimport {module}\n").session.failure.line == 2

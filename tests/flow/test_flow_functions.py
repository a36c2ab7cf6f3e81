"""The functions of flows, the Python that they may use, and errors with the flow's own lines."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "around",
    [
        "if False:\n    pass\nelif True:\n{}",
        "if False:\n    pass\nelse:\n{}",
        "for number in [1]:\n{}",
        "for number in [1]:\n    pass\nelse:\n{}",
        "try:\n    1 / 0\nexcept ZeroDivisionError:\n{}",
        "while True:\n{}\n    break",
    ],
)
def test_a_loop_can_stand_in_any_block_of_python(talk, take, around):
    loop = '    loop:\n        talk("p", False)\n    until "a":\n        say("A")'
    assert talk(around.format(loop) + '\nsay("end")\n', take("a")).said == ["A", "end"]


@pytest.mark.parametrize(
    "block",
    [
        "while True:\n        return 1",
        "for n in [1]:\n        for m in [1]:\n            if m: return 1\n        else:\n            say('no')",
        "for n in [1]:\n        return\n    else:\n        say('no')",
        "for n in []:\n        pass\n    else:\n        return 1",
        "try:\n        return 1\n    finally:\n        say('finally')",
        "try:\n        for n in [1]:\n            return 1\n    finally:\n        say('finally')",
        "if True: return 1",
        "with_it = 1; return with_it",
        "match 1:\n        case 1:\n            return 1",
        "return 'x'  # why",
        "return   # only a comment",
        "return (\n        'x'\n    )",
        "return \\\n        'x'",
    ],
)
def test_a_return_in_any_python_block_goes_back_to_the_loop(talk, take, block):
    code = (
        f'loop:\n    talk("p", False)\nuntil "a":\n    {block}\n'
        f'    say("not this")\nuntil "b":\n    say("B")\nsay("end")\n'
    )
    talked = talk(code, take("a"), take("b"))
    assert talked.said == (["finally"] if "finally" in block else []) + ["B", "end"]


@pytest.mark.parametrize("last", ["end_call()", "hangup()", "transfer('+15551234567')", "transfer_call('+1')", "end()"])
def test_the_end_of_a_call_is_caught_by_nothing(talk, last):
    code = f'try:\n    {last}\n    say("a")\nexcept BaseException:\n    say("b")\nfinally:\n    say("c")\nsay("d")\n'
    talked = talk(code)
    assert talked.said == []
    assert talked.session.ended


@pytest.mark.parametrize(
    ("call", "details"),
    [
        ('transfer("+1555")\ntransfer("+2")', {"number": "+1555"}),
        ('transfer("+1555", "22")', {"number": "+1555", "extension": "22", "pauseSeconds": 1}),
        (
            'transfer("+1", {"extension": "3", "pauseSeconds": 2})',
            {"number": "+1", "extension": "3", "pauseSeconds": 2},
        ),
        (
            'transfer("+1", message="Hello", sipDomain="x.example")',
            {"number": "+1", "sipDomain": "x.example", "message": "Hello"},
        ),
    ],
)
def test_the_event_of_a_transfer_has_its_number(talk, call, details):
    (event,) = talk(call + "\n").of("transferred")
    assert event.details == details


@pytest.mark.parametrize("name", ["transfer", "end_call"])
def test_functions_of_calls_are_unknown_in_a_chat(talk, name):
    code = f"try:\n    {name}('+1')\nexcept NameError as error:\n    say(str(error))\n"
    assert talk(code, channel="chat").said == [f"name '{name}' is not defined"]


def test_no_condition_can_be_chosen_after_done(talk, take):
    with pytest.raises(LookupError, match="It has: none"):
        talk('loop:\n    talk("p", False)\nuntil "a":\n    done()\n', take("a"), take("a"))


@pytest.mark.parametrize(
    "arguments",
    [
        '"Ask for the name."',
        '"Ask for the name.", True, {"city": "Bern"}, {"plan": "gold"}',
        'system_prompt="Ask for the name.", first_prompt=True, default_values={"city": "Bern"}, info={}',
        '"Ask for the name.", first=True, info={"plan": "gold"}',
        '"Ask for the name.", True,',
    ],
)
def test_a_talk_takes_all_forms_of_arguments(talk, arguments):
    (event,) = talk(f'loop:\n    res = talk({arguments})\nuntil "a":\n    pass\n').of("said")
    assert (event["text"], event["prompt"]) == ("Could you tell me the name?", "Ask for the name.")


@pytest.mark.parametrize("arguments", ['"Ask.", False', 'system_prompt="Ask.", first_prompt=False', '"Ask.", first=0'])
def test_a_talk_can_wait_for_the_user(talk, arguments):
    talked = talk(f'loop:\n    talk({arguments})\nuntil "a":\n    pass\n')
    assert (talked.of("said"), talked.session.waiting) == ([], ["a"])


@pytest.mark.parametrize(
    "receiver", ["r", "[1, 2]", '{"a": "b"}', '"a text"', 'state["k"]', "(r)", "f()", 'r.ask("x")', "f'{r}'", "'a' 'b'"]
)
def test_any_value_can_be_asked(talk, take, receiver):
    code = f"""
state["k"] = "kept"
def f():
    return "of f"
loop:
    r = talk("p", False)
until "a":
    {receiver}.ask(question="What is the name?", example={{"name": "Jo"}})
"""
    events = talk(code, "My name is Ada Lovelace", take("a")).of("asked")
    assert events[-1]["value"].keys() == {"name"}


def test_events_have_what_was_sent_extracted_and_printed(talk):
    code = """
extract("who", {"name": "Jo", "n": [1, 2.5, None, True]})
extract("who", 2 ** 70)
await send_sms("+1", "+2", "hello")
await integrations.slack.send_message(channel="#a", text="hi")
click_ivr("1#")
send_image("https://x.example/a.png")
print("a", 1)
"""
    talked = talk(code)
    assert talked.session.extracted == {"who": str(2**70)}
    assert talked.session.messages == []
    assert talked.of("extracted")[0]["value"] == {"name": "Jo", "n": [1, 2.5, None, True]}
    assert talked.of("sms")[0].details == {"from": "+1", "to": "+2", "content": "hello"}
    (integrated,) = talked.of("integrated")
    assert (integrated["app"], integrated["action"]) == ("slack", "send_message")
    assert integrated["arguments"] == {"channel": "#a", "text": "hi"}
    assert [event["text"] for event in talked.of("printed")] == ["a 1"]
    assert talked.of("digits") and talked.of("image")


def test_prints_between_two_calls_are_one_event(talk):
    code = 'for n in range(20_000):\n    print(n)\nsay("a")\nprint("b", "c")\n1 / 0\n'
    assert [event["text"] for event in talk(code).of("printed")] == ["\n".join(map(str, range(20_000))), "b c"]


def test_the_state_is_passed_in_and_the_flow_changes_it(talk, take):
    code = 'say(state["Caller"])\nstate["n"] = {3, 1, 2}\ndef leave(state):\n    transfer(state)\nleave("+15550100")\n'
    talked = talk(code, state={"Caller": "+15550001111"})
    assert talked.said == ["+15550001111"]
    assert talked.session.state == {"Caller": "+15550001111", "n": [1, 2, 3]}


def test_a_flow_can_assign_the_state_anew(talk, take):
    code = 'state = {"mine": 1}\nloop:\n    talk("p", False)\nuntil "a":\n    state["mine"] += 1\n    end_call()\n'
    assert talk(code, take("a"), state={"Caller": "+1"}).session.state == {"mine": 2}


def test_the_name_variables_is_defined_only_when_there_are_variables(talk):
    code = 'say(variables["town"])\n'
    assert talk(code, variables={"town": "Bern"}).said == ["Bern"]
    assert talk(code).session.failure.error == "name 'variables' is not defined"


def test_the_messages_span_all_loops(talk, take):
    loop = 'loop:\n    talk("p", False)\nuntil "{0}":\n    say("{0}.")\n'
    session = talk(
        loop.format("first") + loop.format("second"), "hello", take("first"), "zebras", take("second")
    ).session
    assert [message.text for message in session.messages if message.who == "user"] == ["hello", "zebras"]
    assert [message.text for message in session.messages].count("first.") == 1


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ('x = f"{1234.5:,.2f} {"a":>3} {7!r}"', "1,234.50   a 7"),
        ("x = str([n for n in (m := [1, 2])] + m)", "[1, 2, 1, 2]"),
        ('import re\nx = re.match(r"(?P<n>\\d+)(?=x)", "12x")["n"]', "12"),
        ('from datetime import datetime\nx = datetime.strptime("2030-01-02", "%Y-%m-%d").strftime("%d.%m.")', "02.01."),
        ('import base64, hashlib\nx = base64.b64encode(hashlib.sha256(b"a").digest()).decode()[:4]', "ypeB"),
        ('from decimal import Decimal\nx = str(Decimal("0.1") + Decimal("0.2"))', "0.3"),
        ("from collections import Counter, defaultdict\nx = str(Counter('aab').most_common(1))", "[('a', 2)]"),
        ("import json, itertools\nx = json.dumps(list(itertools.chain([1], [2])))", "[1, 2]"),
        ("import random\nx = str(random.choice([3]) + random.randint(1, 1))", "4"),
        ("from dataclasses import dataclass\n@dataclass\nclass P:\n    n: int\nx = str(P(3).n)", "3"),
        ("def twice(f):\n    return lambda n: f(f(n))\n@twice\ndef add(n): return n + 1\nx = str(add(1))", "3"),
        ('match {"kind": "a", "n": 2}:\n    case {"kind": "a", "n": n}:\n        x = str(n)', "2"),
        ('x = ", ".join(f"{k}={v}" for k, v in sorted({"b": 2, "a": 1}.items()))', "a=1, b=2"),
        ("import asyncio\nasync def f(n): return n\nx = str(await asyncio.gather(f(1), f(2)))", "[1, 2]"),
        ("x = str([n for n in [true, false, null] if n])", "[True]"),
        ("x = next((x for x in [1, 2] if x > 1), None)", "2"),
        ('x = next((x for x in [1] if x > 1), "none")', "none"),
        ("x = next(x for x in [3])", "3"),
        ("x = next(iter([f for f in [4]]))", "4"),
        ("x = next((iter)([5]))", "5"),
    ],
)
def test_the_python_that_flows_use_works(talk, take, code, said):
    talked = talk(f'{code}\nloop:\n    talk("p", False)\nuntil "a":\n    say(x)\n', take("a"))
    assert talked.said == [said], talked.session.failure


@pytest.mark.parametrize(
    ("raised", "text"),
    [
        ("ValueError(3)", "3"),
        ('ValueError("a", {"b": 1})', "('a', {'b': 1})"),
        ('ValueError(f"{1}" "b")', "1b"),
        ('KeyError("k" + "x")', "'kx'"),
        ("OSError()", ""),
    ],
)
def test_an_exception_prints_as_in_python(talk, raised, text):
    code = f"try:\n    raise {raised}\nexcept Exception as fault:\n    say('.' + str(fault))\nraise {raised}\n"
    talked = talk(code)
    assert (talked.said, talked.session.failure.line) == ([f".{text}"], 5)


# Errors in a flow


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ('"x".ask()', "TypeError: ask() missing a required argument: 'question'"),
        ('end_call("bye")', "TypeError: end_call() too many positional arguments"),
        ("transfer()", "TypeError: transfer() missing a required argument: 'number'"),
        ('sya("b")', "NameError: name 'sya' is not defined"),
        ("x = missing", "NameError: name 'missing' is not defined"),
        ('del {}["c"]', "KeyError: 'c'"),
        ('extract("_x", 1)', "ValueError: "),
        ("loop:\n    talk('p', False)\nuntil 3 + 4:\n    pass", "TypeError: "),
        ('from zoneinfo import ZoneInfo; ZoneInfo("Mars/Base")', "KeyError: "),
        ('from zoneinfo import ZoneInfo; ZoneInfo("America")', "KeyError: "),
        ('from zoneinfo import ZoneInfo; ZoneInfo("a" * 300)', "KeyError: "),
    ],
)
def test_a_mistake_in_a_flow_is_an_exception_as_in_python_on_its_line(talk, call, error):
    failure = talk(f"say('a')\n{call}\n").session.failure
    assert f"{failure.exception}: {failure.error}".startswith(error)
    assert failure.line == 2 + call.count("\n", 0, call.find("until"))


@pytest.mark.parametrize(
    ("value", "error"),
    [
        ("{1, 2}", "Object of type set is not JSON serializable"),
        ("[b'x']", "Object of type bytes is not JSON serializable"),
        ("{'when': datetime.date(2026, 1, 2)}", "Object of type date is not JSON serializable"),
        ("{(1, 2): 3}", "keys must be str, int, float, bool or None, not tuple"),
        ("r", "Object of type Talk is not JSON serializable"),
    ],
)
def test_a_value_that_json_lacks_is_neither_extracted_nor_sent(talk, value, error):
    head = f"import datetime\nimport requests\nr = talk('p')\nvalue = {value}\n"
    for call in ("extract('it', value)", "requests.post('http://127.0.0.1:9/', json=value)"):
        failure = talk(head + call).session.failure
        assert (failure.exception, failure.error) == ("TypeError", error)


def test_a_traceback_has_the_flows_lines(talk, take):
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


@pytest.mark.parametrize("line", [1, 3, 7, 11, 12])
def test_an_exception_has_its_line_wherever_it_stands(talk, take, line):
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
    rows[line - 1] = rows[line - 1].replace("1", "missing")
    session = talk("\n".join(rows)).session
    for condition in ("a", "b"):
        if not session.ended:
            session.choose(condition)
    assert session.failure.line == line

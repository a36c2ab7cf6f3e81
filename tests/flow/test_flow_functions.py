"""The functions of flows, the Python that they may use, and errors with the flow's own lines."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("last", ["end_call()", "hangup()", "transfer('+15551234567')", "transfer_call('+1')", "end()"])
def test_the_end_of_a_call_is_caught_by_nothing_and_unknown_in_a_chat(talk, last):
    code = f'try:\n    {last}\nexcept BaseException:\n    say("b")\nfinally:\n    say("c")\nsay("d")\n'
    voice, chat = talk(code), talk(code, channel="chat")
    assert (voice.said, voice.session.ended is None) == ([], False)
    assert chat.said == ([] if last == "end()" else ["b", "c", "d"])


@pytest.mark.parametrize(
    ("call", "details"),
    [
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


@pytest.mark.parametrize(
    "arguments",
    [
        '"Ask for the name.", True, {"city": "Bern"}, {"plan": "gold"}',
        'system_prompt="Ask for the name.", first_prompt=True, default_values={"city": "Bern"}, info={}',
        '"Ask for the name.", True,',
    ],
)
def test_a_talk_takes_all_forms_of_arguments(talk, arguments):
    (event,) = talk(f'loop:\n    res = talk({arguments})\nuntil "a":\n    pass\n').of("said")
    assert (event["text"], event["prompt"]) == ("Could you tell me the name?", "Ask for the name.")


@pytest.mark.parametrize(
    "receiver", ["r", "[1, 2]", '{"a": "b"}', 'state["k"]', "f()", 'r.ask("x")', "f'{r}'", "'a' 'b'"]
)
def test_any_value_can_be_asked(talk, receiver):
    code = f"""
state["k"] = "kept"
def f():
    return "of f"
loop:
    r = talk("p", False)
until "a":
    {receiver}.ask(question="What is the name?", example={{"name": "Jo"}})
"""
    events = talk(code, "My name is Ada Lovelace", "/a").of("asked")
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


def test_the_name_variables_is_defined_only_when_there_are_variables(talk):
    code = 'say(variables["town"])\n'
    assert talk(code, variables={"town": "Bern"}).said == ["Bern"]
    assert talk(code).session.failure.error == "name 'variables' is not defined"


@pytest.mark.parametrize(
    ("call", "error"),
    [
        ('"x".ask()', "TypeError: ask() missing a required argument: 'question'"),
        ('end_call("bye")', "TypeError: end_call() too many positional arguments"),
        ("transfer()", "TypeError: transfer() missing a required argument: 'number'"),
        ('sya("b")', "NameError: name 'sya' is not defined"),
        ("x = missing", "NameError: name 'missing' is not defined"),
        ('extract("_x", 1)', "ValueError: "),
        ("loop:\n    talk('p', False)\nuntil 3 + 4:\n    pass", "TypeError: "),
        ('from zoneinfo import ZoneInfo; ZoneInfo("Mars/Base")', "KeyError: "),
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


def test_a_traceback_has_the_flows_lines(talk):
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
    failure = talk(code, "/b").session.failure
    assert (failure.exception, failure.line, failure.function) == ("ZeroDivisionError", 3, "worse")
    assert [row for row in failure.traceback.splitlines() if "File" in row] == [
        '  File "flow.based", line 13, in <module>',
        '  File "flow.based", line 3, in worse',
    ]
    assert "return 1 / n" in failure.traceback

"""The names that a flow has, and conditions, do what contract/based.md says in its sections 2 and 3."""

from __future__ import annotations

import json

import pytest


def test_say_answers_with_its_text_and_tells_whether_it_is_exact(talk):
    talked = talk('x = say("hi")\nsay(x + "!", exact=False)\n')
    assert [(event["text"], event["exact"]) for event in talked.of("said")] == [("hi", True), ("hi!", False)]


def test_extract_keeps_json_under_a_key(talk):
    talked = talk('extract("who", {"name": "Jo", "n": [1, 2.5, None, True]})\nextract("who", "later")\n')
    assert talked.session.extracted == {"who": "later"}
    assert talked.of("extracted")[0]["value"] == {"name": "Jo", "n": [1, 2.5, None, True]}


def test_a_key_of_an_extraction_does_not_begin_with_an_underscore(talk):
    assert talk('extract("_x", 1)\n').session.failure.exception == "ValueError"


@pytest.mark.parametrize(
    ("value", "told"),
    [
        ("{1, 2}", "Object of type set is not JSON serializable"),
        ("[b'x']", "Object of type bytes is not JSON serializable"),
        ("{'when': datetime.date(2026, 1, 2)}", "Object of type date is not JSON serializable"),
        ("{(1, 2): 3}", "keys must be str, int, float, bool or None, not tuple"),
        ("r", "Object of type Talk is not JSON serializable"),
    ],
)
def test_what_json_lacks_is_neither_extracted_nor_sent(talk, value, told):
    head = f"import datetime\nimport requests\nr = talk('p')\nvalue = {value}\n"
    for call in ("extract('it', value)", "requests.post('http://127.0.0.1:9/', json=value)"):
        failure = talk(head + call).session.failure
        assert (failure.exception, failure.error) == ("TypeError", told)


def test_dates_and_large_numbers_are_said_as_python_prints_them(talk):
    code = "import datetime as d\nsay(d.datetime(2026, 1, 2, 9, 30))\nsay(d.timedelta(minutes=90))\nsay(2 ** 70)\n"
    assert talk(code).said == ["2026-01-02 09:30:00", "1:30:00", "1180591620717411303424"]


@pytest.mark.parametrize(
    ("call", "told"),
    [
        ('"x".ask()', "ask() missing a required argument: 'question'"),
        ('end_call("bye")', "end_call() too many positional arguments"),
        ("done(1)", "done() too many positional arguments"),
        ("transfer()", "transfer() missing a required argument: 'number'"),
    ],
)
def test_a_wrong_call_is_told_in_the_words_of_the_flow(talk, call, told):
    failure = talk(f"say('a')\n{call}\n").session.failure
    assert (failure.exception, failure.error, failure.line) == ("TypeError", told, 2)


def test_print_goes_to_the_trace_and_not_to_the_user(talk):
    talked = talk('print("a", 1)\n')
    assert [event["text"] for event in talked.of("printed")] == ["a 1"]
    assert talked.session.messages == []


def test_what_is_printed_between_two_calls_is_one_event_however_long_it_takes(talk):
    code = 'for n in range(20_000):\n    print(n)\nsay("a")\nprint("b", "c")\n1 / 0\n'
    assert [event["text"] for event in talk(code).of("printed")] == ["\n".join(map(str, range(20_000))), "b c"]


def test_state_is_given_and_what_the_flow_makes_of_it_is_kept(talk):
    talked = talk('say(state["Caller"])\nstate["n"] = 2\n', state={"Caller": "+15550001111"})
    assert talked.said == ["+15550001111"]
    assert talked.session.state == {"Caller": "+15550001111", "n": 2}


def test_top_level_variables_live_through_all_turns(talk, take):
    code = (
        "import math\nn = 7\ndef f():\n    return n\nloop:\n"
        '    talk("p", False)\nuntil "a":\n    say(f"{f()} {math.floor(2.5)}")\n'
    )
    assert talk(code, take("a")).said == ["7 2"]


def test_variables_are_a_name_only_when_they_are_given(talk):
    code = 'say(variables["town"])\n'
    assert talk(code, variables={"town": "Bern"}).said == ["Bern"]
    assert talk(code).session.failure.error == "name 'variables' is not defined"


@pytest.mark.parametrize(
    "receiver", ["r", "[1, 2]", '{"a": "b"}', '"a text"', 'state["k"]', "(r)", "f()", 'r.ask("x")', "f'{r}'", "'a' 'b'"]
)
def test_anything_can_be_asked(talk, take, receiver):
    code = f"""
state["k"] = "kept"
def f():
    return "of f"
loop:
    r = talk("p", False)
until "a":
    answer = {receiver}.ask(question="What is the name?", example={{"name": "Jo"}})
    say(answer["name"])
"""
    talked = talk(code, "My name is Ada Lovelace", take("a"))
    assert talked.session.failure is None
    assert talked.of("asked")[-1]["value"].keys() == {"name"}


def test_an_answer_has_the_shape_of_the_example_filled_with_what_was_said(talk, take):
    code = """
loop:
    r = talk("p", False)
until "finished":
    extract("it", r.ask("Who?", {"name": "Jo", "phone": "", "email": "", "guests": 2, "when": "10:30 AM"}))
"""
    said = "My name is Ada Lovelace, phone +1 555 234 5678, ada@example.org, a table for 4 guests at 7:15 pm"
    assert talk(code, said, take("finished")).session.extracted["it"] == {
        "name": "Ada Lovelace",
        "phone": "+1 555 234 5678",
        "email": "ada@example.org",
        "guests": 4,
        "when": "7:15 PM",
    }


def test_a_schema_goes_before_an_example(talk):
    schema = {"type": "object", "properties": {"kind": {"enum": ["red", "blue"]}, "n": {"type": "integer"}}}
    talked = talk(f'say(str("it is blue".ask("which?", example={{"x": 1}}, schema={schema})["kind"]))\n')
    assert talked.said == ["blue"]


def test_an_answer_is_plain_and_offers_what_flows_do_with_it(talk):
    code = """
p = "x".ask("q", {"a": "b", "c": 1})
d = dict(p)
d.update(p)
extract("p", p)
say(type(p.to_json()).__name__ + str(p.get("zz")) + str(len(list(p.items()))))
"""
    assert talk(code).said == ["dictNone2"]


def test_a_summary_is_a_text(talk, take):
    code = 'loop:\n    r = talk("p", False)\nuntil "a":\n    say(r.summarize())\n'
    assert talk(code, "I lost my key", take("a")).said == ["I lost my key"]


def test_the_result_of_a_talk_is_its_transcript_and_knows_no_key(talk, take):
    code = """
loop:
    r = talk("p", False)
until "a":
    say(f"{r}")
    say("yes" if r else "no")
    try:
        r["name"]
    except KeyError as error:
        say("KeyError")
"""
    assert talk(code, "hello", take("a")).said[-3:][1:] == ["yes", "KeyError"]


def test_a_tool_is_a_condition_and_as_binds_its_arguments(talk, take):
    code = """
tool = {"name": "book", "description": "caller books as well as pays", "parameters":
    {"type": "object", "properties": {"email": {"type": "string"}}}}
loop:
    r = talk("p", False)
until tool as args:
    say(args["email"])
until {"type": "function", "function": {"name": "leave", "description": "caller leaves"}} as other:
    say("other")
"""
    assert talk(code, "I book and I pay: ada@example.org").said == ["ada@example.org"]


def test_a_condition_can_hold_the_word_as(talk, take):
    assert talk(
        'loop:\n    talk("p", False)\nuntil "as soon as possible":\n    say("A")\n', take("as soon as possible")
    ).said == ["A"]


def test_a_condition_can_be_an_f_string_with_a_question_in_it(talk, take):
    code = 'loop:\n    talk("p", False)\nuntil f"user wants {"tea".ask("q")}":\n    say("A")\n'
    assert talk(code, take("user wants tea")).said == ["A"]


def test_a_condition_that_is_no_text_and_no_tool_is_an_error_on_its_line(talk):
    failure = talk('loop:\n    talk("p", False)\nuntil "a":\n    pass\nuntil 3 + 4:\n    pass\n').session.failure
    assert (failure.exception, failure.line) == ("TypeError", 5)


def test_send_sms_and_integrations_are_told_and_succeed(talk):
    code = """
sent = await send_sms("+1", "+2", "hello")
say(f"{sent.success} {sent.status}")
done_it = await integrations.slack.send_message(channel="#a", text="hi")
say(str(done_it.success))
"""
    talked = talk(code)
    assert talked.said == ["True sent", "True"]
    assert talked.of("sms")[0].details == {"from": "+1", "to": "+2", "content": "hello"}
    assert talked.of("integrated")[0].details == {
        "app": "slack",
        "action": "send_message",
        "arguments": {"channel": "#a", "text": "hi"},
    }


def test_await_can_stand_at_the_top_level_and_before_what_answers_at_once(talk):
    code = """
async def name_of(text):
    return await text.ask("What is the name?", {"name": "Jo"})
answer = await name_of("My name is Ada Byron")
await say(answer["name"])
"""
    assert talk(code).said == ["Ada Byron"]


def test_older_names_and_extras_work(talk):
    talked = talk('click_ivr("1#")\nsend_image("https://x.example/a.png")\nsay(str(len(RANDOM(4).generate())))\n')
    assert talked.said == ["4"]
    assert [event.type for event in talked.events[:2]] == ["digits", "image"]


def test_true_false_and_null_are_known(talk):
    assert talk("say(json_text := str([true, false, null]))\n").said == ["[True, False, None]"]


def test_loop_and_until_can_be_names(talk):
    assert talk("loop = 1\nuntil = 2\nuntil += loop\nsay(str(until))\n").said == ["3"]


def test_modules_of_python_are_there(talk):
    code = """
import re, random, math, collections, itertools, json
from datetime import datetime
both = list(itertools.chain([1], [2]))
say(json.dumps([re.sub("a", "b", "a"), math.floor(1.5), len(collections.Counter("aab")), both]))
"""
    assert json.loads(talk(code).said[0]) == ["b", 1, 2, [1, 2]]


def test_a_method_of_a_class_takes_no_name_from_the_flow(talk, take):
    code = """
class Helper:
    def talk(self): return "mine"
    def say(self): return "mine"
say(Helper().talk())
loop:
    talk("p", False)
until "a":
    say("A")
"""
    assert talk(code, take("a")).said == ["mine", "A"]


def test_a_parameter_named_state_is_not_the_sessions_state(talk):
    code = 'state["n"] = 1\ndef leave(state):\n    transfer(state)\nleave("+15550100")\n'
    assert talk(code, state={}).session.state == {"n": 1}


def test_a_variable_named_requests_is_the_flows_own(talk):
    assert talk('requests = []\nrequests.append("a")\nsay(requests[0])\n').said == ["a"]


def test_a_set_comes_out_in_the_same_order_each_time(talk):
    code = 'say({"b", "a", "c"})\nstate["all"] = {3, 1, 2}\n'
    talked = talk(code, state={})
    assert talked.said == ["{'a', 'b', 'c'}"]
    assert talked.session.state == {"all": [1, 2, 3]}


def test_values_are_said_as_python_prints_them(talk):
    assert talk('say((1, "a"))\nsay(2**70)\n').said == ["(1, 'a')", str(2**70)]
    assert talk('extract("n", 2**70)\n').session.extracted == {"n": str(2**70)}

"""Loops, untils and what ends them do what contract/based.md says in its section 1."""

from __future__ import annotations

import pytest


def test_an_until_that_falls_off_its_end_leaves_its_loop_and_the_code_behind_it_goes_on(talk, take, flow):
    talked = talk(flow.quiz, take("player wants a question"), take("answer is yes"))
    assert talked.said == ["Right.", "after"]
    assert talked.session.ended == "end of the flow"


def test_a_return_goes_back_to_the_innermost_loop(talk, take, flow):
    talked = talk(flow.quiz, take("player wants a question"), take("player needs time"))
    assert talked.session.waiting == ["answer is yes", "player needs time"]


def test_the_value_of_a_return_is_told_to_the_user(talk, take, flow):
    talked = talk(flow.quiz, take("player wants a question"), take("player needs time"))
    assert talked.events[-1].as_dict()["text"] == "player has 10 more seconds"


def test_the_conversation_is_kept_when_a_return_goes_back(talk, take):
    code = """
loop:
    r = talk("p", False)
until "again":
    return
until "stop":
    say(str(r))
"""
    talked = talk(code, take("again"), "hello you", take("stop"))
    assert "User: hello you" in talked.said[0]


def test_untils_inside_of_the_loop_belong_to_it(talk, take):
    code = """
loop:
    r = talk("p", False)
    until "a":
        say("A")
    until "b":
        say("B")
say("end")
"""
    assert talk(code, take("b")).said == ["B", "end"]


@pytest.mark.parametrize("indent", ["  ", "\t", "        "])
def test_any_consistent_indentation_will_do(talk, take, indent):
    code = f'loop:\n{indent}talk("p", False)\nuntil "a":\n{indent}if True:\n{indent}{indent}say("A")\n'
    assert talk(code, take("a")).said == ["A"]


def test_a_source_that_is_indented_as_a_whole_runs(talk, take):
    code = '\n    say("hi")\n    loop:\n        talk("p", False)\n    until "a":\n        say("""x\n  y""")\n'
    assert talk(code, take("a")).said == ["hi", "x\n  y"]


def test_comments_and_blank_lines_can_stand_between_a_loop_and_its_untils(talk, take):
    code = (
        'loop:\n    talk("p", False)\n# one\n\nuntil "a":\n'
        '    say("A")\n    # two\n\n# three\nuntil "b":\n    say("B")\n'
    )
    assert talk(code, take("b")).said == ["B"]


@pytest.mark.parametrize(
    "around",
    [
        "if True:\n{}",
        "if False:\n    pass\nelif True:\n{}",
        "if False:\n    pass\nelse:\n{}",
        "for number in [1]:\n{}",
        "try:\n{}\nfinally:\n    pass",
        "while True:\n{}\n    break",
    ],
)
def test_a_loop_can_stand_in_any_block_of_python(talk, take, around):
    loop = '    loop:\n        talk("p", False)\n    until "a":\n        say("A")'
    assert talk(around.format(loop) + '\nsay("end")\n', take("a")).said == ["A", "end"]


def test_loops_stand_five_deep(talk, take):
    code, indent = "", ""
    for depth in range(5):
        code += f'{indent}loop:\n{indent}    r = talk("p", False)\n{indent}until "c{depth}":\n'
        indent += "    "
    talked = talk(code + f'{indent}say("deep")\n', *(take(f"c{depth}") for depth in range(5)))
    assert talked.said == ["deep"]
    assert talked.session.ended == "end of the flow"


def test_other_statements_in_a_loop_run_on_each_pass(talk, take):
    code = """
n = 0
loop:
    n += 1
    r = talk("p", False)
    n += 10
until "again":
    return
until "stop":
    say(str(n))
"""
    assert talk(code, take("again"), take("stop")).said == ["22"]


def test_of_several_talks_the_last_one_has_the_conditions(talk, take):
    code = 'loop:\n    talk("Ask for the name.", True)\n    r = talk("second", False)\nuntil "a":\n    say("A")\n'
    talked = talk(code)
    assert [event["prompt"] for event in talked.of("said")] == ["Ask for the name."]
    assert talked.session.waiting == ["a"]


def test_a_talk_outside_of_loops_speaks_and_waits_for_nothing(talk):
    talked = talk('talk("Say goodbye.")\nsay("end")\n')
    assert [event["by"] for event in talked.of("said")] == ["talk", "say"]
    assert talked.session.ended == "end of the flow"


@pytest.mark.parametrize(("leave", "rest"), [("break", ["end"]), ("continue", [])])
def test_break_leaves_the_loop_and_continue_goes_back(talk, take, leave, rest):
    code = f'loop:\n    talk("p", False)\nuntil "a":\n    {leave}\nsay("end")\n'
    assert talk(code, take("a")).said == rest


def test_break_and_continue_in_a_python_loop_are_its_own(talk, take):
    code = """
loop:
    talk("p", False)
until "a":
    for n in [1, 2, 3]:
        if n == 1:
            continue
        if n == 3:
            break
        say(str(n))
    say("on")
"""
    assert talk(code, take("a")).said == ["2", "on"]


@pytest.mark.parametrize(
    "block",
    [
        "for n in [1, 2]:\n        return n",
        "while True:\n        return 1",
        "for n in [1]:\n        for m in [1]:\n            if m: return 1\n        else:\n            say('no')",
        "for n in []:\n        pass\n    else:\n        return 1",
        "try:\n        return 1\n    finally:\n        say('finally')",
        "try:\n        for n in [1]:\n            return 1\n    finally:\n        say('finally')",
        "if True: return 1",
        "with_it = 1; return with_it",
        "match 1:\n        case 1:\n            return 1",
    ],
)
def test_a_return_leaves_whatever_python_stands_around_it(talk, take, block):
    code = (
        f'loop:\n    talk("p", False)\nuntil "a":\n    {block}\n'
        f'    say("not this")\nuntil "b":\n    say("B")\nsay("end")\n'
    )
    talked = talk(code, take("a"), take("b"))
    assert talked.said == (["finally"] if "finally" in block else []) + ["B", "end"]


def test_the_else_of_a_python_loop_is_skipped_by_a_return_in_the_loop(talk, take):
    code = """
loop:
    talk("p", False)
until "a":
    for n in [1]:
        return
    else:
        say("else")
    say("behind")
"""
    assert talk(code, take("a")).said == []


@pytest.mark.parametrize(
    "value", ['"x"  # why', "  # only a comment", "(\n        'x'\n    )", "'a', 'b'", "\\\n        'x'"]
)
def test_a_return_can_have_a_comment_or_any_expression(talk, take, value):
    code = f'loop:\n    talk("p", False)\nuntil "a":\n    return {value}\n'
    talked = talk(code, take("a"))
    assert talked.session.failure is None
    assert talked.session.waiting == ["a"]


def test_a_return_at_the_top_level_ends_the_run(talk):
    talked = talk('say("a")\nif True:\n    return\nsay("b")\n')
    assert talked.said == ["a"]
    assert talked.session.ended == "end of the flow"


def test_a_return_in_a_loops_body_is_the_next_pass(talk, take):
    code = """
n = 0
loop:
    n += 1
    if n == 1:
        return
    r = talk("p", False)
until "a":
    say(str(n))
"""
    assert talk(code, take("a")).said == ["2"]


def test_a_return_in_a_function_is_the_functions(talk, take):
    code = """
def double(n):
    return n * 2
loop:
    talk("p", False)
until "a":
    def add(n):
        for m in [1]:
            return n + m
    say(str(add(double(4))))
"""
    assert talk(code, take("a")).said == ["9"]


def test_done_ends_the_turn_and_the_next_message_goes_on_in_the_loop(talk, take):
    code = """
loop:
    talk("p", False)
until "a":
    say("wait")
    done()
    say("not this")
until "user says banana":
    say("B")
"""
    talked = talk(code, take("a"), "I say banana")
    assert talked.said == ["wait", "B"]


def test_done_outside_of_loops_goes_on_behind_it(talk):
    assert talk('say("a")\ndone()\nsay("b")\n', "hello").said == ["a", "b"]


@pytest.mark.parametrize("last", ["end_call()", "hangup()", "transfer('+15551234567')", "transfer_call('+1')", "end()"])
def test_the_end_is_the_end_whatever_stands_around_it(talk, last):
    code = (
        f'try:\n    {last}\n    say("no")\nexcept BaseException:\n    say("no")\nfinally:\n    say("no")\nsay("no")\n'
    )
    talked = talk(code)
    assert talked.said == []
    assert talked.session.ended


@pytest.mark.parametrize(
    ("call", "details"),
    [
        ('transfer("+1555")', {"number": "+1555"}),
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
def test_a_transfer_is_told_with_its_number(talk, call, details):
    assert talk(call + "\n").of("transferred")[0].details == details


@pytest.mark.parametrize("name", ["transfer", "end_call"])
def test_outside_of_voice_the_names_of_calls_are_unknown(talk, name):
    code = f"try:\n    {name}('+1')\nexcept NameError as error:\n    say(str(error))\n"
    assert talk(code, channel="chat").said == [f"name '{name}' is not defined"]


def test_after_done_behind_a_talk_outside_of_a_loop_the_next_message_goes_on(talk):
    assert talk('talk("Greet.")\ndone()\nsay("after")\n', "hello").said == ["after"]


def test_after_done_behind_a_talk_outside_of_a_loop_an_open_loop_hears_the_next_message(talk, take):
    code = """
loop:
    talk("p", False)
until "a":
    talk("Greet.")
    done()
until "user says banana":
    say("B")
"""
    assert talk(code, take("a"), "I say banana").said == ["B"]


@pytest.mark.parametrize("leaves", ['return "only sales"', "return"])
def test_a_one_line_case_goes_back_to_the_loop(talk, take, leaves):
    code = f"""
loop:
    talk("p", False)
until "a":
    match 1:
        case 2: say("two")
        case _: {leaves}
    say("not this")
until "b":
    say("B")
say("after")
"""
    talked = talk(code, take("a"), take("b"))
    assert talked.said == ["B", "after"]


def test_no_condition_can_be_chosen_after_done(talk, take):
    with pytest.raises(LookupError, match="It has: none"):
        talk('loop:\n    talk("p", False)\nuntil "a":\n    done()\n', take("a"), take("a"))


def test_case_can_be_a_name(talk):
    assert talk("case = 1\ncase: int = 2\nsay(str(case))\n").said == ["2"]

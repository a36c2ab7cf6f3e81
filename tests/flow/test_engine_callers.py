"""Simulated callers: each takes one branch of a flow and answers the questions on its way."""

from __future__ import annotations

import re
from random import Random

import pytest

from dryline.flow.language.branches import FlowMap
from dryline.flow.model.caller_words import utter


def spoken(session):
    """Return what the caller said."""
    return " ".join(message.text for message in session.messages if message.who == "user")


def test_the_way_to_a_condition_is_read_from_the_code(play):
    code = """
comes = False
loop:
    talk("Can you make it?", True)
until "contact has no time now":
    say("Goodbye.")
until "contact confirms the appointment":
    comes = True
if comes:
    loop:
        talk("Shall I send you a text message?", True)
    until "contact wants a text message":
        say("Good.")
"""
    for seed in range(8):
        taken = play(code, "contact wants a text message", seed)[0].taken
        assert [each.text for each in taken] == ["contact confirms the appointment", "contact wants a text message"]


def test_the_end_of_a_call_is_read_from_the_code(engine):
    code = """
wish = None
loop:
    talk("p")
until "a":
    wish = "person"
until "b":
    transfer("+15550100")
until "c":
    raise ValueError("no c")
until "d":
    wish = "goodbye"  # not transfer(…)
if wish == "person":
    transfer("+15550100")
"""
    flow_map = FlowMap(engine.program(code))
    outcomes = {each.text: flow_map.outcome_of(each) for each in flow_map.program.conditions}
    assert outcomes == {"a": "transferred", "b": "transferred", "c": "failed", "d": "completed"}


TWO_LOOPS = """
wish = order = None
comes = False
loop:
    r = talk("p")
until "a":
    {block}
until "b":
    pass
{guard}:
    loop:
        talk("q")
    until "c":
        {end}
"""


@pytest.mark.parametrize(
    ("block", "guard", "end", "route", "outcome"),
    [
        ('wish = "person"', 'if wish == "person"', 'transfer("+15550100")', "a c", "transferred"),
        ('wish = ("a",\n"person")', 'if "person" in wish', "raise ValueError(wish)", "a c", "failed"),
        ('order = {"size": "large"}', 'if order["size"] == "large"', "end_call()", "a c", "completed"),
        ('order = r.ask("What?", {"size": "large"})', "if order", "hangup()", "a c", "completed"),
        ("comes = True", "if comes and not wish", "if comes: transfer_call('+1')", "a c", "transferred"),
        ('comes = not (wish := "person")', 'if wish == "person"', "print(f'{order!r}')", "a c", "completed"),
        (
            'wish = "person" + f"{r["day"]}"',
            'if wish != f"{order["a"]}" and wish == "person"',
            'transfer("+1")',
            "a c",
            "transferred",
        ),
        ('wish = "goodbye"  # = "person"', 'if wish == "person"', 'say("I transfer (you)")', "c", "completed"),
        ('wish = "person"', "while not wish", 'say("""\nraise\n  end_call()\n""")', "c", "completed"),
        ('wish = "person"', 'if wish == "person":\n    pass\nelse', 'r"\\d".end()', "c", "completed"),
        (
            'loop:\n        talk("r")\n    until "d": wish = "person"',
            'if wish == "person"',
            "pass",
            "a d c",
            "completed",
        ),
    ],
)
def test_routes_and_ends_are_read_from_statements_and_not_from_texts(engine, block, guard, end, route, outcome):
    flow_map = FlowMap(engine.checked_program(TWO_LOOPS.format(block=block, guard=guard, end=end)))
    (condition,) = (each for each in flow_map.program.conditions if each.text == "c")
    assert " ".join(each.text for each in flow_map.route_to([condition])) == route
    assert flow_map.outcome_of(condition) == outcome
    assert flow_map.transfers is (outcome == "transferred")


@pytest.mark.parametrize(
    ("asks", "is_asked"),
    [
        ("if not day: pass", True),
        ("if visit['day'] is None: pass", True),
        ("day = visit.get('day') or 'Monday'", True),
        ("day = day or time or 'Monday'", True),
        ("day = time or day", False),
        ("if day is not None: pass", False),
        ("say('Which day or time suits you? Do not day-dream.')", False),
        ("# not day", False),
    ],
)
def test_a_value_may_be_missing_if_a_statement_asks_for_its_lack(engine, asks, is_asked):
    code = f"time = visit = {{}}\nday = 'x'.ask('Which day?', 'Monday')\n{asks}\n"
    flow_map = FlowMap(engine.checked_program(code))
    assert flow_map.may_be_missing("day", None) is is_asked
    assert flow_map.may_be_missing("", 2) is is_asked


def test_conditions_on_one_line_stand_in_the_blocks_in_which_they_are_written(engine):
    code = """
loop:
    talk("p")
until "a":
    loop:
        talk("q")
    until "b":
        loop:
            talk("r")
        until "c": pass
        until "d": end_call()
until "e": pass
"""
    flow_map = FlowMap(engine.checked_program(code))
    around = {each.text: flow_map.conditions_around(each.line) for each in flow_map.program.conditions}
    texts = {text: "".join(each.text for each in conditions) for text, conditions in around.items()}
    assert texts == {"a": "a", "b": "ab", "c": "abc", "d": "abd", "e": "e"}


def test_a_caller_leaves_out_what_the_code_asks_for_again_if_its_route_needs_that(play):
    code = """
loop:
    r = talk("How can I help?", True)
until "caller wants an appointment":
    visit = r.ask("When, and who is calling?", {"day": "Monday", "name": "Jo"})
    day = visit["day"]
if not day:
    loop:
        a = talk("Which day?", True)
    until "caller names a day":
        day = a.ask("Which day?", "Monday")
extract("visit", {"day": day, "name": visit["name"]})
"""
    for seed in range(8):
        caller, session = play(code, "caller names a day", seed, name="Ada Park")
        assert [each.text for each in caller.taken] == ["caller wants an appointment", "caller names a day"]
        assert session.extracted["visit"]["day"] in spoken(session)
        assert session.extracted["visit"]["name"] == "Ada Park"


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("caller wants to repaint the gazebo", "I want to repaint the gazebo."),
        ("customer is under the gazebo and waits", "I am under the gazebo and waits."),
        ("user wants to know if they are behind the curtain", "I want to know if I am behind the curtain."),
        ("carrier cannot reach their dispatcher", "I can't reach my dispatcher."),
    ],
)
def test_a_condition_of_no_known_intent_is_said_in_the_first_person(condition, words):
    assert utter(condition, {}, Random(0), opening=False, avoid=set()) == words


def test_nobody_speaks_of_the_phone_in_a_chat():
    for condition in ("caller asks for a person", "caller needs nothing else", "caller asks where an order is"):
        texts = [utter(condition, {}, Random(n), opening=True, avoid=set(), typed=True) for n in range(150)]
        assert not any(re.search("calling|hang up|operator|put me through", text, re.IGNORECASE) for text in texts)


def test_no_call_begins_with_words_that_refer_to_what_was_said_before():
    refers_back = re.compile(r"(?:yes|no|actually|and|so|then|that|it)\b|.*\b(?:instead|after all)\b", re.IGNORECASE)
    condition = "caller wants to cancel an appointment"
    openings, others = (
        {utter(condition, {}, Random(n), opening=opening, avoid=set()) for n in range(150)} for opening in (True, False)
    )
    assert not any(map(refers_back.match, openings)) and any(map(refers_back.match, others))
    assert openings - others  # some phrases only open a call


def test_a_caller_hangs_up_where_nothing_leads_out(play):
    assert play('loop:\n    talk("p")\nuntil "user asks":\n    return "x"\n')[1].ended == "hung up"


def test_the_flow_hears_a_value_before_it_asks_for_it(play):
    code = """
loop:
    r = talk("How can I help?", True)
until "caller wants an appointment":
    extract("heard", str(r))
    extract("name", r.ask("Who is calling?", {"name": "Jo Lee"})["name"])
"""
    for seed in range(8):
        extracted = play(code, None, seed)[1].extracted
        assert extracted["name"] in extracted["heard"]


@pytest.mark.parametrize(
    ("example", "words"),
    [
        ('{"order number": "K48210"}', r"The order number is [A-Z]\d{5}\."),
        ('{"account": "40118822"}', r"The account number is \d{8}\."),
        ('{"guests": 4}', r"For \d+(?: guests)?\."),
        ('{"arrival": "2026-12-03"}', r"The arrival is \w+ \d+\."),
        ('{"reason": "too small | too big"}', r"Too (?:small|big)\."),
        ('{"cup": "mug | glass", "size": "small | large"}', r"It's about the (?:mug|glass)\. (?:Small|Large)\."),
    ],
)
def test_values_that_nobody_asked_for_are_said_with_their_names(play, example, words):
    for seed in range(8):
        code = (
            f'loop:\n    r = talk("How can I help?")\nuntil "caller wants to order":\n    r.ask("What?", {example})\n'
        )
        words_said = spoken(play(code, None, seed)[1])
        assert re.search(f"{words}$", words_said), words_said


def test_a_caller_takes_one_of_the_times_that_the_agent_offers(play):
    code = """
say("Which time would you like: 10 AM or 4:30 PM?")
loop:
    r = talk("p", False)
until "caller chooses a time":
    extract("time", r.ask("Which?", {"time": "2:30 PM"})["time"])
"""
    sessions = [play(code, None, seed)[1] for seed in range(12)]
    assert {session.extracted["time"] for session in sessions} == {"10:00 AM", "4:30 PM"}
    assert {re.search(r"[\d:]+ [AP]M", spoken(session))[0] for session in sessions} == {"10 AM", "4:30 PM"}


def test_who_does_not_take_the_condition_of_a_value_does_not_give_it(play):
    code = """
loop:
    r = talk("Which is your order number?", True)
until "caller gives the order number":
    pass
until "caller cannot find the number":
    pass
extract("number", r.ask("Which number?", {"number": "K48210"})["number"])
"""
    for seed in range(8):
        gives = play(code, "caller gives the order number", seed)[1]
        assert gives.extracted["number"] in spoken(gives)
        assert play(code, "caller cannot find the number", seed)[1].extracted["number"] is None


NAME = {"name": "Jo"}
FORESEEN = [
    # Questions of the condition's block, and those behind its loop.
    ('x = r.ask("Who?", {"name": "Jo"})', "pass", [NAME]),
    ("pass", 'x = r.ask("Who?", {"name": "Jo"})', [NAME]),
    ('x = str(r).ask("Who?", example={"name": "Jo"})', "pass", [NAME]),
    ('x = r.ask("Who?", schema={"properties": {"name": {}}})', "pass", [None]),
    ("pass", 'while not wish:\n    x = r.ask("Who?", {"name": "Jo"})', [NAME]),
    ("pass", 'try:\n    x = r.ask("Who?", {"name": "Jo"})\nexcept ValueError: pass', [NAME]),
    # None behind the next talk, the end, or a return.
    ('return r.ask("Who?", {"name": "Jo"})', 'y = r.ask("Which?", "a | b")', [NAME]),
    ("end_call()", 'y = r.ask("Which?", "a | b")', []),
    ("loop:\n        q = talk('q')\n    until 'b': pass", 'y = r.ask("Which?", "a | b")', []),
    ("pass", 'loop:\n    y = r.ask("Which?", "a | b")\n    q = talk("q")\nuntil "b": pass', ["a | b"]),
    # A known test leads to one block, an unknown one to both.
    ('wish = "name"', 'if wish == "name": x = r.ask("Who?", {"name": "Jo"})\nelse: y = r.ask("Which?", 1)', [NAME]),
    ('wish = "size"', 'x = r.ask("Which?", 1) if wish in ("size", None) else r.ask("Who?", {})', [1]),
    ("wish = r", 'if wish and len(wish): x = r.ask("Who?", {"name": "Jo"})\nelse: y = r.ask("Which?", 1)', [NAME, 1]),
    ("wish = None", 'x = {} if not wish else r.ask("Who?", {"name": "Jo"})', []),
    ('wish = "go"', 'if (other or wish) == "go": pass\nelif wish: x = r.ask("Who?", {"name": "Jo"})', [NAME]),
    # Examples are put together.
    ('e = {"name": "Jo"}', 'e["day"] = "Monday"; x = r.ask("Who?", e)', [{"name": "Jo", "day": "Monday"}]),
    ('e = {"name": "Jo"}', 'x = r.ask("Who?", {**e, "size": sizes})', [{"name": "Jo", "size": "small | large"}]),
    ('e = {"size": " | ".join(["s", "l"])}', 'x = r.ask("Which?", e)', [{"size": "s | l"}]),
    ('e = {"size": " | ".join(r)}', 'x = r.ask("Which?", e)', [{"size": None}]),
    ("x = read(r)", "pass", [{"day": "Monday"}]),
    # A question about something else is none to the caller.
    ('x = "a text".ask("Who?", {"name": "Jo"})', "pass", []),
    ('x = {"day": "Monday"}; y = x.ask("Who?", {"name": "Jo"})', "pass", []),
]


@pytest.mark.parametrize(("block", "behind", "examples"), FORESEEN)
def test_the_questions_behind_a_condition_are_read_from_the_code(engine, block, behind, examples):
    code = f"""
sizes = "small | large"
wish = other = None
def read(text):
    return text.ask("When?", {{"day": "Monday"}})
for other in [1, 2]:
    pass
loop:
    r = talk("p")
until "a":
    {block}
{behind}
"""
    flow_map = FlowMap(engine.checked_program(code))
    (condition,) = (each for each in flow_map.program.conditions if each.text == "a")
    assert [each.example for each in flow_map.questions_behind(condition, is_opening=False)] == examples


def test_a_member_that_only_some_ways_ask_for_is_marked(engine):
    code = """
loop:
    r = talk("p")
until "a":
    example = {"name": "Jo"}
    if state.get("member"):
        example["number"] = "K48210"
    x = r.ask("Who?", example)
    if state.get("again"):
        y = r.ask("Sure?", True)
"""
    flow_map = FlowMap(engine.checked_program(code))
    first, second = flow_map.questions_behind(flow_map.program.conditions[0], is_opening=False)
    assert (first.example, first.perhaps) == ({"name": "Jo", "number": "K48210"}, {"number"})
    assert (first.is_certain, second.is_certain) == (True, False)


def test_what_an_earlier_round_may_have_set_is_known_at_the_opening_alone(engine):
    code = """
asked = "wish"
while asked:
    loop:
        r = talk("p")
    until "a":
        pass
    x = r.ask("Which?", {"day": "Monday"} if asked == "wish" else {"time": "2 PM"})
    asked = "time"
"""
    flow_map = FlowMap(engine.checked_program(code))
    (condition,) = flow_map.program.conditions
    (opening,) = flow_map.questions_behind(condition, is_opening=True)
    (later,) = flow_map.questions_behind(condition, is_opening=False)
    assert (opening.example, later.example) == ({"day": "Monday"}, None)

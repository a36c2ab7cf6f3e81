"""A caller with a purpose is made for each branch that can be reached."""

from __future__ import annotations

from random import Random

import pytest

from dryline.engine import branch_discovery
from dryline.engine.caller_utterances import saying, telling
from dryline.engine.session import Session
from dryline.engine.simulated_caller import Caller, paths

SHOP = """
order = []
say("Oak Kitchen.")
loop:
    r = talk("Take the order.", True)
until "customer adds an item":
    order.append(r.ask("Which?", {"item": "soup"})["item"])
    return f"{len(order)} items"
until "customer is done and confirms":
    if not order:
        return "nothing ordered"
    who = r.ask("For whom?", {"name": "Jo", "email": "", "kind": "pickup | delivery"})
    extract("who", who)
    if who["kind"] == "delivery":
        loop:
            a = talk("Ask for the address.", True)
        until "customer gives the address":
            extract("address", a.ask("Where?", {"address": ""}))
    say("Thank you.")
    end_call()
until "customer wants a human":
    transfer("+15550001111")
until "never" if False else "customer asks for the hours":
    say("Nine to five.")
"""


def test_every_path_is_listed_from_the_outside_in(engine):
    listed = [[condition.line for condition in path] for path in paths(engine.program(SHOP))]
    assert listed == [[6], [9], [9, 17], [21], [23]]


def test_every_branch_that_can_be_reached_is_found(engine):
    branches = engine.explore(engine.program(SHOP))
    assert [branch.condition.line for branch in branches] == [6, 9, 17, 21, 23]


def test_a_branch_that_cannot_be_reached_is_not_found(engine):
    code = SHOP.replace('if who["kind"] == "delivery":', "if False:")
    assert 17 not in [branch.condition.line for branch in engine.explore(engine.program(code))]


@pytest.mark.parametrize(
    "until_and_if",
    [
        # Only who comes by twice, in a loop that each of its conditions leaves, gets to the offer.
        """
items = 0
ready = False
while not ready:
    loop:
        r = talk("Take the order.", True)
    until "customer adds an item":
        items += 1
    until "customer is finished":
        ready = True
if items > 1:
""",
        """
loop:
    r = talk("Ask for the budget.", True)
until "customer names a budget":
    budget = r.ask("How much?", {"budget": 500})["budget"]
if budget >= 50_000 and budget != 50_001:
""",
        """
loop:
    r = talk("Ask for the age.", True)
until "customer tells the age":
    age = r.ask("How old?", {"age": 30.5})["age"]
if age == 17:
""",
    ],
)
def test_a_branch_behind_an_if_about_numbers_is_found(engine, until_and_if):
    offer = (
        '    loop:\n        r = talk("Offer it.", True)\n    until "customer takes the offer":\n        say("Done.")\n'
    )
    program = engine.program(until_and_if + offer)
    assert [branch.condition for branch in engine.explore(program)] == program.conditions


def test_a_member_that_is_no_noun_is_told_as_people_say_it():
    assert telling({"name": "Jo", "from": "Monday", "to": "Friday"}) == "My name is Jo. From Monday. To Friday."


def test_a_caller_takes_its_branch_whatever_the_seed(engine):
    program = engine.program(SHOP)
    for branch in engine.explore(program):
        for seed in range(5):
            caller = engine.caller(program, branch, Random(seed))
            session = engine.open(program, judge=caller, seed=seed)
            events = session.play(caller)
            assert branch.condition.line in [event.line for event in events if event.type == "taken"]
            assert session.ended


def test_the_callers_words_hold_what_the_flow_asks_about(engine):
    program = engine.program(SHOP)
    branch = next(branch for branch in engine.explore(program) if branch.condition.line == 17)
    caller = engine.caller(program, branch, Random(7))
    session = engine.open(program, judge=caller, seed=7)
    session.play(caller)
    spoken = " ".join(message.text for message in session.messages if message.who == "user")
    who = session.extracted["who"]
    assert who["name"] in spoken
    assert who["email"] in spoken
    assert who["kind"] == "delivery"
    assert session.extracted["address"]["address"] in spoken


def test_callers_of_one_branch_are_different_people(engine):
    program = engine.program(SHOP)
    branch = next(branch for branch in engine.explore(program) if branch.condition.line == 17)
    names = set()
    for seed in range(8):
        caller = engine.caller(program, branch, Random(seed))
        session = engine.open(program, judge=caller, seed=seed)
        session.play(caller)
        names.add(session.extracted["who"]["name"])
    assert len(names) > 3


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("caller asks where an order is", "I would like to ask where an order is."),
        ("contact has confirmed", "I have confirmed."),
        ("customer is done and confirms", "I am done and confirm."),
        ("user wants to know if they are eligible", "I want to know if I am eligible."),
        ("caller's question is answered", "My question is answered."),
        ("no time suits the caller", "No time suits me."),
        ("problem is solved", "The problem is solved."),
        ("caller asks for a person", "I would like to ask for a person."),
    ],
)
def test_conditions_are_said_by_those_for_whom_they_hold(condition, words):
    said = saying(condition, Random(0), first=True)
    assert said.removeprefix("Hello, ").removeprefix("Hi, ").casefold() == words.casefold()


def test_a_caller_greets_at_the_beginning_only():
    assert any(saying("caller confirms", Random(seed), first=True).startswith("H") for seed in range(20))
    assert not any(saying("caller confirms", Random(seed)).startswith("H") for seed in range(60))


def test_a_caller_says_of_themselves_what_is_known(engine):
    program = engine.program(SHOP)
    branch = next(branch for branch in engine.explore(program) if branch.condition.line == 17)
    known = {"name": "Ada Park", "email": "ada@example.com", "item": "tea"}
    caller = Caller(program, branch, Random(1), known)
    session = engine.open(program, judge=caller)
    session.play(caller)
    assert (session.extracted["who"]["name"], session.extracted["who"]["email"]) == ("Ada Park", "ada@example.com")


def test_conditions_are_reached_together_in_their_order(engine):
    program = engine.program(SHOP)
    first, done = program.conditions[:2]
    branch = engine.reach(program, [first, done])
    assert branch is not None and branch.path == (first, done)
    human, hours = program.conditions[3:]
    assert engine.reach(program, [human, hours]) is None


def test_exploring_ends_in_time(engine):
    assert engine.explore(engine.program(SHOP), within_s=-1) == []


def test_no_run_begins_once_it_is_late(engine, monkeypatch):
    runs = []
    play = Session.play
    monkeypatch.setattr(Session, "play", lambda session, speak: runs.append(session) or play(session, speak))
    monkeypatch.setattr(branch_discovery.time, "monotonic", lambda: 100.0 * len(runs))
    (found,) = engine.explore(engine.program(SHOP), within_s=50)
    assert (found.free, len(runs)) == (False, 1)


def test_a_caller_speaks_in_the_first_person(engine):
    program = engine.program('loop:\n    talk("p")\nuntil "If the user wants to change their booking":\n    pass\n')
    (branch,) = engine.explore(program)
    caller = engine.caller(program, branch, Random(1))
    session = engine.open(program, judge=caller)
    session.play(caller)
    assert session.messages[-1].text.endswith("I want to change my booking.")


def test_a_flow_without_a_way_out_is_left(engine):
    program = engine.program('loop:\n    talk("p")\nuntil "user asks":\n    return "x"\n')
    (branch,) = engine.explore(program)
    caller = engine.caller(program, branch, Random(1))
    session = engine.open(program, judge=caller)
    session.play(caller)
    assert session.ended == "hung up"


def test_a_flow_without_a_loop_has_no_branches(engine):
    assert engine.explore(engine.program('say("hi")\n')) == []


def test_a_flow_that_runs_away_is_not_explored_for_long(engine, monkeypatch):
    runs = []
    play = Session.play
    monkeypatch.setattr(Session, "play", lambda session, speak: runs.append(session) or play(session, speak))
    until = 'until "user wants {0}":\n    while True:\n        say("{0}")\n'
    code = 'loop:\n    talk("p")\n' + "".join(until.format(n) for n in range(9)) + 'until "x":\n    1 / 0\n'
    assert len(engine.explore(engine.program(code))) == 3
    assert len(runs) == 3


CLINIC = """
loop:
    r = talk("Ask what it is about.", True)
until "caller wants an appointment":
    visit = r.ask("For what?", {"service": "check-up | cleaning | whitening", "people": 4, "doctor_name": "Sam Reed"})
    extract("visit", visit)
    if visit["service"] == "consultation":
        end_call()
"""


def visits(engine, code, **known):
    program = engine.program(code)
    (branch,) = engine.explore(program)
    for seed in range(12):
        caller = Caller(program, branch, Random(seed), known)
        session = engine.open(program, judge=caller, seed=seed)
        session.play(caller)
        yield session.extracted["visit"]


def test_callers_answer_differently_where_no_answer_leads_away_from_their_branch(engine):
    found = list(visits(engine, CLINIC))
    assert {visit["service"] for visit in found} == {"check-up", "cleaning", "whitening"}
    assert len({visit["people"] for visit in found}) > 3


def test_callers_keep_to_the_answer_that_leads_to_their_branch(engine):
    code = CLINIC.replace('    extract("visit", visit)\n', "").replace("consultation", "cleaning")
    code = code.replace(
        "        end_call()", '        loop:\n            talk("p")\n        until "caller agrees":\n            pass'
    )
    program = engine.program(code)
    branch = next(branch for branch in engine.explore(program) if branch.condition.text == "caller agrees")
    for seed in range(12):
        caller = Caller(program, branch, Random(seed))
        engine.open(program, judge=caller, seed=seed).play(caller)
        assert branch.condition.line in caller.taken


def test_nobody_elses_name_is_the_callers(engine):
    assert all(visit["doctor_name"] != "Ada Park" for visit in visits(engine, CLINIC, name="Ada Park"))


def test_what_a_flow_asks_on_another_branch_is_told_there_too(engine):
    code = CLINIC + 'until "caller asks for the price":\n    return "It is free."\n'
    program = engine.program(code)
    price = next(branch for branch in engine.explore(program) if branch.condition.text == "caller asks for the price")
    caller = Caller(program, price, Random(1))
    session = engine.open(program, judge=caller, seed=1)
    session.play(caller)
    spoken = " ".join(message.text for message in session.messages if message.who == "user")
    assert session.extracted["visit"]["service"].casefold() in spoken.casefold()


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ({"customer_name": "Ada Park"}, "My name is Ada Park."),
        ({"firstName": "Ada"}, "My first name is Ada."),
        ({"neighbour_name": "Sam Reed"}, "The neighbour's name is Sam Reed."),
        ({"order_number": "K48210"}, "My order number is K48210."),
        ({"account": "40118822"}, "My account number is 40118822."),
        ({"phone": "+14155550123"}, "My phone number is +14155550123."),
        ({"reason": "the wrong size"}, "The reason? The wrong size."),
        ({"amount": 162.0, "party_size": 4}, "The amount is 162. The party size is 4."),
        ({"rating": 7}, "I would say 7."),
        ({"is_new_patient": False}, "New patient? No."),
        ({"items": ["soup", "tea"]}, "The items? Soup and tea."),
        ({"note": None, "email": ""}, ""),
        ("soup", "It is soup."),
    ],
)
def test_values_are_told_as_people_tell_them(value, words):
    assert telling(value) == words

"""A caller with a purpose is made for each branch that can be reached."""

from __future__ import annotations

from random import Random

import pytest

from dryline.engine import branch_discovery
from dryline.engine.caller_utterances import utter
from dryline.engine.session import FlowSession
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


def test_a_caller_takes_its_branch_whatever_the_seed(engine):
    program = engine.program(SHOP)
    for branch in engine.explore(program):
        for seed in range(5):
            caller = engine.caller(program, branch, Random(seed))
            session = engine.open(program, model=caller, seed=seed)
            events = session.play(caller)
            assert branch.condition.line in [event.line for event in events if event.type == "taken"]
            assert session.ended


def test_the_callers_words_hold_what_the_flow_asks_about(engine):
    program = engine.program(SHOP)
    branch = next(branch for branch in engine.explore(program) if branch.condition.line == 17)
    caller = engine.caller(program, branch, Random(7))
    session = engine.open(program, model=caller, seed=7)
    session.play(caller)
    spoken = " ".join(message.text for message in session.messages if message.who == "user")
    who = session.extracted["who"]
    assert who["name"] in spoken
    assert who["email"].split(".")[0] in spoken.casefold()
    assert who["kind"] == "delivery"
    assert session.extracted["address"]["address"].split()[-1] in spoken


def test_callers_of_one_branch_are_different_people(engine):
    program = engine.program(SHOP)
    branch = next(branch for branch in engine.explore(program) if branch.condition.line == 17)
    names = set()
    for seed in range(8):
        caller = engine.caller(program, branch, Random(seed))
        session = engine.open(program, model=caller, seed=seed)
        session.play(caller)
        names.add(session.extracted["who"]["name"])
    assert len(names) > 3


@pytest.mark.parametrize(
    ("condition", "words"),
    [
        ("caller wants to repaint the bridge", "I want to repaint the bridge."),
        ("customer is under the bridge and waits", "I am under the bridge and waits."),
        ("user wants to know if they are eligible for the raffle", "I want to know if I am eligible for the raffle."),
        ("carrier cannot reach their dispatcher", "I can't reach my dispatcher."),
    ],
)
def test_a_condition_of_no_known_intent_is_said_in_the_first_person(condition, words):
    assert utter(condition, {}, Random(0), opening=False, avoid=set()).text == words


def test_a_condition_of_a_known_intent_is_said_in_many_ways_and_never_recited():
    texts = {utter("caller asks for a person", {}, Random(seed), opening=False, avoid=set()).text for seed in range(60)}
    assert len(texts) > 10
    assert not any("asks for a person" in text or "I ask" in text for text in texts)


def test_a_caller_does_not_use_a_phrase_twice():
    used: set[str] = set()
    texts = [utter("caller agrees", {}, Random(seed), opening=False, avoid=used).text for seed in range(12)]
    assert len(set(texts)) == 12


def test_a_phrase_with_a_value_has_the_callers_own():
    slots = {"day": "Thursday"}
    texts = [
        utter("caller wants to book an appointment", slots, Random(seed), opening=True, avoid=set())
        for seed in range(80)
    ]
    assert any("Thursday" in text.text and text.slots == {"day"} for text in texts)
    assert not any("{" in text.text for text in texts)


def test_a_caller_says_of_themselves_what_is_known(engine):
    program = engine.program(SHOP)
    branch = next(branch for branch in engine.explore(program) if branch.condition.line == 17)
    known = {"name": "Ada Park", "email": "ada@example.com", "item": "tea"}
    caller = Caller(program, branch, Random(1), known)
    session = engine.open(program, model=caller)
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
    play = FlowSession.play
    monkeypatch.setattr(FlowSession, "play", lambda session, speak: runs.append(session) or play(session, speak))
    monkeypatch.setattr(branch_discovery.time, "monotonic", lambda: 100.0 * len(runs))
    engine.explore(engine.program(SHOP), within_s=50)
    assert len(runs) == 1


def test_a_caller_speaks_in_the_first_person(engine):
    program = engine.program('loop:\n    talk("p")\nuntil "If the user wants to change their booking":\n    pass\n')
    (branch,) = engine.explore(program)
    caller = engine.caller(program, branch, Random(1))
    session = engine.open(program, model=caller)
    session.play(caller)
    assert "the user" not in session.messages[-1].text and "their" not in session.messages[-1].text


def test_a_flow_without_a_way_out_is_left(engine):
    program = engine.program('loop:\n    talk("p")\nuntil "user asks":\n    return "x"\n')
    (branch,) = engine.explore(program)
    caller = engine.caller(program, branch, Random(1))
    session = engine.open(program, model=caller)
    session.play(caller)
    assert session.ended == "hung up"


QUESTIONS = """
answers = []
for question, example in [("How many stars?", {"rating": 4}), ("What can we do better?", {"comment": "more"})]:
    loop:
        r = talk(question, True)
    until "customer has answered":
        answers.append(r.ask(question, example))
extract("rating", answers[0]["rating"])
extract("comment", answers[1]["comment"])
"""


def test_two_questions_on_one_line_have_answers_of_their_own(engine):
    program = engine.program(QUESTIONS)
    (branch,) = engine.explore(program)
    for seed in range(20):
        caller = Caller(program, branch, Random(seed))
        session = engine.open(program, model=caller, seed=seed)
        session.play(caller)
        assert session.failure is None
        assert isinstance(session.extracted["rating"], int) and isinstance(session.extracted["comment"], str)


ORDER = """
items = []
loop:
    r = talk("What would you like?", True)
until "customer adds an item":
    items.append(r.ask("Which item?", {"item": "soup"}))
    return "Anything else?"
until "customer removes an item":
    return "Removed. Anything else?"
until "customer is done ordering":
    extract("items", items)
"""


def test_nobody_is_done_ordering_before_they_have_ordered_and_many_order_more_than_once(engine):
    program = engine.program(ORDER)
    branch = engine.explore(program)[-1]
    counts = []
    for seed in range(40):
        caller = Caller(program, branch, Random(seed))
        session = engine.open(program, model=caller, seed=seed)
        session.play(caller)
        counts.append(sum(condition.text == "customer adds an item" for condition in caller.taken))
        assert caller.taken[-1].text == "customer is done ordering" and len(caller.taken) > 1
    assert sum(count > 1 for count in counts) > 8


def test_a_condition_can_be_taken_several_times(engine):
    program = engine.program(ORDER)
    adds, _, done = program.conditions
    branch = engine.reach(program, [adds, adds, adds, done])
    assert branch is not None
    caller = Caller(program, branch, Random(3))
    engine.open(program, model=caller, seed=3).play(caller)
    assert [condition.text for condition in caller.taken].count("customer adds an item") >= 3


def test_a_flow_without_a_loop_has_no_branches(engine):
    assert engine.explore(engine.program('say("hi")\n')) == []


def test_a_flow_that_runs_away_is_not_explored_for_long(engine, monkeypatch):
    runs = []
    play = FlowSession.play
    monkeypatch.setattr(FlowSession, "play", lambda session, speak: runs.append(session) or play(session, speak))
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
        session = engine.open(program, model=caller, seed=seed)
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
        engine.open(program, model=caller, seed=seed).play(caller)
        assert branch.condition in caller.taken


def test_nobody_elses_name_is_the_callers(engine):
    assert all(visit["doctor_name"] != "Ada Park" for visit in visits(engine, CLINIC, name="Ada Park"))


def test_what_a_flow_asks_on_another_branch_is_told_there_too(engine):
    code = CLINIC + 'until "caller asks for the price":\n    return "It is free."\n'
    program = engine.program(code)
    price = next(branch for branch in engine.explore(program) if branch.condition.text == "caller asks for the price")
    caller = Caller(program, price, Random(1))
    session = engine.open(program, model=caller, seed=1)
    session.play(caller)
    spoken = " ".join(message.text for message in session.messages if message.who == "user")
    assert session.extracted["visit"]["service"].casefold() in spoken.casefold()

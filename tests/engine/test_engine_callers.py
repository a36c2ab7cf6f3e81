"""A caller with a purpose is made for each branch that can be reached."""

from __future__ import annotations

from random import Random

from dryline.engine.caller import paths
from dryline.engine.session import Session

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

"""Simulated callers: each takes one branch of a flow and answers the questions on its way."""

from __future__ import annotations

import re
from random import Random

import pytest

from dryline.flow.language.branches import FlowMap
from dryline.flow.model.caller_words import utter

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
ADDRESS = "customer gives the address"


def spoken(session):
    """Return what the caller said."""
    return " ".join(message.text for message in session.messages if message.who == "user")


# Branches


@pytest.mark.parametrize(
    ("condition", "route"),
    [
        ("contact wants a text message", ["contact confirms the appointment", "contact wants a text message"]),
        ("contact would rather cancel", ["contact wants to cancel", "contact would rather cancel"]),
    ],
)
def test_the_way_to_a_condition_is_read_from_the_code(play, condition, route):
    code = """
comes = False
loop:
    talk("Can you make it?", True)
until "contact asks for a person":
    transfer("+15550100")
until "contact has no time now":
    say("Goodbye.")
until "contact confirms the appointment":
    comes = True
until "contact wants to cancel":
    loop:
        talk("Would you like another day instead?", True)
    until "contact would rather cancel":
        say("Goodbye.")
if comes:
    loop:
        talk("Shall I send you a text message?", True)
    until "contact wants a text message":
        say("Good.")
"""
    for seed in range(8):
        assert [each.text for each in play(code, condition, seed)[0].taken] == route


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


# Utterances


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


GERMAN = """
loop:
    r = talk("Was kann ich für Sie tun?", True)
until "Anrufer möchte einen Termin vereinbaren":
    loop:
        a = talk("An welchem Tag passt es Ihnen?", True)
    until "Anrufer nennt einen Tag":
        day = a.ask("Welcher Tag?", {"tag": "Donnerstag"})["tag"]
    loop:
        a = talk(f"Am {day} um 9 oder um 14 Uhr?", True)
    until "Anrufer wählt eine Uhrzeit":
        a.ask("Welche Uhrzeit?", {"uhrzeit": "14:30"})
    loop:
        a = talk("Wie ist Ihre Kundennummer?", True)
    until "Anrufer nennt die Nummer":
        a.ask("Wie ist die Nummer?", {"kundennummer": "40118822"})
    loop:
        a = talk("Was meinen Sie, ist das so richtig?", True)
    until "Anrufer stimmt zu":
        say("Gut.")
"""
SPANISH = """
loop:
    r = talk("¿En qué puedo ayudarle?", True)
until "el cliente quiere pedir una cita":
    loop:
        a = talk("¿Qué día le viene bien?", True)
    until "el cliente dice el día":
        a.ask("¿Qué día?", {"dia": "jueves"})
    loop:
        a = talk("¿Cuál es su número de cliente?", True)
    until "el cliente da el número":
        a.ask("¿Cuál es el número?", {"numero": "40118822"})
    loop:
        a = talk("¿Está de acuerdo?", True)
    until "el cliente está de acuerdo":
        say("Perfecto.")
"""
ENGLISH = re.compile(
    r"\b(?:the|is|it|my|yes|yeah|no, sorry|mean|actually|sorry|could|pardon|okay, thanks|sure|please|would|by the way"
    r"|\w+day|tomorrow|next|one|two|three|four|five|seven|eight|nine|anrufer|cliente)\b",
    re.IGNORECASE,
)


@pytest.mark.parametrize("code", [GERMAN, SPANISH], ids=["German", "Spanish"])
def test_callers_of_other_languages_add_no_english_and_recite_no_condition(engine, play, code):
    for seed in range(40):
        caller, session = play(code, seed=seed, name="Anna Weber")
        assert session.failure is None and caller.taken[-1].text == engine.program(code).conditions[-1].text
        assert not ENGLISH.search(spoken(session)), spoken(session)


def test_nobody_speaks_of_the_phone_in_a_chat():
    for condition in ("caller asks for a person", "caller needs nothing else", "caller asks where an order is"):
        texts = [utter(condition, {}, Random(n), opening=True, avoid=set(), typed=True) for n in range(150)]
        assert not any(re.search("calling|hang up|operator|put me through", text, re.IGNORECASE) for text in texts)


# Conversations


@pytest.mark.parametrize("seed", [0, 3])
def test_a_caller_takes_its_branch_with_any_seed(engine, play, seed):
    for condition in engine.program(SHOP.replace('if who["kind"] == "delivery":', "if True:")).conditions:
        caller, session = play(SHOP.replace('if who["kind"] == "delivery":', "if True:"), condition.text, seed)
        assert condition.text in [each.text for each in caller.taken] and session.ended


def test_a_callers_words_hold_the_values_that_the_flow_asks_for(play):
    _, session = play(SHOP, ADDRESS, seed=7)
    who = session.extracted["who"]
    assert who["name"] in spoken(session)
    assert who["email"].split(".")[0] in spoken(session).casefold()
    assert who["kind"] == "delivery"
    assert session.extracted["address"]["address"].split()[-1] in spoken(session)


def test_a_caller_says_the_known_values(play):
    _, session = play(SHOP, ADDRESS, name="Ada Park", email="ada@example.com", item="tea")
    assert (session.extracted["who"]["name"], session.extracted["who"]["email"]) == ("Ada Park", "ada@example.com")


def test_a_caller_hangs_up_where_nothing_leads_out(play):
    assert play('loop:\n    talk("p")\nuntil "user asks":\n    return "x"\n')[1].ended == "hung up"


# Calls that a listener believes


MATTERS = """
wish = None
while wish != "goodbye":
    loop:
        r = talk("How can I help you?", True)
    until "caller asks where an order is":
        wish = "track"
    until "caller wants to send something back":
        wish = "return"
    until "caller asks about the opening hours":
        return "Nine to five. Anything else?"
    until "caller needs nothing else":
        wish = "goodbye"
"""


def test_few_come_back_with_the_matter_that_was_settled_or_with_another_one(play):
    calls = [
        [each.text for each in play(MATTERS, "caller asks where an order is", seed)[0].taken] for seed in range(100)
    ]
    assert sum(len(set(taken)) < len(taken) for taken in calls) < 4
    assert sum("caller wants to send something back" in taken for taken in calls) < 8


DESK = """
forms = {
    "wish": ("How can I help you?", "gives their name", "is unsure"),
    "day": ("Which day?", "names a day", "has no wish"),
}
asked, day = "wish", None
while not day:
    question, answer, refusal = forms[asked]
    say(question)
    loop:
        res = talk("Help.", False)
    until "caller wants an appointment":
        asked = "day"
    until "caller asks for a person":
        transfer("+15550001111")
    until f"caller {answer}":
        day = res.ask("Which day?", "Monday") if asked == "day" else None
    until f"caller {refusal}":
        day = "any day"
    until "caller says goodbye":
        day = "no day"
extract("day", day)
"""


@pytest.mark.parametrize("seed", range(8))
def test_a_caller_answers_the_last_question_of_a_loop_that_asks_several(play, seed):
    caller, session = play(DESK, "caller wants an appointment", seed)
    wish, answer = (each.text for each in caller.taken[:2])
    assert wish == "caller wants an appointment" and answer in ('f"caller {answer}"', 'f"caller {refusal}"')
    assert session.extracted["day"] in spoken(session) or session.extracted["day"] == "any day"

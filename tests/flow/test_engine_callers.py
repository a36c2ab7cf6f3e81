"""Simulated callers: each takes one branch of a flow and answers the questions on its way."""

from __future__ import annotations

import re
from random import Random

import pytest

from dryline.flow.language.branches import FlowMap
from dryline.flow.model.caller_utterances import intent_of, utter

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
def hand_over():
    transfer("+15550100")
loop:
    talk("p")
until "a":
    wish = "person"
until "b":
    hand_over()
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


def test_a_condition_of_a_known_intent_is_said_in_many_ways_and_never_recited():
    texts = {utter("caller asks for a person", {}, Random(seed), opening=False, avoid=set()) for seed in range(60)}
    assert len(texts) > 10
    assert not any("asks for a person" in text or "I ask" in text for text in texts)


NO_AND_A_DAY = """
loop:
    r = talk("Is this the day that we agreed on?", True)
until "caller declines or wants to move the appointment":
    extract("day", r.ask("Which day?", {"day": "Thursday"})["day"])
"""


def test_a_value_that_a_plain_no_does_not_hold_is_said_behind_it(play):
    for seed in range(30):
        _, session = play(NO_AND_A_DAY, seed=seed)
        assert session.extracted["day"] in spoken(session), spoken(session)


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


def test_a_caller_does_not_use_a_phrase_twice():
    used: set[str] = set()
    texts = [utter("caller agrees", {}, Random(seed), opening=False, avoid=used) for seed in range(12)]
    assert len(set(texts)) == 12


def test_nobody_speaks_of_the_phone_in_a_chat():
    for condition in ("caller asks for a person", "caller needs nothing else", "caller asks where an order is"):
        texts = [utter(condition, {}, Random(n), opening=True, avoid=set(), typed=True) for n in range(150)]
        assert not any(re.search("calling|hang up|operator|put me through", text, re.IGNORECASE) for text in texts)


def test_nobody_takes_the_name_of_a_neighbour(play):
    code = """
loop:
    r = talk("Who should we leave it with?", True)
until "customer names a neighbour":
    extract("neighbour", r.ask("What is the neighbour's name?", "Sam Reed"))
"""
    texts = [spoken(play(code, seed=seed)[1]) for seed in range(30)]
    assert not any(re.search("I'm|my name|this is", text, re.IGNORECASE) for text in texts)


def test_a_value_that_nobody_asked_for_is_no_bare_word(play):
    code = """
loop:
    r = talk("Answer visitors.", False)
until "visitor says what animal it is":
    extract("animal", r.ask("What kind of animal is it?", {"animal": "horse"})["animal"])
"""
    for seed in range(40):
        _, session = play(code, seed=seed)
        assert spoken(session).count(" ") > 1, spoken(session)


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


def test_callers_of_one_branch_are_different_people(play):
    assert len({play(SHOP, ADDRESS, seed)[1].extracted["who"]["name"] for seed in range(8)}) > 3


def test_a_caller_says_the_known_values(play):
    _, session = play(SHOP, ADDRESS, name="Ada Park", email="ada@example.com", item="tea")
    assert (session.extracted["who"]["name"], session.extracted["who"]["email"]) == ("Ada Park", "ada@example.com")


def test_a_caller_hangs_up_where_nothing_leads_out(play):
    assert play('loop:\n    talk("p")\nuntil "user asks":\n    return "x"\n')[1].ended == "hung up"


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


@pytest.mark.parametrize("seed", range(8))
def test_two_questions_on_one_line_have_answers_of_their_own(play, seed):
    _, session = play(QUESTIONS, seed=seed)
    assert session.failure is None
    assert isinstance(session.extracted["rating"], int) and isinstance(session.extracted["comment"], str)


TWO_TEXTS = """
loop:
    r = talk("What is the matter?", True)
until "caller has a complaint":
    extract("what", r.ask("What happened?", "the lid is broken"))
    extract("which", r.ask("Which product?", "kettle"))
    extract("codes", r.ask("Which codes?", {"codes": ["A-11", "B-22"]})["codes"])
"""


def test_each_question_has_a_value_of_its_own(play):
    for seed in range(10):
        extracted = play(TWO_TEXTS, seed=seed)[1].extracted
        assert extracted["what"] != extracted["which"]
        assert len(set(extracted["codes"])) == 2


CLINIC = """
loop:
    r = talk("Ask what it is about.", True)
until "caller wants an appointment":
    visit = r.ask("For what?", {"service": "check-up | cleaning | whitening", "people": 4, "doctor_name": "Sam Reed"})
    extract("visit", visit)
    if visit["service"] == "consultation":
        end_call()
"""


def test_a_value_that_a_flow_asks_for_on_another_branch_is_said_there(play):
    code = CLINIC + 'until "caller asks for the price":\n    return "It is free."\n'
    _, session = play(code, "caller asks for the price")
    assert session.extracted["visit"]["service"].casefold() in spoken(session).casefold()


def test_a_condition_in_an_intents_own_words_means_it_beside_conditions_of_any_trade():
    emergency = "caller reports an emergency with an animal"
    menu = ("caller wants an appointment", emergency, "caller asks for a person", "caller needs nothing else")
    assert intent_of(emergency, menu).name == "vet_emergency"


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


WHICH = """
loop:
    r = talk("What is the matter?", True)
until "caller has a device that does not work":
    device = r.ask("Which device is it?", {"device": "printer | screen | phone | laptop"})["device"]
    if not device:
        loop:
            a = talk("Which device is it: the printer, the screen, the phone or the laptop?", True)
        until "caller says which device it is":
            device = a.ask("Which device is it?", "printer | screen | phone | laptop")
    extract("device", device)
"""


def test_a_fact_is_not_given_as_a_wish_and_agrees_with_what_was_said_before(engine, play):
    for condition in engine.program(WHICH).conditions:
        for seed in range(60):
            _, session = play(WHICH, condition.text, seed)
            assert not re.search(r"prefer|go for|(?:printer|screen|phone|laptop), please", spoken(session))
            named = set(re.findall("printer|screen|phone|laptop", spoken(session)))
            assert named == {session.extracted["device"]}, spoken(session)


EMERGENCY = """
loop:
    r = talk("A visit is 65 dollars. How can we help?", True)
until "caller reports an emergency with an animal":
    animal = r.ask("What kind of animal is it?", "cat")
    if not animal:
        loop:
            a = talk("What kind of animal is it?", True)
        until "caller says what animal it is":
            animal = a.ask("What kind of animal is it?", "cat")
    extract("animal", animal)
"""


def test_an_animal_stays_the_same_animal(engine, play):
    for condition in engine.program(EMERGENCY).conditions:
        for seed in range(80):
            _, session = play(EMERGENCY, condition.text, seed)
            named = set(re.findall(r"\b(?:dog|cat|rabbit|hamster|horse|turtle)\b", spoken(session).casefold()))
            assert named <= {session.extracted["animal"]}, spoken(session)


PARCEL = """
loop:
    r = talk("How can I help you?", True)
until "caller asks where a parcel is":
    first = number = r.ask("What is the parcel number?", "H482107")
    loop:
        a = talk(f"I have {number}. Is that right?", True)
    until "caller says that it is right":
        extract("numbers", [first, number])
    until "caller corrects the parcel number":
        number = a.ask("What is the parcel number?", "H482107")
        return
"""


def test_each_caller_is_in_a_room_of_their_own(play):
    code = """
loop:
    r = talk("Which room are you in?", True)
until "caller gives the room":
    extract("room", r.ask("Which room?", "312"))
"""
    sessions = [play(code, seed=seed)[1] for seed in range(12)]
    assert len({session.extracted["room"] for session in sessions}) > 8
    assert not any("number" in spoken(session) or "have it here" in spoken(session) for session in sessions)


def test_nobody_asks_about_a_job_where_no_condition_is_about_one():
    menu = (
        "caller asks where an order is",
        "caller asks about opening hours or the address",
        "caller needs nothing else",
    )
    said = {utter(menu[1], {}, Random(seed), opening=True, avoid=set(), menu=menu) for seed in range(60)}
    assert not any(re.search(r"\b(?:pay|job|work)\b", text) for text in said), said
    assert intent_of("caller asks about prices", ("caller asks about prices", "caller is in pain")).name == "ask_price"


def test_who_corrects_a_number_says_another_one(play):
    for seed in range(20):
        _, session = play(PARCEL, seed=seed)
        assert session.extracted["numbers"][0] != session.extracted["numbers"][1], spoken(session)


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


@pytest.mark.parametrize("answer", ['f"caller {answer}"', 'f"caller {refusal}"'])
def test_no_caller_opens_with_the_answer_to_a_question(play, answer):
    for seed in range(8):
        caller, _ = play(DESK, answer, seed)
        assert caller.taken[0].fixed

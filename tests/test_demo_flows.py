"""The flows of the shipped scenarios: each version is sound, and the newest ends well wherever a caller leads it."""

import re
from pathlib import Path
from random import Random

import pytest

from dryline.flow.engine import Engine
from dryline.flow.language.branches import FlowMap
from dryline.flow.language.web import no_network
from dryline.flow.model.simulated_caller import Caller
from dryline.flow.sessions.engines import with_demo_services
from dryline.tools import campaign, clinic, demo_content, trouble

BUSINESSES = (*demo_content.BUSINESSES, demo_content.QUAYSIDE, clinic.HOSPITAL, campaign.GARAGE)
PROGRAMS = [one.program for one in BUSINESSES] + [demo_content.REMINDER]
ROOT = Path(__file__).parent.parent
TIMES = r"\d+(?::\d\d)? [AP]M"


@pytest.fixture(scope="module")
def engine():
    with Engine(fetch=with_demo_services(no_network)) as engine:
        yield engine


@pytest.fixture(scope="module")
def converse(engine):
    """Run conversations to each condition of the newest version; return the conditions taken, sessions, events."""
    runs = {}

    def run(program):
        if program.name not in runs:
            flow = engine.program(program.versions[-1].sound_code)
            state = {"name": "Ada Park", "day": "Friday", "time": "10:15 AM", "car": "van", "Caller": "+14155550123"}
            options = {"variables": program.variables, "state": state}
            runs[program.name] = results = []
            flow_map = FlowMap(flow)
            for condition in flow.conditions:
                for seed in range(3):
                    caller = Caller(flow_map, flow_map.route_to([condition]), Random(seed))
                    session = engine.open(flow, model=caller, seed=seed, **options)
                    results.append((caller.taken, session, session.play(caller)))
        return runs[program.name]

    return run


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_callers_reach_every_condition_of_the_newest_version(engine, converse, program):
    reached = {condition.text for taken, _, _ in converse(program) for condition in taken}
    assert reached == {condition.text for condition in engine.program(program.versions[-1].sound_code).conditions}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
def test_the_newest_version_ends_well_and_speaks_of_nothing_that_it_does_not_know(converse, program):
    for taken, session, events in converse(program):
        texts = [str(event.details.get("text") or event.details.get("url") or event.details.get("value"))
                 for event in events if event.type in ("said", "requested", "extracted")]  # fmt: skip
        assert session.failure is None and session.ended, taken
        assert not re.search(r"\bNone\b", " ".join(texts)), taken


@pytest.fixture
def hold(control):
    """Hold a conversation with the newest version of a flow; return what the agent said after each utterance.

    It is a Wednesday, for a flow offers other days than today, and the businesses are open.
    """
    control.put("/clock", {"now": "2026-05-20T17:00:00.000Z", "frozen": True})

    def talk(program, *utterances):
        state = {"name": "Ada Park", "day": "Friday", "time": "10:15 AM", "service": "cleaning", "car": "van"}
        state["Caller"] = "+14155550123"
        body = {"code": program.versions[-1].sound_code, "variables": program.variables, "state": state}
        id = control.post("/talk", body).json["id"]
        answers = (control.post(f"/talk/{id}", {"say": utterance}).json["events"] for utterance in utterances)
        return [" ".join(event["text"] for event in events if event["type"] == "said") for events in answers]

    return talk


DENTAL, SHOP, POWER, NET = (one.program for one in demo_content.BUSINESSES)
IT, VET, GARAGE = demo_content.QUAYSIDE.program, clinic.HOSPITAL.program, campaign.GARAGE.program
PARCELS = trouble.PARCELS.program


@pytest.mark.parametrize(
    ("program", "utterances", "answer"),
    [
        # Nothing that was said already is asked for.
        (DENTAL, ["I'm Rita Holm and I'd like a cleaning on Monday at ten in the morning"], "Monday at 10 AM"),
        (DENTAL, ["This is Rita Holm, I need to move my appointment from Friday to Monday"], "For Monday"),
        (VET, ["I'm Rita Holm, my dog needs a vaccination on Friday at nine"], "Friday at 9 AM. Is that right?"),
        (SHOP, ["Where is my order K30219?", "97209"], "arrives"),
        (NET, ["I'm Rita Holm and my internet is down"], "unplug the router"),
        (IT, ["This is Rita Holm, my printer is jammed"], "switch the printer off"),
        # Dates with a month have their own weekday.
        (DENTAL, ["I need a check-up", "Rita Holm", "June 12"], "Friday, June 12"),
        (DENTAL, ["I need a check-up", "Rita Holm", "06/15"], "Monday, June 15"),
        (DENTAL, ["I need a check-up", "Rita Holm", "the 4th of June"], "Thursday, June 4"),
        (DENTAL, ["I need a check-up", "Rita Holm", "tomorrow"], "tomorrow"),
        (GARAGE, ["speaking", "I need another time", "June 12"], "Friday, June 12"),
        # Times that were not offered, and parts of the day.
        (DENTAL, ["I need a check-up on Monday", "Rita Holm", "how about four o'clock?"], "Monday at 4 PM"),
        (DENTAL, ["I need a check-up on Monday", "Rita Holm", "the morning one"], "AM. Is that right?"),
        (DENTAL, ["I need a check-up on Friday", "Rita Holm", "something in the evening, please"], "at that time"),
        (DENTAL, ["I need a check-up on Monday", "Rita Holm", "sometime in the afternoon"], "PM. Is that right?"),
        # A change of mind is heard.
        (DENTAL, ["Please cancel my appointment", "Rita Holm", "no, don't cancel it, move it to Monday"], "For Monday"),
        (DENTAL, ["Please cancel my appointment", "Rita Holm", "no, I'd rather keep it"], "stays as it is"),
        (SHOP, ["I want to cancel order K30219", "97209", "no wait, keep it"], "nothing is cancelled"),
        # The caller's own product counts, and numbers are checked.
        (SHOP, ["I want to return the shoes", "K30219", "97209"], "the shoes"),
        (SHOP, ["My order hasn't come", "B4411"], "no order number"),
        (POWER, ["I want to pay my bill", "A 4471"], "eight digits"),
        (POWER, ["I want to pay my bill", "123456"], "eight digits"),
        (POWER, ["I want to pay my bill", "40118822", "yes, I want to pay it", "with my credit card"], "May I charge"),
        (PARCELS, ["where is my parcel?", "H48"], "no parcel number"),
        # The agent says who is speaking, and what it can do.
        (POWER, ["is this the power company?"], "This is Alex of Cedar Valley Power"),
        (SHOP, ["who am I talking to?"], "This is Robin of Larkspur Goods"),
        (IT, ["what can you do for me?"], "a device or a password"),
        (NET, ["hi, how are you?"], "happy to help"),
        (DENTAL, ["can I just talk to a real person?"], "connecting you"),
        # The end of a call.
        (DENTAL, ["I need a check-up on Monday at ten", "Rita Holm", "yes", "no thanks, bye"], "Thank you for calling"),
        (DENTAL, ["I need a check-up on Monday at ten", "Rita Holm", "yes", "see you Monday"], "Thank you for calling"),
        (DENTAL, ["I need a check-up on Monday at ten", "Rita Holm", "yes", "when is it again?"], "at 10 AM"),
        (DENTAL, ["I need a check-up on Monday at ten", "Rita Holm", "yes", "yes"], "What can I do for you?"),
        (POWER, ["forget it"], "Thank you for calling"),
    ],
)
def test_a_caller_is_answered(hold, program, utterances, answer):
    said = hold(program, *utterances)[-1].replace("How can I help you today?", "What can I do for you?")
    assert answer in said


# The sentences that docs/demo.md proposes, each with what is said before it.
OF_THE_GUIDE = [
    ["My name is Tom Baker and I need a consultation on Tuesday at 9", "that's right", "no thanks, bye"],
    *(
        ["I need a cleaning", "Tom Baker", day, "something in the afternoon"]
        for day in ("tomorrow", "December 18", "12/02", "the 3rd of December")
    ),
    ["I want to cancel my appointment", "actually no, don't cancel it, move it to Tuesday"],
    *(
        [*["I need a cleaning", "Tom Baker"][:number], aside]
        for aside in (
            "when are you open?",
            "who is this?",
            "what can you do?",
            "can I talk to a real person?",
            "never mind",
        )
        for number in range(3)
    ),
]


def test_what_the_guide_proposes_to_say_is_understood(hold):
    _, _, behind_heading = (ROOT / "docs/demo.md").read_text().partition("## What you can say")
    section, _, _ = behind_heading.partition("\n## ")
    proposed = {" ".join(sentence.split()) for sentence in re.findall(r'"([^"]+)"', section)}
    assert proposed <= {sentence for utterances in OF_THE_GUIDE for sentence in utterances}
    for utterances in OF_THE_GUIDE:
        said = " ".join(hold(DENTAL, *utterances))
        assert "didn't get that" not in said and "not sure that I understood" not in said, utterances


def test_a_practice_that_is_closed_connects_with_the_dentist_on_call_and_not_with_the_front_desk(hold, control):
    control.put("/clock", {"now": "2026-05-23T17:00:00.000Z", "frozen": True})  # a Saturday
    (said,) = hold(DENTAL, "my tooth hurts terribly")
    assert "the dentist on call" in said and "front desk" not in said


def test_a_card_is_charged_after_a_yes_and_only_once(hold):
    said = hold(demo_content.CEDAR.program, "I want to pay my bill", "40118822", "yes", "by card", "yes", "all of it")
    assert "May I charge" in said[3] and "went through" not in said[3]
    assert "went through" in said[4] and "charge" not in said[5]


def test_a_caller_who_can_take_neither_time_is_offered_others_to_choose_from(hold):
    utterances = ["I need to move my appointment", "Jo Lee", "Thursday", "neither works", "blue elephants"]
    *_, offer, other, again, done = hold(demo_content.BAYSIDE.program, *utterances, "the first one")
    assert re.findall(TIMES, offer) != re.findall(TIMES, other) == re.findall(TIMES, again)
    assert re.findall(TIMES, other)[0] in done


@pytest.mark.parametrize(
    ("program", "utterances"),
    [
        (demo_content.BAYSIDE.program, ["I need an appointment for a check-up {}", "Jo Lee"]),
        (clinic.HOSPITAL.program, ["I need an appointment for a check-up for my cat {}"]),
        (campaign.GARAGE.program, ["speaking", "I need another time", "{}"]),
    ],
)
def test_a_caller_hears_that_a_day_is_full_or_closed_before_another_one_is_offered(hold, program, utterances):
    assert "nothing left today" in hold(program, *(each.format("today") for each in utterances))[-1]
    assert "closed on Sunday" in hold(program, *(each.format("on Sunday") for each in utterances))[-1]
    next_week = hold(program, *(each.format("next Thursday") for each in utterances))[-1]
    assert "nothing left" not in next_week and "closed" not in next_week


def test_who_is_not_understood_twice_is_offered_a_person_and_connected(hold):
    *_, offer, over = hold(
        demo_content.BAYSIDE.program, "I need a check-up", "purple monkeys", "blue elephants", "yes please"
    )
    assert "connect you" in offer or "talk to our front desk" in offer
    assert "connecting" in over

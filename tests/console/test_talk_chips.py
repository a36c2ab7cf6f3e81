"""The sentences that Talk suggests: they answer the open question, are understood, and lead to the flow's end."""

import json
import re
from html import unescape

import pytest

from dryline.tools import campaign, clinic, demo_content, trouble

BUSINESSES = (*demo_content.BUSINESSES, demo_content.QUAYSIDE, clinic.HOSPITAL, campaign.GARAGE, trouble.PARCELS)
PROGRAMS = [*(one.program for one in BUSINESSES), demo_content.REMINDER, clinic.WEBSITE]
CONTACT = {"name": "Ada Park", "day": "Friday", "time": "10:15 AM", "service": "cleaning", "car": "van"}
MOST_TURNS = 12

for_each_program = pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)


class Conversation:
    """A person on the page of a conversation, who presses what it suggests."""

    def __init__(self, visitor, control):
        self._visitor, self._control = visitor, control
        action = next(form["action"] for form in visitor.page.forms if re.search("/talk/talk_", form["action"]))
        self._id = re.search(r"talk_[\w-]+", action)[0]

    @property
    def chips(self):
        return [unescape(text) for text in re.findall(r'name="say" value="([^"]*)"', self._visitor.page.answer.text)]

    @property
    def is_over(self):
        return "The conversation is over" in self._visitor.page.text

    def events(self, kind, member):
        """Return a member of the events of one kind."""
        events = self._control.get(f"/talk/{self._id}").json["events"]
        return [event[member] for event in events if event["type"] == kind]

    def press(self, chip):
        """Press a suggestion, and return the condition that it met, if any."""
        before = self.events("taken", "condition")
        self._visitor.send(self._id, say=chip)
        after = self.events("taken", "condition")
        return after[-1] if len(after) > len(before) else None


@pytest.fixture
def begin(visitor, control, make_flow):
    """Begin a conversation with a program, on a Wednesday morning."""
    control.put("/clock", {"now": "2026-05-20T17:00:00.000Z", "frozen": True})

    def begin(program, seed=1):
        flow = make_flow(code=program.versions[-1].sound_code, variables=program.variables)
        visitor.go(f"/workers/{flow['workerId']}/talk?flowId={flow['id']}")
        channel = "chat" if program.label == "chat" else "voice"
        state = {} if channel == "chat" else {"Caller": "+14155550123", **CONTACT}
        visitor.send("/talk", state=json.dumps(state), channel=channel, seed=str(seed))
        return Conversation(visitor, control)

    return begin


@for_each_program
def test_the_first_suggestion_again_and_again_ends_each_flow_within_twelve_turns(begin, program):
    talk, said = begin(program), []
    while not talk.is_over:
        assert len(said) < MOST_TURNS, said
        said.append(talk.chips[0])
        talk.press(said[-1])
    assert len(said) > 2, said


@for_each_program
def test_each_suggestion_is_understood(begin, program):
    talk = begin(program, seed=2)
    for turn in range(2 * MOST_TURNS):
        if talk.is_over:
            break
        chip = talk.chips[-turn % len(talk.chips)]
        taken = talk.press(chip)
        assert taken and "none of these" not in taken, chip


@for_each_program
def test_when_nothing_more_is_asked_for_the_first_suggestion_is_that_this_is_all(begin, program):
    talk = begin(program)
    while not talk.is_over:
        asks_for_more = "else" in "".join(talk.events("said", "text")[-1:])
        assert asks_for_more == (talk.chips[0] == "No, that's all.")
        talk.press(talk.chips[0])

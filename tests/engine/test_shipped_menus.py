"""Sentences that newcomers said to the shipped flows, menu by menu, and the condition that each one meets."""

import pytest

from dryline.engine.understanding.decision import understand
from dryline.engine.understanding.scoring import Context

REACHED = [
    "contact is the right person",
    "voicemail detected",
    "contact has no time now",
    "contact says that it is the wrong number",
]
MENUS = [
    (
        "Hello, this is Nora from Bayside Dental. Am I speaking with Ada Park?",
        REACHED,
        [
            ("this is Ada", 0),
            ("this is Ada Park", 0),
            ("yes it is", 0),
            ("speaking", 0),
            ("hi, you've reached Ada, leave a message", 1),
            ("You have reached the voicemail of Ada Park", 1),
            ("I'm driving right now", 2),
            ("can you call me later?", 2),
            ("I'm in a meeting", 2),
            ("no, you have the wrong number", 3),
            ("there's no Ada here", 3),
            ("who?", None),
        ],
    ),
    (
        "Hi Ada. I'm calling about your check-up on Thursday at 9:00 AM. Can you make it?",
        [
            "contact confirms the appointment",
            "contact needs another time",
            "contact wants to cancel",
            "contact asks for a person",
        ],
        [
            ("I won't be able to come", 2),
            ("Can we do another day instead?", 1),
            ("oh no, I'm out of town Thursday", 1),
            ("I'll be there", 0),
            ("please cancel it", 2),
            ("I can't on Thursday, but Friday works", 1),
            ("yes of course", 0),
            ("let me talk to somebody", 3),
        ],
    ),
    (
        "I'm sorry to hear that. Would you like another day instead?",
        ["contact would rather cancel", "contact wants to keep it after all"],
        [
            ("no", 0),
            ("no thanks", 0),
            ("not really", 0),
            ("no, just cancel it", 0),
            ("actually, leave it, I'll come", 1),
            ("keep it then", 1),
        ],
    ),
    (
        "Has your insurance changed since the last time?",
        ["contact has the same insurance", "contact has a new insurance"],
        [("no", 0), ("yes", 1), ("not that I know", 0), ("I changed jobs, so yes", 1), ("it's the same", 0)],
    ),
    (
        "And shall I send you a text message the day before?",
        ["contact wants a text message", "contact needs no text message"],
        [("yes please", 0), ("sure", 0), ("no need", 1), ("I'll remember", 1), ("that would be great", 0), ("nah", 1)],
    ),
    (
        "Are you taking any new medicine that the dentist should know about?",
        ["contact says no", "contact says yes"],
        [("no", 0), ("none", 0), ("yes, aspirin", 1), ("nothing new", 0)],
    ),
    (
        "Welcome to Larkspur Goods, this is Robin. What can I do for you?",
        [
            "caller asks where an order is",
            "caller wants to send something back",
            "caller wants to cancel an order",
            "caller asks for a person",
            "caller needs nothing else",
        ],
        [
            ("When will order 48213 get here?", 0),
            ("my stuff isn't here yet", 0),
            ("I want my money back", 1),
            ("the lamp is broken", 1),
            ("I don't want it any more, can you stop it?", 2),
            ("can I speak to someone", 3),
            ("when does my parcel come?", 0),
            ("I ordered the wrong size", 1),
        ],
    ),
    (
        "Would you like your money back, or another pair of hiking boots?",
        ["caller wants the money back", "caller wants a replacement"],
        [
            ("I'd rather have another pair", 1),
            ("the money please", 0),
            ("money back", 0),
            ("a new one", 1),
            ("refund", 0),
            ("another pair please", 1),
        ],
    ),
    (
        "Cedar Valley Power, this is Alex. How can I help you today?",
        [
            "caller asks why the bill is so high",
            "caller wants to pay a bill",
            "caller needs a payment plan",
            "caller asks for a person",
            "caller asks about hours or the address",
            "caller needs nothing else",
        ],
        [
            ("Why did I get charged 240 dollars?", 0),
            ("my bill is twice what it was", 0),
            ("I can't afford this bill", 2),
            ("can I pay in parts", 2),
            ("I'd like to settle my account", 1),
            ("where's your office", 4),
            ("I'm moving to a new house next month", None),
        ],
    ),
    (
        "Tidewater Internet support, this is Marina. What seems to be the problem?",
        [
            "caller has no internet connection",
            "caller has slow internet",
            "caller cannot log in to the account",
            "caller asks for a person",
            "caller asks about hours or the address",
            "caller needs nothing else",
        ],
        [
            ("hi my wifi is out", 0),
            ("Is there an outage in my area?", 0),
            ("Netflix keeps buffering", 1),
            ("nothing loads", 0),
            ("the internet is down", 0),
            ("I can't get into my account", 2),
            ("it's crawling", 1),
            ("I've already tried restarting it", None),
        ],
    ),
    (
        "Please put the router in the open, away from walls and the microwave. Is it faster there now?",
        ["caller notices that it is faster", "caller notices no difference"],
        [
            ("that's better thanks", 0),
            ("much better", 0),
            ("no", 1),
            ("still slow", 1),
            ("yes", 0),
            ("same as before", 1),
        ],
    ),
    (
        "Quayside help desk, this is Toni. What is the matter?",
        [
            "caller has a device that does not work",
            "caller cannot log in",
            "caller asks for a person",
            "caller needs nothing else",
        ],
        [
            ("The projector is broken", 0),
            ("my laptop won't turn on", 0),
            ("I'm locked out", 1),
            ("printer jam", 0),
            ("I forgot my password", 1),
            ("my screen is black", 0),
        ],
    ),
    (
        "All right. Please switch the printer off, wait ten seconds, and switch it on again. Did that help?",
        ["caller says yes", "caller says no"],
        [
            ("did nothing", 1),
            ("yes it prints again", 0),
            ("nope", 1),
            ("still jammed", 1),
            ("it's working now", 0),
            ("that did it", 0),
        ],
    ),
    (
        "Elm Street Animal Hospital, this is Joan. How can we help you and your animal?",
        [
            "caller wants an appointment",
            "caller reports an emergency with an animal",
            "caller asks about hours or prices",
            "caller asks for a person",
            "caller needs nothing else",
        ],
        [
            ("Can I move Bella's appointment to next week?", 0),
            ("my dog needs his rabies shot", 0),
            ("my cat isn't eating", 0),
            ("my dog was hit by a car", 1),
            ("what does a check-up cost", 2),
            ("are you open on Saturday?", 2),
            ("my dog ate chocolate", 1),
            ("my rabbit needs a check-up", 0),
        ],
    ),
    (
        "Which day would suit you best?",
        ["caller names a day", "caller wants to come as soon as possible"],
        [("Friday", 0), ("tomorrow", 0), ("as soon as you can", 1), ("Monday or Tuesday", 0)],
    ),
    (
        "Hello! How can we help you and your animal?",
        [
            "visitor wants an appointment",
            "visitor reports an emergency with an animal",
            "visitor asks about hours",
            "visitor asks about prices",
            "visitor needs nothing else",
        ],
        [
            ("Is Saturday open?", 2),
            ("how late are you open", 2),
            ("book me in for my dog", 0),
            ("price for a check-up?", 3),
        ],
    ),
    (
        "Welcome to Harborline Parcels, this is Jamie. How can I help you?",
        [
            "caller asks where a parcel is",
            "caller will not be at home",
            "caller asks for a person",
            "caller needs nothing else",
        ],
        [
            ("My tracking says delivered but I got nothing", 0),
            ("When will it come?", 0),
            ("I'm away on the day of the delivery", 1),
            ("nobody's home tomorrow", 1),
            ("where's my package", 0),
        ],
    ),
    (
        "Hello, this is Sam from Northgate Motors. Am I speaking with Ada Park?",
        REACHED,
        [("this is Ada Park", 0), ("I'm driving right now", 2), ("yep", 0)],
    ),
    (
        "It's about the winter check of your van. We have you down for Wednesday at 8:00 AM. Can you make it?",
        [
            "contact confirms the appointment",
            "contact needs another time",
            "contact wants to cancel",
            "contact has sold the car",
            "contact asks for a person",
        ],
        [
            ("I already sold that car", 3),
            ("I don't have the van any more", 3),
            ("that's fine", 0),
            ("Wednesday is bad", 1),
            ("I don't need it", 2),
            ("yes, see you then", 0),
        ],
    ),
    (
        "Your desk lamp is on its way, and arrives tomorrow between 2 and 6 PM. Does that suit you?",
        ["caller is fine with it", "caller will not be at home", "caller complains that it is late"],
        [("no", None), ("yes", 0), ("I'm at work then", 1), ("that's too late, I need it today", 2), ("great", 0)],
    ),
]


@pytest.mark.parametrize(
    ("agent", "conditions", "said", "index"),
    [(agent, conditions, said, index) for agent, conditions, rows in MENUS for said, index in rows],
)
def test_what_newcomers_said_is_understood(agent, conditions, said, index):
    assert understand(conditions, said, Context(agent, "You are an agent.", "")).index == index

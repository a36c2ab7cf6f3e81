"""Values of each kind as callers give them: one finder a kind."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dryline.flow.language.language_model import Question
from dryline.flow.model.answers.filling import fill
from dryline.flow.model.caller_words import sentences_with_value

NOW = datetime(2026, 11, 25, 15, tzinfo=UTC)  # a Wednesday


def answer(question, example, said):
    return fill(Question(f"Agent: {question}\nUser: {said}", question, example, now=NOW))[0]


KINDS = {
    "name": [
        ("Which name?", "Jane Doe", "put it under Fitzgerald please", "Fitzgerald"),
        ("Which name?", "Jane Doe", "yeah hi, kyle henson here", "Kyle Henson"),
        ("Which name?", "Jane Doe", "it's under Brown, Alice Brown", "Alice Brown"),
        ("Which name?", "Jane Doe", "the name is on the invoice", None),
    ],
    "last_name": [("What is the last name?", "Doe", "Torres, T-O-R-R-E-S", "Torres")],
    "email": [
        ("Which e-mail?", "a@b.com", "ana underscore lee ninety two at mail dot co dot uk", "ana_lee92@mail.co.uk"),
        ("Which e-mail?", "a@b.com", "I'd rather not give that out", None),
    ],
    "phone": [
        ("Which number?", "555-123-4567", "eight oh five, five five five, zero one four two", "805-555-0142"),
        ("Which number?", "+15551234567", "my number is 303 555 0188", "+13035550188"),
        ("Which number?", "555-1234", "I don't know it by heart", None),
    ],
    "day": [
        ("Which day?", "Monday", "Tuesday, no, Thursday", "Thursday"),
        ("Which day?", "Monday", "next Wednesday", "next Wednesday"),
        ("Which day?", "Monday", "Monday doesn't work for me, how about Tuesday?", "Tuesday"),
    ],
    "date": [
        ("Which day?", "2026-01-05", "the day after tomorrow at half past three", "2026-11-27"),
        ("Which day?", "2026-01-05", "in ten days", "2026-12-05"),
        ("Which day?", "March 15", "let's say January third", "January 3"),
        ("When did it happen?", "2026-01-05", "last Friday night", "2026-11-20"),
        ("Welcher Tag?", "2026-01-05", "am dritten Dezember", "2026-12-03"),
        ("¿Qué día?", "2026-01-05", "el veinte de diciembre", "2026-12-20"),
    ],
    "dob": [("Date of birth?", "1980-05-21", "March the fourth nineteen eighty seven", "1987-03-04")],
    "time": [
        ("At what time?", "2pm", "around quarter to eleven in the morning", "10:45am"),
        ("At what time?", "2pm", "at four, actually make it five", "5pm"),
        ("At what time?", "afternoon", "sometime after work", "after work"),
        ("Um wie viel Uhr?", "19:00", "um halb acht abends", "19:30"),
        ("¿A qué hora?", "10:00", "a las nueve y media de la mañana", "09:30"),
        ("Which time?", "10 AM | 3:30 PM", "half past three", "3:30 PM"),
    ],
    "guests": [
        ("How many?", 4, "we're five, sorry, six people", 6),
        ("How many?", 4, "my wife and I and three friends", 5),
        ("Für wie viele?", 4, "wir sind zu viert", 4),
    ],
    "budget": [
        ("How much?", "$5,000", "maybe around seven and a half thousand", "$7,500"),
        ("Wie hoch?", 1000, "so um die zweitausendfünfhundert Euro", 2500),
    ],
    "rating": [("From 1 to 5, how was it?", 4, "I'd give it a solid four", 4)],
    "age": [("How old is the patient?", 40, "she'll be eighty one in March", 81)],
    "policy_number": [
        ("Which number?", "PL-20331", "P L dash four four one nine two", "PL-44192"),
        ("Which number?", "A1234", "it's B as in boy, seven, double oh, two", "B7002"),
    ],
    "zip": [("What is the ZIP code?", "78701", "nine oh two one oh", "90210")],
    "address": [
        ("Which address?", "123 Main St", "I'm at 17 Rosewood Court, apartment 4B", "17 Rosewood Court apartment 4B"),
        ("Which address?", "1 A St, Reno, NV 78701", "42 Elm Street, Denver, Colorado", "42 Elm Street, Denver, CO"),
    ],
    "city": [("Where do they live?", "Austin", "I live in Savannah", "Savannah")],
    "company": [("Which company?", "Acme", "I work for Ironbridge Steel", "Ironbridge Steel")],
    "role": [("What do they do?", "manager", "I'm the head of procurement at Ironbridge", "head of procurement")],
    "agreed": [
        ("¿Confirma la cita?", True, "sí, claro", True),
        ("Did they agree?", True, "I'm afraid that won't work", False),
        ("Did they agree?", True, "I need to think, I'm not sure", None),
        ("Are they over 18?", True, "I'm twenty one", True),
    ],
    "topic": [
        ("What about?", "plumbing | electrical | heating", "my toilet is leaking", "plumbing"),
        ("What about?", "billing | technical | sales", "I was charged twice this month", "billing"),
    ],
    "size": [
        ("Which size?", "small | medium | large", "not the small one, the large one", "large"),
        ("Which size?", "small | medium | large", "the middle one", "medium"),
        ("Which size?", "small | medium | large", "either is fine", None),
    ],
    "color": [("Which color?", "red", "something in dark green", "dark green")],
    "items": [
        ("What?", ["tacos"], "two burgers, a large coke and some fries", ["burgers", "large coke", "fries"]),
        ("What?", [{"name": "taco", "quantity": 2}], "one muffin", [{"name": "muffin", "quantity": 1}]),
    ],
    "reason": [("Why?", "late delivery", "I'm calling because my parcel never arrived", "parcel never arrived")],
    "problem": [("What is wrong?", "leak", "well, the dishwasher won't drain anymore", "dishwasher won't drain")],
}


@pytest.mark.parametrize(
    ("question", "example", "said", "value"),
    [(question, {key: example}, said, {key: value}) for key in KINDS for question, example, said, value in KINDS[key]],
)
def test_a_value_of_each_kind_is_taken_out_of_a_sentence(question, example, said, value):
    assert answer(question, example, said) == value


@pytest.mark.parametrize(
    ("example", "said", "values"),
    [
        ({"street": "1 A St", "city": "Reno"}, "215 Maple Avenue in Nashville", ["215 Maple Avenue", "Nashville"]),
        ({"origin": "Dallas", "destination": "Reno"}, "to Phoenix, leaving from Tucson", ["Tucson", "Phoenix"]),
        ({"start": "07:00", "end": "15:00"}, "from ten at night to six in the morning", ["22:00", "06:00"]),
        ({"in": "2026-01-05", "out": "2026-01-08"}, "from December 20th to the 23rd", ["2026-12-20", "2026-12-23"]),
    ],
)
def test_what_is_said_once_fills_the_members_that_it_belongs_to(example, said, values):
    assert [*answer("Which?", example, said).values()] == values


@pytest.mark.parametrize(
    ("key", "question", "value"),
    [
        ("name", "What is your name?", "Deborah Klein"),
        ("email", "What is your e-mail?", "deb.klein@outlook.com"),
        ("phone", "What is your number?", "+15558675309"),
        ("date", "Which date?", "2026-12-21"),
        ("time", "What time?", "16:30"),
        ("zip", "What is the ZIP code?", "90210"),
        ("guests", "How many guests?", 5),
        ("budget", "What is the budget?", 35000),
        ("order_number", "What is the order number?", "88217"),
        ("service", "Which service?", "cleaning"),
        ("when", "When?", {"day": "Friday", "time": "11am"}),
        ("customer", "Who?", {"name": "Rita Sands", "phone": "555-016-2000"}),
    ],
)
def test_what_a_caller_says_is_understood_as_the_value_that_it_gives(key, question, value):
    for said in sentences_with_value(value, key, question):
        assert answer(question, {key: value}, said) == {key: value}, said

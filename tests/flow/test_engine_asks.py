"""Values are taken from what the user said, as people say them; what nobody said is None, or invented on request."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest

from dryline.flow.language.language_model import MADE_UP, Question
from dryline.flow.model.answers.filling import fill

NOW = datetime(2026, 11, 25, 15, tzinfo=UTC)  # a Wednesday


def answer(question, example, *said, **options):
    """Fill an example from a conversation in which the agent asks the question and the user says one thing a turn."""
    lines = [line for each in said for line in (f"Agent: {question}", f"User: {each}")]
    return fill(Question("\n".join(lines), question, example, now=NOW, **options))


DAY, ISO, HOURS = {"day": "Monday"}, {"date": "2026-01-05"}, {"start": "07:00", "end": "15:00"}
STAY = {"check_in": "2026-01-05", "check_out": "2026-01-08"}
WORK = {"company": "Acme", "role": "manager"}
ADDRESS = {"street": "123 Main St", "city": "Austin", "state": "TX", "zip": "78701"}
SIZE, TIME = {"size": "small | medium | large"}, {"time": "10 AM | 3:30 PM"}
WRONG = {"reason": "a crack | the wrong size"}
ITEM = {"name": "pizza", "size": "large", "quantity": 1}
CUSTOMER, WHEN = {"name": "Jo Lee", "phone": "555-1234"}, {"day": "Monday", "time": "2pm"}
CASES = [
    # dates and times
    ("What day suits them?", DAY, "not Monday, Wednesday please", ["Wednesday"]),
    ("What day suits them?", DAY, "Monday doesn't work for me, how about Tuesday?", ["Tuesday"]),
    ("What day suits them?", DAY, "tomorrow, please", ["Thursday"]),
    ("What day suits them?", DAY, "next Tuesday", ["Tuesday"]),  # six days ahead
    ("For which date?", ISO, "the twenty first of December", ["2026-12-21"]),
    ("For which date?", ISO, "next Tuesday", ["2026-12-01"]),
    ("For which date?", {"date": "March 15"}, "let's say January third", ["January 3"]),
    ("When?", {"date": "March 15"}, "on the fifth", ["December 5"]),
    ("When did it happen?", {"incident_date": "2026-01-05"}, "last Friday", ["2026-11-20"]),
    ("Date of birth?", {"birthday": "01/31/1975"}, "it's eleven two eighty four", ["11/02/1984"]),
    ("Until when is the card valid?", {"expiry": "09/27"}, "June two thousand thirty", ["06/30"]),
    ("From when to when?", STAY, "from December 20th to the 23rd", ["2026-12-20", "2026-12-23"]),
    ("At what time?", {"time": "2:00 PM"}, "quarter to five", ["4:45 PM"]),
    ("At what time?", {"time": "14:00"}, "at nine, no, at ten", ["10:00"]),
    ("Working hours?", HOURS, "from nine to five", ["09:00", "17:00"]),
    ("When?", WHEN, "Friday at noon", ["Friday", "12pm"]),
    # people and places
    ("What is their name?", {"name": "Jane"}, "my name is Jon, no sorry, John Peters", ["John Peters"]),
    ("What is their name?", {"name": "Jane"}, "I'd rather not say", [None]),
    ("Who, from where?", {"name": "Jo", "company": "Acme"}, "Mo Tran at Blue Foods", ["Mo Tran", "Blue Foods"]),
    ("Where do they work?", WORK, "I'm the office manager at Harbor Foods", ["Harbor Foods", "office manager"]),
    ("What address?", ADDRESS, "18 Birch Lane, Portland, Oregon 97201", ["18 Birch Lane", "Portland", "OR", "97201"]),
    ("Where to?", {"origin": "Dallas", "destination": "Reno"}, "from Boise to Tulsa", ["Boise", "Tulsa"]),
    # numbers and codes
    ("How many guests?", {"guests": 4}, "a table for five at seven thirty on Friday", [5]),
    ("What is the budget?", {"budget": 20000}, "30k", [30000]),
    ("How much was it?", {"amount": 50.0}, "twelve dollars and fifty cents", [12.5]),
    ("Rooms and nights?", {"rooms": 1, "nights": 1}, "two rooms for three nights", [2, 3]),
    ("What is the budget?", {"budget": 20000}, "between twenty and twenty five thousand", [25000]),
    ("Order number?", {"order_number": "12345"}, "it's eight eight one oh two", ["88102"]),
    ("Reference?", {"reference": "AB-1234"}, "A as in apple, C, dash seven seven eight one", ["AC-7781"]),
    ("Which table is it?", {"table": "T4"}, "T12", ["T12"]),
    ("ZIP code?", {"zip": "97209"}, "it's K48210", [None]),
    # choices, yes and no
    ("Which size?", SIZE, "the biggest you have", ["large"]),
    ("Which size?", SIZE, "either is fine", [None]),
    ("Which time?", TIME, "hmm, the later one", ["3:30 PM"]),
    ("Which time?", TIME, "the morning one please", ["10 AM"]),
    ("Which time?", TIME, "ten please", ["10 AM"]),
    ("Which time?", TIME, "at noon", [None]),
    ("What is it for?", {"service": "cleaning | consultation"}, "I need an appointment, I don't know when", [None]),
    ("What is wrong?", WRONG, "it came in pieces", ["a crack"]),
    ("What is wrong?", WRONG, "it doesn't fit", ["the wrong size"]),
    ("How urgent?", {"urgency": "low | normal | high"}, "there's no rush", ["low"]),
    ("Do you prefer a call or an email?", {"contact": "call"}, "just drop me an email", ["email"]),
    ("Do they confirm?", {"confirmed": True}, "yep, that works", [True]),
    ("Do they want a receipt?", {"receipt": True}, "no need", [False]),
    ("Is that right?", {"correct": True}, "I don't see why not", [True]),
    # things and free text
    ("What do they order?", {"items": ["tacos"]}, "can I get a burger and fries", [["burger", "fries"]]),
    ("What do they order?", {"item": "tacos", "quantity": 2}, "three chicken burritos", ["chicken burritos", 3]),
    ("What is it?", {"items": [ITEM]}, "two small pizzas", [[{"name": "pizzas", "size": "small", "quantity": 2}]]),
    ("Which days?", {"days": ["Monday"]}, "Tuesdays and Thursdays", [["Tuesday", "Thursday"]]),
    ("Which symptoms?", {"symptoms": ["cough"]}, "I have a fever and a sore throat", [["fever", "sore throat"]]),
    ("Which animal?", {"animal": "cat"}, "okay, I'd like to bring mine in today", [None]),
    ("Which animal?", {"animal": "cat"}, "I want to bring in my ferret", ["ferret"]),
    ("Which product?", {"product": "vacuum cleaner"}, "it's the kettle I got in May", ["kettle"]),
    ("Why do they call?", {"reason": "check-up"}, "it's about a loose crown", ["loose crown"]),
    # German and Spanish
    ("Wie heißt der Anrufer?", {"name": "Anna"}, "Ich heiße Jonas Vogel", ["Jonas Vogel"]),
    ("Um wie viel Uhr?", {"uhrzeit": "19:00"}, "um halb acht abends", ["19:30"]),
    ("Wie ist die Nummer?", {"telefon": "030 123"}, "null vier null, fünf sechs sieben acht", ["040 5678"]),
    ("Welcher Tag?", {"tag": "Montag"}, "nächsten Freitag", ["nächsten Freitag"]),
    ("Welcher Tag?", {"tag": "Montag"}, "nicht Montag, lieber Dienstag", ["Dienstag"]),
    ("¿Qué día?", {"dia": "lunes", "hora": "10:00"}, "el jueves a las cinco de la tarde", ["jueves", "17:00"]),
    ("¿Confirma la cita?", {"confirma": True}, "sí, claro", [True]),
    ("¿Qué día?", {"dia": "lunes"}, "el lunes no, el miercoles", ["miércoles"]),
]


@pytest.mark.parametrize(("question", "example", "said", "values"), CASES)
def test_an_answer_holds_what_was_said(question, example, said, values):
    assert [*answer(question, example, said)[0].values()] == values


def test_nested_objects_are_filled_member_by_member():
    said = "My name is Ada Park, five five five oh one six one, and Tuesday at four PM would be great"
    value = answer("Booking?", {"customer": CUSTOMER, "when": WHEN}, said)[0]
    assert value == {"customer": {"name": "Ada Park", "phone": "555-0161"}, "when": {"day": "Tuesday", "time": "4pm"}}


def test_members_of_a_dict_are_filled_by_their_name():
    assert fill(Question('{"total": 12, "name": "Jo"}', "q", {"total": 1}))[0] == {"total": 12}


def test_a_question_without_an_example_is_answered_with_a_text():
    assert fill(Question("Agent: hi\nUser: I lost my key", "What happened?"))[0] == "I lost my key"
    assert fill(Question("", "What happened?"))[0] is None


def test_any_schema_is_answered():
    nulls = [{}, {"type": "null"}, {"type": ["string", "null"]}]
    for schema in (*nulls, {"properties": 3}, {"items": [1]}, {"enum": []}, {"type": "array"}):
        fill(Question("User: hm", "q", schema=schema))


def test_the_newest_value_counts_and_older_turns_fill_the_rest():
    said = ("a cleaning on Thursday at ten", "sorry, I can't on Thursday, Friday is better")
    value, how = answer("What, and when?", {"service": "cleaning | filling", "day": "Monday", "time": "14:00"}, *said)
    assert value == {"service": "cleaning", "day": "Friday", "time": "10:00"}
    assert set(how.values()) == {"said"}


@pytest.mark.parametrize(
    ("question", "said", "members"),
    [
        ("How can I help?", "I'd like to book an appointment for Tuesday", {"date": "2026-12-01"}),
        ("How can I help?", "I'm calling about the order I placed in June, I'm with my kids", {}),
        ("What is your order number?", "it's 88123", {"order_number": "88123"}),
        ("At what time?", "seven thirty", {"time": "7:30am"}),
        ("How much was it?", "I paid 120 dollars on May 3rd", {"budget": 120, "date": "2026-05-03"}),
        ("Anything else?", "no, that's all, thanks", {"confirmed": False}),
    ],
)
def test_what_was_said_of_something_else_is_no_value(question, said, members):
    example = {
        **{"name": "Jane Doe", "date": "2026-01-05", "time": "2pm", "guests": 2, "budget": 20000, "zip": "78701"},
        **{"order_number": "12345", "city": "Austin", "company": "Acme", "size": "small | large", "age": 40},
        **{"items": [{"name": "tacos", "quantity": 1}], "confirmed": True, "email": "jo@example.com"},
    }
    value, _ = fill(Question(f"Agent: {question}\nUser: {said}", "What did they say?", example, now=NOW))
    assert {name: member for name, member in value.items() if member not in (None, [])} == members


EVERYTHING = {
    **{"name": "Jo Lee", "email": "jo@example.com", "phone": "555-1234", "dob": "1980-05-21", "date": "2026-01-05"},
    **{"time": "2pm", "guests": 4, "budget": 50.0, "agreed": True, "reason": "check-up", "size": "small | large"},
    **{"items": [{"name": "tacos", "quantity": 2}], "address": {"street": "1 Main St", "zip": "78701"}},
}


def test_what_nobody_said_is_none():
    value, how = answer("What do they want?", EVERYTHING, "good morning")
    assert value.pop("address") == {"street": None, "zip": None}
    assert value.pop("items") == []
    assert set(value.values()) == {None}
    assert set(how.values()) == {"not said"}


def test_what_nobody_said_is_invented_on_request_and_repeats_with_the_seed():
    def invented(seed):
        return answer("What do they want?", EVERYTHING, "good morning", unsaid=MADE_UP, random=Random(seed))

    value, how = invented(3)
    assert (value, how) == invented(3)
    assert value != invented(4)[0]
    assert {name: type(member) for name, member in value.items()} == {n: type(m) for n, m in EVERYTHING.items()}
    assert set(how.values()) <= {"made up", "the example"}


@pytest.mark.parametrize("seed", range(20))
def test_invented_values_fit_the_clock_the_question_and_the_example(seed):
    example = {"dob": "1980-05-21", "date": "2026-01-05", "paid_on": "2026-01-05", "time": "14:00", "phone": "555-1234"}
    value = answer("When?", example, "hm", unsaid=MADE_UP, random=Random(seed))[0]
    assert "1940" < value["dob"] < "2008"
    assert "2026-11-25" < value["date"] < "2026-12-20"
    assert "2026-10-30" < value["paid_on"] < "2026-11-25"
    assert "09:00" <= value["time"] <= "17:00"
    assert value["phone"].startswith("555-01") and len(value["phone"]) == 8
    rating = answer("Rate it from 1 to 5.", {"rating": 3}, "hm", unsaid=MADE_UP, random=Random(seed))[0]["rating"]
    assert 1 <= rating <= 5


def test_a_number_that_is_not_the_users_is_not_taken_from_them():
    question = "To which number should the call be transferred?"
    value, how = answer(question, {"number": "+15550100000"}, "my number is 555 123 4567")
    assert (value, how) == ({"number": None}, {"number": "not said"})


DESK = """
loop:
    r = talk("Ask how you can help.", False)
until "caller has explained their issue":
    answer = r.ask(question="What is it about?", example={"topic": "tracking"})
    if answer["topic"] == "tracking":
        say("parcels")
    elif answer["topic"] == "account":
        say("accounts")
    else:
        say("others")
"""


@pytest.mark.parametrize(
    ("said", "desk"),
    [
        ("I need to know where my parcel is", "parcels"),
        ("I can't log in to my account", "accounts"),
        ("your driver was rude to me", "others"),
    ],
)
def test_a_text_that_the_code_compares_is_one_of_these_texts(talk, said, desk):
    assert talk(DESK, said).said == [desk]


def test_each_part_of_a_name_is_the_answer_to_its_own_question():
    about = "Agent: Your first name?\nUser: Matthew\nAgent: And your last name?\nUser: Koen"
    value = fill(Question(about, "What is their name?", {"first_name": "Ada", "last_name": "Park"}, now=NOW))[0]
    assert value == {"first_name": "Matthew", "last_name": "Koen"}


def test_a_bare_number_is_a_rating_and_only_what_the_question_names_is_the_need():
    assert answer("Extract the rank", {"rank": "5"}, "four")[0] == {"rank": "4"}
    about = "Agent: Tell me about your needs?\nUser: we miss too many calls"
    example = {"need": "help with calls", "industry": "dental"}
    value = fill(Question(about, "What is their need?", example, now=NOW))[0]
    assert value == {"need": "we miss too many calls", "industry": None}

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


CASES = [
    # dates
    ("What day suits them?", {"day": "Monday"}, "Thursday would be better", {"day": "Thursday"}),
    ("What day suits them?", {"day": "Monday"}, "not Monday, Wednesday please", {"day": "Wednesday"}),
    ("What day suits them?", {"day": "Monday"}, "Tuesday, no wait, make that Friday", {"day": "Friday"}),
    ("What day suits them?", {"day": "Monday"}, "Monday doesn't work for me, how about Tuesday?", {"day": "Tuesday"}),
    ("What day suits them?", {"day": "Monday"}, "tomorrow, please", {"day": "Thursday"}),
    ("What day suits them?", {"day": "Monday"}, "today if possible", {"day": "Wednesday"}),
    ("What day suits them?", {"day": "Monday"}, "next Wednesday", {"day": "next Wednesday"}),
    ("Which room?", "312", "302", "302"),
    ("What kind of animal is it?", "cat", "my puppy ate chocolate", "puppy"),
    ("Which table is it?", "T4", "T12", "T12"),
    ("What day suits them?", {"day": "Monday"}, "next Tuesday", {"day": "Tuesday"}),  # six days ahead
    ("Welcher Tag passt?", {"tag": "Montag"}, "nächsten Freitag", {"tag": "nächsten Freitag"}),
    ("For which date?", {"date": "2026-01-05"}, "the twenty first of December", {"date": "2026-12-21"}),
    ("For which date?", {"date": "2026-01-05"}, "next Tuesday", {"date": "2026-12-01"}),
    ("For which date?", {"date": "2026-01-05"}, "tomorrow if possible", {"date": "2026-11-26"}),
    ("For which date?", {"date": "March 15"}, "let's say January third", {"date": "January 3"}),
    ("Date of birth?", {"dob": "1980-05-21"}, "July 4th 1976", {"dob": "1976-07-04"}),
    ("Date of birth?", {"dob": "1980-05-21"}, "nineteenth of March nineteen ninety one", {"dob": "1991-03-19"}),
    ("Date of birth?", {"birthday": "01/31/1975"}, "it's eleven two eighty four", {"birthday": "11/02/1984"}),
    ("Until when is the card valid?", {"expiry": "09/27"}, "June two thousand thirty", {"expiry": "06/30"}),
    (
        "From when to when?",
        {"check_in": "2026-01-05", "check_out": "2026-01-08"},
        "from December 20th to the 23rd",
        {"check_in": "2026-12-20", "check_out": "2026-12-23"},
    ),
    # times
    ("At what time?", {"time": "14:00"}, "half past ten", {"time": "10:30"}),
    ("At what time?", {"time": "14:00"}, "three thirty in the afternoon", {"time": "15:30"}),
    ("At what time?", {"time": "2pm"}, "eleven AM works", {"time": "11am"}),
    ("At what time?", {"time": "2:00 PM"}, "quarter to five", {"time": "4:45 PM"}),
    ("At what time?", {"time": "14:00"}, "at nine, no, at ten", {"time": "10:00"}),
    ("Working hours?", {"start": "07:00", "end": "15:00"}, "from nine to five", {"start": "09:00", "end": "17:00"}),
    ("When?", {"day": "Monday", "time": "2pm"}, "Friday at noon", {"day": "Friday", "time": "12pm"}),
    ("When?", {"date": "March 15"}, "on the fifth", {"date": "December 5"}),
    ("When did it happen?", {"incident_date": "2026-01-05"}, "last Friday", {"incident_date": "2026-11-20"}),
    (
        "What is the matter with the animal?",
        {"animal": "dog", "problem": "it does not eat"},
        "my cat has been throwing up all night",
        {"animal": "cat", "problem": "cat has been throwing up all night"},
    ),
    # names
    (
        "What's your name and company?",
        {"name": "John Smith", "company": "Acme Inc"},
        "Becky Tran over at Bluebird Catering",
        {"name": "Becky Tran", "company": "Bluebird Catering"},
    ),
    # things, choices and numbers with other words around them
    (
        "Which product is it about?",
        {"product": "vacuum cleaner"},
        "it's the kettle I got in May",
        {"product": "kettle"},
    ),
    (
        "What would you like to order?",
        {"item": "pepperoni pizza", "quantity": 1},
        "three chicken burritos please",
        {"item": "chicken burritos", "quantity": 3},
    ),
    ("Do you prefer a call or an email?", {"contact": "call"}, "just drop me an email", {"contact": "email"}),
    ("What's the best number to reach you?", {"phone": "555-123-4567"}, "617 555 0142", {"phone": "617-555-0142"}),
    (
        "Where do they work, and as what?",
        {"company": "Acme", "role": "manager"},
        "I'm the office manager at Harbor Foods",
        {"company": "Harbor Foods", "role": "office manager"},
    ),
    ("What is their name?", {"name": "Jane"}, "my name is Jon, no sorry, John Peters", {"name": "John Peters"}),
    ("What is their name?", {"name": "Jane"}, "I'd rather not say", {"name": None}),
    # numbers
    ("How many guests?", {"guests": 4}, "there will be six of us", {"guests": 6}),
    ("How many guests?", {"guests": 4}, "a table for five at seven thirty on Friday", {"guests": 5}),
    ("How many guests?", {"guests": 4}, "just me", {"guests": 1}),
    ("How many?", {"adults": 2, "children": 1}, "three adults and two kids", {"adults": 3, "children": 2}),
    ("What is the budget?", {"budget": 20000}, "around forty five thousand", {"budget": 45000}),
    ("What is the budget?", {"budget": 20000}, "30k", {"budget": 30000}),
    ("How much can they pay?", {"amount": 50.0}, "I could do eighty dollars a month", {"amount": 80.0}),
    ("How much was it?", {"amount": 50.0}, "twelve dollars and fifty cents", {"amount": 12.5}),
    ("Rooms and nights?", {"rooms": 1, "nights": 1}, "two rooms for three nights", {"rooms": 2, "nights": 3}),
    ("How many?", {"party_size": 2}, "we are four people", {"party_size": 4}),
    ("How old are they?", {"age": 40}, "I just turned thirty three", {"age": 33}),
    ("What is the budget?", {"budget": 20000}, "between twenty and twenty five thousand", {"budget": 25000}),
    ("Order number?", {"order_number": "12345"}, "it's eight eight one oh two", {"order_number": "88102"}),
    ("Reference?", {"reference": "AB-1234"}, "A as in apple, C, dash seven seven eight one", {"reference": "AC-7781"}),
    ("ZIP code?", {"zip": "78701"}, "nine four one oh seven", {"zip": "94107"}),
    ("What is the ZIP code?", "97209", "it's K48210", None),
    ("What is the ZIP code?", "97209", "K48210, and the ZIP is 97209", "97209"),
    # e-mail, phone, address
    (
        "E-mail address?",
        {"email": "jane@example.com"},
        "it's pat underscore moss at mail dot example dot org",
        {"email": "pat_moss@mail.example.org"},
    ),
    ("E-mail address?", {"email": "jane@example.com"}, "lee42@example.org, thanks", {"email": "lee42@example.org"}),
    ("Phone number?", {"phone": "555-1234"}, "five five five, oh one seven two", {"phone": "555-0172"}),
    (
        "Phone number?",
        {"phone": "555-123-4567"},
        "four one five five five five oh one two three",
        {"phone": "415-555-0123"},
    ),
    (
        "What address?",
        {"street": "123 Main St", "city": "Austin", "state": "TX", "zip": "78701"},
        "eighteen Birch Lane, Portland, Oregon nine seven two oh one",
        {"street": "18 Birch Lane", "city": "Portland", "state": "OR", "zip": "97201"},
    ),
    (
        "Where to?",
        {"origin": "Dallas", "destination": "Reno"},
        "from Boise to Tulsa",
        {"origin": "Boise", "destination": "Tulsa"},
    ),
    ("Which state?", {"state": "TX"}, "Ohio", {"state": "OH"}),
    (
        "From where to where?",
        {"from": {"city": "Dallas", "state": "TX"}, "to": {"city": "Reno", "state": "NV"}},
        "from Tulsa, Oklahoma to Fresno, California",
        {"from": {"city": "Tulsa", "state": "OK"}, "to": {"city": "Fresno", "state": "CA"}},
    ),
    # choices, yes and no
    ("Which size?", {"size": "small | medium | large"}, "not the small one, the large one", {"size": "large"}),
    ("Which size?", {"size": "small | medium | large"}, "the biggest you have", {"size": "large"}),
    ("Which time?", {"time": "9:15 AM | 2 PM"}, "hmm, the later one", {"time": "2 PM"}),
    ("Which time?", {"time": "9:15 AM | 2 PM"}, "the morning one please", {"time": "9:15 AM"}),
    ("Which time?", {"time": "10 AM | 3:30 PM"}, "half past three", {"time": "3:30 PM"}),
    ("Which time?", {"time": "10 AM | 3:30 PM"}, "ten please", {"time": "10 AM"}),
    ("Which time?", {"time": "10 AM | 3:30 PM"}, "at noon", {"time": None}),
    ("Which size?", {"size": "small | large"}, "either is fine", {"size": None}),
    (
        "What is it for?",
        {"service": "cleaning | consultation"},
        "I need an appointment, I don't know when",
        {"service": None},
    ),
    ("What is wrong?", {"reason": "a crack | the wrong size"}, "it came in pieces", {"reason": "a crack"}),
    ("What is wrong?", {"reason": "a crack | the wrong size"}, "it doesn't fit", {"reason": "the wrong size"}),
    ("What kind of animal?", {"animal": "cat"}, "okay, I'd like to bring mine in today", {"animal": None}),
    ("What kind of animal?", {"animal": "cat"}, "I want to bring in my ferret", {"animal": "ferret"}),
    ("What kind of animal?", {"animal": "cat"}, "I need to see a vet", {"animal": None}),
    ("How urgent?", {"urgency": "low | normal | high"}, "there's no rush", {"urgency": "low"}),
    ("How to pay?", {"payment": "cash | card"}, "can I use my Visa?", {"payment": "card"}),
    ("How to reach them?", {"contact": "email | phone | sms"}, "just text me", {"contact": "sms"}),
    ("Do they confirm?", {"confirmed": True}, "yep, that works", {"confirmed": True}),
    ("Do they confirm?", {"confirmed": True}, "I'd rather not", {"confirmed": False}),
    ("Do they want a receipt?", {"receipt": True}, "no need", {"receipt": False}),
    ("Is that right?", {"correct": True}, "I don't see why not", {"correct": True}),
    ("Is it urgent?", {"urgent": True}, "it is not urgent", {"urgent": False}),
    # lists
    (
        "What do they order?",
        {"items": [{"name": "tacos", "quantity": 2}]},
        "I'd like three burritos and one horchata, please",
        {"items": [{"name": "burritos", "quantity": 3}, {"name": "horchata", "quantity": 1}]},
    ),
    (
        "What do they order?",
        {"items": [{"name": "pizza", "size": "large", "quantity": 1}]},
        "two small pizzas and a cola",
        {"items": [{"name": "pizzas", "size": "small", "quantity": 2}, {"name": "cola", "size": None, "quantity": 1}]},
    ),
    ("What do they order?", {"items": ["tacos"]}, "can I get a burger and fries", {"items": ["burger", "fries"]}),
    (
        "What do they order?",
        {"name": "tacos", "quantity": 2},
        "four quesadillas",
        {"name": "quesadillas", "quantity": 4},
    ),
    ("Which days?", {"days": ["Monday"]}, "Tuesdays and Thursdays", {"days": ["Tuesday", "Thursday"]}),
    (
        "Which symptoms?",
        {"symptoms": ["cough"]},
        "I have a fever and a sore throat",
        {"symptoms": ["fever", "sore throat"]},
    ),
    # nested objects
    (
        "Booking?",
        {"customer": {"name": "Jo Lee", "phone": "555-1234"}, "when": {"day": "Monday", "time": "2pm"}},
        "My name is Ada Park, five five five oh one six one, and Tuesday at four PM would be great",
        {"customer": {"name": "Ada Park", "phone": "555-0161"}, "when": {"day": "Tuesday", "time": "4pm"}},
    ),
    (
        "Which car?",
        {"vehicle": {"year": 2018, "make": "Honda", "model": "Civic"}},
        "it's a twenty twenty one Toyota Camry",
        {"vehicle": {"year": 2021, "make": "Toyota", "model": "Camry"}},
    ),
    # German and Spanish
    ("Wie heißt der Anrufer?", {"name": "Anna"}, "Ich heiße Jonas Vogel", {"name": "Jonas Vogel"}),
    ("Für wie viele Personen?", {"personen": 2}, "wir sind zu fünft", {"personen": 5}),
    ("Um wie viel Uhr?", {"uhrzeit": "19:00"}, "um halb acht abends", {"uhrzeit": "19:30"}),
    (
        "¿Qué día quiere venir?",
        {"dia": "lunes", "hora": "10:00"},
        "el jueves a las cinco de la tarde",
        {"dia": "jueves", "hora": "17:00"},
    ),
    ("¿Confirma la cita?", {"confirma": True}, "sí, claro", {"confirma": True}),
    ("Wie ist die Nummer?", {"telefon": "030 123"}, "null vier null, fünf sechs sieben acht", {"telefon": "040 5678"}),
    ("Welcher Tag?", {"tag": "Montag"}, "nicht Montag, lieber Dienstag", {"tag": "Dienstag"}),
    ("¿Qué día?", {"dia": "lunes"}, "el lunes no, el miercoles", {"dia": "miércoles"}),
    ("¿A qué hora?", {"hora": "10:00"}, "a las nueve y media de la noche", {"hora": "21:30"}),
    # free text
    (
        "What is the problem?",
        {"problem": "broken lamp"},
        "the washing machine won't spin",
        {"problem": "washing machine won't spin"},
    ),
    ("Why do they call?", {"reason": "check-up"}, "it's about a loose crown", {"reason": "loose crown"}),
    ("Which color?", {"color": "red"}, "I'd prefer the blue one", {"color": "blue"}),
]


@pytest.mark.parametrize(("question", "example", "said", "value"), CASES)
def test_an_answer_holds_what_was_said(question, example, said, value):
    assert answer(question, example, said)[0] == value


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
        ("How can I help?", "I want to talk to a real person at your company", {}),
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


def test_an_answer_to_something_else_is_no_number_where_only_the_question_names_it():
    about = "Agent: I have account 40118822 here, in the name of Sean Murphy. Is that right?\nUser: yes"
    assert fill(Question(about, "What is the account number?", "40118822", now=NOW))[0] is None


EVERYTHING = {
    **{"name": "Jo Lee", "email": "jo@example.com", "phone": "555-1234", "dob": "1980-05-21", "date": "2026-01-05"},
    **{"time": "2pm", "guests": 4, "budget": 50.0, "agreed": True, "reason": "check-up", "size": "small | large"},
    **{
        "items": [{"name": "tacos", "quantity": 2}],
        "address": {"street": "1 Main St", "zip": "78701"},
        "days": ["Monday"],
    },
}


def test_what_nobody_said_is_none():
    value, how = answer("What do they want?", EVERYTHING, "good morning")
    assert value.pop("address") == {"street": None, "zip": None}
    assert (value.pop("items"), value.pop("days")) == ([], [])
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
    assert answer(question, {"number": "+15550100000"}, "my number is 555 123 4567") == (
        {"number": None},
        {"number": "not said"},
    )


DESK = """
loop:
    r = talk("Ask how you can help.", False)
until "caller has explained their issue":
    answer = r.ask(question="What is it about?", example={"topic": "tracking"})
    if answer["topic"] == "tracking":
        say("parcels")
    elif answer.get("topic", "") == "pricing":
        say("prices")
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


def test_a_span_of_days_is_no_code():
    assert answer("What is it about?", {"shipment_id": ""}, "it is two days late")[0] == {"shipment_id": None}


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


@pytest.mark.parametrize("said", ["11", "ok tomorrow is fine, 11", "eleven would be great"])
def test_a_bare_hour_chooses_an_offered_time(said):
    assert answer("For tomorrow, would you like 11 AM or 4 PM?", "11 AM | 4 PM", said)[0] == "11 AM"

"""Answers in the words of callers: each kind of value as people give it on the phone."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from dryline.engine.answer_filling import fill
from dryline.engine.language_model import Question

NOW = datetime(2026, 11, 25, 15, tzinfo=UTC)  # a Wednesday


def answer(question, example, said):
    return fill(Question(f"Agent: {question}\nUser: {said}", question, example, now=NOW))[0]


@pytest.mark.parametrize(
    ("said", "name"),
    [
        ("my name is kyle henson and i need a tow", "Kyle Henson"),
        ("yeah hi, kyle henson here", "Kyle Henson"),
        ("this is Bob from accounting", "Bob"),
        ("the name's bond, james bond", "James Bond"),
        ("Kyle. Kyle Henson.", "Kyle Henson"),
        ("that's going to be Amara Diallo", "Amara Diallo"),
        ("you can call me Al", "Al"),
        ("jan van den berg", "Jan van den Berg"),
        ("Mohammed bin Rashid", "Mohammed bin Rashid"),
        ("Nguyen Van Minh", "Nguyen Van Minh"),
        ("maria jose garcia lopez", "Maria Jose Garcia Lopez"),
        ("it's O'Brien", "O'Brien"),
        ("it's under Brown, Alice Brown", "Alice Brown"),
        ("sure thing, it's wen li zhang", "Wen Li Zhang"),
        ("Mrs Jones", "Jones"),
        ("Ana Kovac, that's K O V A C H", "Ana Kovach"),
        ("t o r r e s", "Torres"),
        ("Stephen with a P H, Stephen Clark", "Stephen Clark"),
        ("it's under my husband's name, Robert Vance", "Robert Vance"),
        *[(said, None) for said in ("yes I tried that", "already did", "that doesn't help", "I restarted it twice")],
        ("internet is super slow", None),
        *[(said, None) for said in ("nobody told me", "hold on a second", "it's about my bill", "speaking")],
    ],
)
def test_a_name_is_found_and_no_other_words_are_taken_for_one(said, name):
    assert answer("What is your name?", {"name": "Jane Doe"}, said) == {"name": name}


@pytest.mark.parametrize(
    ("question", "example", "said", "name"),
    [
        ("What is their last name?", {"last_name": "Doe"}, "Torres, T-O-R-R-E-S", "Torres"),
        ("What is the patient's name?", {"patient_name": "Jane Doe"}, "her name is Mia Torres", "Mia Torres"),
        ("What is the child's name?", {"child_name": "Emma"}, "I'm calling about my son Noah", "Noah"),
        ("What is the dog's name?", {"dog_name": "Rex"}, "we call her Pepper", "Pepper"),
        ("What is the pet's name?", {"pet_name": "Rex"}, "she's a poodle called Biscuit", "Biscuit"),
        ("Who collects it?", {"collector": "Jane Doe"}, "my brother-in-law, Neil Garvey", "Neil Garvey"),
        ("Who recommended us?", {"referred_by": "Jane Doe"}, "a friend of mine, Jo Vogel, did", "Jo Vogel"),
        ("Who is the landlord?", {"landlord": "Jane Doe"}, "I rent it from Olga Petrova", "Olga Petrova"),
        ("What is the surname?", {"surname": "Doe"}, "Smythe, that's S M Y T H E, not Smith", "Smythe"),
        ("Which name?", {"name": "Jane Doe"}, "the name is on the invoice", None),
        ("Who is the emergency contact?", {"emergency_contact": "Jane Doe"}, "my brother, Sanjay Rao", "Sanjay Rao"),
        ("Which stylist do they want?", {"stylist": "Jenny"}, "I'd like Marco if he's free", "Marco"),
        ("Which doctor do they see?", {"doctor": "Dr. Smith"}, "I usually see Doctor Patel", "Dr. Patel"),
        ("Who is the policy holder?", {"policy_holder": "Jane Doe"}, "that's my wife, Mia Roy", "Mia Roy"),
        ("And how is it spelled?", {"last_name": "Doe"}, "B as in boy, R, A, U, N", "Braun"),
        ("Which doctor do they see?", {"doctor": "Dr. Smith"}, "whoever is free", None),
    ],
)
def test_the_name_of_somebody_else_is_found(question, example, said, name):
    assert list(answer(question, example, said).values()) == [name]


def test_an_answer_in_another_language_than_the_question_is_understood():
    assert answer("What is your name?", {"name": "Jane"}, "mein Name ist Jürgen Weiß") == {"name": "Jürgen Weiß"}


def test_a_trip_begins_with_the_departure_and_ends_with_the_return():
    example = {"departure": "2026-01-05", "return": "2026-01-12"}
    said = "out on the twelfth and back on the twentieth"
    assert answer("When do you fly?", example, said) == {"departure": "2026-12-12", "return": "2026-12-20"}


def test_hours_from_one_to_another_are_a_span():
    example = {"opens": "9:00 AM", "closes": "5:00 PM"}
    assert answer("What are the hours?", example, "ten till four") == {"opens": "10:00 AM", "closes": "4:00 PM"}


def test_name_and_company_are_told_apart():
    example = {"name": "Jane", "company": "Acme"}
    said = "hi this is Fatima Hassan from Blue Harbor Logistics"
    expected = {"name": "Fatima Hassan", "company": "Blue Harbor Logistics"}
    assert answer("What are your name and company?", example, said) == expected


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("at the end of the month", "2026-11-30"),
        ("by the end of next month", "2026-12-31"),
        ("in a fortnight", "2026-12-09"),
        ("a week from today", "2026-12-02"),
        ("a week from tomorrow", "2026-12-03"),
        ("a week from Thursday", "2026-12-03"),
        ("Tuesday week", "2026-12-08"),
        ("the first Monday in December", "2026-12-07"),
        ("the day after tomorrow", "2026-11-27"),
        ("not Monday, no Tuesday", "2026-12-01"),
        ("Tuesday's no good, Thursday then", "2026-11-26"),
        ("right after New Year's, say January fourth", "2027-01-04"),
        ("on the last day of the month", "2026-11-30"),
        ("the last day of the year", "2026-12-31"),
        ("not this Friday, the one after", "2026-12-04"),
        ("not tomorrow, the day after", "2026-11-27"),
        ("a fortnight on Saturday", "2026-12-12"),
        ("two weeks today", "2026-12-09"),
        ("Tuesday after next", "2026-12-08"),
        ("Friday next week", "2026-12-04"),
        ("could it be Thursday rather than Wednesday?", "2026-11-26"),
        ("Friday's impossible, but Saturday I could manage", "2026-11-28"),
        ("any day next week but Tuesday", None),
        ("at the end of March", "2027-03-31"),
        ("Mondays are bad, anything after Wednesday", None),
        ("any day but Friday", None),
        ("sometime next week", None),
    ],
)
def test_a_coming_date_is_found(said, date):
    assert answer("Which day?", {"date": "2026-01-05"}, said) == {"date": date}


@pytest.mark.parametrize(
    ("said", "date"),
    [
        ("the day before yesterday", "2026-11-23"),
        ("last night", "2026-11-24"),
        ("about three weeks ago", "2026-11-04"),
        ("on Monday", "2026-11-23"),
        ("Monday of last week", "2026-11-16"),
        ("the first of the month", "2026-11-01"),
        ("back in October, the twelfth I think", "2026-10-12"),
        ("the eleventh of August two years ago", "2024-08-11"),
    ],
)
def test_a_date_in_answer_to_a_question_about_the_past_is_past(said, date):
    assert answer("When did it happen?", {"date": "2026-01-05"}, said) == {"date": date}


@pytest.mark.parametrize(
    ("said", "time"),
    [
        ("half three", "3:30 PM"),
        ("around noonish", "12:00 PM"),
        ("fiveish", "5:00 PM"),
        ("let's say ten, no eleven", "11:00 AM"),
        ("the three thirty one", "3:30 PM"),
        ("first thing in the morning", "first thing in the morning"),
        ("after work", "after work"),
        ("good morning", None),
        ("in two hours", "5:00 PM"),
        ("give me half an hour", "3:30 PM"),
        ("an hour ago", "2:00 PM"),
    ],
)
def test_a_time_of_day_is_found(said, time):
    assert answer("What time?", {"time": "2:00 PM"}, said) == {"time": time}


@pytest.mark.parametrize(
    ("example", "said", "length"),
    [
        ({"nights": 2}, "a week", 7),
        ({"nights": 2}, "just the one night", 1),
        ({"hours": 2}, "an hour and a half", 1.5),
        ({"hours": 2}, "ninety minutes", 1.5),
        ({"duration_minutes": 30}, "an hour and fifteen minutes", 75),
        ({"months": 6}, "a year", 12),
        ({"years": 2}, "since 2019", None),
        ({"length_m": 7.5}, "ten point four metres, eleven with the ladder", 10.4),
        ({"width_cm": 90}, "one metre twenty", 120),
        ({"weight_kg": 70}, "eleven stone four", 72),
        ({"height_m": 5}, "twelve and a half metres", 12.5),
        ({"duration": "2 weeks"}, "for about three months", "3 months"),
        ({"duration": "2 weeks"}, "since Monday", "since Monday"),
    ],
)
def test_a_quantity_is_found_in_the_unit_of_the_key(example, said, length):
    assert list(answer("How long?", example, said).values()) == [length]


@pytest.mark.parametrize(
    ("question", "example", "said", "number"),
    [
        ("How many people?", {"party_size": 4}, "my wife and I and our two kids", 4),
        ("How many people?", {"party_size": 4}, "me and a friend", 2),
        ("How many people?", {"party_size": 4}, "the two of us, our three kids and my mum", 6),
        ("How many people?", {"party_size": 4}, "myself, my partner and his parents", 4),
        ("How many?", {"passengers": 1}, "three of us", 3),
        ("How many?", {"rooms": 1}, "three beds and two bathrooms", None),
        ("How many keys?", {"keys": 1}, "we haven't got any", 0),
        ("What does the meter say?", {"reading": 12345}, "four, oh, nine, one, seven", 40917),
        ("How cold is it?", {"temperature": 4}, "minus two", -2),
        ("How much?", {"amount": 50.0}, "ninety-nine p", 0.99),
        ("How much?", {"amount": 50}, "a couple of hundred", 200),
        ("How many people?", {"party_size": 4}, "a table for me and three colleagues", 4),
        ("How many?", {"quantity": 2}, "none", 0),
        ("How many children?", {"children": 1}, "a boy and two girls", 3),
        ("What year is the car?", {"year": 2015}, "it's an oh nine", 2009),
        ("From 1 to 5?", {"rating": 4}, "I'd give it a four out of five", 4),
        ("How much?", {"amount": 50.0}, "one fifty", 150),
        ("How much?", {"price": 4.99}, "four fifty", 4.5),
        ("How much?", {"price": 12.99}, "nineteen ninety nine", 19.99),
        ("How much?", {"rent": "$1,200"}, "fourteen hundred a month", "$1,400"),
        ("How much?", {"price": "$10"}, "eight ninety nine", "$8.99"),
        ("How heavy?", {"weight": 160}, "one eighty", 180),
        ("How old is the roof?", {"roof_age": 10}, "it was replaced fifteen years ago", 15),
        ("How much?", {"budget": 500}, "a hundred and twenty bucks", 120),
    ],
)
def test_a_number_is_found_in_the_size_and_form_of_the_example(question, example, said, number):
    assert list(answer(question, example, said).values()) == [number]


@pytest.mark.parametrize(
    ("said", "bounds"),
    [
        ("between two and three hundred thousand", [200_000, 300_000]),
        ("two to three hundred", [200, 300]),
        ("up to a thousand", [None, 1000]),
        ("at least fifty", [50, None]),
    ],
)
def test_both_ends_of_a_range_are_found(said, bounds):
    assert list(answer("What is the budget?", {"min": 500, "max": 900}, said).values()) == bounds


@pytest.mark.parametrize(
    ("example", "said", "code"),
    [
        ("A1234", "it's bravo seven seven two one", "B7721"),
        ("XK42PL", "Q as in queen, R as in Romeo, nine, nine, T as in tango", "QR99T"),
        ("ABC 123", "7 K L M 442", "7KLM 442"),
        ("AB12 CDE", "Lima Kilo one nine, Romeo Tango X-ray", "LK19 RTX"),
        ("12345678", "it's four four one nine, double zero, two one", "44190021"),
        ("AB12CD", "alpha kilo two nine tango mike", "AK29TM"),
        ("KXQZPL", "R T Y U I O", "RTYUIO"),
        ("4B", "it's twelve c", "12C"),
        ("CL-100200", "C L dash three zero zero four one one", "CL-300411"),
        ("A1234", "I don't have it with me", None),
        ("12345678", "I've been a customer since 1998", None),
        ("AB12 CDE", "Y R six four, K L M, thirty thousand miles", "YR64 KLM"),
    ],
)
def test_a_code_is_found_as_it_is_spelled(example, said, code):
    assert answer("What is the reference number?", {"reference": example}, said) == {"reference": code}


@pytest.mark.parametrize(
    ("key", "said"),
    [
        ("service", "I'd like to make an appointment"),
        ("service", "I want to book a service"),
        ("item", "I'd like to place an order"),
        ("item", "what do you have?"),
        ("problem", "I need to fix my bike"),
        ("problem", "can you send someone out?"),
        ("problem", "I already told your colleague"),
        ("complaint", "I want to complain"),
        ("issue", "I'd rather explain it to a technician"),
        ("make", "it's an old one"),
        ("city", "I'm driving right now"),
        ("company", "I'm calling for myself"),
        ("color", "surprise me"),
        ("address", "the same as last time"),
        ("service", "I was on hold for forty minutes"),
        ("question", "I have a question"),
        ("tried", "yes I tried that"),
        ("topic", "hello? can you hear me?"),
    ],
)
def test_a_wish_or_an_echo_of_the_question_is_no_answer(key, said):
    assert answer(f"What is the {key}?", {key: "flat tyre"}, said) == {key: None}


@pytest.mark.parametrize(
    ("question", "key", "example", "said", "text"),
    [
        (
            "What is the problem?",
            "problem",
            "flat tyre",
            "I've got a bike and the chain keeps coming off",
            "chain keeps",
        ),
        ("Why do they cancel?", "reason", "price", "I found a cheaper gym", "found a cheaper gym"),
        ("What did they like?", "feedback", "fine", "the food was cold and we waited", "food was cold and we waited"),
        ("The message?", "message", "call me", "let her know I'll be ten minutes late", "I'll be ten minutes late"),
        ("What do they drive?", "car", "Honda Civic", "I drive a 2018 Toyota Corolla", "2018 Toyota Corolla"),
        ("Which breed?", "breed", "labrador", "he's a golden retriever", "golden retriever"),
        ("Where does it hurt?", "body_part", "knee", "my left shoulder is killing me", "left shoulder"),
        ("Any allergies?", "allergies", "peanuts", "I'm allergic to shellfish", "shellfish"),
        ("What treatment?", "treatment", "facial", "I want a deep tissue massage", "deep tissue massage"),
        ("Which medication?", "medication", "aspirin", "it's called lisinopril", "lisinopril"),
        ("Where do you fly?", "destination", "Chicago", "Lisbon, in Portugal", "Lisbon"),
        ("What product is it?", "product", "kettle", "I bought a coffee grinder from you last month", "coffee grinder"),
    ],
)
def test_free_text_is_the_part_that_answers(question, key, example, said, text):
    assert text.lower() in answer(question, {key: example}, said)[key].lower()


@pytest.mark.parametrize(
    ("choices", "said", "choice"),
    [
        ("basic | plus | premium", "the cheapest one", "basic"),
        ("basic | plus | premium", "the middle one", "plus"),
        ("basic | premium", "the second", "premium"),
        ("basic | premium", "not the premium", "basic"),
        ("red | blue", "neither", None),
        ("low | medium | high", "it's not super urgent", "low"),
        ("red | green | blue", "anything but red", None),
        ("one-way | return", "there and back", "return"),
        ("S | M | L", "a medium", "M"),
        ("pickup | delivery", "I'll come and get it", "pickup"),
    ],
)
def test_a_choice_is_found_by_place_by_price_and_by_refusal(choices, said, choice):
    assert answer("Which one?", {"one": choices}, said) == {"one": choice}


@pytest.mark.parametrize(
    ("question", "key", "said", "is_so"),
    [
        ("Is it your first visit?", "first_visit", "I've never been", True),
        ("Are you a new patient?", "new_patient", "I've been coming for years", False),
        ("Do you own your home?", "homeowner", "we rent", False),
        ("Do you have a garage?", "garage", "there's plenty of space out front", True),
        ("Are you over eighteen?", "is_adult", "I'm forty two", True),
        ("Is anyone hurt?", "injured", "everyone's okay", False),
        ("Does it work now?", "working", "still the same", False),
        ("Do you agree to the recording?", "consent", "hmm, I'm not sure", None),
        ("Have you given blood before?", "donated_before", "it's my very first time", False),
        ("Have you restarted it?", "restarted", "how do I do that?", None),
        ("Have you restarted it?", "restarted", "I did, and nothing changed", True),
        ("Do you agree?", "agrees", "absolutely not", False),
        ("Do you have insurance?", "insured", "I have a question", None),
    ],
)
def test_a_fact_answers_a_question_for_yes_or_no(question, key, said, is_so):
    assert answer(question, {key: True}, said) == {key: is_so}


@pytest.mark.parametrize(
    ("example", "said", "values"),
    [
        ({"stairs": True, "lift": True}, "there are two flights of stairs and no lift", [True, False]),
        ({"stairs": True, "lift": True}, "it's right in front of you", [None, None]),
        (
            {"bride": "Jo Lee", "groom": "Al Fox"},
            "the bride is Noor Aziz and the groom is Dan Hughes",
            ["Noor Aziz", "Dan Hughes"],
        ),
        ({"driver_1": "Jo Lee", "driver_2": "Al Fox"}, "I'm Mina Cho and he's Raj Patel", ["Mina Cho", "Raj Patel"]),
        ({"pet": "Rex", "owner": "Jo Lee"}, "Biscuit", ["Biscuit", None]),
        ({"length_cm": 90, "width_cm": 40}, "two metres by three", [200, 300]),
        ({"length_cm": 90, "width_cm": 40}, "it's ninety long and forty-five wide", [90, 45]),
        ({"product": "bread", "quantity": 10}, "forty rolls for Monday, by five", ["rolls", 40]),
        ({"product": "bread", "quantity": 10}, "not that", [None, None]),
        (
            {"item": "chairs", "by": "2026-01-05"},
            "folding tables by the third of December",
            ["folding tables", "2026-12-03"],
        ),
        ({"street": "Main St", "house_number": "1"}, "forty-seven B Quarry Road", ["Quarry Road", "47B"]),
        (
            {"street": "1 Main St", "postcode": "N1 1AA"},
            "14 Church Lane, Y O one, seven E F",
            ["14 Church Lane", "YO1 7EF"],
        ),
        ({"from": "09:00", "to": "17:00"}, "nine to half past five", ["09:00", "17:30"]),
        ({"from": "09:00", "to": "17:00"}, "before noon", [None, "12:00"]),
        ({"from": "Reno", "to": "Tulsa"}, "from home to the airport", [None, None]),
    ],
)
def test_what_is_said_once_fills_one_of_several_members(example, said, values):
    question = f"What are {' and '.join(key.replace('_', ' ') for key in example)}?"
    assert list(answer(question, example, said).values()) == values


@pytest.mark.parametrize(
    ("key", "example", "said", "members"),
    [
        ("languages", "english", "from Danish into Greek and Turkish, all three", ["danish", "greek", "turkish"]),
        ("ingredients", "flour", "we've run out of yeast and butter", ["yeast", "butter"]),
        ("extras", "roof box", "none of them, thanks", []),
        ("tools", "saw", "no tools, I've got my own", []),
    ],
)
def test_a_list_has_all_that_was_said(key, example, said, members):
    assert answer(f"Which {key}?", {key: [example]}, said) == {key: members}


def test_a_turn_that_adds_to_a_list_keeps_what_was_said_before():
    about = "User: peanuts\nAgent: Anything else?\nUser: and shellfish as well"
    assert fill(Question(about, "Which allergies?", {"allergies": ["soy"]}))[0] == {
        "allergies": ["peanuts", "shellfish"]
    }


@pytest.mark.parametrize(
    ("said", "email"),
    [
        ("b underscore lund at fjord mail dot no", "b_lund@fjordmail.no"),
        ("sarah with an h at aol dot com", "sarah@aol.com"),
        ("francesca, f r a n c e s c a, at villanova dot it", "francesca@villanova.it"),
    ],
)
def test_an_email_address_is_found_as_it_is_spoken(said, email):
    assert answer("What is the e-mail address?", {"email": "jane@example.com"}, said) == {"email": email}


@pytest.mark.parametrize(
    ("said", "phone"),
    [
        ("oh double seven oh oh, nine double oh, one oh six", "07700900106"),
        ("my work one's 01632 960441, but use the mobile, 07700 900358", "07700900358"),
        ("plus four four, seven seven double oh, nine double oh, one two three", "+447700900123"),
    ],
)
def test_a_phone_number_is_found_as_it_is_spoken(said, phone):
    assert answer("Which number?", {"phone": "07700900123"}, said) == {"phone": phone}

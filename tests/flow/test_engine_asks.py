"""Values are taken from what the user said, as people say them; what nobody said is None, or invented on request."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest

from dryline.flow.language.language_model import MADE_UP, Question
from dryline.flow.model.filling import fill

NOW = datetime(2026, 11, 25, 15, tzinfo=UTC)  # a Wednesday


def answer(question, example, *said, **options):
    """Fill an example from a conversation in which the agent asks the question and the user says one thing a turn."""
    lines = [line for each in said for line in (f"Agent: {question}", f"User: {each}")]
    return fill(Question("\n".join(lines), question, example, now=NOW, **options))


CUSTOMER, WHEN = {"name": "Jo Lee", "phone": "555-1234"}, {"day": "Monday", "time": "2pm"}


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
        ("What is your order number?", "it's 88123", {"order_number": "88123"}),
        ("How much was it?", "I paid 120 dollars on May 3rd", {"budget": 120, "date": "2027-05-03"}),
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
    example = {"dob": "1980-05-21", "date": "2026-01-05", "time": "14:00", "phone": "555-1234"}
    value = answer("When?", example, "hm", unsaid=MADE_UP, random=Random(seed))[0]
    assert "1940" < value["dob"] < "2008"
    assert "2026-11-25" < value["date"] < "2026-12-20"
    assert "09:00" <= value["time"] <= "17:00"
    assert value["phone"].startswith("555-01") and len(value["phone"]) == 8
    rating = answer("Rate it from 1 to 5.", {"rating": 3}, "hm", unsaid=MADE_UP, random=Random(seed))[0]["rating"]
    assert 1 <= rating <= 5

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


def heard(example, *lines, question="What do they want?"):
    """Fill an example from the lines of a transcript."""
    return fill(Question("\n".join(lines), question, example, now=NOW))[0]


def test_one_sentence_gives_all_that_a_flow_asks_for_together():
    example = {"name": "Ada Park", "service": "cleaning | consultation", "day": "2026-12-03", "time": "2:30 PM"}
    said = "User: My name is Tom Baker and I need a consultation on Tuesday at 9"
    value = {"name": "Tom Baker", "service": "consultation", "day": "2026-12-01", "time": "9:00 AM"}
    assert heard(example, said) == value


def test_after_the_agent_has_asked_again_only_what_was_said_since_counts():
    lines = ["User: Monday at nine", "Agent: Monday is full. Which other day would suit you?", "User: let me think"]
    assert heard({"day": "Monday", "time": "2 PM"}, *lines) == {"day": None, "time": "9 AM"}
    assert heard({"day": "Monday", "time": "2 PM"}, *lines[:2], "User: Friday") == {"day": "Friday", "time": "9 AM"}


def test_an_agent_that_understood_nothing_has_asked_nothing_anew():
    lines = ["Agent: Which day?", "User: Monday", "Agent: Sorry, I didn't get that. Which day?", "User: hm"]
    assert heard({"day": "Monday"}, *lines) == {"day": "Monday"}


@pytest.mark.parametrize(
    ("question", "value"),
    [
        ("What is the reason?", {"reason": "my tooth hurts", "note": None}),
        ("Is there a note?", {"reason": None, "note": "my tooth hurts"}),
        ("What else?", {"reason": None, "note": None}),
        ("A reason, or a note?", {"reason": None, "note": None}),
    ],
)
def test_of_several_members_of_no_kind_the_one_that_the_question_names_has_the_words(question, value):
    assert answer(question, {"reason": "x", "note": "y"}, "my tooth hurts")[0] == value


def test_words_that_are_another_members_value_or_answer_another_question_are_no_members_words():
    example = {"name": "Ada Park", "reason": "late delivery"}
    assert heard(example, "User: Tom Baker") == {"name": "Tom Baker", "reason": None}
    assert answer("What is your name?", example, "well, Tom Baker of course")[0]["reason"] is None
    assert heard(example, "User: my parcel never arrived")["reason"] == "my parcel never arrived"


@pytest.mark.parametrize(
    ("question", "said", "stay"),
    [
        ("From when to when?", "from December 20th to the 23rd", ("2026-12-20", "2026-12-23")),
        ("When do you arrive?", "on December 20th", ("2026-12-20", None)),
        ("On which day will you check out?", "on December 23rd", (None, "2026-12-23")),
    ],
)
def test_two_members_of_a_kind_have_the_values_in_their_order_or_the_one_that_is_named(question, said, stay):
    assert tuple(answer(question, {"arrive": "2026-01-05", "out": "2026-01-08"}, said)[0].values()) == stay


def test_a_name_that_was_said_once_is_not_the_neighbours_as_well():
    example = {"name": "Ada Park", "neighbour": "Sam Reed", "first_name": "Ada", "last_name": "Park"}
    value = {"name": "Tom Baker", "neighbour": None, "first_name": "Tom", "last_name": "Baker"}
    assert heard(example, "User: my name is Tom Baker") == value


@pytest.mark.parametrize(
    ("example", "said", "value"),
    [
        ({"days": ["Monday"]}, "Tuesdays and Thursdays", ["Tuesday", "Thursday"]),
        ({"sizes": ["small | large"]}, "a small and a large one", ["small", "large"]),
        ({"names": ["Ada Park"]}, "Tom Baker and Jo Lee", ["Tom Baker", "Jo Lee"]),
        ({"items": ["tacos"]}, "two burgers, please", ["two burgers"]),
        ({"guests": [{"name": "Ada Park", "age": 30}]}, "my name is Tom Baker", [{"name": "Tom Baker", "age": None}]),
        ({"days": ["Monday"]}, "no idea", []),
    ],
)
def test_a_list_stays_a_list(example, said, value):
    (key,) = example
    assert answer(f"Which {key}?", example, said)[0] == {key: value}


def test_a_list_that_nobody_asked_for_has_none_of_the_callers_words():
    example = {"name": "Ada Park", "items": ["tacos"], "orders": [{"dish": "tacos"}]}
    assert heard(example, "User: I am Tom Baker")["items"] == heard(example, "User: I am Tom Baker")["orders"] == []


def test_a_yes_to_another_question_is_no_answer():
    example = {"insured": True, "newsletter": True}
    assert answer("Are you insured?", example, "yes")[0] == {"insured": True, "newsletter": None}
    assert heard(example, "User: yes, and no newsletter please")["newsletter"] is False


def test_a_dict_and_a_text_are_read_by_themselves():
    about = '{"note": "Tom Baker comes on Friday", "total": 12}'
    value = fill(Question(about, "q", {"day": "Monday", "total": 1}, now=NOW))[0]
    assert value == {"day": "Friday", "total": 12}
    assert fill(Question("call 303 555 0188", "Which phone number?", "555-123-4567", now=NOW))[0] == "303-555-0188"
    assert fill(Question("{no json", "Which day?", now=NOW))[0] == "{no json"


def test_a_member_that_the_code_compares_with_texts_is_one_of_them():
    question = Question(
        "User: I'd like the large one", "Which?", {"size": "small"}, choices={"size": ["small", "large"]}
    )
    assert fill(question)[0] == {"size": "large"}


def test_a_yes_or_no_may_be_about_the_matter_of_the_only_question():
    said = "User: the receipt should go to my office"
    assert heard(True, said, question="Do they want a receipt?") is True
    assert heard(True, "User: I take it without a receipt", question="Do they want a receipt?") is False
    assert heard({"printed": True, "day": "Monday"}, said, question="Do they want a receipt?")["printed"] is None

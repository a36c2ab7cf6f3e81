"""The judge without a model: what it takes, what it fills in, and that it says why."""

from __future__ import annotations

from random import Random

import pytest

from dryline.engine.answer_filling import fill
from dryline.engine.language_model import Question


def test_a_decision_says_why_and_how_sure(talk, flow):
    taken = talk(flow.quiz, "I want a question").of("taken")[0]
    assert taken["by"] == "built-in"
    assert taken["why"]
    assert 0 < taken["sure"] <= 1


@pytest.mark.parametrize(
    ("name", "example", "said", "value"),
    [
        ("name", "", "Hi, this is Ada Byron.", "Ada Byron"),
        ("first_name", "", "my name is Ada Byron", "Ada"),
        ("lastName", "", "my name is Ada Byron", "Byron"),
        ("phone", "", "call +1 (555) 234-5678", "+1 (555) 234-5678"),
        ("contact_email", "", "it is ada@example.org.", "ada@example.org"),
        ("date", "", "on March 3rd, please", "March 3rd"),
        ("date", "2024-01-01", "2031-05-06 suits", "2031-05-06"),
        ("day", "", "next Tuesday", "next Tuesday"),
        ("day", "", "on Monday, please", "Monday"),
        ("time", "", "at 3 pm", "3 pm"),
        ("party_size", 2, "we are four people", 4),
        ("price", 1.5, "I'd pay 12.50", 12.5),
        ("nights", 1, "2 rooms for 3 nights", 3),
        ("order_number", "AB-1234", "order AB-7781 is late", "AB-7781"),
        ("zip", "", "I live in 94107", "94107"),
        ("address", "", "12 Oak Street", "12 Oak Street"),
        ("urgent", True, "it is not urgent", False),
        ("confirmed", True, "Yes", True),
        ("department", "sales | support | billing", "I need support", "support"),
        ("reason", "", "The reason is a broken lamp.", "a broken lamp"),
    ],
)
def test_an_answer_is_filled_from_what_was_said(name, example, said, value):
    filled, how = fill(Question(f"Agent: 1 2 3 Hello\nUser: {said}", "q", {name: example}))
    assert filled == {name: value}
    assert how == {name: "said"}


@pytest.mark.parametrize(
    "example",
    [
        {"name": "Jo", "email": "", "phone": "", "date": "2024-01-01", "n": 3, "x": 1.5, "ok": True, "kind": "a | b"},
        [{"n": 1}],
        3,
    ],
)
def test_what_nobody_said_is_plausible_and_repeats_with_the_seed(example):
    first = fill(Question("User: hm", "q", example, random=Random(3)))
    assert first == fill(Question("User: hm", "q", example, random=Random(3)))
    assert type(first[0]) is type(example)
    assert "said" not in first[1].values()
    assert first[0] != fill(Question("User: hm", "q", example, random=Random(5)))[0]


def test_an_example_is_never_silently_the_answer():
    filled, how = fill(Question("User: hm", "q", {"mood": "cheerful"}))
    assert (filled, how) == ({"mood": "cheerful"}, {"mood": "the example"})


def test_members_of_a_dict_are_found_by_their_name():
    assert fill(Question('{"total": 12, "name": "Jo"}', "q", {"total": 1}))[0] == {"total": 12}


def test_a_question_without_a_shape_is_answered_with_a_text():
    assert fill(Question("Agent: hi\nUser: I lost my key", "What happened?"))[0] == "I lost my key"
    assert fill(Question("", "What happened?"))[0] is None


@pytest.mark.parametrize(
    "schema",
    [
        {},
        {"type": "null"},
        {"type": ["string", "null"]},
        {"properties": 3},
        {"items": [1]},
        {"enum": []},
        {"type": "array"},
    ],
)
def test_any_schema_is_answered(schema):
    fill(Question("User: hm", "q", schema=schema))


def test_of_what_was_said_twice_the_newest_counts(talk):
    code = """
loop:
    res = talk("Ask what they want.", True)
until "caller wants to book":
    wish = res.ask("What, and when?", {"day": "Monday", "what": "cleaning | check-up"})
    if wish["day"] == "Thursday":
        return "ask for another day"
    extract("wish", wish)
"""
    talked = talk(code, "book a check-up on Thursday", "book a cleaning on Friday")
    assert talked.session.extracted == {"wish": {"day": "Friday", "what": "cleaning"}}

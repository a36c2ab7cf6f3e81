"""The judge without a model: what it takes, what it fills in, and that it says why."""

from __future__ import annotations

import pytest

from dryline.engine.answer_filling import fill
from dryline.engine.language_model import Question


def test_a_decision_says_why_and_how_sure(talk, flow):
    taken = talk(flow.quiz, "I want a question").of("taken")[0]
    assert taken["by"] == "built-in"
    assert taken["why"]
    assert 0 < taken["sure"] <= 1


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

"""A value that a caller speaks is understood as the same value."""

from __future__ import annotations

from datetime import UTC, datetime
from random import Random

import pytest

from dryline.engine.answer_filling import fill
from dryline.engine.language_model import MADE_UP, Question
from dryline.phrases.spoken_values import sentence_with_value

NOW = datetime(2026, 11, 25, 15, tzinfo=UTC)
EXAMPLES = {
    "email": "jo@example.com",
    "phone": "555-123-4567",
    "name": "Jo Lee",
    "date": "2026-01-05",
    "day": "Monday",
    "dob": "1980-05-21",
    "time": "14:00",
    "guests": 4,
    "budget": 20000,
    "amount": 49.5,
    "age": 40,
    "order_number": "12345",
    "zip": "78701",
    "state": "TX",
    "color": "red",
    "size": "small | medium | large",
    "agreed": True,
    "address": {"street": "1 Main St", "city": "Austin", "state": "TX", "zip": "78701"},
    "when": {"day": "Monday", "time": "2pm"},
    "vehicle": {"year": 2018, "make": "Honda", "model": "Civic"},
}


@pytest.mark.parametrize("key", EXAMPLES)
def test_a_spoken_value_is_understood_as_the_same_value(key):
    for seed in range(20):
        random, question = Random(seed), f"What is the {key}?"
        example = {key: EXAMPLES[key]}
        value = fill(Question("", question, example, random=random, now=NOW, unsaid=MADE_UP))[0]
        said = sentence_with_value(value, question=question, random=random)
        assert fill(Question(f"Agent: {question}\nUser: {said}", question, example, now=NOW))[0] == value, said


def test_several_things_are_said_in_one_sentence():
    order = {"items": [{"name": "burritos", "quantity": 3}, {"name": "horchata", "quantity": 1}]}
    said = {sentence_with_value(order, random=Random(seed)) for seed in range(60)}
    assert "Three burritos and one horchata." in said
    assert "Can I get three burritos and one horchata?" in said


def test_nothing_is_said_of_nothing():
    assert sentence_with_value({"note": None, "email": ""}, random=Random(1)) == ""

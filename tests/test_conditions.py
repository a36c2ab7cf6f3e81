"""Conditions that a row must meet to be called."""

import pytest

from dryline.models.conditions import condition
from dryline.world.errors import Invalid

ROW = {
    "status": "active",
    "age": "42",
    "city": "Oslo",
    "vip": "true",
    "left": "no",
    "debt": 12.5,
    "job": {"title": "x"},
}


@pytest.mark.parametrize(
    "text",
    [
        "",
        '{{status}} == "active"',
        "{{status}} == active",
        "status = 'active'",
        '"{{status}}" === "active"',
        '"{{city}}-{{status}}" == "Oslo-active"',
        "{{age}} > 9",
        "age >= 42 and age <= 42.0 && age != 41",
        "{{age}} < 9 or {{age}} > 40 || false",
        "not {{left}}",
        "!(age < 18)",
        "{{vip}}",
        "vip == true",
        "{{missing}} == null",
        '{{missing}} == ""',
        "not missing2 == 'x'",
        'city in "Rome, Oslo"',
        "city contains 'sl'",
        "debt > 12",
        "{{ job.title }} == x",
        "a == b or city == Oslo and age == 42",
    ],
)
def test_a_row_that_meets_the_condition_passes(text):
    assert condition(text)(ROW)


@pytest.mark.parametrize(
    "text",
    [
        "{{status}} != active",
        "age < 18",
        "(age > 18 or city == Oslo) and status == 'gone'",
        "{{missing}}",
        "{{left}}",
        "not vip",
        'city in "Rome, Bergen"',
        '{{age}} < "5"',
        "null",
    ],
)
def test_a_row_that_does_not_meet_it_fails(text):
    assert not condition(text)(ROW)


@pytest.mark.parametrize(
    "text",
    [
        "==",
        "age >",
        "(age > 1",
        "age > 1)",
        "age > 1 2",
        "{{age",
        "__import__('os')",
        "1; 2",
        "(" * 60,
        "! " * 60,
        "a" * 20_000,
    ],
)
def test_a_text_that_is_no_condition_is_refused(text):
    with pytest.raises(Invalid) as refusal:
        condition(text)
    assert refusal.value.field == "condition"

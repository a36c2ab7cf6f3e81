"""Conditions that a row must meet to be called."""

import pytest

from dryline.models.conditions import RowCondition
from dryline.storage.errors import Invalid

ROW = {"status": "active", "age": "42", "city": "Oslo", "vip": "true", "left": "no", "debt": 12.5}


TRUE = """
{{status}} == "active"
{{status}} == active
"{{status}}" == "active"
"{{city}}-{{status}}" == "Oslo-active"
{{age}} > 9
age >= 42 and age <= 42.0 and age != 41
{{age}} < 9 or {{age}} > 40 or false
not {{left}}
{{vip}}
{{missing}} == null
not missing2 == 'x'
debt > 12
'2026-03-01' <= '2026-03-02'
a == b or city == Oslo and age == 42
"""
FALSE = """
{{status}} != active
age < 18
age > 18 and status == 'gone' or city == 'Oslo' and status == gone
{{missing}}
{{left}}
not vip
{{age}} < "5"
null
"""


@pytest.mark.parametrize("text", TRUE.splitlines())
def test_a_row_that_meets_the_condition_passes(text):
    assert RowCondition(text).is_met_by(ROW)


@pytest.mark.parametrize("text", FALSE.split("\n")[1:-1])
def test_a_row_that_does_not_meet_it_fails(text):
    assert not RowCondition(text).is_met_by(ROW)


@pytest.mark.parametrize("sign", ["==", "!=", "<", "<=", ">", ">="])
@pytest.mark.parametrize("row", [{}, {"age": None}])
def test_a_comparison_with_what_the_row_lacks_is_false(row, sign):
    for text in (f"age {sign} 18", f"{{{{age}}}} {sign} 18", f"18 {sign} {{{{age}}}}", f'"{{{{age}}}}" {sign} 18'):
        assert not RowCondition(text).is_met_by(row)


def test_a_text_has_no_order_beside_a_number():
    assert not RowCondition("age < 18 or age >= 18 or 18 > age").is_met_by({"age": "unknown"})


@pytest.mark.parametrize(
    "text",
    [
        "==",
        "age >",
        "age > 1 2",
        "age = 1",
        "age === 1",
        "age <> 1",
        "age not 1",
        "vip && age",
        "vip || age",
        "!vip",
        "city in 'Oslo'",
        "{{age",
        "__import__('os')",
        "(age > 1)",
        "a == b == c",
        "and",
        "a" * 20_000,
    ],
)
def test_a_text_that_is_no_condition_is_refused(text):
    with pytest.raises(Invalid) as refusal:
        RowCondition(text)
    assert refusal.value.field == "condition"


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("v", {"v": " " * 5_000_000}),
        ("v == 1", {"v": "1" * 5_000_000}),
        ('"' + "{{" * 3_000 + '" == v', {"v": "x"}),
    ],
    ids=["blanks", "digits", "placeholders"],
)
def test_no_text_and_no_value_takes_long(text, row):
    """Would not end today if a look cost more than the value is long."""
    assert not RowCondition(text).is_met_by(row)

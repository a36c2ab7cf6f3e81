"""Values of each kind as callers give them, by the tables of cases that stand beside their patterns."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from random import Random
from time import process_time

import pytest

from dryline.flow.model.answers.slots import Slot, choices_in
from dryline.flow.model.caller_words import sentences_with_value
from dryline.flow.model.kinds import DATE, KINDS, NUMBER, kind_of, kind_of_question

NOW = datetime(2026, 11, 25, 15, tzinfo=UTC)  # a Wednesday
CASES = [pytest.param(kind, *case, id=f"{kind.name}: {case[0]}") for kind in KINDS for case in kind.CASES]


@pytest.mark.parametrize(("kind", "said", "example", "value"), CASES)
def test_a_kind_reads_what_its_cases_say(kind, said, example, value):
    assert kind.read(said, Slot(example, choices=choices_in(example), now=NOW)) == value


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_a_kind_has_twelve_cases_of_which_a_third_has_no_value(kind):
    assert len(kind.CASES) >= 12
    assert 3 * sum(value is None for *_, value in kind.CASES) >= len(kind.CASES)


@pytest.mark.parametrize(
    ("kind", "said", "value"),
    [
        ("number", "I need two of these in the blue bag", None),
        ("number", "we are six people", 6),
        ("name", "park", None),
        ("name", "Ada Park", "Ada Park"),
        ("name", "I'm Ada", "Ada"),
        ("yes_no", "yes", None),
        ("time", "nine", None),
    ],
)
def test_bare_words_are_a_value_only_where_the_agent_asked_for_it(kind, said, value):
    kind = next(each for each in KINDS if each.name == kind)
    example = {"number": 4, "yes_no": True}.get(kind.name, "")
    key = "guests" if kind.name == "number" else "newsletter" if kind.name == "yes_no" else ""
    assert kind.read(said, Slot(example, key, now=NOW, is_asked=False)) == value


@pytest.mark.parametrize(
    ("key", "agent", "said", "value"),
    [
        ("date", "When did it happen?", "November 20th", "2026-11-20"),
        ("date", "And what day did you buy it?", "on Friday", "2026-11-20"),
        ("date", "Could you tell me when it happened?", "the tenth", "2026-11-10"),
        ("date", "When was your last visit?", "the third of March", "2026-03-03"),
        ("purchase_date", "Which date is on the receipt?", "Monday the 2nd", "2026-11-02"),
        ("date", "When did it happen?", "December 3rd, 2025", "2025-12-03"),
        ("date", "Which day did you have in mind?", "Friday", "2026-11-27"),
        ("date", "What date did you want to come in?", "December 3rd", "2026-12-03"),
        ("date", "When would you like to come?", "November 20th", "2027-11-20"),
    ],
)
def test_a_day_on_which_something_has_happened_lies_in_the_past(key, agent, said, value):
    slot = Slot("2026-01-05", key, agent=agent, now=NOW)
    assert DATE.read(said, slot) == value
    is_past = value < "2026-11-25"
    assert all((DATE.make(Random(seed), slot) < "2026-11-25") == is_past for seed in range(20))


@pytest.mark.parametrize(
    ("key", "question", "said", "value"),
    [
        ("", "And how much was it?", "I paid 120 dollars for 2 lamps", 120),
        ("lamps", "And how much was it?", "I paid 120 dollars for 2 lamps", 2),
    ],
)
def test_the_question_decides_what_a_number_without_a_name_is_a_number_of(key, question, said, value):
    assert NUMBER.read(said, Slot(1, key, question=question, now=NOW)) == value


@pytest.mark.parametrize(
    ("key", "example", "kind"),
    [
        ("email", "jane@example.com", "email"),
        ("x", "jane@example.com", "email"),
        ("pickup_time", "", "time"),
        ("x", "2:30 PM", "time"),
        ("x", "14:00", "time"),
        ("preferredDay", "Monday", "date"),
        ("day", "as soon as possible", "words"),
        ("x", "2026-01-05T14:00", "date"),
        ("phone", "555-123-4567", "phone"),
        ("callback_number", "", "phone"),
        ("guests", 4, "number"),
        ("budget", "$5,000", "number"),
        ("share", "10%", "number"),
        ("agreed", True, "yes_no"),
        ("size", "small | large", "choice"),
        ("customer", "Ada Park", "name"),
        ("customer", "new one", "words"),
        ("x", "Ada Park", "name"),
        ("x", "Main Street", "words"),
        ("order", "two pizzas", "words"),
        ("order", "K48210", "code"),
        ("zip", "78701", "code"),
        ("x", "12345", "code"),
        ("x", "12", "number"),
        ("reason", "late delivery", "words"),
        ("", "", "words"),
    ],
)
def test_the_kind_comes_from_the_form_of_the_example_or_else_from_the_members_name(key, example, kind):
    assert kind_of(Slot(example, key, choices=choices_in(example))).name == kind


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("May I have your first and last name?", "name"),
        ("Who am I speaking with?", "name"),
        ("What is the best phone number?", "phone"),
        ("What is your order number?", "code"),
        ("On which day would you like to come?", "date"),
        ("And at what time?", "time"),
        ("How many people are you?", "number"),
        ("To which e-mail address may I send it?", "email"),
        ("How can I help you?", None),
        ("Is there anything else?", None),
    ],
)
def test_a_question_asks_for_the_kind_of_its_longest_phrase(question, kind):
    asked_kind = kind_of_question(question)
    assert (asked_kind and asked_kind.name) == kind


SAID = [
    ("name", "Deborah Klein", "What is your name?"),
    ("email", "deb.klein@outlook.com", "What is your e-mail?"),
    ("phone", "+15558675309", "What is your number?"),
    ("date", "2026-12-21", "Which date?"),
    ("day", "Friday", "Which day?"),
    ("time", "16:30", "What time?"),
    ("time", "4:30 PM", "What time?"),
    ("zip", "90210", "What is the ZIP code?"),
    ("guests", 5, "How many guests?"),
    ("budget", 35000, "What is the budget?"),
    ("rating", 4, "How would you rate it, from 1 to 5?"),
    ("order_number", "88217", "What is the order number?"),
    ("agreed", True, "Do they agree?"),
    ("agreed", False, "Do they agree?"),
    ("reason", "a late delivery", "Why?"),
]


@pytest.mark.parametrize(("key", "value", "question"), SAID)
def test_what_a_caller_says_is_read_as_the_value_that_it_gives(key, value, question):
    slot = Slot(value, key, question=question, now=NOW)
    for said in sentences_with_value(value, slot):
        read = kind_of(slot).read(said, slot)
        assert read == value or str(read).casefold() == str(value).casefold(), said


@pytest.mark.parametrize(("key", "value", "question"), SAID)
def test_an_invented_value_is_of_its_kind_in_the_form_of_the_example(key, value, question):
    slot = Slot(value, key, question=question, now=NOW)
    kind = kind_of(slot)
    for seed in range(20):
        made = kind.make(Random(seed), slot)
        assert type(made) is type(value)
        assert value != "Friday" or made in ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday")
        said = kind.say(made)
        assert kind.name in ("words", "yes_no") or kind.read(said, slot) == made, (made, said)


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
@pytest.mark.parametrize("piece", ["monday ", "a ", "a", "1", "1 ", ", ", "(1", "one "])
def test_ten_times_the_text_takes_about_ten_times_the_work(kind, piece):
    """A pattern that goes back over what it has read takes a hundred times as long."""

    def cpu_s(characters):
        began = process_time()
        kind.read((piece * characters)[:characters], Slot("", choices=("small", "large"), now=NOW))
        return process_time() - began

    assert cpu_s(40_000) < 40 * max(cpu_s(4_000), 0.01)


def test_an_invented_code_has_digits_also_where_the_example_has_none():
    assert kind_of(Slot("", "order_number")).make(Random(1), Slot("", "order_number", now=NOW)).isdigit()


@pytest.mark.parametrize(
    ("example", "form"), [("K48210", r"K\d{5}"), ("PL-20331", r"PL-\d{5}"), ("H482107", r"H\d{6}"), ("AB1", r"AB\d")]
)
def test_an_invented_code_has_letters_and_digits_where_the_example_has_them(example, form):
    slot = Slot(example, "order_number", now=NOW)
    assert all(re.fullmatch(form, kind_of(slot).make(Random(seed), slot)) for seed in range(10))

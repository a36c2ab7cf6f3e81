"""The overview's chart: the calls of the last day, or of the last week where the day had few."""

import re

import pytest

from dryline.models.voice_logs import VoiceLog


@pytest.fixture
def call(control, add_log, make_worker):
    """Add calls that began at a time, some days before a Sunday noon that it is."""
    control.put("/clock", {"now": "2026-11-22T12:00:00.000Z", "frozen": True})
    worker = make_worker()

    def add(count, day, status="completed"):
        for _ in range(count):
            add_log(VoiceLog, worker, start_time=f"2026-11-{day}T09:30:00.000Z", status=status)

    return add


def chart(visitor):
    """Its heading and what it says in words, and its columns: hour or day, count and outcome of each part."""
    html = visitor.go("").answer.text
    (told,) = re.findall(r'aria-label="(\d+ calls in [^"]*)"', html)
    (heading,) = re.findall(r"Calls of the last [^<]*", html)
    return heading, told, re.findall(r"<title>([^<]* \d+ [a-z]+)</title>", html)


def test_a_day_with_calls_is_shown_by_the_hour(visitor, call):
    call(10, 22)
    call(2, 20)
    parts = ["09:00 10 completed"]
    assert chart(visitor) == ("Calls of the last 24 hours", "10 calls in 24 hours, at most 10 in one", parts)


def test_where_the_day_has_few_the_week_is_shown_by_the_day(visitor, call):
    call(9, 22)
    call(2, 16, "failed")
    call(1, 15)  # which is eight days, with today
    parts = ["Mon 16 Nov 2 failed", "Sun 22 Nov 9 completed"]
    assert chart(visitor) == ("Calls of the last 7 days", "11 calls in 7 days, at most 9 in one", parts)


def test_where_the_week_has_no_more_the_day_is_shown(visitor, call):
    call(3, 22)
    call(1, 15)
    parts = ["09:00 3 completed"]
    assert chart(visitor) == ("Calls of the last 24 hours", "3 calls in 24 hours, at most 3 in one", parts)


def test_a_call_that_is_yet_to_begin_counts_for_nothing(visitor, call):
    call(20, 25)
    call(1, 21)  # more than a day ago
    assert chart(visitor) == (
        "Calls of the last 7 days",
        "1 calls in 7 days, at most 1 in one",
        ["Sat 21 Nov 1 completed"],
    )

"""The overview: its chart, and its refresh."""

import re

import pytest
from playwright.sync_api import expect

from dryline.models.voice_logs import VoiceLog


@pytest.fixture
def call(control, add_log, make_worker):
    """Return a function that adds calls on a day of November. It is noon on Sunday 22."""
    control.put("/clock", {"now": "2026-11-22T12:00:00.000Z", "frozen": True})
    worker = make_worker()

    def add(count, day, status="completed"):
        for _ in range(count):
            add_log(VoiceLog, worker, start_time=f"2026-11-{day}T09:30:00.000Z", status=status)

    return add


def chart(visitor):
    """Return the chart's heading, its label, and the titles of the parts of its columns."""
    html = visitor.go("").answer.text
    (label,) = re.findall(r'aria-label="(\d+ calls in [^"]*)"', html)
    (heading,) = re.findall(r"Calls of the last [^<]*", html)
    return heading, label, re.findall(r"<title>([^<]* \d+ [a-z]+)</title>", html)


def test_a_day_with_many_calls_is_shown_by_hour(visitor, call):
    call(10, 22)
    call(2, 20)
    parts = ["09:00 10 completed"]
    assert chart(visitor) == ("Calls of the last 24 hours", "10 calls in 24 hours, at most 10 in one", parts)


def test_a_week_is_shown_by_day_if_the_day_has_few_calls(visitor, call):
    call(9, 22)
    call(2, 16, "failed")
    call(1, 15)  # before the week
    parts = ["Mon 16 Nov 2 failed", "Sun 22 Nov 9 completed"]
    assert chart(visitor) == ("Calls of the last 7 days", "11 calls in 7 days, at most 9 in one", parts)


def test_the_day_is_shown_if_the_week_has_no_more_calls(visitor, call):
    call(3, 22)
    call(1, 15)
    parts = ["09:00 3 completed"]
    assert chart(visitor) == ("Calls of the last 24 hours", "3 calls in 24 hours, at most 3 in one", parts)


def test_a_call_in_the_future_is_not_counted(visitor, call):
    call(20, 25)
    call(1, 21)  # more than a day ago
    assert chart(visitor) == (
        "Calls of the last 7 days",
        "1 calls in 7 days, at most 1 in one",
        ["Sat 21 Nov 1 completed"],
    )


def test_a_change_fetches_the_page_once(served, tab):
    seen = tab(served)
    page = seen.go("")
    served.app.test_client().put("/_dryline/clock", json={"frozen": True})
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.evaluate("for (const id of ['chart', 'newest']) document.getElementById(id).dataset.old = '1'")
    seen.poll()
    expect(page.locator("#chart:not([data-old])")).to_be_attached()
    expect(page.locator("#newest:not([data-old])")).to_be_attached()
    assert [url for url in fetched if "/changes" not in url] == [f"{served.url}/console"]

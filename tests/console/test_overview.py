"""The overview: its chart, and its refresh."""

import re
from html import unescape

import pytest
from playwright.sync_api import expect

from dryline.models.voice_logs import VoiceLog
from dryline.tests.console.visitor import words


@pytest.fixture
def call(control, add_log, make_worker):
    """Return a function that adds calls on a day of November. It is noon on Sunday 22."""
    control.put("/clock", {"now": "2026-11-22T12:00:00.000Z", "frozen": True})
    worker = make_worker(name="Front desk")

    def add(count, day, status="completed", **columns):
        for _ in range(count):
            add_log(VoiceLog, worker, start_time=f"2026-11-{day:02}T09:30:00.000Z", status=status, **columns)

    return add


def chart(visitor, span=None):
    """Return the chart's label, the titles of its columns that have calls, and the lines' numbers."""
    html = visitor.go(f"?range={span}" if span else "").html
    (label,) = re.findall(r'aria-label="(\d+ calls? in [^"]*)"', html)
    (lines,) = re.findall(r'<div class="ys[^>]*>(.*?)</div>', html)
    columns = [
        title for title in re.findall(r'class="column"[^>]*aria-label="([^"]*)"', html) if "no calls" not in title
    ]
    return label, columns, re.findall(r"<span>([^<]*)</span>", lines)


def test_the_reader_chooses_the_range_of_the_chart(visitor, call):
    call(3, 22)
    call(2, 16, "failed")
    call(1, 15)  # before the week
    week = ["Mon 16 Nov: 2 failed", "Sun 22 Nov: 3 completed"]
    assert chart(visitor) == chart(visitor, "7d")
    assert chart(visitor)[:2] == ("5 calls in 7 days, at most 3 in one", week)
    assert chart(visitor, "24h")[:2] == ("3 calls in 24 hours, at most 3 in one", ["09:00: 3 completed"])
    assert chart(visitor, "5w")[:2] == ("6 calls in 5 weeks, at most 3 in one", ["Sun 15 Nov: 1 completed", *week])
    assert visitor.go("?range=1y").status == 404


ENDED = {"latency": {"p50": 800}, "call_analysis": {"call_successful": True}}
POOR = {"latency": {"p50": 1200}, "call_analysis": {"call_successful": False}}


def figures(page):
    """Return the figures of a page: title, value, change and whether that is better or worse."""
    row = page.html.partition('<dl class="figures">')[2].partition("</dl>")[0]
    cells = re.findall(r'<dt[^>]*>(.*?)</dt><dd><b>(.*?)</b><span class="note (\w*)">(.*?)</span>', row)
    return {title: (value, change, trend) for title, value, trend, change in cells}


def test_the_figures_are_compared_with_the_same_days_and_hours_a_week_before(visitor, call, control):
    call(2, 22, data=ENDED, duration=60)
    call(1, 21, "transferred", data=POOR, duration=120)
    call(1, 20, "no-answer")
    call(1, 19, "in-progress")  # has not ended
    call(2, 12, data=ENDED, duration=60)
    call(9, 8)  # before the week before
    expected = {
        "Calls": ("4", "↑ 100 %", "better"),
        "Answered": ("75 %", "↓ 25 points", "worse"),
        "Transferred": ("33 %", "", ""),
        "Mean length": ("1:20", "↑ 33 %", ""),
        "Latency": ("0.80 s", "unchanged", ""),
        "Success": ("67 %", "↓ 33 points", "worse"),
    }
    assert figures(visitor.go("")) == expected
    assert "The last 7 days, against the 7 days before." in words(visitor.page)
    assert "The last 5 weeks. " in words(visitor.go("?range=5w"))  # there is nothing before
    worker = control.get("/state").json["workers"][0]["id"]
    assert figures(visitor.go(f"/workers/{worker}")) == expected
    assert "Front desk 4 75 % 33 % 1:20 0.80 s 67 %" in words(visitor.go(""))  # by business


def test_a_column_leads_to_its_calls(visitor, call):
    call(2, 16)
    call(1, 17)
    link = re.search(r'class="column" href="([^"]*)" aria-label="Mon 16 Nov: 2 completed"', visitor.go("").answer.text)[
        1
    ]
    assert "2 calls" in visitor.go(unescape(link).removeprefix("/console")).text


def test_a_change_fetches_the_whole_page_once(served, tab):
    seen = tab(served)
    page = seen.go("")
    served.app.test_client().put("/_dryline/clock", json={"frozen": True})
    fetched = []
    page.on("request", lambda request: fetched.append(request.url))
    page.evaluate("for (const one of document.querySelectorAll('#overview section')) one.dataset.old = '1'")
    page.locator("#range-7d").focus()
    seen.poll()
    expect(page.locator("#overview section[data-old]")).to_have_count(0)
    expect(page.locator("#overview section")).to_have_count(4)
    expect(page.locator("#range-7d")).to_be_focused()
    assert [url for url in fetched if "/changes" not in url] == [f"{served.url}/console"]


def test_a_refresh_does_not_swallow_a_click(served, tab):
    seen = tab(served)
    page = seen.go("")
    page.locator("#newest a").first.hover()
    page.mouse.down()
    served.app.test_client().put("/_dryline/clock", json={"frozen": True})
    with page.expect_response(f"{served.url}/console") as answer:
        seen.poll()
    answer.value.finished()
    page.mouse.up()
    page.wait_for_url("**/calls/log_*")


def test_equal_errors_are_one_row_with_their_number(visitor, control, make_worker):
    worker = make_worker(name="Front desk")
    about = {"severity": "critical", "service": "agents", "type": "RuntimeError", "error": "It is closed."}
    row = {"workerId": worker["id"], "teamId": control.get("/teams").json[0]["id"], **about}
    rows = [{**row, "id": f"error_{number}", "createdAt": f"2026-11-2{number}T09:00:00Z"} for number in range(3)]
    assert control.post("/state", {"version": 1, "runtimeErrors": rows}).status_code == 204
    for address in ("", f"/workers/{worker['id']}"):
        text = words(visitor.go(address))
        assert text.count("It is closed.") == 1 and "3 times" in text and "Sun 22 Nov" in text

"""The outline of a flow: where its calls of the last week went."""

import re

import pytest
from playwright.sync_api import expect

from dryline.models import taken_branches
from dryline.tests.console.demo_rows import demo_id
from dryline.tests.console.visitor import words

CODE = """loop:
    talk("How can I help?", True)
until "caller wants an appointment":
    loop:
        talk("On Monday?", True)
    until "caller agrees":
        say("See you.")
    until f"caller is older than {variables['age']}":
        say("Then by phone.")
until "caller wants a person":
    transfer("+14155550100")
"""
APPOINTMENT, AGREES, OLDER, PERSON = 3, 6, 8, 10  # lines


@pytest.fixture
def flow(make_flow):
    return make_flow(code=CODE, variables={"age": 80})


@pytest.fixture
def add_call(control, flow):
    """Return a function that adds a call with these conditions, each a line and a text."""

    def add(*taken, code=CODE, **members):
        trace = [{"at": 1.0, "step": "until", "line": line, "condition": text} for line, text in taken]
        add.count += 1
        row = {"id": f"log_{add.count}", "workerId": flow["workerId"], "flowId": flow["id"], "flowSnapshot": code}
        row |= {"status": "completed", "startTime": "2026-11-20T10:00:00.000Z", "sessionLogData": {"trace": trace}}
        answer = control.post("/state", {"version": 1, "voiceLogs": [row | members]})
        assert answer.status_code == 204, answer.text

    add.count = 0
    control.put("/clock", {"now": "2026-11-21T10:00:00Z", "frozen": True})
    return add


@pytest.fixture
def open_outline(visitor, flow):
    return lambda: visitor.go(f"/workers/{flow['workerId']}/flows/{flow['id']}")


def outline(page):
    """Return the rows of the outline by line: calls, share."""
    row = r'<a href="#L(\d+)">.*?value="(\d+)".*?class="count">\2<.*?class="note">(\d+ %|)'
    return {int(line): (int(calls), share) for line, calls, share in re.findall(row, page.answer.text)}


def test_branches_have_the_counts_of_the_last_week(add_call, open_outline):
    for _ in range(3):
        add_call((APPOINTMENT, "caller wants an appointment"), (AGREES, "caller agrees"))
    add_call((APPOINTMENT, "caller wants an appointment"), (OLDER, "caller is older than 80"))
    add_call(startTime="2026-11-13T10:00:00.000Z")  # before
    add_call(sessionLogData=None)  # of a script
    page = open_outline()
    assert "Where it leads the calls of the last 7 days 4 calls" in words(page)
    assert outline(page) == {
        APPOINTMENT: (4, "100 %"),
        AGREES: (3, "75 %"),
        OLDER: (1, "25 %"),
        PERSON: (0, "0 %"),
    }
    assert "#L6" in page.links


def test_calls_that_ran_other_code_count_once_by_the_text_of_their_conditions(add_call, open_outline):
    add_call((2, "caller wants a person"), (2, "caller wants a person"), code="loop:\n")
    add_call((APPOINTMENT, "caller wants a person"), code="loop:\n")
    assert outline(open_outline())[PERSON] == (2, "100 %")


def test_of_many_calls_the_newest_count(add_call, open_outline, monkeypatch):
    monkeypatch.setattr(taken_branches, "MAX_CALLS", 2)
    add_call((PERSON, "caller wants a person"), startTime="2026-11-19T10:00:00.000Z")
    for _ in range(2):
        add_call((APPOINTMENT, "caller wants an appointment"))
    page = open_outline()
    assert "the last 2 calls" in page.text
    assert outline(page)[PERSON] == (0, "0 %")


def test_an_odd_trace_counts_nothing(add_call, open_outline):
    for trace in ({"at": 1}, [1, None, "x"], [{"step": "until"}], [{"step": "until", "line": [1]}]):
        add_call(sessionLogData={"trace": trace})
    page = open_outline()
    assert page.status == 200
    assert {calls for calls, _ in outline(page).values()} == {0}


def test_an_outline_fits_a_laptop_and_a_phone(demo, tab):
    shop, flow = demo_id("workers", name="Larkspur Goods"), demo_id("flows", name="Orders and returns")
    page = tab(demo).go(f"/workers/{shop}/flows/{flow}")
    for width in (1440, 390, 360):
        page.set_viewport_size({"width": width, "height": 900})
        expect(page.locator("#map").get_by_role("link", name="caller wants to cancel an order")).to_be_visible()
        assert page.locator("#map").evaluate("box => box.scrollWidth <= box.clientWidth")


def test_a_call_in_progress_is_marked_where_it_is(served, tab):
    client = served.app.test_client()
    client.put("/_dryline/clock", json={"frozen": True})
    desk, flow = demo_id("workers", name="Bayside Dental"), demo_id("flows", name="Front desk")
    page = tab(served).go(f"/workers/{desk}/flows/{flow}")
    condition = "caller asks about opening hours or the address"
    body = {"workerId": desk, "deploymentId": demo_id("voiceDeployments", flowId=flow), "branch": condition, "seed": 1}
    assert client.post("/_dryline/simulate/calls", json=body | {"inProgress": True}).status_code == 201
    expect(page.locator("#map .start .dot-here")).to_have_text("1 now")
    for _ in range(60):
        text = client.get(f"/console/workers/{desk}/flows/{flow}").text
        if re.search(f'<li class="here"><div><a href="#L[0-9]+">{condition}', text):
            break
        client.post("/_dryline/clock/advance", json={"seconds": 1})
    here = page.locator("#map li.here > div")
    expect(here).to_contain_text("1 now")
    here.get_by_role("link").focus()
    page.keyboard.press("Enter")
    expect(page.locator("li:target")).to_contain_text(f'until "{condition}"')
    page.locator("#map").get_by_role("link", name=re.compile(r"^\+1 ")).click()
    expect(page.get_by_role("link", name="Where it is in the outline of the flow")).to_be_visible()
    expect(page.locator("#code-box li.now")).to_have_count(1)

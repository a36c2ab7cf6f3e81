"""The outline of a flow: where its calls of the last week went."""

import re

import pytest

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
    """Return the rows of the outline: depth, ways and calls with their share."""
    text = page.html.split('class="start"')[1]
    rows = re.findall(r'<ol class="outline">|</ol>|<li><div> ?<span.*?</div>', text, re.S)
    depth, ways = 0, []
    for row in rows:
        depth += {"<ol": 1, "</o": -1}.get(row[:3], 0)
        if row.startswith("<li"):
            steps = re.findall(r"<(?:a|span)(?: [^>]*)?>([^<]+)</", row.split("<meter")[0])
            ways.append((depth, " > ".join(steps), *re.findall(r">([0-9]+(?: %)?)</span>", row)))
    return ways


def test_ways_have_counts_that_add_up(add_call, open_outline):
    for _ in range(3):
        add_call((APPOINTMENT, "caller wants an appointment"), (AGREES, "caller agrees"))
    add_call((APPOINTMENT, "caller wants an appointment"), (OLDER, "caller is older than 80"))
    add_call((APPOINTMENT, "caller wants an appointment"), code="older code")
    add_call()  # hung up
    add_call(startTime="2026-11-13T10:00:00.000Z")  # before
    add_call(sessionLogData=None)  # of a script
    page = open_outline()
    assert "Where it leads conditions that the calls of the last 7 days took 6 calls" in words(page)
    assert outline(page) == [
        (1, "caller wants an appointment", "5", "83 %"),
        (2, "caller agrees", "3", "50 %"),
        (2, "caller is older than 80", "1", "17 %"),
        (2, "The call ended here", "1", "17 %"),
        (1, "The call ended before it met a condition", "1", "17 %"),
    ]
    assert "Taken by no call: caller wants a person" in words(page)
    assert {f"#L{line}" for line in (APPOINTMENT, AGREES, OLDER, PERSON)} <= set(page.links)


def test_a_call_in_progress_is_marked_where_it_is(visitor, control, flow, make_voice_deployment, open_outline, advance):
    line = make_voice_deployment(flow)
    control.put("/clock", {"frozen": True})
    body = {"workerId": flow["workerId"], "deploymentId": line["id"], "branch": "caller agrees", "inProgress": True}
    (log_id,) = control.post("/simulate/calls", body).json["ids"]
    page = open_outline()
    assert "1 now" in words(page)
    while f"/console/calls/{log_id}" in page.links and not outlined(page):
        advance(1)
        page = open_outline()
    assert outlined(page) == "caller wants an appointment"
    call = visitor.go(f"/calls/{log_id}")
    assert "Where it is in the outline of the flow" in call.text
    assert "ran now" in call.answer.text


def outlined(page):
    """Return the condition at which the page marks a call in progress."""
    match = re.search(r'<a href="#L[0-9]+"[^>]*>([^<]*)</a> ?<b class="dot-here">1 now', page.html)
    return match and match[1]

"""Odd values in the addresses of pages."""

import itertools

import pytest

from dryline.tests.console.visitor import one_of_each_kind

# Superscript digits, the calendar's ends, a lone percent sign, a NUL, a large number, markup, another channel.
ODD = ("²", "0001-01-01", "9999-12-31T23:59:59Z", "%", "\0", "9" * 30, "-1", "<b>'\"", "chat-embed", "a" * 3000)
PARAMETERS = (
    *("team", "worker", "channel", "page", "limit", "cursor", "sortBy", "sortOrder", "startDate", "endDate", "status"),
    *("direction", "deploymentId", "flowId", "searchQuery", "fromNumber", "startTimeAfter", "minDuration", "sessionId"),
    *(
        "fields",
        "known",
        "seen",
        "since",
        "method",
        "path",
        "bodyContains",
        "fault",
        "min",
        "max",
        "next",
        "version",
        "q",
    ),
)


def test_no_value_of_a_parameter_is_a_500(demo):
    client = demo.app.test_client()
    pages, values = one_of_each_kind(client), itertools.cycle(ODD)
    assert len(pages) >= 25
    failed = []
    for page in pages:
        for names in (PARAMETERS[at : at + 9] for at in range(0, len(PARAMETERS), 9)):
            query = {name: next(values) for name in names}
            if (status := client.get(page, query_string=query).status_code) >= 500:
                failed.append((page, query, status))
    assert failed == []


@pytest.mark.parametrize("parameter", ["path", "searchQuery", "none"])
def test_a_parameter_that_a_page_cannot_show_is_refused(visitor, parameter):
    assert visitor.go(f"/requests?{parameter}={'*' * 2000}").status == 200
    page = visitor.go(f"/requests?{parameter}={'*' * 2001}")
    assert (page.status, f"{parameter}: Longer than 2,000 characters." in page.text) == (400, True)


def test_a_file_that_is_not_there_is_a_404(visitor):
    assert visitor.go("/static/none.css").status == 404


@pytest.mark.parametrize("id", ["w two", "w%two", "w?two", "w#two", "w/two"])
def test_a_page_of_an_odd_id_has_its_own_address_in_its_forms(visitor, control, id):
    control.post("/state", {"version": 1, "workers": [{"id": id, "name": "Odd", "status": "active"}]})
    page = visitor.go("/workers")
    [link] = [link for link in page.links if link.startswith("/console/workers/w%")]
    page = visitor.go(link.removeprefix("/console"))
    assert page.status == 200
    assert {form["fields"]["back"] for form in page.forms if "back" in form["fields"]} == {link}


@pytest.mark.parametrize(
    ("form", "fields"),
    [
        ("/world/clock", {"now": "0001-01-01T00:00:00Z"}),
        ("/world/clock", {"now": "9999-01-02T00:00:00Z"}),
        ("/world/clock", {"now": "9999-12-31T23:59:59Z"}),
        ("/world/clock/advance", {"seconds": "1e18"}),
        ("/world/clock/advance", {"seconds": "1e300"}),
        ("/world/clock/advance", {"seconds": "300000000000"}),
    ],
)
def test_a_time_out_of_the_clocks_range_is_refused_and_the_clock_stays(visitor, app, form, fields):
    visitor.go("")
    page = visitor.send(form, **fields)
    assert "The clock goes from 0002-01-01T00:00:00.000Z to 9999-01-01T00:00:00.000Z." in page.text
    assert app.world.clock.now().year < 3000

"""The pages of exports."""

import re

import pytest
from playwright.sync_api import expect

from dryline.models.voice_logs import VoiceLog
from dryline.tests.console.visitor import words

BODY = {"logType": "voice", "format": "CSV", "startDate": "2026-01-01T00:00", "endDate": "2026-01-31T00:00"}


@pytest.fixture(autouse=True)
def frozen(control):
    control.put("/clock", {"now": "2026-02-01T00:00:00Z", "frozen": True})


@pytest.fixture
def make_log(add_log, make_worker):
    def make(**values):
        return add_log(VoiceLog, make_worker(), **{"start_time": "2026-01-05T00:00:00.000Z"} | values)

    return make


@pytest.fixture
def create(visitor):
    """Return a function that requests an export by the form and returns the address of its page."""

    def make(**values):
        visitor.go("/exports/new")
        page = visitor.send("/exports", **BODY | values)
        assert page.status == 200, page.text
        return page.answer.request.path.removeprefix("/console")

    return make


def buttons(page):
    """Return the transitions that the page offers."""
    return re.findall(r'<button[^>]*id="to-\w+"[^>]*>(\w+)</button>', page.answer.text)


def test_an_export_is_requested_by_a_form_whose_values_the_address_gives(visitor, api, create):
    address = create(fields="id, status", filtersJson='{"status": "completed"}')
    (export,) = api.get("/team/exports").json
    assert address.endswith(export["id"])
    assert (export["logType"], export["format"], export["status"]) == ("voice", "CSV", "PENDING")
    assert "id, status" in visitor.page.text and "Status completed" in words(visitor.page)
    page = visitor.go("/exports/new?logType=chat&startDate=2026-01-02T00:00:00.000Z&fields=id")
    fields = page.form("/exports")["fields"]
    assert (fields["startDate"], fields["fields"]) == ("2026-01-02T00:00:00.000", "id")
    assert '<option value="chat" selected>' in page.html


@pytest.mark.parametrize("format", ["CSV", "JSON"])
def test_the_beginning_of_a_file_is_shown_and_escaped(visitor, create, make_log, advance, format):
    first = {"start_time": "2026-01-02T00:00:00.000Z", "status": 'a "quoted", word'}
    make_log(id="log_first", transcription="<script>alert(1)</script>", **first)
    make_log(id="log_long", transcription="x" * 300_000, status=None)
    address = create(format=format, fields="id,status,transcription")
    advance()
    page = visitor.go(address)
    assert "log_first" in page.text and 'a "quoted", word' in page.text
    assert "<script>alert" in page.text and "<script>alert" not in page.answer.text
    assert "log_long" not in page.text


def test_only_possible_transitions_are_offered(visitor, create, control):
    address = create()
    assert buttons(visitor.page) == []  # the server makes them
    control.put("/settings", {"exportMode": "manual"})
    visitor.go(address)
    assert buttons(visitor.page) == ["processing", "failed"]
    offered = []
    for status in ("PROCESSING", "COMPLETED", "EXPIRED"):
        visitor.send("/transition", status=status)
        offered.append(buttons(visitor.go(address)))
    assert offered == [["completed", "failed"], ["expired"], []]


def test_a_completed_export_shows_when_it_expires(visitor, create, make_log, advance):
    make_log()
    address = create()
    advance()
    advance(3_600)
    assert "Expires in 23:00:00" in words(visitor.go(address))
    advance(23 * 3_600)
    assert "It expired after 24 hours" in visitor.go(address).text


def test_a_refreshed_list_keeps_the_chosen_row(served, tab):
    seen = tab(served)
    page = seen.go("/exports")
    page.keyboard.press("j")
    chosen = page.locator("tr.chosen a").first.get_attribute("href")
    other = tab(served).go("/exports/new")
    other.get_by_role("button", name="Export").click()
    expect(other.locator("#status")).to_be_visible()
    seen.poll()
    expect(page.get_by_role("link", name="1 new")).to_be_visible()
    assert page.locator("tr.chosen a").first.get_attribute("href") == chosen
    assert page.evaluate("document.activeElement.getAttribute('href')") == chosen

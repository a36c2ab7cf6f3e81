"""The pages of exports."""

import re

import pytest
from playwright.sync_api import expect

from dryline.models.voice_logs import VoiceLog

ASK = {"logType": "voice", "format": "CSV", "startDate": "2026-01-01T00:00", "endDate": "2026-01-31T00:00"}


@pytest.fixture(autouse=True)
def still(app, control):
    """Time stands still after the window that is asked for."""
    control.put("/clock", {"now": "2026-02-01T00:00:00Z", "frozen": True})


@pytest.fixture
def make_log(add_log, make_worker):
    def make(**values):
        return add_log(VoiceLog, make_worker(), **{"start_time": "2026-01-05T00:00:00.000Z"} | values)

    return make


@pytest.fixture
def ask(visitor):
    """Ask for an export by the form. Gives where its page is, below /console."""

    def make(**values):
        visitor.go("/exports/new")
        page = visitor.send("/exports", **ASK | values)
        assert page.status == 200, page.text
        return page.answer.request.path.removeprefix("/console")

    return make


def buttons(page):
    """The moves that the page offers."""
    return re.findall(r'<button[^>]*id="to-\w+"[^>]*>(\w+)</button>', page.answer.text)


def test_an_export_is_asked_for_by_a_form(visitor, api, ask):
    address = ask(fields="id, status", filtersJson='{"status": "completed"}')
    (export,) = api.get("/team/exports").json
    assert address.endswith(export["id"])
    assert (export["logType"], export["format"], export["status"]) == ("voice", "CSV", "PENDING")
    assert "id, status" in visitor.page.text and '"status": "completed"' in visitor.page.text


def test_the_address_fills_in_the_form(visitor):
    page = visitor.go("/exports/new?logType=chat&startDate=2026-01-02T00:00:00.000Z&fields=id")
    assert re.search(r"<option selected>chat</option>", page.answer.text)
    assert page.form("/exports")["fields"]["startDate"] == "2026-01-02T00:00:00.000"
    assert page.form("/exports")["fields"]["fields"] == "id"


def test_what_cannot_be_exported_is_told_where_it_was_asked_for(visitor, ask):
    assert ask(endDate="2025-12-31T00:00") == "/exports/new"
    assert "The window ends before it starts." in visitor.page.text


@pytest.mark.parametrize("format", ["CSV", "JSON"])
def test_the_first_rows_are_shown_as_text(visitor, ask, make_log, advance, format):
    log = make_log(transcription="<script>alert(1)</script>", status='a "quoted", word')
    make_log(transcription=None, status=None)
    address = ask(format=format, fields="id,status,transcription")
    advance()
    page = visitor.go(address)
    assert log in page.text and 'a "quoted", word' in page.text
    assert "<script>alert" in page.text and "<script>alert" not in page.answer.text


@pytest.mark.parametrize("format", ["CSV", "JSON"])
def test_a_long_file_is_shown_as_far_as_its_beginning_tells(visitor, ask, make_log, advance, format):
    make_log(id="log_first", start_time="2026-01-02T00:00:00.000Z")
    make_log(id="log_long", transcription="x" * 300_000)
    address = ask(format=format, fields="id,transcription")
    advance()
    page = visitor.go(address)
    assert "log_first" in page.text and "log_long" not in page.text


@pytest.mark.parametrize(
    ("way", "offered"),
    [
        ([], ["PROCESSING", "FAILED"]),
        (["PROCESSING"], ["COMPLETED", "FAILED"]),
        (["PROCESSING", "COMPLETED"], ["EXPIRED"]),
        (["PROCESSING", "COMPLETED", "EXPIRED"], []),
    ],
)
def test_only_the_moves_of_the_state_machine_are_offered(visitor, ask, way, offered):
    address = ask()
    for status in way:
        visitor.send("/transition", status=status)
    assert buttons(visitor.go(address)) == offered


def test_a_reason_to_fail_is_kept_and_shown(visitor, api, ask):
    address = ask()
    visitor.send("/transition", status="FAILED", errorMessage="The disk is full.")
    assert "The disk is full." in visitor.go(address).text
    assert "The disk is full." in visitor.go("/exports").text
    assert api.get("/team/exports").json[0]["errorMessage"] == "The disk is full."


def test_a_move_that_is_too_late_is_told(visitor, ask):
    ask()
    form = visitor.page.form("/transition")
    visitor.send("/transition", status="FAILED")
    answer = visitor.client.post(form["action"], data=form["fields"] | {"status": "PROCESSING"}, follow_redirects=True)
    assert "it cannot become PROCESSING" in answer.text


def test_a_finished_export_says_how_long_it_lasts(visitor, ask, make_log, advance):
    make_log()
    address = ask()
    advance()
    advance(3_600)
    assert "Expires in 23:00:00" in visitor.go(address).text
    advance(23 * 3_600)
    assert "Its 24 hours are over" in visitor.go(address).text


def test_an_export_that_is_written_says_how_much_there_is(visitor, app, ask):
    address = ask()
    visitor.send("/transition", status="PROCESSING")
    assert "Nothing is written yet." in visitor.go(address).text
    with app.world.active():
        from dryline.models.exports import Export

        part = next(iter(Export.select())).path.with_suffix(".abc.part")
    part.write_bytes(b"x" * 2_000)
    assert "2.0 KB are written." in visitor.go(address).text
    part.unlink()  # a reset leaves it to its writer, and the next test has the same stand-in


def test_newer_exports_wait_to_be_shown(visitor, ask, advance):
    first = ask()
    advance()
    shown = visitor.go("/exports")
    known = re.search(r"known=([\w-]+)", shown.answer.text)[1]
    assert first.endswith(known)
    second = ask()
    listed = visitor.go(f"/exports?known={known}")
    assert "1 new" in listed.text and f"/console{second}" not in listed.links
    assert f"/console{second}" in visitor.go("/exports").links


def test_a_chosen_row_stays_chosen_when_the_list_is_fetched_anew(served, tab):
    seen = tab(served)
    page = seen.go("/exports")
    page.keyboard.press("j")
    chosen = page.locator("tr.chosen a").first.get_attribute("href")
    other = tab(served).go("/exports/new")
    other.get_by_role("button", name="Export").click()
    expect(other.locator("#status")).to_be_visible()
    seen.pulse()
    expect(page.get_by_role("link", name="1 new")).to_be_visible()
    assert page.locator("tr.chosen a").first.get_attribute("href") == chosen
    assert page.evaluate("document.activeElement.getAttribute('href')") == chosen


def test_what_is_typed_survives_when_the_page_is_fetched_anew(served, tab):
    plane = served.app.test_client()
    plane.put("/_dryline/settings", json={"exportMode": "manual"})
    seen = tab(served)
    page = seen.go("/exports/new")
    page.get_by_role("button", name="Export").click()
    page.get_by_label("Reason").fill("The disk")
    page.evaluate("document.getElementById('export').dataset.old = '1'")
    plane.put("/_dryline/clock", json={"frozen": True})
    seen.pulse()
    expect(page.locator("#export:not([data-old])")).to_be_visible()
    expect(page.get_by_label("Reason")).to_have_value("The disk")
    expect(page.get_by_label("Reason")).to_be_focused()


def test_another_teams_export_is_not_shown(visitor, app, other_api, ask):
    address = ask()
    team = other_api.get("/team").json["id"]
    assert visitor.go(f"{address}?team={team}").status == 404


def test_an_export_is_made_watched_downloaded_and_expired_by_the_clock(served, tab):
    seen = tab(served)
    page = seen.go("/exports")
    page.get_by_role("link", name="New export").click()
    page.get_by_label("Logs").select_option("voice")
    page.get_by_role("button", name="Export").click()
    # Watched: nobody reloads the page.
    expect(page.locator("#status")).to_have_text("COMPLETED")
    expect(page.locator("#rows tbody tr").first).to_be_visible()
    left = page.locator("#export [data-until]")
    before = left.text_content()
    expect(left).not_to_have_text(before)
    with page.expect_download() as download:
        page.get_by_role("link", name="Download").click()
    assert download.value.path().read_text().startswith("id,type,")
    page.get_by_role("button", name="+1 d").click()
    expect(page.locator("#status")).to_have_text("EXPIRED")
    expect(page.get_by_role("link", name="Download")).to_have_count(0)
    assert seen.faults() == []

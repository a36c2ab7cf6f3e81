"""The header: the world clock, the poll of the server, notices and keys."""

from playwright.sync_api import expect

from dryline.tests.console.demo_rows import demo_id


def test_the_clock_of_an_open_page_follows_the_server(served, tab):
    page = tab(served).go("/connect")
    served.app.test_client().put("/_dryline/clock", json={"now": "2031-03-04T05:06:07Z", "frozen": True})
    expect(page.locator("#world-time")).to_have_text("Tue 4 Mar 05:06:07")
    expect(page.locator("#clock-badge")).to_contain_text("frozen, +")
    served.app.test_client().delete("/_dryline/clock")
    expect(page.locator("#clock-badge")).to_be_empty()
    expect(page.locator("#clock-reset")).to_be_disabled()


def test_a_server_that_does_not_answer_is_told_within_five_seconds(demo, tab):
    page = tab(demo).go("/live")
    lost = page.locator("#lost")
    page.route("**/console/**", lambda route: route.abort())
    expect(lost).to_contain_text("No answer from the server since", timeout=5_000)
    page.get_by_role("link", name="Workers").first.click()
    assert page.url.endswith("/console/live")  # and not the browser's own error page
    page.unroute_all()
    expect(lost).to_be_empty()


def test_shortcuts_of_one_letter_can_be_switched_off(demo, tab):
    page = tab(demo).go("/faults")
    page.get_by_role("button", name="Shortcuts").click()
    page.get_by_label("Shortcuts of a single letter").uncheck()
    page.keyboard.press("Escape")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_hidden()


def test_a_page_whose_record_a_reset_removed_says_so_and_polls_no_more(served, tab):
    client = served.app.test_client()
    worker, deployment = demo_id("workers", name="Bayside Dental"), demo_id("voiceDeployments", name="Front desk line")
    body = {"workerId": worker, "deploymentId": deployment, "inProgress": True}
    (log_id,) = client.post("/_dryline/simulate/calls", json=body).json["ids"]
    page = tab(served).go(f"/calls/{log_id}")
    client.post("/_dryline/reset")
    expect(page.locator("h1")).to_have_text("Not found")
    expect(page.locator("main")).to_contain_text("before a reset")
    page.locator("main").get_by_role("link", name="Calls").click()
    expect(page.locator("h1")).to_have_text("Calls")


def test_the_bar_fits_a_telephone_with_all_that_it_can_show(served, tab):
    client = served.app.test_client()
    client.post("/_dryline/faults", json={"path": "/api/workers", "status": 503, "times": 2})
    client.post("/_dryline/clock/advance", json={"seconds": 90_000})
    client.put("/_dryline/settings", json={"callsPerMinute": 600})
    page = tab(served, 390).go("/faults")
    for part in ("1 fault on", "+1 d 1 h", "600/min"):
        expect(page.locator(".bar").get_by_text(part)).to_be_visible()
    expect(page.locator("html")).to_have_js_property("scrollWidth", 390)

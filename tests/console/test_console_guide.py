"""docs/console.md, done in a browser sentence by sentence."""

import re

from playwright.sync_api import expect

from dryline.tests.console.rehearsal import (
    Rehearsal,
    new_page,
    open_page,
    press,
    press_in_bar,
    reset_world,
    run_curl,
    set_calls_per_minute,
)

GUIDE = Rehearsal("docs/console.md", "The bar", "From a call to its request")


def badge(page):
    return page.locator("#clock-badge")


@GUIDE.does("The bar has the world clock, in UTC.")
def clock_in_utc(page):
    expect(page.locator("#zone")).to_have_text("UTC")
    expect(page.locator("#world-time")).to_have_text(re.compile(r"\d\d:\d\d:\d\d$"))


@GUIDE.does('Click "UTC": all times are in local time.')
def local_time(page):
    press_in_bar(page, "UTC")
    expect(page.locator("#zone")).to_have_text("GMT+9")
    time = page.locator("#newest time").first
    hour = int(time.get_attribute("datetime")[11:13])
    expect(time).to_contain_text(f" {(hour + 9) % 24:02}:")
    page.reload()
    expect(page.locator("#zone")).to_have_text("GMT+9")


@GUIDE.does("Click on the zone again to go back.")
def back_to_utc(page):
    press_in_bar(page, "GMT+9")
    expect(page.locator("#zone")).to_have_text("UTC")


@GUIDE.does('Press "Freeze".')
def freeze(page):
    press_in_bar(page, "Freeze")


@GUIDE.does('The clock stands still, and beside it stands "frozen".')
def frozen(page):
    expect(badge(page)).to_contain_text("frozen")
    before = page.locator("#world-time").text_content()
    page.wait_for_load_state()  # the script is there
    page.evaluate("tick()")
    expect(page.locator("#world-time")).to_have_text(before)


@GUIDE.does('Press "+1 h".')
def an_hour(page):
    press_in_bar(page, "+1 h")


@GUIDE.does("Beside the clock stands how far it is ahead of real time.")
def ahead(page):
    expect(badge(page)).to_contain_text(re.compile(r"frozen, \+(1 h|59 min)"))


@GUIDE.does('Press "Now".')
def now(page):
    press_in_bar(page, "Now")


@GUIDE.does("The clock shows real time.")
def real_time(page):
    expect(badge(page)).to_be_empty()


@GUIDE.does('Set "Calls per minute" to 600.')
def many_calls(page):
    set_calls_per_minute(page, "600")


GUIDE.does('Press "+1 h".')(an_hour)


@GUIDE.does("Only the last 300 calls come in, and the notice says so.")
def capped(page):
    expect(page.get_by_text("Only the last 300 calls of that time came in")).to_be_visible()


@GUIDE.does('Set "Calls per minute" to 0.')
def no_calls(page):
    set_calls_per_minute(page, "0")


@GUIDE.does('Open World and press "Reset the world".')
def reset(page):
    reset_world(page)


@GUIDE.does('The notice has "Undo": press it to go back.')
def undo(page):
    expect(page.get_by_text("The world is reset to its start.")).to_be_visible()
    expect(badge(page)).to_be_empty()
    press(page, "Undo")
    expect(page.get_by_text("Restored the snapshot")).to_be_visible()
    expect(badge(page)).not_to_be_empty()  # the hour that the clock had been advanced


@GUIDE.does('The switch "Live" stops the page from changing.')
def not_live(page):
    press_in_bar(page, "Live")
    expect(page.locator("#live-switch")).to_have_text("Live off")


@GUIDE.does("Press it again.")
def live(page):
    press_in_bar(page, "Live off")
    expect(page.locator("#live-switch")).to_have_text("Live")


@GUIDE.does("Open Calls.")
def open_calls(page):
    open_page(page, "Calls")


@GUIDE.does("The list has the calls of all workers, the newest first.")
def calls_of_all(page):
    expect(page.locator("select[name=worker]")).to_have_value("")
    times = page.locator("tr[data-open] time").evaluate_all("(times) => times.map((time) => time.dateTime)")
    assert times == sorted(times, reverse=True) and len(times) == 25


@GUIDE.does('Type "appointment" into "Text in the transcript" and press Enter.')
def search(page):
    page.get_by_label("Text in the transcript").fill("appointment")
    page.keyboard.press("Enter")


@GUIDE.does("Each row shows the hit.")
def hits(page):
    expect(page.locator("tr[data-open] mark").first).to_be_visible()
    assert page.locator("tr[data-open] mark").count() == page.locator("tr[data-open]").count()
    row = page.locator("tr[data-open]").first.bounding_box()
    mark = page.locator("tr[data-open] mark").first.bounding_box()
    assert mark["x"] + mark["width"] <= row["x"] + row["width"]


@GUIDE.does('Choose the outcome "completed" and press "Show".')
def completed(page):
    page.get_by_label("Outcome").select_option("completed")
    press(page, "Show")


@GUIDE.does("The address has both filters, so you can send it as a link.")
def address(page):
    page.wait_for_url("**status=completed*")
    assert "searchQuery=appointment" in page.url
    rows = page.locator("tr[data-open]").count()
    assert rows > 1
    expect(page.locator("tr[data-open] .state.completed")).to_have_count(rows)


@GUIDE.does("Press `j`, then `Enter`.")
def first_row(page):
    page.wait_for_load_state()
    page.keyboard.press("j")
    page.keyboard.press("Enter")


@GUIDE.does("The first call opens.")
def call(page):
    expect(page.locator("h1")).to_have_text(re.compile("Call (from|to) "))


@GUIDE.does('"Earlier" opens the next call of that list.')
def earlier(page):
    before = page.url
    page.get_by_role("link", name="Earlier").click()
    page.wait_for_url(lambda url: url != before)
    expect(page.locator(".lead .state")).to_have_text("completed")


@GUIDE.does("Open Connect and run its curl command.")
def connect(page):
    open_page(page, "Connect")
    assert '"id"' in run_curl(page)


@GUIDE.does("Open the request log: the request is the first row.")
def request_log(page):
    open_page(page, "Request log")
    expect(page.locator("tr[data-open]").first).to_contain_text("GET /api/workers")


@GUIDE.does('Open it and press "503 twice, then normal answers".')
def fault(page):
    page.locator("tr[data-open] a").first.click()
    press(page, "503 twice, then normal answers")


@GUIDE.does("Run the command again.")
def again(page):
    expect(page.get_by_text("Added: ")).to_be_visible()
    run_curl(page)


@GUIDE.does('The request log says "Fault: answers 503, 2 times" below the request.')
def reason(page):
    open_page(page, "Request log")
    expect(page.locator("tr[data-open]").first).to_contain_text("Fault: answers 503, 2 times")


def test_the_guide_can_be_followed_word_for_word_on_a_telephone(chromium, served):
    page = new_page(chromium, served, 390, "dark", timezone_id="Asia/Tokyo")
    GUIDE.play(page)
    page.context.close()

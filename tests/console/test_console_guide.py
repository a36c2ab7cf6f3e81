"""docs/console.md, done in a browser sentence by sentence, partly on a telephone."""

import re

import pytest
from playwright.sync_api import expect

from dryline.jobs import live
from dryline.serving.server import in_thread
from dryline.settings import Settings
from dryline.tests.console.rehearsal import (
    Rehearsal,
    new_page,
    open_page,
    press,
    press_in_bar,
    reset_world,
    run_curl,
    set_calls_per_minute,
    wait_for,
)

BAR = Rehearsal("docs/console.md", "The bar", "From a call to its request")
FLOW = Rehearsal("docs/console.md", "From a call to its flow")
OWN = Rehearsal("docs/console.md", "From nothing to a call of your own flow")


def badge(page):
    return page.locator("#clock-badge")


@BAR.does(
    "The bar has the world clock, in UTC.",
    'Click on it and press "UTC": all times are in local time.',
    "Press the zone again to go back.",
)
def zone(page):
    expect(page.locator("#zone")).to_have_text("UTC")
    expect(page.locator("#world-time")).to_have_text(re.compile(r"\d\d:\d\d:\d\d$"))
    press_in_bar(page, "UTC")
    expect(page.locator("#zone")).to_have_text("GMT+9")
    time = page.locator("#newest time").first
    hour = int(time.get_attribute("datetime")[11:13])
    expect(time).to_contain_text(f" {(hour + 9) % 24:02}:")
    page.reload()
    press_in_bar(page, "GMT+9")
    expect(page.locator("#zone")).to_have_text("UTC")


@BAR.does('Press "Freeze".', 'The clock stands still, and beside it stands "frozen".')
def frozen(page):
    press_in_bar(page, "Freeze")
    expect(badge(page)).to_contain_text("frozen")
    before = page.locator("#world-time").text_content()
    page.wait_for_load_state()  # the script is there
    page.evaluate("tick()")
    expect(page.locator("#world-time")).to_have_text(before)


@BAR.does('Click on the clock and press "+1 h".', "Beside the clock stands how far it is ahead of real time.")
def ahead(page):
    press_in_bar(page, "+1 h")
    expect(badge(page)).to_contain_text(re.compile(r"frozen, \+(1 h|59 min)"))


@BAR.does('Click on the clock and press "Now".', "The clock shows real time.")
def real_time(page):
    press_in_bar(page, "Now")
    expect(badge(page)).to_be_empty()


@BAR.does(
    'Click on "Traffic" and set "Calls per minute" to 600.',
    'Click on the clock and press "+1 h".',
    "Only the last 300 calls come in, and the notice says so.",
    'Set "Calls per minute" to 0.',
)
def capped(page):
    set_calls_per_minute(page, "600")
    press_in_bar(page, "+1 h")
    expect(page.get_by_text("Only the last 30 calls of that time came in")).to_be_visible()
    set_calls_per_minute(page, "0")


@BAR.does(
    'Open World and press "Reset the world".',
    'The notice has "Undo" for 30 seconds, on each page.',
    "Press it to go back.",
)
def reset_and_undo(page):
    reset_world(page)
    expect(page.get_by_text("The world is reset to its start.")).to_be_visible()
    expect(badge(page)).to_be_empty()
    open_page(page, "Exports")
    press(page, "Undo")
    expect(page.get_by_text("Restored the snapshot")).to_be_visible()
    expect(badge(page)).not_to_be_empty()  # the hour that the clock had been advanced


@BAR.does('"Auto-refresh" in the menu stops the page from changing.', "Press it again.")
def not_live(page):
    press(page, "Auto-refresh")
    expect(page.locator("#auto-refresh")).to_have_text("Auto-refresh off")
    press(page, "Auto-refresh off")
    expect(page.locator("#auto-refresh")).to_have_text("Auto-refresh")


@BAR.does("Open Calls.", "The list has the calls of all workers, the newest first.")
def calls_of_all(page):
    open_page(page, "Calls")
    expect(page.locator("select[name=worker]")).to_have_value("")
    times = page.locator("tr[data-open] time").evaluate_all("(times) => times.map((time) => time.dateTime)")
    assert times == sorted(times, reverse=True) and len(times) == 25


@BAR.does('Type "appointment" into "Text in the transcript" and press Enter.', "Each row shows the hit.")
def hits(page):
    page.get_by_label("Text in the transcript").fill("appointment")
    page.keyboard.press("Enter")
    rows, marks = page.locator("tr[data-open]"), page.locator("tr[data-open] mark")
    expect(marks.first).to_be_visible()
    assert marks.count() == rows.count()
    row, mark = rows.first.bounding_box(), marks.first.bounding_box()
    assert mark["x"] + mark["width"] <= row["x"] + row["width"]


@BAR.does(
    'Choose the outcome "completed" and press "Show".',
    "The address has both filters, so you can send it as a link.",
)
def address(page):
    page.get_by_label("Outcome").select_option("completed")
    press(page, "Show")
    page.wait_for_url("**status=completed*")
    assert "searchQuery=appointment" in page.url
    rows = page.locator("tr[data-open]").count()
    assert rows > 1
    expect(page.locator("tr[data-open] .state.completed")).to_have_count(rows)


@BAR.does("Press `j`, then `Enter`.", "The first call opens.")
def first_row(page):
    page.wait_for_load_state()
    page.keyboard.press("j")
    page.keyboard.press("Enter")
    expect(page.locator("h1")).to_have_text(re.compile("Call (from|to) "))


@BAR.does('"Earlier" opens the next call of that list.')
def earlier(page):
    before = page.url
    page.get_by_role("link", name="Earlier").click()
    page.wait_for_url(lambda url: url != before)
    expect(page.locator(".lead .state")).to_have_text("completed")


@BAR.does("Open Connect and run its curl command.", "Open the request log: the request is the first row.")
def request_log(page):
    open_page(page, "Connect")
    assert '"id"' in run_curl(page)
    open_page(page, "Request log")
    expect(page.locator("tr[data-open]").first).to_contain_text("GET /api/workers")


@BAR.does(
    'Open it and press "503 twice".',
    "Run the command again.",
    'The request log says "Fault: answers 503, 2 times" below the request.',
)
def fault(page):
    page.locator("tr[data-open] a").first.click()
    press(page, "503 twice")
    expect(page.get_by_text("Added: ")).to_be_visible()
    run_curl(page)
    open_page(page, "Request log")
    expect(page.locator("tr[data-open]").first).to_contain_text("Fault: answers 503, 2 times")


def test_the_guide_can_be_followed_word_for_word_on_a_telephone(chromium, served, monkeypatch):
    assert live.MAX_CALLS == 300  # as the guide says; to simulate as many takes seconds
    monkeypatch.setattr(live, "MAX_CALLS", 30)
    page = new_page(chromium, served, 390, "dark", timezone_id="Asia/Tokyo")
    BAR.play(page)
    page.context.close()


def position(page):
    return float(page.get_by_label("Position").input_value())


@FLOW.does(
    'Open Calls, choose the outcome "completed", press "Show", and click on the first call.',
    "Beside the transcript is the flow's code as it ran.",
)
def open_call(page):
    open_page(page, "Calls")
    page.get_by_label("Outcome").select_option(label="completed")
    press(page, "Show")
    expect(page.locator("tr[data-open]").first).to_contain_text("completed")
    page.locator("tr[data-open] a").first.click()
    expect(page.locator("h1")).to_contain_text("Call ")
    page.wait_for_load_state()  # with its styles
    transcript, code = page.locator("#turns").bounding_box(), page.locator("#code-box").bounding_box()
    assert abs(transcript["y"] - code["y"]) < 30 and code["x"] > transcript["x"] + transcript["width"]
    page.set_viewport_size({"width": 390, "height": 900})
    transcript, code = page.locator("#turns").bounding_box(), page.locator("#code-box").bounding_box()
    assert code["y"] > transcript["y"] + transcript["height"]  # a telephone has it below
    assert page.locator("#code-box").evaluate("box => box.scrollWidth <= box.clientWidth")  # its lines are wrapped
    page.set_viewport_size({"width": 1440, "height": 900})


@FLOW.does('Press "Play".', "The turn that is heard is marked, and so is the line of the code that ran last.")
def play(page):
    press(page, "Play")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()
    expect(page.locator("#turns .turn.now")).to_have_count(1)
    line = page.locator("#turns .turn.now").get_attribute("data-line")
    expect(page.locator(f"#line-{line}")).to_have_attribute("aria-current", "true")


@FLOW.does("Click on another turn: its moment plays.")
def click_turn(page):
    turn = page.locator("#turns .turn").nth(3)
    turn.locator("p").click()
    expect(turn).to_have_attribute("aria-current", "true")
    assert position(page) >= float(turn.get_attribute("data-start")) - 0.1


@FLOW.does("Click on a line of the code that ran: the moment when it ran plays.")
def click_line(page):
    line = page.locator("#code-box li.ran").first
    line.locator("code").click()
    expect(line).to_have_attribute("aria-current", "true")
    expect(page.get_by_role("button", name="Pause")).to_be_visible()


@FLOW.does("Press Space: the recording pauses.", "Press the right arrow: it is five seconds further.")
def keys(page):
    page.keyboard.press(" ")
    expect(page.get_by_role("button", name="Play")).to_be_visible()
    before = position(page)
    page.keyboard.press("ArrowRight")
    expect(page.get_by_label("Position")).not_to_have_value(str(before))
    assert abs(position(page) - before - 5) < 1


@FLOW.does(
    'Switch on "Steps of the flow".',
    "The flow's decisions and its requests are between the turns.",
)
def steps(page):
    page.get_by_label("Steps of the flow").check()
    expect(page.locator(".flow-step strong", has_text="until").first).to_be_visible()


@FLOW.does(
    "Under About, click on the name of the flow.",
    "The outline shows where the calls of the last week went: the more calls took a condition, the longer is its bar.",
)
def flow_outline(page):
    page.get_by_role("region", name="About").locator("a[href*='/flows/']").first.click()
    expect(page.get_by_role("heading", name="Where it leads")).to_be_visible()
    bars = [int(one.get_attribute("value")) for one in page.locator("#map meter").all()]
    counts = [int(one.text_content()) for one in page.locator("#map .count").all()]
    assert bars == counts and max(counts) > 0


@FLOW.does(
    'Press "Talk to this flow", then "Begin".',
    'Switch on "How it decided" and say "I want to talk to a person".',
    "The transcript shows which condition is taken, and why.",
)
def talk(page):
    press(page, "Talk to this flow")
    press(page, "Begin")
    expect(page.locator(".bubble").first).to_be_visible()
    page.get_by_label("How it decided").check()
    page.get_by_label("Say").fill("I want to talk to a person")
    page.keyboard.press("Enter")
    taken = page.locator(".talk .event", has_text="Taken:").first
    expect(taken).to_contain_text("person")
    expect(taken).to_contain_text(re.compile(r"\d+ % sure"))


GREETING = "Good day, this is the Elm Clinic."


@OWN.does(
    'Open Workers and press "New worker".',
    'Type the name "Elm Clinic", choose "Books appointments" and press "Create".',
)
def new_worker(page):
    open_page(page, "Workers")
    press(page, "New worker")
    page.get_by_label("Name", exact=True).fill("Elm Clinic")
    page.get_by_label("Books appointments").check()
    press(page, "Create")


@OWN.does('Press "Edit", then "Try it".', "The flow talks to you beside its code.")
def try_it(page):
    press(page, "Edit")
    press(page, "Try it")
    expect(page.locator("#talk .bubble").first).to_contain_text("Thank you for calling Elm Clinic.")


@OWN.does('Change the greeting and press "Try it" again.', "It says the new greeting, and nothing is saved yet.")
def try_again(page):
    source = page.locator("#source")
    source.fill(re.sub(r"^say\(.*\)$", f'say("{GREETING}")', source.input_value(), count=1, flags=re.MULTILINE))
    press(page, "Try it")
    expect(page.locator("#talk .bubble").first).to_contain_text(GREETING)


@OWN.does(
    "Leave a bracket open.",
    "The line is marked, and Check says what is wrong.",
    'Close it again and press "Save".',
)
def mistake(page):
    source = page.locator("#source")
    code = source.input_value()
    source.fill(code.replace(f'say("{GREETING}")', f'say("{GREETING}"'))
    expect(page.locator(".gutter .mark.error")).to_have_count(1)
    expect(page.locator("#findings")).to_contain_text("never closed")
    source.fill(code)
    press(page, "Save")
    expect(page.locator("ol.code")).to_contain_text(GREETING)


@OWN.does('Press "Deploy", and on the next page "Deploy" again.', "The line has a number.")
def deploy(page):
    press(page, "Deploy")
    press(page, "Deploy")
    expect(page.get_by_role("heading", name="Elm Clinic line")).to_be_visible()
    expect(page.locator("main")).to_contain_text(re.compile(r"\+1 \d{3} \d{3} \d{4}"))


@OWN.does(
    'Press "Place a call", choose the outcome "completed" and press "Place the call".',
    "Click on its number.",
    "The agent says the new greeting.",
)
def call_it(page):
    press(page, "Place a call")
    expect(page.get_by_label("Deployment").locator("option:checked")).to_have_text("Elm Clinic: Elm Clinic line")
    page.get_by_label("Outcome").select_option("completed")
    press(page, "Place the call")
    page.locator("article").get_by_role("link").first.click()
    wait_for(page, page.locator(".turn", has_text=GREETING))


@pytest.mark.parametrize(("width", "theme"), [(1440, "light"), (390, "dark")])
def test_an_empty_world_gets_a_call_of_ones_own_flow_as_the_guide_says(chromium, width, theme):
    with in_thread(Settings(ephemeral=True, scenario="empty", port=0)) as server:
        page = new_page(chromium, server, width, theme)
        OWN.play(page)
        page.context.close()


def test_the_walk_from_a_call_to_its_flow_is_as_the_guide_says(demo, tab):
    seen = tab(demo, 1440)
    FLOW.play(seen.go())
    assert seen.wrong == []

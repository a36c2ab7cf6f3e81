"""docs/console.md, done in a browser step by step, partly on a telephone."""

import re

import pytest
from playwright.sync_api import expect

from dryline.jobs import live
from dryline.serving.server import in_thread
from dryline.settings import Settings
from dryline.tests.console.rehearsal import (
    Rehearsal,
    new_page,
    next_page,
    open_menu,
    open_page,
    press,
    press_in_bar,
    reset_world,
    set_calls_per_minute,
    wait_for,
)

BAR = Rehearsal("docs/console.md", "The bar")
OWN = Rehearsal("docs/console.md", "From nothing to a call of your own flow")


def badge(page):
    return page.locator("#clock-badge")


@BAR.does("UTC")
def zone(page):
    expect(page.locator("#zone")).to_have_text("UTC")
    expect(page.locator("#world-time")).to_have_text(re.compile(r"\d\d:\d\d:\d\d$"))
    press(open_menu(page, "clock"), "UTC")
    expect(page.locator("#zone")).to_have_text("GMT+9")
    time = page.locator("#newest time").first
    hour = int(time.get_attribute("datetime")[11:13])
    expect(time).to_contain_text(f" {(hour + 9) % 24:02}:")
    page.reload()
    press(open_menu(page, "clock"), "GMT+9")
    expect(page.locator("#zone")).to_have_text("UTC")


@BAR.does("Freeze", "frozen")
def frozen(page):
    press_in_bar(page, "Freeze")
    expect(badge(page)).to_contain_text("frozen")
    before = page.locator("#world-time").text_content()
    page.evaluate("tick()")
    expect(page.locator("#world-time")).to_have_text(before)


@BAR.does("+1 h")
def ahead(page):
    press_in_bar(page, "+1 h")
    expect(badge(page)).to_contain_text(re.compile(r"frozen, \+(1 h|59 min)"))


@BAR.does("Now")
def real_time(page):
    press_in_bar(page, "Now")
    expect(badge(page)).to_be_empty()


@BAR.does("Traffic", "Calls per minute", "+1 h", "Calls per minute")
def capped(page):
    set_calls_per_minute(page, "600")
    press_in_bar(page, "+1 h")
    expect(page.get_by_text("Only the last 30 calls of that time came in")).to_be_visible()
    set_calls_per_minute(page, "0")


@BAR.does("Reset the world", "Undo")
def reset_and_undo(page):
    reset_world(page)
    expect(page.get_by_text("The world is reset to its start.")).to_be_visible()
    expect(badge(page)).to_be_empty()
    open_page(page, "Exports")
    press(page, "Undo")
    expect(page.get_by_text("Restored the snapshot")).to_be_visible()
    expect(badge(page)).not_to_be_empty()  # the hour that the clock had been advanced


@BAR.does("Auto-refresh")
def not_live(page):
    press(page, "Auto-refresh")
    expect(page.locator("#auto-refresh")).to_have_text("Auto-refresh off")
    press(page, "Auto-refresh off")
    expect(page.locator("#auto-refresh")).to_have_text("Auto-refresh")


def test_the_guide_can_be_followed_on_a_telephone(chromium, served, monkeypatch):
    assert live.MAX_CALLS == 300  # as the guide says; to simulate as many takes seconds
    monkeypatch.setattr(live, "MAX_CALLS", 30)
    page = new_page(chromium, served, 390, "dark", timezone_id="Asia/Tokyo")
    BAR.play(page)
    page.context.close()


GREETING = "Good day, this is the Elm Clinic."


@OWN.does("New worker", "Elm Clinic", "Books appointments", "Create")
def new_worker(page):
    open_page(page, "Workers")
    press(page, "New worker")
    page.get_by_label("Name", exact=True).fill("Elm Clinic")
    page.get_by_label("Books appointments").check()
    press(page, "Create")


@OWN.does("Edit", "Try it")
def try_it(page):
    press(page, "Edit")
    press(page, "Try it")
    expect(page.locator("#talk .bubble").first).to_contain_text("Thank you for calling Elm Clinic.")


@OWN.does("Try it")
def try_again(page):
    source = page.locator("#source")
    source.fill(re.sub(r"^say\(.*\)$", f'say("{GREETING}")', source.input_value(), count=1, flags=re.MULTILINE))
    press(page, "Try it")
    expect(page.locator("#talk .bubble").first).to_contain_text(GREETING)


@OWN.does("Save")
def mistake(page):
    source = page.locator("#source")
    code = source.input_value()
    source.fill(code.replace(f'say("{GREETING}")', f'say("{GREETING}"'))
    expect(page.locator(".gutter .mark.error")).to_have_count(1)
    expect(page.locator("#findings")).to_contain_text("never closed")
    source.fill(code)
    press(page, "Save")
    expect(page.locator("ol.code")).to_contain_text(GREETING)


@OWN.does("Deploy", "Deploy")
def deploy(page):
    with next_page(page):
        press(page, "Deploy")
    press(page, "Deploy")
    expect(page.get_by_role("heading", name="Elm Clinic line")).to_be_visible()
    expect(page.locator("main")).to_contain_text(re.compile(r"\+1 \d{3} \d{3} \d{4}"))


@OWN.does("Place a call", "completed", "Place the call")
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

"""Journeys through several pages: with a token, by keyboard, without script, from a request to a fault."""

from importlib import import_module

import pytest
from playwright.sync_api import expect

from dryline.blueprints.console import calls
from dryline.blueprints.console.app import MENU_PAGES
from dryline.serving.server import in_thread
from dryline.tests.console.conftest import DEMO
from dryline.tests.console.visitor import Page, Visitor, kind_of


def request_status(server):
    return server.app.test_client().get("/api/workers", headers={"x-api-key": "dryline-local-key"}).status_code


def test_a_call_is_opened_by_keyboard(demo, tab):
    seen = tab(demo, 1440)
    page = seen.go("")
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to the page")).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()
    page.keyboard.press("g")
    page.keyboard.press(calls.blp.key)
    expect(page.locator(".menu [aria-current]")).to_have_text("Calls")
    expect(page.locator("html.scripted")).to_be_attached()
    page.keyboard.press("/")
    expect(page.get_by_role("combobox", name="A name, a telephone number or an id")).to_be_focused()
    page.keyboard.type("could")  # a word in calls of every worker, and in no name
    in_calls = page.get_by_role("option", name="Calls with “could”")
    expect(in_calls).to_have_attribute("aria-selected", "true")
    page.keyboard.press("Enter")
    page.wait_for_url("**searchQuery=could*")
    rows = page.locator("tr[data-open]")
    page.keyboard.press("j")
    page.keyboard.press("j")
    expect(rows.nth(1)).to_contain_class("chosen")
    page.keyboard.press("k")
    expect(rows.nth(0)).to_contain_class("chosen")
    address = rows.nth(0).locator("a").get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")
    assert seen.wrong == []


def test_a_fault_an_export_and_a_campaign_are_created_without_script(served, tab):
    page = tab(served, 390, script=False).go("/faults")
    page.get_by_label("Path").first.fill("/api/workers")
    page.get_by_role("button", name="503").first.click()
    expect(page.locator("#rules tbody tr")).to_have_count(1)
    assert request_status(served) == 503
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.locator("#rules tbody tr")).to_have_count(0)
    assert request_status(served) == 200
    page.get_by_role("link", name="Exports").click()
    page.get_by_role("link", name="New export").click()
    page.get_by_role("button", name="Export", exact=True).click()
    expect(page.locator("#status")).to_be_visible()
    page.get_by_role("link", name="Campaigns").click()
    page.get_by_role("link", name="New campaign").click()
    page.get_by_label("Rows as CSV").fill("phoneNumber\n+14155550101\n")
    page.get_by_role("button", name="Preview").click()
    page.get_by_role("button", name="Create the campaign").click()
    expect(page.locator("tbody tr")).to_have_count(1)


@pytest.fixture(scope="module")
def everything():
    """Yield a client of a world in which each page has rows."""
    with in_thread(DEMO) as server:
        client = server.app.test_client()
        client.put("/_dryline/clock", json={"frozen": True})
        client.get("/api/workers", headers={"x-api-key": "dryline-local-key"})
        client.post("/_dryline/faults", json={"path": "/api/nothing", "status": 500})
        client.post("/_dryline/snapshots", json={"name": "before"})
        yield client


@pytest.mark.parametrize("name", MENU_PAGES)
def test_each_form_of_a_page_works_with_its_default_values(everything, name):
    pages = import_module(f"dryline.blueprints.console.{name}")
    address = pages.blp.url_prefix.removeprefix("/console")
    page = Visitor(everything).go(address)
    assert page.text.count(pages.blp.title) > 1  # in the menu, and as the title
    forms = {(kind_of(form["action"]), *form["fields"]): form for form in page.forms}  # one of those of all rows
    for form in forms.values():
        if "/world/" in form["action"] and address:
            continue  # the header is the same on all pages
        if form["method"] == "dialog" or form["fields"].get("name") == "":
            continue  # the shortcuts, and forms that need a name
        if form["action"].endswith("/delete-snapshot"):
            continue  # the snapshot is restored below
        values = {"query_string" if form["method"] == "get" else "data": form["fields"]}
        action = form["action"] or f"/console{address}"
        answer = everything.open(action, method=form["method"].upper(), follow_redirects=True, **values)
        assert answer.status_code == 200 and Page(answer).forms, form
        if form["method"] == "post":
            assert everything.post("/_dryline/snapshots/before/restore").status_code == 204

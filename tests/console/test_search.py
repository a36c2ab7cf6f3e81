"""The search over everything: a page, and a dialog on each page."""

import re
from urllib.parse import quote

import pytest
from axe_playwright_python.base import AXE_SCRIPT
from playwright.sync_api import expect

from dryline.models.team_search import MAX_TEXT
from dryline.tests.console.browser_tab import ALL_BUT_CONTRAST, CONTRAST, LOOKS, RULES
from dryline.tests.console.demo_rows import demo_id, demo_row
from dryline.tests.console.visitor import words

CLINIC = demo_id("workers", name="Bayside Dental")
FIELD = "A name, a telephone number or an id"


@pytest.fixture
def results(visitor):
    """Return a function that searches and returns the addresses of the results, the best first."""

    def search(text, query=""):
        page = visitor.go(f"/search?q={quote(text)}{query}")
        assert page.status == 200
        html = re.search(r'<ul class="results">(.*?)</ul>', page.answer.text, re.DOTALL)[1]
        return re.findall(r'href="/console([^"]*)"', html.replace("&amp;", "&"))

    return search


@pytest.fixture
def app(demo):
    """Return a stand-in with the demo world, which these tests do not change."""
    return demo.app


def options_of(page):
    return page.get_by_role("listbox", name="Results").get_by_role("option")


def address_of(collection, **where):
    row = demo_row(collection, **where)
    at = f"/workers/{row.get('workerId')}"
    return {
        "workers": f"/workers/{row['id']}",
        "flows": f"{at}/flows/{row['id']}",
        "voiceDeployments": f"{at}/deployments/{row['id']}",
        "chatDeployments": f"{at}/deployments/{row['id']}",
        "outboundCampaigns": f"/campaigns/{row['id']}",
        "exports": f"/exports/{row['id']}",
        "voiceLogs": f"/calls/{row['id']}",
        "chatLogs": f"/calls/{row['id']}",
    }[collection]


@pytest.mark.parametrize(
    ("text", "collection", "where"),
    [
        ("bayside dental", "workers", {"name": "Bayside Dental"}),
        ("Dent", "workers", {"name": "Bayside Dental"}),
        ("reminder bayside", "flows", {"name": "Reminder", "workerId": CLINIC}),
        ("front desk line", "voiceDeployments", {"name": "Front desk line"}),
        ("not seen for", "outboundCampaigns", {"name": "Not seen for a year"}),
    ],
)
def test_a_row_is_found_by_words_of_its_name(results, text, collection, where):
    assert results(text)[0] == address_of(collection, **where)


@pytest.mark.parametrize(
    "collection",
    [
        "workers",
        "flows",
        "voiceDeployments",
        "chatDeployments",
        "outboundCampaigns",
        "exports",
        "voiceLogs",
        "chatLogs",
    ],
)
def test_a_row_is_found_by_its_id_and_by_the_beginning_of_it(results, collection):
    row = demo_row(collection)
    assert results(row["id"])[0] == address_of(collection)
    assert address_of(collection) in results(row["id"][:-1])


def test_a_call_is_found_once_by_the_id_of_its_carrier(results):
    call = demo_row("voiceLogs", direction="inbound")
    assert results(call["call_sid"])[:-1] == [f"/calls/{call['id']}"]


@pytest.mark.parametrize("notation", ["{}", "{1} {2} {3}", "+1 ({1}) {2}-{3}", "{2}-{3}", "{1}.{2}.{3}"])
def test_a_number_in_any_notation_finds_its_calls_and_its_line(results, notation):
    call, line = demo_row("voiceLogs", direction="inbound"), demo_row("voiceDeployments", workerId=CLINIC)
    for number, address in ((call["fromNumber"], f"/calls/{call['id']}"), (line["phoneNumber"], address_of_line(line))):
        text = notation.format(number, number[2:5], number[5:8], number[8:])
        assert address in results(text), text


def address_of_line(line):
    return f"/workers/{line['workerId']}/deployments/{line['id']}"


@pytest.mark.parametrize(
    ("text", "address"),
    [
        ("exp", "/exports"),
        ("request log", "/requests"),
        ("inbox", "/webhooks/inbox"),
        ("new camp", "/campaigns/new"),
        ("snapshots", "/state#snapshots"),
    ],
)
def test_a_page_is_found_by_its_title(results, text, address):
    assert address in results(text)


def test_without_a_text_the_pages_are_listed(results):
    assert {"/calls", "/workers", "/campaigns", "/state"} <= set(results(""))


def test_the_last_result_looks_for_the_text_in_the_calls(visitor, results):
    address = results("appointment")[-1]
    assert address == "/calls?searchQuery=appointment"
    assert "No conversation passes" not in visitor.go(address).text


@pytest.mark.parametrize("text", ["log_", "a", "e", "555", "campaign"])
def test_there_are_at_most_twenty_results(results, text):
    assert 1 <= len(results(text)) <= 20


def test_rows_of_the_chosen_team_alone_are_found(results):
    worker = demo_row("workers", name="Quayside Help Desk")
    call = demo_row("voiceLogs", workerId=worker["id"])
    own = f"&team={worker['teamId']}"
    for text, address in (
        ("quayside", f"/workers/{worker['id']}"),
        (call["id"], f"/calls/{call['id']}"),
        (call["call_sid"], f"/calls/{call['id']}"),
        (call["fromNumber"], f"/calls/{call['id']}"),
    ):
        assert address not in results(text), text
        assert f"{address}?team={worker['teamId']}" in results(text, own), text


def test_a_text_beyond_the_bound_is_refused_with_the_bound(visitor):
    page = visitor.go(f"/search?q={'a' * (MAX_TEXT + 1)}")
    assert page.status == 400 and "A search has at most 200 characters." in words(page)


def test_a_result_is_opened_by_keys_alone(demo, tab):
    seen = tab(demo)
    page = seen.go("/faults")
    page.keyboard.press("/")
    text, options = page.get_by_role("combobox", name=FIELD), options_of(page)
    expect(text).to_be_focused()
    expect(options.first).to_have_text(re.compile("Overview"))
    text.fill("bayside")
    expect(options.first).to_have_text(re.compile("Bayside Dental"))
    expect(options.first).to_have_attribute("aria-selected", "true")
    page.keyboard.press("ArrowDown")
    second = options.nth(1)
    expect(text).to_have_attribute("aria-activedescendant", second.get_attribute("id"))
    address = second.get_attribute("href")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**{address}")
    assert seen.wrong == []


def test_enter_waits_for_the_results_of_the_text(demo, tab):
    page = tab(demo).go("/faults")
    page.keyboard.press("Control+k")
    expect(options_of(page)).to_have_count(20)
    page.route("**/console/search?*", lambda route: (page.wait_for_timeout(300), route.continue_()))
    page.keyboard.type("bayside dental")
    page.keyboard.press("Enter")
    page.wait_for_url(f"**/workers/{CLINIC}")


def test_the_choice_goes_round_and_starts_anew_with_each_text(demo, tab):
    page = tab(demo).go("/faults")
    page.keyboard.press("Control+k")
    options = options_of(page)
    expect(options).to_have_count(20)
    page.keyboard.press("ArrowUp")
    expect(options.last).to_have_attribute("aria-selected", "true")
    expect(options.last).to_be_in_viewport()
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    expect(options.nth(1)).to_have_attribute("aria-selected", "true")
    page.keyboard.type("reminder")
    expect(options.first).to_have_text(re.compile("Reminder"))
    expect(options.first).to_have_attribute("aria-selected", "true")
    expect(page.get_by_role("listbox", name="Results").get_by_role("option", selected=True)).to_have_count(1)


def test_the_dialog_gives_the_focus_back(demo, tab):
    page = tab(demo).go("/workers")
    field = page.get_by_label("Search", exact=True)
    field.press("Control+k")
    expect(page.locator("#search-text")).to_be_focused()
    page.keyboard.type("bay")
    page.keyboard.press("Escape")
    expect(page.locator("#search")).to_be_hidden()
    expect(field).to_be_focused()


def test_a_slash_in_a_field_is_a_slash_and_switched_off_letters_leave_ctrl_k(demo, tab):
    page = tab(demo).go("/workers")
    field = page.get_by_label("Search", exact=True)
    field.press_sequentially("a/b")
    expect(field).to_have_value("a/b")
    page.evaluate("localStorage.setItem('dryline-keys', 'off')")
    page.locator("main").focus()  # the filter applies when its field is left
    page.wait_for_url("**/workers?q=*")
    page.keyboard.press("/")
    expect(page.locator("#search")).to_be_hidden()
    page.keyboard.press("Control+k")
    expect(page.locator("#search")).to_be_visible()


@pytest.mark.parametrize(("width", "theme"), LOOKS)
def test_the_dialog_is_accessible_and_fits(demo, tab, width, theme):
    seen = tab(demo, width, theme)
    page = seen.go("/workers")
    page.locator("#open-search").click()
    page.keyboard.type("bay")
    expect(options_of(page).first).to_have_text(re.compile("Bayside Dental"))
    page.evaluate(AXE_SCRIPT)
    assert [page.evaluate(RULES, rules) for rules in (ALL_BUT_CONTRAST, CONTRAST)] == [[], []]
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth")
    assert seen.wrong == []


def test_without_script_the_link_in_the_bar_leads_to_the_page(demo, tab):
    page = tab(demo, width=390, script=False).go("/workers")
    page.locator("#open-search").click()
    page.locator("main").get_by_label(FIELD).fill("bayside")
    page.get_by_role("button", name="Search", exact=True).click()
    page.locator("main").get_by_role("link", name=re.compile("^Bayside Dental")).click()
    expect(page.locator("h1")).to_have_text("Bayside Dental")

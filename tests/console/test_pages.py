"""Rules for every page, and the forms in the header."""

from hashlib import sha256
from importlib import import_module
from pathlib import Path

import pytest

import dryline.blueprints.console as console
from dryline.blueprints.console.app import MENU_PAGES
from dryline.tests.console.browser_tab import Tab
from dryline.tests.console.demo_rows import demo_id, longest_demo_row
from dryline.tests.console.visitor import Visitor, kind_of

FOLDER = Path(console.__file__).parent
MENU = [import_module(f"dryline.blueprints.console.{name}").blp for name in MENU_PAGES]
ADDRESSES = [page.url_prefix.removeprefix("/console") for page in MENU]
ADDRESSES += ["/webhooks/inbox", "/calls/latest", "/search", "/search?q=bay"]
ADDRESSES += ["/calls?searchQuery=appointment&minDuration=10&limit=5"]

CLINIC = demo_id("workers", name="Bayside Dental")
DESK, SUPPORT = f"/workers/{CLINIC}", f"/workers/{demo_id('workers', name='Tidewater Internet')}"
FLOW = demo_id("flows", workerId=CLINIC, name="Reminder")  # a short one, because axe takes long over colours
# Pages of the demo world's rows.
SUBPAGES = [
    f"/calls/{demo_id('chatLogs')}",
    DESK,
    f"{DESK}/flows",
    f"{DESK}/flows/{FLOW}",
    f"{DESK}/flows/new",
    f"{DESK}/flows/{FLOW}/edit",
    f"{DESK}/flows/{FLOW}/diff",
    f"{DESK}/deployments",
    f"{DESK}/deployments/{demo_id('voiceDeployments', workerId=CLINIC)}",
    f"{DESK}/talk?flowId={FLOW}",
    f"{SUPPORT}/resources?q=router",
    f"{DESK}/tests",
    f"{DESK}/tests/{demo_id('tests', workerId=CLINIC)}",
    f"{DESK}/scorecards",
    "/campaigns/new",
    f"/campaigns/{demo_id('outboundCampaigns')}",
    "/exports/new",
    f"/exports/{demo_id('exports')}",
]
LONGEST_CALL = f"/calls/{longest_demo_row('voiceLogs')['id']}"
# Together they have most styles; test_flow_editor.py looks at the editor's.
COLOURFUL = ("", "/calls/latest", "/requests", "/state", f"{DESK}/flows/{FLOW}/diff")
TEAM_FORMS = ("/campaigns/new", "/exports/new")


@pytest.fixture(scope="module")
def onlooker(chromium, demo):
    """Yield a tab for all pages."""
    context = chromium.new_context()
    yield Tab(context, demo)
    context.close()


def most_bytes(address):
    """Return how large a page may be. That of a call grows with the call."""
    return 80_000 if address.startswith("/calls/") else 62_000


def test_pages_are_small_and_have_unique_ids_and_no_broken_link(demo):
    client, links = demo.app.test_client(), set()
    for address in [*ADDRESSES, *SUBPAGES, LONGEST_CALL]:
        page = Visitor(client).go(address)
        assert page.status == 200
        assert len(page.answer.data) <= most_bytes(address), (address, len(page.answer.data))
        assert all(url.startswith(("/console/", "/recordings/")) for url in page.fetched)
        assert len(page.ids) == len(set(page.ids))
        links |= set({kind_of(link): link for link in page.links if link.startswith("/")}.values())
    broken = [link for link in links if client.get(link, buffered=True).status_code not in (200, 302, 303, 308)]
    assert broken == []


@pytest.mark.parametrize("address", ADDRESSES + SUBPAGES)
def test_a_page_is_accessible_and_used_by_keyboard(onlooker, address):
    onlooker.wrong.clear()
    onlooker.go(address)
    assert onlooker.faults(contrast=address in COLOURFUL) == []


LISTS = {
    f"{DESK}": "/console/workers",
    f"{DESK}/flows/{FLOW}": "/console/workers",
    "/calls/latest": "/console/calls",
    f"/campaigns/{demo_id('outboundCampaigns')}": "/console/campaigns",
    f"/exports/{demo_id('exports')}": "/console/exports",
    "/calls": "/console/calls",
    "/campaigns/new": "/console/campaigns/new",
}


@pytest.mark.parametrize("address", LISTS)
def test_a_change_of_team_leads_from_a_row_of_a_team_to_the_list(served, control, address):
    control.post("/teams", {"name": "Other"})
    page = Visitor(served.app.test_client()).go(address)
    assert page.form(LISTS[address].removeprefix("/console"), method="get")["fields"].get("team")


def test_a_page_of_another_team_is_not_found(served):
    client = served.app.test_client()
    team = client.post("/_dryline/teams", json={"name": "Other"}).json["id"]
    rows = [address for address in SUBPAGES if address not in TEAM_FORMS]
    addresses = {address: f"{address}{'&' if '?' in address else '?'}team={team}" for address in rows}
    answers = {address: Visitor(client).go(addresses[address]).status for address in rows}
    assert answers == dict.fromkeys(rows, 404)


def test_a_world_without_teams_has_each_page(visitor, control):
    assert control.put("/state", {"version": 1, "teams": []}).status_code == 204
    assert {address: visitor.go(address).status for address in ADDRESSES} == dict.fromkeys(ADDRESSES, 200)


@pytest.mark.parametrize("address", ["/nothing", "/connect/", "/workers/none/nothing"])
def test_an_address_without_a_page_is_not_found(visitor, address):
    page = visitor.go(address)
    assert page.status == 404 and "Not found" in page.text


def test_a_refused_form_shows_the_reason_on_its_page(visitor):
    visitor.go("/faults")
    page = visitor.send("/world/settings", callsPerMinute="9000")
    assert page.status == 200 and "Calls per minute: Must be" in page.text


def test_the_bar_shows_the_rate_of_calls_with_its_decimals(visitor, control):
    control.put("/settings", {"callsPerMinute": 10.05})
    assert "10.05/min" in visitor.go("/faults").text


def test_requests_of_the_console_are_not_logged(visitor, control):
    visitor.go("")
    assert control.get("/requests").json == []


def test_htmx_is_unchanged():
    digest = sha256((FOLDER / "static" / "htmx.min.js").read_bytes()).hexdigest()
    assert digest == "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"

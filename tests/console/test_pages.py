"""Every page, as any page must be."""

from functools import cache

import pytest
from playwright.sync_api import expect

from dryline.blueprints.console.app import PAGES
from dryline.settings import Settings
from dryline.tests.console.browser_tab import Tab
from dryline.tests.console.demo_rows import demo_id
from dryline.tests.console.visitor import Visitor

# Pages below those of the menu.
FURTHER = ["/calls/latest", "/calls?channel=chat", "/calls?searchQuery=appointment&minDuration=10&limit=5"]
ADDRESSES = [page.blp.url_prefix.removeprefix("/console") for page in PAGES] + FURTHER

# Of the demo world: what its ids lead to.
CLINIC = demo_id("workers", name="Bayside Dental")
DESK, SUPPORT = f"/workers/{CLINIC}", f"/workers/{demo_id('workers', name='Tidewater Internet')}"
FLOW = demo_id("flows", workerId=CLINIC, name="Reminder")  # a short one: axe takes long over colours
SUBPAGES = [
    f"/calls/{demo_id('chatLogs')}",
    f"/calls/{demo_id('smsLogs')}",
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


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.fixture(scope="module")
def pages(demo):
    """Each page as it is answered, asked for once."""
    return cache(Visitor(demo.app.test_client()).go)


@pytest.fixture(scope="module")
def answered(demo):
    """What a link is answered with, each once."""
    client = demo.app.test_client()
    return cache(lambda link: client.get(link).status_code)


@pytest.fixture(scope="module")
def onlooker(profile, demo):
    """One tab for all pages."""
    seen = Tab(profile).turn_to(demo)
    yield seen
    seen.page.close()


@pytest.mark.parametrize("address", ADDRESSES + SUBPAGES)
def test_a_page_fetches_nothing_from_elsewhere(pages, address):
    page = pages(address)
    assert page.status == 200
    assert all(found.startswith(("/console/", "/recordings/")) for found in page.fetched)


@pytest.mark.parametrize("address", ADDRESSES + SUBPAGES)
def test_an_id_names_one_element(pages, address):
    ids = pages(address).ids
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("address", ADDRESSES + SUBPAGES)
def test_every_link_leads_somewhere(pages, answered, address):
    for link in sorted({link for link in pages(address).links if link.startswith("/")})[:40]:
        assert answered(link) in (200, 302, 303, 308), link


@pytest.mark.parametrize("address", ADDRESSES + SUBPAGES)
def test_a_page_is_fit_for_everybody(onlooker, address):
    onlooker.wrong.clear()
    onlooker.go(address)
    assert onlooker.faults() == []


@pytest.mark.parametrize("address", ADDRESSES)
def test_a_world_without_teams_has_the_page_too(visitor, control, address):
    assert control.put("/state", {"version": 1, "teams": []}).status_code == 204
    assert visitor.go(address).status == 200


def test_letters_lead_to_pages(demo, tab):
    page = tab(demo).go("")
    page.keyboard.press("g")
    page.keyboard.press("f")
    page.wait_for_url("**/console/faults")


def test_help_tells_the_keys(demo, tab):
    page = tab(demo).go("")
    page.keyboard.press("?")
    expect(page.locator("#keys")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#keys")).to_be_hidden()


def test_the_clock_is_frozen_and_moved_by_hand(visitor, app):
    visitor.go("")
    visitor.send("/bar/clock")
    frozen = app.world.clock.now()
    visitor.send("/bar/clock/advance")
    assert (app.world.clock.now() - frozen).total_seconds() == 300
    visitor.send("/bar/clock/reset")
    assert not app.world.clock.of(None).is_frozen


def test_a_save_point_is_made_and_gone_back_to(visitor, api):
    visitor.go("")
    visitor.send("/bar/save", name="before")
    worker = api.get("/workers").json[0]["id"]
    api.delete(f"/workers/{worker}")
    visitor.go("")
    visitor.send("/bar/restore", name="before")
    assert api.get(f"/workers/{worker}").status_code == 200


def test_a_reset_leads_to_the_start(visitor, api):
    worker = api.get("/workers").json[0]["id"]
    api.delete(f"/workers/{worker}")
    visitor.go("")
    visitor.send("/bar/reset")
    assert api.get(f"/workers/{worker}").status_code == 200


def test_what_cannot_be_done_is_told_on_the_page(visitor):
    visitor.go("/faults")
    page = visitor.send("/bar/settings", callsPerMinute="9000")
    assert page.status == 200 and "callsPerMinute" in page.text


def test_the_pulse_beats_when_something_changed(visitor, app, api):
    beat = app.test_client().get("/console/pulse").json["beat"]
    assert app.test_client().get(f"/console/pulse?since={beat}").status_code == 204
    api.get("/workers")
    assert app.test_client().get(f"/console/pulse?since={beat}").status_code == 200


def test_the_label_is_in_title_and_header(app, visitor):
    object.__setattr__(app.world.settings, "label", "Staging")
    page = visitor.go("")
    assert page.text.count("Staging") >= 2


def test_the_console_is_not_recorded(visitor, control):
    visitor.go("")
    assert control.get("/requests").json == []


def test_htmx_is_the_file_that_was_looked_at():
    from hashlib import sha256
    from pathlib import Path

    import dryline.blueprints.console as console

    file = Path(console.__file__).parent / "static" / "htmx.min.js"
    assert sha256(file.read_bytes()).hexdigest() == "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717"


def test_the_style_sheet_is_small():
    from pathlib import Path

    import dryline.blueprints.console as console

    assert (Path(console.__file__).parent / "static" / "console.css").stat().st_size <= 20_000


def test_each_class_of_the_style_sheet_is_used():
    import re
    from pathlib import Path

    import dryline.blueprints.console as console

    folder = Path(console.__file__).parent
    paths = [path for path in folder.rglob("*") if path.suffix in (".html", ".js", ".py")]
    words = {word for path in paths if "htmx" not in path.name for word in re.findall(r"[\w-]+", path.read_text())}
    rules = re.sub(r"\{[^{}]*\}", "", (folder / "static" / "console.css").read_text())
    rules = re.sub(r"\.state\.[\w-]+", "", rules)  # made of the API's words
    classes = {name.removeprefix("fill-") for name in re.findall(r"\.([a-zA-Z][\w-]*)", rules)}
    assert classes - words == set()

"""The filters of all lists: a choice applies at once, stands in the address, and is kept by the others."""

import pytest
from playwright.sync_api import expect

from dryline.tests.console.demo_rows import demo_id, demo_row
from dryline.tests.console.test_pages import DESK, FLOW
from dryline.tests.console.visitor import Visitor

OTHER_TEAM = demo_row("workers", name="Quayside Help Desk")["teamId"]
# Each list with a filter, with another one that the form has no field for.
LISTS = {
    "/calls?sortBy=duration&direction=inbound": {"sortBy"},
    "/calls?channel=chat&flowId=x": {"channel"},
    f"/workers?q=bay&team={OTHER_TEAM}": {"team"},
    "/requests?status=4xx&each=1": {"each"},
    "/webhooks?event=call_ended&webhook_id=hook_1": {"webhook_id"},
    f"{DESK}/flows/{FLOW}/diff?old=current&extra=1": {"extra"},
}


@pytest.fixture
def demo_visitor(demo):
    return Visitor(demo.app.test_client())


def filters_of(page):
    """Return the fields of the form of filters: the first one of GET in the page's main part."""
    forms = [form for form in page.forms if form["method"] == "get" and not form["action"]]
    (form,) = forms
    return form["fields"]


@pytest.mark.parametrize("address", LISTS)
def test_a_choice_is_kept_by_every_other_one_but_for_the_place_in_the_list(demo_visitor, address):
    page = demo_visitor.go(f"{address}&page=2&known=1")
    fields = filters_of(page)
    query = dict(part.split("=") for part in address.partition("?")[2].split("&"))
    assert query.items() <= fields.items()
    assert not {"page", "known"} & fields.keys()
    assert LISTS[address] <= fields.keys()


@pytest.mark.parametrize("address", LISTS)
def test_without_script_the_form_has_a_button(demo, tab, address):
    page = tab(demo, script=False).go(address)
    expect(page.locator("form.filters button")).to_be_visible()


def test_empty_fields_are_not_in_the_address(demo):
    answer = demo.app.test_client().get("/console/requests?method=&status=4xx&path=")
    assert (answer.status_code, answer.location) == (302, "/console/requests?status=4xx")
    assert demo.app.test_client().get("/console/workers?q=&tag=").location == "/console/workers"


def test_another_team_keeps_the_filters_that_name_no_row_of_a_team(demo_visitor):
    page = demo_visitor.go(f"/calls?status=failed&worker={demo_id('workers', name='Bayside Dental')}&page=2")
    (form,) = [form for form in page.forms if "team" in form["fields"] and form["action"].endswith("/calls")]
    assert form["fields"].keys() == {"team", "status"}
    page = demo_visitor.go("/webhooks?event=call_ended&deployment_id=x")
    (form,) = [form for form in page.forms if "team" in form["fields"] and form["action"].endswith("/webhooks")]
    assert form["fields"].keys() == {"team", "event"}


@pytest.mark.parametrize(
    ("address", "name", "value"),
    [
        ("/calls?limit=5", "status", "failed"),
        ("/requests?each=1", "method", "POST"),
        ("/webhooks?log_id=x", "event", "call_ended"),
    ],
)
def test_a_choice_applies_at_once_and_its_field_keeps_the_focus(demo, tab, address, name, value):
    page = tab(demo).go(address)
    field = page.locator(f"form.filters [name={name}]")
    field.focus()
    field.select_option(value)
    page.wait_for_url(f"**{address.partition('?')[0]}?*{name}={value}*")
    assert address.partition("?")[2] in page.url
    expect(field).to_be_focused()


def test_a_text_applies_when_its_field_is_left(demo, tab):
    page = tab(demo).go("/requests")
    page.get_by_label("Body contains").fill("desk")
    page.keyboard.press("Shift+Tab")
    page.wait_for_url("**/requests?*bodyContains=desk*")
    expect(page.locator("form.filters [name=status]")).to_be_focused()


def test_a_link_that_is_pressed_after_a_text_is_followed(demo, tab):
    page = tab(demo).go("/workers?tag=none")
    page.get_by_label("Search", exact=True).fill("zzz")
    page.get_by_role("link", name="Clear").click()
    page.wait_for_url("**/workers")

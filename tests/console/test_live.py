"""The page of calls in progress."""

import re
from html import unescape

import pytest
from playwright.sync_api import expect

from dryline.settings import Settings


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.fixture
def place(visitor, control):
    """Return a function that places a call on a frozen clock."""
    control.put("/clock", {"frozen": True})

    def send(**fields):
        visitor.go("/live")
        page = visitor.send("/live", **fields)
        assert "The call has begun" in page.text and "It is ringing" in page.text

    return send


def test_a_placed_call_is_listed_until_it_ends(visitor, api, place, advance):
    assert "No call is in progress" in visitor.go("/live").text
    place(outcome="transferred", direction="outbound")
    (link,) = {link for link in visitor.page.links if link.startswith("/console/calls/log_")}
    log = link.replace("/console/calls", "/logs")
    refresh = {"HX-Request": "true", "HX-Target": "call"}
    advance(10)
    latest = api.get(log).json["messages"]["messages"][-1]["content"]
    assert latest in unescape(visitor.go("/live").text)
    running = visitor.client.get(link, headers=refresh)
    assert re.search(rf'role="log">\w+: {re.escape(latest)}</div>', unescape(running.text))
    advance(900)
    assert "No call is in progress" in visitor.go("/live").text
    ended = visitor.client.get(link, headers=refresh)
    assert [answer.headers.get("HX-Refresh") for answer in (running, ended)] == [None, "true"]  # for the player
    ended_log = api.get(log).json
    assert (ended_log["status"], ended_log["direction"]) == ("transferred", "outbound")


def test_a_call_that_a_person_took_over_is_a_line_below_the_cards(visitor, place, control):
    place(outcome="transferred", direction="inbound", seed=1)  # the transfer is answered
    (running,) = control.get("/state").json["callsInProgress"]
    events = running["call"]["log"]["transfer_data"]["transferEvents"]
    (answered,) = [event["timestamp"] for event in events if event["type"] == "answered"]
    control.put("/clock", {"now": answered})
    control.post("/clock/advance", {"seconds": 0})
    page = visitor.go("/live")
    assert "In progress (1)" in page.text and "1 call is with a person" in page.text
    assert "<article" not in page.answer.text
    assert f"/console/calls/{running['id']}" in page.links


def test_the_form_offers_the_conditions_of_the_chosen_deployments_flow(tab, demo):
    page = tab(demo).go("/live")
    options = page.locator("#conditions option")
    expect(options.first).to_be_attached()
    before = options.all_text_contents()
    page.locator("#deployment").select_option(label="Cedar Valley Power: Billing line")
    expect(page.locator("#conditions")).not_to_contain_text(before[0])
    expect(options.first).to_be_attached()


def test_a_refused_form_keeps_its_values_once(tab, served):
    seen = tab(served)
    page = seen.go("/live")
    condition, direction = page.get_by_label("Condition of the flow"), page.get_by_label("Direction")
    condition.fill("caller wants to buy a ship")
    direction.select_option("outbound")
    page.get_by_role("button", name="Place the call").click()
    page.get_by_text("The flow has no condition").wait_for()
    seen.scripted()
    assert (condition.input_value(), direction.input_value()) == ("caller wants to buy a ship", "outbound")
    condition.fill("")
    page.get_by_role("button", name="Place the call").click()
    page.get_by_text("The call has begun").wait_for()
    seen.scripted()
    assert direction.input_value() == ""

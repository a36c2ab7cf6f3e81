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
def frozen(control):
    control.put("/clock", {"frozen": True})


@pytest.fixture
def place(visitor, frozen, control):
    """Return a function that places a call and returns the address of its page and a function that reads its log."""

    def send(**fields):
        visitor.go("/live")
        page = visitor.send("/live", **fields)
        assert "The call has begun" in page.text and "It is ringing" in page.text
        (link,) = {link for link in page.links if link.startswith("/console/calls/log_")}
        id = link.rpartition("/")[2]
        return link, lambda: next(log for log in control.get("/state").json["voiceLogs"] if log["id"] == id)

    return send


def test_a_placed_call_is_listed_until_it_ends(visitor, place, advance):
    assert "No call is in progress" in visitor.go("/live").text
    _, read_log = place(outcome="transferred", direction="outbound")
    advance(10)
    assert read_log()["messages"]["messages"][-1]["content"] in unescape(visitor.go("/live").text)
    advance(900)
    assert "No call is in progress" in visitor.go("/live").text
    assert (read_log()["status"], read_log()["direction"]) == ("transferred", "outbound")


def test_a_call_that_a_person_took_over_is_a_line_below_the_cards(visitor, place, control):
    place(outcome="transferred", direction="inbound")
    (running,) = control.get("/state").json["callsInProgress"]
    events = running["call"]["log"]["transfer_data"]["transferEvents"]
    (answered,) = [event["timestamp"] for event in events if event["type"] == "answered"]
    control.put("/clock", {"now": answered})
    control.post("/clock/advance", {"seconds": 0})
    page = visitor.go("/live")
    assert "In progress (1)" in page.text and "1 call is with a person" in page.text
    assert "<article" not in page.answer.text
    assert f"/console/calls/{running['id']}" in page.links


def test_the_page_of_a_running_call_grows_and_gets_a_player_at_the_end(visitor, place, advance):
    link, read_log = place(outcome="completed")

    def refresh():
        answer = visitor.client.get(link, headers={"HX-Request": "true"})
        return answer.headers.get("HX-Refresh"), unescape(answer.text)

    assert "It is ringing." in refresh()[1]
    advance(10)
    latest = read_log()["messages"]["messages"][-1]["content"]
    assert re.search(rf'role="log">\w+: {re.escape(latest)}</div>', refresh()[1])
    states = []
    for seconds in (10, 10, 900):
        advance(seconds)
        messages = [message["content"] for message in read_log()["messages"]["messages"]]
        header, text = refresh()
        assert all(message in text for message in messages)
        states.append((len(messages), "<audio" in text, header))
    assert [state[1:] for state in states] == [(False, None), (False, None), (True, "true")]
    assert states[0][0] < states[1][0] < states[2][0]


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
    page.get_by_label("Condition of the flow").fill("caller wants to buy a ship")
    page.get_by_label("Direction").select_option("outbound")
    page.get_by_role("button", name="Place the call").click()
    page.get_by_text("The flow has no condition").wait_for()
    seen.scripted()
    assert page.get_by_label("Condition of the flow").input_value() == "caller wants to buy a ship"
    assert page.get_by_label("Direction").input_value() == "outbound"
    page.get_by_label("Condition of the flow").fill("")
    page.get_by_role("button", name="Place the call").click()
    page.get_by_text("The call has begun").wait_for()
    seen.scripted()
    assert page.get_by_label("Direction").input_value() == ""

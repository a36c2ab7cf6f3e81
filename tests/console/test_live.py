"""The page of calls in progress."""

import pytest

from dryline.settings import Settings


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.fixture
def frozen(control):
    control.put("/clock", {"frozen": True})


def test_a_call_that_is_placed_is_seen_until_it_ends(visitor, frozen, advance, api):
    assert "No call is in progress" in visitor.go("/live").text
    page = visitor.send("/live", outcome="completed")
    assert "The call has begun" in page.text and "No call is in progress" not in page.text
    (link,) = {link for link in page.links if link.startswith("/console/calls/log_")}
    advance(8)
    assert "Agent" in visitor.go("/live").text
    advance(900)
    assert "No call is in progress" in visitor.go("/live").text
    assert visitor.client.get(link).status_code == 200


def test_an_outcome_is_asked_for(visitor, frozen, api, control):
    visitor.go("/live")
    page = visitor.send("/live", outcome="voicemail", direction="outbound")
    (link,) = {link for link in page.links if link.startswith("/console/calls/log_")}
    state = control.get("/state").json
    found = next(log for log in state["voiceLogs"] if log["id"] == link.rpartition("/")[2])
    assert (found["status"], found["direction"]) == ("voicemail", "outbound")


def test_a_condition_that_the_flow_does_not_have_is_told(visitor, frozen):
    visitor.go("/live")
    page = visitor.send("/live", branch="caller wants to buy a ship")
    assert "branch" in page.text and page.status == 200


def test_a_call_is_seen_live_and_ends(tab, served):
    page = tab(served).go("/live")
    page.get_by_role("button", name="Place the call").click()
    page.locator("article").first.wait_for()
    page.locator("article .said").first.wait_for()
    served.app.test_client().post("/_dryline/clock/advance", json={"seconds": 1000})
    page.get_by_text("No call is in progress").wait_for()

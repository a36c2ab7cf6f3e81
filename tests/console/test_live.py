"""The page of calls in progress."""

from html import unescape

import pytest

from dryline.settings import Settings


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.fixture
def frozen(control):
    control.put("/clock", {"frozen": True})


def test_a_placed_call_is_listed_until_it_ends(visitor, frozen, advance, control):
    assert "No call is in progress" in visitor.go("/live").text
    page = visitor.send("/live", outcome="completed")
    assert "The call has begun" in page.text and "It is ringing" in page.text
    (link,) = {link for link in page.links if link.startswith("/console/calls/log_")}
    advance(10)
    log = next(log for log in control.get("/state").json["voiceLogs"] if log["status"] == "in-progress")
    assert log["messages"]["messages"][-1]["content"] in unescape(visitor.go("/live").text)
    advance(900)
    assert "No call is in progress" in visitor.go("/live").text
    assert visitor.client.get(link).status_code == 200


def test_the_page_of_a_running_call_grows_and_gets_a_player_at_the_end(visitor, frozen, advance, control):
    visitor.go("/live")
    page = visitor.send("/live", outcome="completed")
    (link,) = {link for link in page.links if link.startswith("/console/calls/log_")}

    def look():
        answer = visitor.client.get(link, headers={"HX-Request": "true"})
        return answer.headers.get("HX-Refresh"), unescape(answer.text)

    assert "It is ringing." in look()[1]
    seen = []
    for seconds in (10, 10, 900):
        advance(seconds)
        log = next(log for log in control.get("/state").json["voiceLogs"] if log["id"] == link.rpartition("/")[2])
        said = [message["content"] for message in log["messages"]["messages"]]
        refresh, text = look()
        assert all(each in text for each in said)
        seen.append((len(said), "<audio" in text, refresh))
    assert [player for _, player, _ in seen] == [False, False, True]
    assert [refresh for _, _, refresh in seen] == [None, None, "true"]
    assert seen[0][0] < seen[1][0] < seen[2][0]


def test_outcome_and_direction_are_chosen(visitor, frozen, advance, control):
    visitor.go("/live")
    page = visitor.send("/live", outcome="voicemail", direction="outbound")
    (link,) = {link for link in page.links if link.startswith("/console/calls/log_")}
    advance(900)
    state = control.get("/state").json
    log = next(log for log in state["voiceLogs"] if log["id"] == link.rpartition("/")[2])
    assert (log["status"], log["direction"]) == ("voicemail", "outbound")


def test_an_unknown_condition_is_refused(visitor, frozen):
    visitor.go("/live")
    page = visitor.send("/live", branch="caller wants to buy a ship")
    assert "branch" in page.text and page.status == 200


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


def test_a_call_is_placed_watched_and_played(tab, served):
    seen = tab(served)
    page = seen.go("/live")
    page.get_by_label("Outcome").select_option("completed")
    page.get_by_role("button", name="Place the call").click()
    card = page.locator("article").first
    card.locator(".said").wait_for()
    address = card.get_by_role("link").first.get_attribute("href")
    served.app.test_client().post("/_dryline/clock/advance", json={"seconds": 1000})
    page.get_by_text("No call is in progress").wait_for()
    page.goto(served.url + address)
    page.locator("#turn-1 p").click()
    headers = {"x-api-key": "dryline-local-key"}
    log = served.app.test_client().get(f"/api/logs/{address.rpartition('/')[2]}", headers=headers).json
    assert seen.length() == log["duration"] > 0
    turns = page.locator(".turn").all_inner_texts()
    for message, turn in zip(log["messages"]["messages"], turns, strict=True):
        assert message["content"] in turn

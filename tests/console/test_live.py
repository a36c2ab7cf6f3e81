"""The page of calls in progress."""

import re
from html import unescape

import pytest

from dryline.settings import Settings


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo", seed=1)


@pytest.fixture
def place(visitor, control):
    """Return a function that places a call on a frozen clock, when no call of the scenario has ended just now."""
    control.put("/clock", {"frozen": True})
    control.post("/clock/advance", {"seconds": 120})

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
    assert "No call is in progress" in visitor.go("/live").text and "Ended just now" not in visitor.page.text
    ended = visitor.client.get(link, headers=refresh)
    assert [answer.headers.get("HX-Refresh") for answer in (running, ended)] == [None, "true"]  # for the player
    ended_log = api.get(log).json
    assert (ended_log["status"], ended_log["direction"]) == ("transferred", "outbound")


def test_a_card_has_the_last_two_turns_and_a_mark_while_somebody_speaks(visitor, place, control, advance):
    place(outcome="completed", direction="inbound")
    (running,) = control.get("/state").json["callsInProgress"]
    turns = running["call"]["log"]["messages"]["messages"]
    advance(turns[2]["start"] + 0.1)
    html = visitor.go("/live").html
    said = re.findall(r'class="said[^>]*><strong>\w+</strong>(?:<span[^>]*></span>)? ?(.*?)</p>', html)
    assert [unescape(text) for text in said] == [turn["content"] for turn in turns[1:3]]
    assert html.count('class="speaks"') == 1
    advance(turns[2]["end"] - turns[2]["start"])
    assert 'class="speaks"' not in visitor.go("/live").answer.text


def test_a_call_that_the_reader_lets_end_stays_with_its_outcome_summary_and_link(visitor, api, place):
    place(outcome="completed")
    (link,) = {link for link in visitor.page.links if link.startswith("/console/calls/log_")}
    page = visitor.send("/clock/advance", seconds="3600")
    log = api.get(link.replace("/console/calls", "/logs")).json
    assert "+1 h: 1 call ended" in page.text  # and perhaps an export of the scenario expired in that hour
    card = page.answer.text.partition("Ended just now")[2]
    assert link in page.links and "completed" in card and log["data"]["call_analysis"]["call_summary"] in unescape(card)


def test_the_choices_of_the_form_stay_and_the_notice_leads_to_the_call(visitor, place):
    place(outcome="voicemail", direction="outbound", customerNumber="+13055550175")
    chosen = visitor.page.form("/live")["fields"]
    assert [chosen[name] for name in ("outcome", "direction", "customerNumber")] == [
        "voicemail",
        "outbound",
        "+13055550175",
    ]
    assert visitor.page.answer.text.count('href="/console/calls/log_') == 2  # of the card and of the notice

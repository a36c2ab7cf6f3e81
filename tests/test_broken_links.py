"""Work of a document with one broken link: what is due in another team is done all the same."""

from __future__ import annotations

from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as some

from dryline.app import create_app
from dryline.settings import Settings
from dryline.tests.contract.two_teams import NORTH, SOUTH, document, id_of

FLOW = 'say("Hello.")\nloop:\n    talk("Ask how you can help.", False)\nuntil "caller says goodbye":\n    say("Bye.")\n'
CHECKPOINT = {"name": "Bye", "description": "Ends", "criteria": "The caller says goodbye.", "runs": 1, "tolerance": 1}
CONTACT = {"id": "r1", "phoneNumber": "+14155550123"}
# Members that make a row due, by collection.
DUE = {
    "flows": {"code": FLOW},
    "outboundCampaigns": {"status": "STARTED", "data": [CONTACT]},
    "queuedCalls": {"campaignId": None, "row": CONTACT},
    "voicev1CampaignData": {"status": "PENDING", "rowData": CONTACT},
    "tests": {"checkpoints": [CHECKPOINT]},
    "testRuns": {"status": "PENDING"},
    "echoRuns": {"status": "QUEUED"},
    "exports": {"status": "PENDING", "errorMessage": None},
    "resources": {"status": "PROCESSING"},
    "webhookDeliveries": {"status": "PENDING", "attempts": 0},
}
NOBODYS = ["gone", "", None, id_of(NORTH, "workers"), id_of(NORTH, "flows"), id_of(NORTH, "chatDeployments")]


def busy_document() -> dict[str, Any]:
    """Two teams with a row in each collection. Whatever can be due, is."""
    state = document()
    for name, members in DUE.items():
        for row in state[name]:
            row |= deepcopy(members)
    for index, team in enumerate((NORTH, SOUTH)):
        state["queuedCalls"][index]["campaignId"] = id_of(team, "outboundCampaigns")
    return state


def links(value: Any, *path: str | int) -> Iterator[tuple[str | int, ...]]:
    """Yield the places in a team's rows that name a row of the team."""
    if isinstance(value, dict | list):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from links(inner, *path, key)
    elif isinstance(value, str) and value.startswith(f"{NORTH}-") and path[-1] != "id":
        yield path


LINKS = list(links(busy_document()))


@pytest.fixture(scope="module")
def client():
    app = create_app(Settings(ephemeral=True, scenario="empty", seed=1))
    yield app.test_client()
    app.close()


def unfinished(state: dict[str, Any]) -> set[str]:
    """Return the collections with unfinished work of the south."""
    rows = {name: [row for row in state[name] if row.get("teamId", SOUTH) != NORTH] for name in DUE}
    open_statuses = ("PENDING", "PROCESSING", "QUEUED", "STARTED", "RUNNING")
    left = {
        name
        for name, team_rows in rows.items()
        for row in team_rows
        if SOUTH in str(row) and (name == "queuedCalls" or row.get("status") in open_statuses)
    }
    return left - {"webhookDeliveries"}  # nobody listens, so these are tried again


@pytest.mark.parametrize("value", ["gone", id_of(NORTH, "chatDeployments")])
def test_a_broken_link_of_due_work_stops_no_other_work(client, value):
    for link in LINKS:
        if link[0] in DUE:
            check(client, link, value)


@settings(
    max_examples=25,
    derandomize=True,
    database=None,
    deadline=None,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
@given(some.sampled_from(LINKS), some.sampled_from(NOBODYS))
def test_any_broken_link_stops_no_other_work(client, link, value):
    check(client, link, value)


def check(client, link, value):
    """Break one link of the north. What is due in the south is done."""
    state = busy_document()
    place = state
    for key in link[:-1]:
        place = place[key]
    place[link[-1]] = value
    client.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    answer = client.put("/_dryline/state", json=state)
    assert answer.status_code in (204, 422), answer.text
    if answer.status_code == 204:
        assert client.post("/_dryline/clock/advance", json={"seconds": 7200}).status_code == 200
        state = client.get("/_dryline/state").json
        assert unfinished(state) == set()

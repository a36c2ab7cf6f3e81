"""Work of a document with one broken link: what is due in another team is done all the same."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

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
UNFINISHED = ("PENDING", "PROCESSING", "QUEUED", "STARTED", "RUNNING")


def busy_document() -> dict[str, Any]:
    """Two teams with a row in each collection. Whatever can be due, is."""
    state = document()
    for name, members in DUE.items():
        for row in state[name]:
            row |= deepcopy(members)
    for index, team in enumerate((NORTH, SOUTH)):
        state["queuedCalls"][index]["campaignId"] = id_of(team, "outboundCampaigns")
    return state


def unfinished(state: dict[str, Any]) -> set[str]:
    """Return the collections with unfinished work of the south."""
    rows = {name: [row for row in state[name] if SOUTH in str(row)] for name in DUE}
    del rows["webhookDeliveries"]  # nobody listens, so these are tried again
    queued = {"queuedCalls"} if rows["queuedCalls"] else set()
    return queued | {name for name in rows for row in rows[name] if row.get("status") in UNFINISHED}


@pytest.mark.parametrize(
    ("collection", "member"),
    [
        ("voiceDeployments", "flowId"),
        ("voicev1Deployments", "flowId"),
        ("queuedCalls", "campaignId"),
        ("resources", "folderId"),
        ("tests", "flowId"),
        ("webhookDeliveries", "deploymentId"),
        ("webhookDeliveries", "webhookId"),
        ("webhookDeliveries", "logId"),
        ("voiceLogs", "deploymentId"),
    ],
)
def test_a_broken_link_stops_no_other_work(app, collection, member):
    client = app.test_client()
    client.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    state = busy_document()
    state[collection][0][member] = "gone"
    answer = client.put("/_dryline/state", json=state)
    assert answer.status_code == 204, answer.text
    assert unfinished(client.get("/_dryline/state").json) > {"queuedCalls", "exports", "testRuns", "resources"}
    assert client.post("/_dryline/clock/advance", json={"seconds": 7200}).status_code == 200
    assert unfinished(client.get("/_dryline/state").json) == set()

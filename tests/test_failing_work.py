"""Background work that fails for a row: it is reported, and the same work on other rows is done all the same."""

from __future__ import annotations

import logging

import pytest

from dryline.models import tests as models_tests
from dryline.models.campaigns import OutboundCampaign
from dryline.models.echo_runs import EchoRun
from dryline.models.exports import Export
from dryline.models.resources import Resource
from dryline.models.voicev1_campaigns import Voicev1Campaign, Voicev1CampaignData
from dryline.models.webhook_deliveries import WebhookDelivery
from dryline.models.whatsapp_senders import WhatsappSender
from dryline.tests.contract.two_teams import NORTH, SOUTH, document, id_of

FLOW = 'say("Hello.")\nloop:\n    talk("Ask how you can help.", False)\nuntil "caller says goodbye":\n    say("Bye.")\n'
CHECKPOINT = {"name": "Bye", "description": "Ends", "runs": 1, "tolerance": 1}
CONTACT = {"id": "r1", "phoneNumber": "+14155550123"}
# Members that make a row due, by collection.
DUE = {
    "flows": {"code": FLOW},
    "outboundCampaigns": {"status": "STARTED", "data": [CONTACT]},
    "queuedCalls": {"campaignId": None, "row": CONTACT},
    "voicev1Campaigns": {"status": "RUNNING"},
    "voicev1CampaignData": {"status": "PENDING", "rowData": CONTACT},
    "tests": {"checkpoints": [CHECKPOINT]},
    "testRuns": {"status": "PENDING"},
    "echoRuns": {"status": "QUEUED"},
    "exports": {"status": "PENDING", "errorMessage": None},
    "resources": {"status": "PROCESSING"},
    "webhookDeliveries": {"status": "PENDING", "attempts": 0},
    "whatsappSenders": {"status": "PENDING"},
}


def busy_document():
    """Return two teams with a row in each collection, all of which are due."""
    state = document()
    for name, members in DUE.items():
        for row in state[name]:
            row |= members
    return state


def is_done(row):
    """Return whether work on a row is over. Nobody listens at the address of a delivery, which is tried again."""
    return row.get("attempts", 0) > 0 or row["status"] not in ("PENDING", "PROCESSING", "QUEUED", "STARTED", "RUNNING")


@pytest.mark.alone
@pytest.mark.parametrize(
    ("collection", "model", "method"),
    [
        ("resources", Resource, "proceed"),
        ("whatsappSenders", WhatsappSender, "proceed"),
        ("testRuns", models_tests.TestRun, "proceed"),
        ("testRuns", models_tests.TestRun, "finish"),
        ("echoRuns", EchoRun, "proceed"),
        ("exports", Export, "transition"),
        ("outboundCampaigns", OutboundCampaign, "proceed"),
        ("voicev1Campaigns", Voicev1Campaign, "proceed"),
        ("voicev1CampaignData", Voicev1CampaignData, "finish"),
        ("webhookDeliveries", WebhookDelivery, "record_failure"),
    ],
)
def test_a_row_that_fails_is_reported_and_stops_no_other(app, monkeypatch, caplog, collection, model, method):
    work = getattr(model, method)

    def fail_for_north(row, *args, **kwargs):
        if row.team_id == id_of(NORTH, "teams"):
            raise ValueError("a fault of the row")
        return work(row, *args, **kwargs)

    monkeypatch.setattr(model, method, fail_for_north)
    client = app.test_client()
    client.put("/_dryline/clock", json={"now": "2026-03-02T12:00:00Z", "frozen": True})
    assert client.put("/_dryline/state", json=busy_document()).status_code == 204
    with caplog.at_level(logging.ERROR, "dryline"):
        assert client.post("/_dryline/clock/advance", json={"seconds": 7200}).status_code == 200
    done = [row.values() for row in client.get("/_dryline/state").json[collection] if is_done(row)]
    assert any(id_of(SOUTH, collection) in values for values in done)
    assert not any(id_of(NORTH, collection) in values for values in done)
    assert "tried again in 60 s: a fault of the row" in caplog.text

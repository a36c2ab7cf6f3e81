"""Writes data/campaign.json, a campaign in the middle of its run: `python -m dryline.tools.campaign`.

A campaign's next batch cannot be written down: a document's times move by whole weeks, and the batch would be overdue.
The campaign is written as one that was stopped and is STARTED again: what comes in so calls its next rows at once, and
those behind them in its batches (models/campaigns.py).
"""

from __future__ import annotations

from random import Random

from dryline.tools.content import Business, Program, Version, criteria, extractions, voice, week
from dryline.tools.documents import delivered, lean
from dryline.tools.making import (
    AS_OF,
    LAST_DAY,
    RECENT_DAY,
    Maker,
    Row,
    connect_twilio,
    contacts,
    made,
    open_business,
    write,
)

TEAM = "Northgate Motors"
RUNNING = "Winter checks, second round"
GARAGE = Business(
    name="Northgate Motors",
    description="Calls the customers of a garage about their appointments for the winter check.",
    tags=("production",),
    zone="America/Los_Angeles",
    hours=week("07:00-17:00"),
    program=Program(
        "Winter check",
        "outbound",
        {
            "garage": "Northgate Motors",
            "address": "1200 Northgate Way, Seattle",
            "workshop_url": "https://workshop.northgate-motors.example",
            "workshop": "+12065550199",
            "zone": "America/Los_Angeles",
        },
        (Version(26, "First version", "service_1"),),
    ),
    line={
        "name": "Winter checks",
        "phoneNumber": "+12065550170",
        "externalConfig": voice(
            "pNInz6obpgDQGcFmaJgB",
            "eleven_turbo_v2_5",
            enableVoicemailDetection=True,
            voicemailMessage="Hello, this is Northgate Motors about your winter check. Please call us back.",
        ),
        "extractions": extractions(
            customer_name=("string", "Full name of the contact"),
            appointment_day=("string", "Day of the appointment"),
            confirmed=("boolean", "Whether the appointment was confirmed"),
        ),
        "successCriteria": criteria(("Reached", "The contact said whether they come", "BINARY", 1)),
    },
    calls_a_day=0,
)
_SEED = 814_253_623
_CHECK = {
    "day": ("Tuesday", "Wednesday", "Thursday"),
    "time": ("8:00 AM", "10:30 AM", "1:15 PM"),
    "car": ("van", "hatchback", "pick-up"),
}


def make() -> Row:
    """Return the scenario's document."""
    state = made(_SEED, _fill)
    for campaign in state["outboundCampaigns"]:
        if campaign["name"] == RUNNING:
            campaign["status"] = "STARTED"
    return lean(state, AS_OF, RECENT_DAY, {TEAM: 61}, delivered)


def _fill(maker: Maker) -> None:
    maker.at(60)
    tags = {"production": maker.post("/team/tags", label="production", color="#2e7d32")}
    line = open_business(maker, GARAGE, connect_twilio(maker, "AC" + "1b" * 16), tags, 6)
    path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/outbound-campaigns"
    rng = Random(_SEED)
    maker.at(8)
    first = contacts(rng, 24, "customer", **_CHECK)
    maker.post(path, name="Winter checks, first round", data=first, status="STARTED", batch_size=8)
    maker.at(0.9)  # half past eleven in Seattle
    second = contacts(rng, 96, "customer", **_CHECK)
    running = maker.post(path, name=RUNNING, data=second, status="STARTED", batch_size=6, batch_interval_minutes=2)
    maker.at(0.9 - 9 / 1440)  # five batches are called
    maker.patch(f"{path}/{running['id']}", status="STOPPED")
    maker.at(0.8)
    maker.post(path, name="Summer tyres", data=contacts(rng, 12, "customer", **_CHECK), batch_size=4)
    maker.at(LAST_DAY)


if __name__ == "__main__":
    write("campaign", make())

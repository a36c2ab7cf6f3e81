"""Writes data/clinic.json, one animal hospital with all that its workers make: `python -m dryline.tools.clinic`."""

from __future__ import annotations

import orjson

from dryline.tools.content import Business, Checkpoint, Program, Version, criteria, extractions, voice, week
from dryline.tools.documents import delivered, lean
from dryline.tools.making import (
    AS_OF,
    LAST_DAY,
    RECENT_DAY,
    Maker,
    Row,
    add_links,
    add_test,
    connect_twilio,
    export_nightly,
    made,
    open_business,
    write,
)

TEAM = "Elm Street Animal Hospital"
_APPOINTMENT = "caller wants an appointment for an animal, a check-up or a vaccination, or the animal is unwell"
_QUESTION = "caller asks what a check-up or a vaccination costs, about opening hours or the address"
HOSPITAL = Business(
    name="Elm Street Animal Hospital",
    description="Reception of an animal hospital: appointments, opening hours, and the veterinarian on duty.",
    tags=("production",),
    zone="America/Chicago",
    hours=week("07:30-18:30", saturday="09:00-13:00"),
    program=Program(
        "Reception",
        "inbound",
        {
            "clinic": "Elm Street Animal Hospital",
            "address": "309 Elm Street, Madison",
            "hours": "Monday to Friday 7:30 to 6:30, Saturday 9 to 1",
            "diary_url": "https://diary.elm-street.example",
            "duty_vet": "+16085550199",
            "duty_phone": "608 555 0199",
            "zone": "America/Chicago",
        },
        (
            Version(
                20,
                "First version",
                "reception_1",
                checkpoints=(
                    Checkpoint("New", "caller wants a new appointment", 4, 1),
                    Checkpoint("Hours", "caller asks about hours or the address", 2, 0),
                ),
            ),
            Version(
                8,
                "Free times of the diary; emergencies; hand over to the vet on duty",
                "reception_2",
                checkpoints=(
                    Checkpoint("New", _APPOINTMENT, 4, 1),
                    Checkpoint("Hours", _QUESTION, 2, 0),
                ),
            ),
        ),
    ),
    line={
        "name": "Reception line",
        "phoneNumber": "+16085550160",
        "externalConfig": voice("21m00Tcm4TlvDq8ikWAM", "eleven_turbo_v2_5"),
        "extractions": extractions(
            customer_name=("string", "Full name of the caller"),
            service=("string", "Treatment that was asked for"),
            appointment_day=("string", "Day of the appointment"),
            booked=("boolean", "Whether an appointment was agreed on"),
        ),
        "successCriteria": criteria(("Goal reached", "The caller got an appointment or an answer", "SCORE", 7)),
    },
    calls_a_day=1.7,
)
WEBSITE = Program("Website", "chat", HOSPITAL.program.variables, (Version(12, "First version", "website_1"),))
_SEED = 814_253_611


def make() -> Row:
    """Return the scenario's document."""
    return lean(made(_SEED, _fill), AS_OF, RECENT_DAY, {TEAM: 61}, delivered)


def _fill(maker: Maker) -> None:
    maker.at(60)
    tags = {"production": maker.post("/team/tags", label="production", color="#2e7d32")}
    line = open_business(maker, HOSPITAL, connect_twilio(maker, "AC" + "1a" * 16), tags, 5, _prepare)
    _widget(maker, line)
    _knowledge(maker, line)
    export_nightly(maker)
    maker.at(LAST_DAY)


def _prepare(maker: Maker, line: Row) -> Row:
    """Create the webhook of the line, and the test that runs before a version is committed."""
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    fields = "from_number,duration_ms,summary,booked,appointment_day"
    maker.post(path, name="Diary", url="https://diary.elm-street.example/calls", fields=fields)
    prompt = "You call an animal hospital about your cat."
    return add_test(maker, line, "Reception", "Run with each version of the flow", prompt)


def _widget(maker: Maker, line: Row) -> None:
    """Create the website's chat with its own flow, which has no transfers."""
    maker.at(12)
    base = f"/workers/{line['workerId']}"
    (first,) = WEBSITE.versions
    variables = orjson.dumps(WEBSITE.variables).decode()
    flow = maker.post(f"{base}/flows", name=WEBSITE.name, label=WEBSITE.label, code=first.code, variables=variables)
    maker.post(f"{base}/flows/{flow['id']}/versions", commitMessage=first.message)
    widget = maker.post(
        f"{base}/deployments/chat-embed",
        name="Website",
        flowId=flow["id"],
        welcomeMessage="Hello! How can we help you and your animal?",
        agentName="Elm Street",
        primaryColor="#33691e",
    )
    maker.simulate("chats", widget, 6, 7, LAST_DAY, seed=41, llmLogs=False)


def _knowledge(maker: Maker, line: Row) -> None:
    maker.at(12)
    pages = ("Before an operation", "operation"), ("Vaccinations of a kitten", "kitten")
    add_links(maker, line, "For owners", "Articles of the hospital's website", "elm-street.example", pages)


if __name__ == "__main__":
    write("clinic", make())

"""Writes data/trouble.json, where flows, webhooks, tests and exports fail: `python -m dryline.tools.trouble`."""

from __future__ import annotations

from collections.abc import Iterable

from dryline.tools.content import Business, Checkpoint, Program, Version, criteria, extractions, voice, week
from dryline.tools.documents import arrive, fail, later, lean
from dryline.tools.making import (
    AS_OF,
    LAST_DAY,
    RECENT_DAY,
    Maker,
    Row,
    add_test,
    connect_twilio,
    made,
    moment,
    open_business,
    open_line,
    write,
)
from dryline.world.clock import wire

TEAM = "Harborline Parcels"
_CHECKPOINTS = (
    Checkpoint("Parcel", "caller asks where a parcel is, when it comes, or it has not come", 3, 0),
    Checkpoint(
        "Person",
        "caller asks for a person, complains, wants to send a parcel or change an address, "
        "or something is damaged, stolen or wrong",
        3,
        0,
    ),
)
PARCELS = Business(
    name="Harborline Parcels",
    description="Tells people where their parcel is. Calls fail since its newest version: the tracking service answers "
    "with errors, and the number of the depot is missing.",
    tags=("production",),
    zone="America/New_York",
    hours=week("08:00-20:00", saturday="09:00-16:00"),
    program=Program(
        "Where is my parcel",
        "inbound",
        # The newest version hands over to "depot_desk", which nobody has set: each such call fails.
        {
            "company": "Harborline Parcels",
            "tracking_url": "https://track.harborline.example",
            "depot": "+16175550199",
            "address": "30 Canal Street, Boston",
            "hours": "Monday to Friday 8 to 8, Saturday 9 to 4",
        },
        (
            Version(16, "First version", "parcels_1", checkpoints=_CHECKPOINTS),
            Version(5, "Ask the tracking service", "parcels_2", checkpoints=_CHECKPOINTS),
        ),
    ),
    line={
        "name": "Parcel line",
        "phoneNumber": "+16175550180",
        "externalConfig": voice("EXAVITQu4vr4xnSDxMaL", "eleven_flash_v2_5"),
        "extractions": extractions(
            order_number=("string", "Order the call is about"),
            resolved=("boolean", "Whether the question was answered"),
        ),
        "successCriteria": criteria(("Resolved", "The caller knows where the parcel is", "BINARY", 1)),
    },
    calls_a_day=2.4,
)
# Not finished: its last line does not end.
PICKUP = Program("Pick-up desk", "inbound", {"company": "Harborline Parcels"}, (Version(3, "Draft", "pickup_1"),))
PICKUP_LINE = {"name": "Pick-up desk", "phoneNumber": "+16175550181"}
ERRORS = ("No space left on device.", "The worker that wrote the file was stopped.")
_SEED = 814_253_633


def make() -> Row:
    """Return the scenario's document."""
    return lean(made(_SEED, _fill), AS_OF, RECENT_DAY, {TEAM: 61}, _delivered)


def _fill(maker: Maker) -> None:
    maker.at(60)
    twilio = connect_twilio(maker, "AC" + "1c" * 16)
    tags = {"production": maker.post("/team/tags", label="production", color="#2e7d32")}
    line = open_business(maker, PARCELS, twilio, tags, 7, _prepare)
    open_line(maker, {"id": line["workerId"]}, twilio, PICKUP, PICKUP_LINE, 0)
    _exports(maker)
    maker.at(LAST_DAY)


def _prepare(maker: Maker, line: Row) -> Row:
    """Create the webhook of the line, and the test that finds the fault of the newest version."""
    path = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    fields = "from_number,summary,order_number,resolved"
    maker.post(path, name="Complaints desk", url="https://desk.harborline.example/calls", fields=fields)
    maker.post(path, name="Old depot", url="https://depot.harborline.example/hook", fields="from_number")
    prompt = "You wait for a parcel, and are not happy about it."
    return add_test(maker, line, "Parcels", "Passed with the first version", prompt)


def _exports(maker: Maker) -> None:
    """Request an export a day: those of the last days fail, each with its reason; the others are over or available."""
    for night in range(-4, 7):
        days = -night - 0.4
        maker.at(days)
        window = {"startDate": wire(moment(days + 1)), "endDate": wire(moment(days))}
        if night % 2:
            maker.send("PUT", "/_dryline/settings", {"exportMode": "manual"})
        export = maker.post("/team/exports", format="JSON", logType="voice", **window)
        maker.at(days - 0.0005)
        if night % 2:
            reason = {"status": "FAILED", "errorMessage": ERRORS[night // 2 % 2]}
            maker.send("POST", f"/_dryline/exports/{export['id']}/transition", reason)
            maker.send("PUT", "/_dryline/settings", {"exportMode": "auto"})


def _delivered(rows: Iterable[Row], logs: dict[str, Row]) -> Iterable[Row]:
    """Return the deliveries: the complaints desk answers with errors as often as not, the old depot never."""
    for number, row in enumerate(row for row in rows if row["logId"] in logs):
        arrive(row, logs[row["logId"]], 0.4)
        if "depot" in row["url"]:
            fail(row, "Name or service not known")
        elif number % 3 == 0:
            fail(row, "HTTP 503", 503, "Service Unavailable")
        elif number % 3 == 1:
            row |= {"attempts": 3, "deliveredAt": later(row["createdAt"], 70.4)}
        yield row


if __name__ == "__main__":
    write("trouble", make())

"""Scenarios as documents: small enough to load at once, one row a line, and nothing of this server in them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

import orjson

from dryline.version import BASE
from dryline.world.clock import parse, wire

Row = dict[str, Any]

# The author of a scenario's records: a person, since the key that made them here exists on no other server.
AUTHOR = "user_demo"
# Collections whose rows leave out members that are null.
_SPARSE = ("voiceLogs", "chatLogs", "chatEmbedLogs", "sessions", "llmLogs", "runtimeErrors", "webhookDeliveries")


ONE_OF = 16  # recent calls keeps its LLM logs, which are as large as all else

Delivered = Callable[[Iterable[Row], dict[str, Row]], Iterable[Row]]


def lean(state: Row, as_of: datetime, recent_day: float, teams: Mapping[str, float], delivered: Delivered) -> Row:
    """Return the document without this server's keys, with persons as authors and without old traces.

    `teams` are their names, with the days before `as_of` on which they were founded; the first gets the keys of the
    start. `delivered` makes what became of the webhook deliveries of recent calls, which led nowhere here.
    """
    recent = wire(as_of - timedelta(days=recent_day))
    state["teams"].sort(key=lambda team: [*teams].index(team["name"]) if team["name"] in teams else 0)
    for team, (name, days) in zip(state["teams"], teams.items(), strict=True):
        founded = wire(as_of - timedelta(days=days))
        team.update(name=name, apiKeys=[], teamOwnerId=AUTHOR, createdAt=founded, updatedAt=founded)
    for row in (*state["flowVersions"], *state["deploymentHistory"]):
        row.update(authorType="USER", authorUserId=AUTHOR, authorApiKeyId=None)
    for row in state["flows"]:
        row.update(lastEditedByType="USER", lastEditedByUserId=AUTHOR, lastEditedByApiKeyId=None)
    versions = {row["code"]: row["id"] for row in state["flowVersions"]}
    for row in (*state["voiceLogs"], *state["chatLogs"], *state["chatEmbedLogs"]):
        if row["startTime"] < recent:
            row.update(sessionLogData=None, flowSnapshot=None)
        elif row["flowSnapshot"] in versions:
            row["flowSnapshot"] = {"flowVersionId": versions[row["flowSnapshot"]]}
    for row in state["sessions"]:
        if row["session_start"] < recent:
            row.update(messages=None, trace=None, state=None)
    traced = [row["call_sid"] for row in state["voiceLogs"] if row["startTime"] >= recent][::ONE_OF]
    state["llmLogs"] = [row for row in state["llmLogs"] if row["callId"] in {*traced}]
    for row in state["exports"]:
        if row["status"] == "EXPIRED":
            row["status"] = "COMPLETED"  # who loads it finds out if not
    logs = {row["id"]: row for row in state["voiceLogs"] if row["startTime"] >= recent}
    state["webhookDeliveries"] = list(delivered(state["webhookDeliveries"], logs))
    for name in _SPARSE:
        state[name] = [{key: value for key, value in row.items() if value is not None} for row in state[name]]
    filled = {name: rows for name, rows in state.items() if rows}
    # Without the commit, so that a scenario does not change with each one.
    filled |= {"writtenBy": f"dryline {BASE}"}
    return {name: filled.pop(name) for name in ("version", "writtenBy")} | {"asOf": wire(as_of)} | filled


def delivered(rows: Iterable[Row], logs: dict[str, Row]) -> Iterable[Row]:
    """Return the deliveries of these logs as if their receiver had been up, except for a few times."""
    for number, row in enumerate(row for row in rows if row["logId"] in logs):
        arrive(row, logs[row["logId"]], 0.3)
        if number % 13 == 6:  # the receiver was restarted meanwhile
            row |= {"attempts": 2, "deliveredAt": later(row["createdAt"], 10.4)}
        elif number % 29 == 17:
            fail(row, "HTTP 500", 500, "Internal Server Error")
        yield row


def arrive(row: Row, log: Row, seconds: float) -> None:
    """Mark a delivery as answered this long after its event."""
    event_time = log["startTime"] if row["event"] == "call_started" else log["endTime"]
    row |= {"createdAt": event_time, "dueAt": None, "status": "DELIVERED", "attempts": 1, "error": None}
    row |= {"deliveredAt": later(event_time, seconds), "responseStatus": 200, "responseBody": '{"ok":true}'}


def fail(row: Row, error: str, status: int | None = None, body: str | None = None) -> None:
    """Mark a delivery as given up after the last attempt."""
    row |= {"status": "FAILED", "attempts": 4, "deliveredAt": None, "dueAt": None}
    row |= {"error": error, "responseStatus": status, "responseBody": body}


def later(moment: str, seconds: float) -> str:
    """Return the time some seconds after a moment, as on the wire."""
    return wire(parse(moment) + timedelta(seconds=seconds))


def written(document: Row) -> bytes:
    """Return the document as JSON with one row a line, so that a diff shows the change."""
    members = []
    for name, value in document.items():
        text = orjson.dumps(value)
        if isinstance(value, list):
            text = b"[\n" + b",\n".join(map(orjson.dumps, value)) + b"\n]"
        members.append(orjson.dumps(name) + b": " + text)
    return b"{\n" + b",\n".join(members) + b"\n}\n"

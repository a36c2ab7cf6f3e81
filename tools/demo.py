"""Writes data/demo.json, the scenario that a new server starts with: `python -m dryline.tools.demo`.

It is made through the API of a stand-in whose clock stands still and whose seed is fixed, so each run writes the same
file. Its times are those of AS_OF; who loads it shifts them to the present.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import orjson

from dryline.settings import Settings
from dryline.tools.demo_content import BUSINESSES, TAGS, TEAM, Business, Program
from dryline.world.clock import parse, wire

AS_OF = datetime(2026, 11, 20, 17, 0, tzinfo=UTC)
PATH = Path(__file__).parent.parent / "data" / "demo.json"
_SEED = 814_253_607  # one that nobody else starts a server with, whose ids could then be these
# Who wrote what is in the demo: a person, for the key that made it here is no other server's.
AUTHOR = "user_demo"
# Long traces are kept for the latest calls only: the file has to load at once.
_TRACED_DAYS, _SNAPSHOT_DAYS = 4, 2
# Members that nothing below takes away, so that the export's size holds for the file that is made of the document.
_EXPORTED = ("id", "startTime", "endTime", "direction", "fromNumber", "toNumber", "status", "duration", "transcription")

Row = dict[str, Any]


class Maker:
    """Makes rows through the API, at chosen days before AS_OF."""

    def __init__(self, client: Any, key: str) -> None:
        self.client = client
        self.headers = {"x-api-key": key}

    def at(self, days: float) -> None:
        """Go to `days` before AS_OF."""
        self._send("PUT", "/_dryline/clock", {"now": wire(AS_OF - timedelta(days=days)), "frozen": True})

    def post(self, path: str, **body: Any) -> Any:
        """POST below /api."""
        return self._send("POST", f"/api{path}", body)

    def patch(self, path: str, **body: Any) -> Any:
        """PATCH below /api."""
        return self._send("PATCH", f"/api{path}", body)

    def put(self, path: str, **body: Any) -> Any:
        """PUT below /api."""
        return self._send("PUT", f"/api{path}", body)

    def simulate(self, kind: str, deployment: Row, count: int, **body: Any) -> None:
        """Have conversations of a deployment."""
        body |= {"workerId": deployment["workerId"], "deploymentId": deployment["id"], "count": count}
        self._send("POST", f"/_dryline/simulate/{kind}", body)

    def state(self) -> Row:
        """All of it."""
        return self._send("GET", "/_dryline/state", None)

    def _send(self, method: str, path: str, body: Any) -> Any:
        answer = self.client.open(path, method=method, json=body, headers=self.headers)
        if answer.status_code >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.get_json()


def make() -> Row:
    """The document."""
    from dryline.app import create_app  # the one place that drives the whole stand-in from within

    app = create_app(Settings(ephemeral=True, scenario="empty", seed=_SEED))
    try:
        maker = Maker(app.test_client(), app.world.settings.api_keys[0])
        _fill(maker)
        return _lean(maker.state())
    finally:
        app.close()


def _fill(maker: Maker) -> None:
    maker.at(60)
    integration = maker.post(
        "/team/integrations/twilio/create",
        accountSid="AC" + "0d" * 16,
        authToken="not-a-real-token",
        name="Twilio",
        description="Numbers of all lines",
    )
    tags = {label: maker.post("/team/tags", label=label, color=color) for label, color in TAGS.items()}
    lines = [_business(maker, business, integration, tags, index) for index, business in enumerate(BUSINESSES)]
    clinic, shop, _, support = lines
    _chats(maker, shop, support)
    _hours(maker, clinic)
    _knowledge(maker, support)
    _echo(maker, clinic)
    maker.at(0.125)
    day = timedelta(days=1)
    window = {"startDate": wire(AS_OF - 7 * day), "endDate": wire(AS_OF - 0.125 * day)}
    maker.post("/team/exports", format="CSV", logType="voice", fields=list(_EXPORTED), **window)
    maker.at(0.124)  # the file is written in between
    maker.at(0)


def _business(maker: Maker, business: Business, integration: Row, tags: dict[str, Row], index: int) -> Row:
    """One worker with all that it has. Returns its main voice deployment."""
    maker.at(59 - index)
    worker = maker.post("/workers", name=business.name, description=business.description, status="active")
    for label in business.tags:
        maker.post(f"/workers/{worker['id']}/tags", tagId=tags[label]["id"])
    deployment = _line(maker, worker, integration, business.program, business.line, index)
    _calls(maker, deployment, business.calls, seed=10 + index)
    if business.outbound:
        reminders = _line(maker, worker, integration, business.outbound, business.outbound_line, index)
        _calls(maker, reminders, business.outbound_calls, seed=20 + index, direction="outbound")
    maker.at(2)
    maker.patch(
        f"/workers/{worker['id']}/deployments/voice/{deployment['id']}",
        backupPhoneNumber=f"{deployment['phoneNumber'][:-2]}99",
        backupPhoneMessage="We are having trouble right now, please hold.",
    )
    return deployment


def _line(maker: Maker, worker: Row, integration: Row, program: Program, line: Row, index: int) -> Row:
    """A flow with its versions, put on a number. Minutes tell apart what would else be of one instant."""
    days, message, code = program.versions[0]
    maker.at(days - index / 100)
    base = f"/workers/{worker['id']}"
    flow = maker.post(
        f"{base}/flows",
        name=program.name,
        label=program.label,
        code=code,
        variables=orjson.dumps(program.variables).decode(),
    )
    maker.post(f"{base}/flows/{flow['id']}/versions", commitMessage=message)
    maker.post("/team/assets/register_phone_number", phoneNumber=line["phoneNumber"], integrationId=integration["id"])
    deployment = maker.post(f"{base}/deployments/voice", flowId=flow["id"], **line)
    for days, message, code in program.versions[1:]:
        maker.at(days - index / 100)
        maker.patch(f"{base}/flows/{flow['id']}", code=code, commitMessage=message)
    return deployment


def _calls(maker: Maker, deployment: Row, count: int, seed: int, **body: Any) -> None:
    """Calls over the last 30 days, the latest two with their LLM logs."""
    maker.at(0)
    start = AS_OF - timedelta(days=30) + timedelta(minutes=61.7 * seed, seconds=7.309)
    end = AS_OF - timedelta(hours=2)
    times = {"startTime": wire(start), "endTime": wire(end)}
    maker.simulate("calls", deployment, count - 2, seed=seed, llmLogs=False, **times, **body)
    times = {"startTime": wire(end + timedelta(minutes=seed)), "endTime": wire(AS_OF)}
    maker.simulate("calls", deployment, 2, seed=1000 + seed, outcome="completed", **times, **body)


def _chats(maker: Maker, shop: Row, support: Row) -> None:
    maker.at(28)
    chat = maker.post(
        f"/workers/{shop['workerId']}/deployments/chat",
        name="Customer care chat",
        flowId=shop["flowId"],
        welcomeMessage="Hi, this is Larkspur Goods. How can I help with your order?",
        allowedUsers=[],
        llmModel="gpt-4o",
    )
    maker.at(26)
    widget = maker.post(
        f"/workers/{support['workerId']}/deployments/chat-embed",
        name="Support widget",
        flowId=support["flowId"],
        welcomeMessage="Hello! Is something not working?",
        agentName="Marina",
        primaryColor="#00695c",
    )
    maker.at(0)
    for seed, deployment in ((31, chat), (32, widget)):
        times = {"startTime": wire(AS_OF - timedelta(days=20, minutes=seed)), "endTime": wire(AS_OF)}
        maker.simulate("chats", deployment, 12, seed=seed, llmLogs=False, **times)


def _hours(maker: Maker, clinic: Row) -> None:
    maker.at(50)
    open_days = dict.fromkeys(("monday", "tuesday", "wednesday", "thursday"), "08:00-18:00")
    hours = maker.post(
        "/workers/business-hours",
        hours=open_days | {"friday": "08:00-15:00", "saturday": "closed", "sunday": "closed"},
        timezone="America/Los_Angeles",
        primaryTag="Bayside Dental",
        secondaryTag="Front desk",
    )
    team = maker.client.get("/api/team", headers=maker.headers).get_json()
    maker.post("/workers/team-phone-hours", hoursId=hours["id"], phoneNumber=clinic["phoneNumber"], teamId=team["id"])


def _knowledge(maker: Maker, support: Row) -> None:
    maker.at(40)
    base = f"/workers/{support['workerId']}"
    folder = maker.post(f"{base}/folders", name="Help centre", description="Articles that customers read as well")
    for name, page in (("Router lights explained", "router-lights"), ("Reset your password", "password")):
        link = f"https://help.example.com/{page}"
        maker.post(f"{base}/resources/link", name=name, rawLink=link, updateFrequency="weekly", folderId=folder["id"])


def _echo(maker: Maker, clinic: Row) -> None:
    maker.at(10)
    suite = maker.post(
        "/echo/suites",
        name="Front desk regression",
        description="Run before each new version of the flow",
        deploymentId=clinic["id"],
    )
    items = criteria_items()
    scorecard = maker.post("/echo/scorecards", name="Receptionist", items=items, suiteId=suite["id"])
    maker.put(f"/echo/suites/{suite['id']}", echoScorecardIds=[scorecard["id"]])
    maker.post(
        "/echo/agents",
        name="Impatient caller",
        type="voice",
        purpose="Wants an appointment at once and changes their mind about the day",
        goals=["Get an appointment this week", "Change the day once"],
        deploymentId=clinic["id"],
        suiteId=suite["id"],
        scorecardIds=[scorecard["id"]],
    )


def criteria_items() -> list[Row]:
    """The items of the scorecard."""
    return [
        {"title": "Greets", "description": "Greets with the clinic's name", "type": "BINARY", "threshold": 1},
        {"title": "Books", "description": "Agrees on a day and a time", "type": "BINARY", "threshold": 1},
        {"title": "Patience", "description": "Stays friendly when the day changes", "type": "SCORE", "threshold": 7},
    ]


# Small enough to load at once


def _lean(state: Row) -> Row:
    """The document without this server's key, its authors a person, and old conversations without their traces."""
    (team,) = state["teams"]
    founded = wire(AS_OF - timedelta(days=61))
    team.update(name=TEAM, apiKeys=[], teamOwnerId=AUTHOR, createdAt=founded, updatedAt=founded)
    for row in (*state["flowVersions"], *state["deploymentHistory"]):
        row.update(authorType="USER", authorUserId=AUTHOR, authorApiKeyId=None)
    for row in state["flows"]:
        row.update(lastEditedByType="USER", lastEditedByUserId=AUTHOR, lastEditedByApiKeyId=None)
    for row in (*state["voiceLogs"], *state["chatLogs"], *state["chatEmbedLogs"]):
        if _older(row["startTime"], _TRACED_DAYS):
            row["sessionLogData"] = None
        if _older(row["startTime"], _SNAPSHOT_DAYS):
            row["flowSnapshot"] = None
    for row in state["sessions"]:
        if _older(row["session_start"], _TRACED_DAYS):
            row.update(messages=None, trace=None, state=None)
    filled = {name: rows for name, rows in state.items() if rows}
    return {"version": filled.pop("version"), "asOf": wire(AS_OF), **filled}


def _older(moment: str, days: float) -> bool:
    return parse(moment) < AS_OF - timedelta(days=days)


def main(show: Callable[[str], None] = print) -> None:
    """Write the file."""
    PATH.write_bytes(orjson.dumps(make()) + b"\n")
    show(f"{PATH}: {PATH.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

"""Writes data/demo.json, the scenario that a new server starts with: `python -m dryline.tools.demo`.

It is made through the API of a stand-in whose clock stands still and whose seed is fixed, so each run writes the same
file. Its times are those of AS_OF; who loads it moves them by whole weeks to the present. So it goes on for a WEEK
behind AS_OF: what lies ahead of the clock is left out at the loading (state/import_rows.py).
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any

import orjson

from dryline.settings import Settings
from dryline.simulator.names import FIRST, LAST
from dryline.tools import demo_content as content
from dryline.tools import demo_messages
from dryline.tools.demo_content import Business, Program
from dryline.tools.demo_document import lean, written
from dryline.world.clock import wire

AS_OF = datetime(2026, 11, 20, 17, 0, tzinfo=UTC)  # a Friday, nine in the morning at the clinic
PATH = Path(__file__).parent.parent / "data" / "demo.json"
_SEED = 814_253_607  # one that nobody else starts a server with, whose ids could then be these
_FIRST_DAY, _LAST_DAY = 28, -7  # of conversations, in days before AS_OF
RECENT_DAY = 1  # from here on, conversations keep their traces: at any loading, those are the newest
# Members that nothing takes away afterwards, so that an export's size holds for the file that is made of the document.
_EXPORTED = ("id", "startTime", "endTime", "direction", "fromNumber", "toNumber", "status", "duration", "transcription")
_NIGHT = 13 / 24  # six in the morning UTC, in days behind AS_OF

Row = dict[str, Any]


def moment(days: float) -> datetime:
    """So many days before AS_OF."""
    return AS_OF - timedelta(days=days)


class Maker:
    """Makes rows through the API, at chosen days before AS_OF."""

    def __init__(self, client: Any, key: str) -> None:
        self.client = client
        self.headers = {"x-api-key": key}

    def at(self, days: float) -> None:
        """Go to `days` before AS_OF. What is due by then happens."""
        self.send("PUT", "/_dryline/clock", {"now": wire(moment(days)), "frozen": True})

    def post(self, path: str, **body: Any) -> Any:
        """POST below /api."""
        return self.send("POST", f"/api{path}", body)

    def patch(self, path: str, **body: Any) -> Any:
        """PATCH below /api."""
        return self.send("PATCH", f"/api{path}", body)

    def put(self, path: str, **body: Any) -> Any:
        """PUT below /api."""
        return self.send("PUT", f"/api{path}", body)

    def simulate(self, kind: str, deployment: Row, count: int, since: float, until: float, **body: Any) -> None:
        """Have conversations of a deployment between two days before AS_OF."""
        body |= {"workerId": deployment["workerId"], "deploymentId": deployment["id"], "count": count}
        body |= {"startTime": wire(moment(since)), "endTime": wire(moment(until))}
        self.send("POST", f"/_dryline/simulate/{kind}", body)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Any request; the answer's JSON. Raises RuntimeError where it is refused."""
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
        state = maker.send("GET", "/_dryline/state")
    finally:
        app.close()
    _write_messages(state)
    return lean(state, AS_OF, RECENT_DAY)


def _fill(maker: Maker) -> None:
    maker.at(60)
    twilio = _integration(maker, "AC" + "0d" * 16)
    tags = {label: maker.post("/team/tags", label=label, color=color) for label, color in content.TAGS.items()}
    lines = {one.name: _business(maker, one, twilio, tags, index) for index, one in enumerate(content.BUSINESSES)}
    clinic, shop, support = (lines[one.name] for one in (content.BAYSIDE, content.LARKSPUR, content.TIDEWATER))
    _reminders(maker, clinic, twilio)
    _chats(maker, shop, support)
    _knowledge(maker, support)
    _voices_and_senders(maker)
    _echo(maker, clinic)
    _exports(maker)
    maker.at(60)
    key = maker.send("POST", "/_dryline/teams", {"name": content.OTHER_TEAM})["apiKey"]
    other = Maker(maker.client, key)
    _business(other, content.QUAYSIDE, _integration(other, "AC" + "0e" * 16), {}, index=4)
    maker.at(_LAST_DAY)


def _integration(maker: Maker, account: str) -> Row:
    body = {"accountSid": account, "authToken": "not-a-real-token", "name": "Twilio"}
    return maker.post("/team/integrations/twilio/create", description="Numbers of all lines", **body)


def _business(maker: Maker, business: Business, twilio: Row, tags: dict[str, Row], index: int) -> Row:
    """One worker with all that it has. Returns its voice deployment."""
    maker.at(59 - index)
    worker = maker.post("/workers", name=business.name, description=business.description, status="active")
    for label in business.tags:
        maker.post(f"/workers/{worker['id']}/tags", tagId=tags[label]["id"])
    hours = maker.post(
        "/workers/business-hours",
        hours=business.hours,
        timezone=business.zone,
        primaryTag=business.name,
        secondaryTag=business.line["name"],
    )
    team = maker.send("GET", "/api/team")
    number = business.line["phoneNumber"]
    maker.post("/workers/team-phone-hours", hoursId=hours["id"], phoneNumber=number, teamId=team["id"])
    deployment = _line(maker, worker, twilio, business.program, business.line, index, business.calls_a_day)
    base = f"/workers/{worker['id']}/deployments"
    for name, (value, why) in business.parameters.items():
        maker.at(5.5)
        maker.post(f"{base}/{deployment['id']}/params", name=name, value=value, description=why)
    maker.at(2)
    backup = {"backupPhoneNumber": f"{number[:-2]}98", "backupPhoneMessage": "We are having trouble, please hold."}
    maker.patch(f"{base}/voice/{deployment['id']}", **backup)
    return deployment


def _line(
    maker: Maker, worker: Row, twilio: Row, program: Program, line: Row, index: int, calls_a_day: float = 0
) -> Row:
    """A flow with its versions, put on a number, and the calls that each version took.

    Hundredths of a day tell apart what would else be of one instant.
    """
    first, *later = program.versions
    maker.at(first.days - index / 100)
    base = f"/workers/{worker['id']}"
    variables = orjson.dumps(program.variables).decode()
    flow = maker.post(f"{base}/flows", name=program.name, label=program.label, code=first.code, variables=variables)
    maker.post(f"{base}/flows/{flow['id']}/versions", commitMessage=first.message)
    maker.post("/team/assets/register_phone_number", phoneNumber=line["phoneNumber"], integrationId=twilio["id"])
    deployment = maker.post(f"{base}/deployments/voice", flowId=flow["id"], **line)
    test = None
    if line is content.BAYSIDE.line:
        test = _test(maker, deployment)
        _webhooks(maker, deployment)
    ends = [version.days for version in later]
    for version, until in zip(program.versions, [*ends, _LAST_DAY], strict=True):
        if version is not first:
            maker.at(version.days - index / 100)
            maker.patch(f"{base}/flows/{flow['id']}", code=version.code, commitMessage=version.message)
        if test is not None:
            _run(maker, test, until + 0.2 if until > _LAST_DAY else version.days - 0.2)
        _calls(maker, deployment, version.days, until, calls_a_day, index)
    return deployment


def _calls(maker: Maker, deployment: Row, since: float, until: float, a_day: float, index: int) -> None:
    """The calls that came in meanwhile; recent ones with their LLM logs."""
    borders = [day for day in (since, RECENT_DAY, until) if until <= day <= since]
    for start, end in pairwise(min(day, _FIRST_DAY) for day in borders):
        count = round((start - end) * a_day)
        if count:
            seed = round(100 * (index + 1) + start)
            start -= (7 * index + 3.3) / 100  # nobody calls at the minute in which a version is committed
            recent = start <= RECENT_DAY
            maker.simulate("calls", deployment, count, start, end, seed=seed, direction="inbound", llmLogs=recent)


def _webhooks(maker: Maker, deployment: Row) -> None:
    """Who is told of the clinic's calls."""
    maker.at(38)
    path = f"/workers/{deployment['workerId']}/deployments/{deployment['id']}/voice/customWebhooks"
    fields = "from_number,duration_ms,sentiment,summary,booked,appointment_day,appointment_time"
    maker.post(path, name="Practice software", url="https://hooks.bayside-dental.example/calls", fields=fields)
    pager = {"name": "Pager of the week", "url": "https://pager.example/bayside", "active": False}
    maker.post(path, fields="from_number,sentiment", **pager)


def _reminders(maker: Maker, clinic: Row, twilio: Row) -> None:
    """The line that reminds of appointments, with its campaigns: three that are over and one that waits."""
    line = _line(maker, {"id": clinic["workerId"]}, twilio, content.REMINDER, content.REMINDER_LINE, 0)
    path = f"/workers/{line['workerId']}/deployments/voice/{line['id']}/outbound-campaigns"
    rng = Random(_SEED)
    for days, number in ((17, 16), (10, 16), (3, 16)):
        maker.at(days)
        maker.post(path, name="Appointments of the week", data=_contacts(rng, number), status="STARTED", batch_size=8)
        maker.at(days - 0.1)
    maker.at(RECENT_DAY)
    maker.post(path, name="Not seen for a year", data=_contacts(rng, 12), batch_size=4, batch_interval_minutes=10)


def _contacts(rng: Random, count: int) -> list[Row]:
    """Contact rows, as a practice's software exports them."""
    rows = []
    for _ in range(count):
        row = {"id": f"patient-{rng.randrange(1000, 9999)}", "name": f"{rng.choice(FIRST)} {rng.choice(LAST)}"}
        row["phoneNumber"] = f"+1{rng.choice(('415', '510', '916'))}55501{rng.randrange(100):02d}"
        row |= {"day": rng.choice(("Wednesday", "Thursday")), "time": rng.choice(("9:00 AM", "11:30 AM", "2:45 PM"))}
        rows.append(row | {"service": rng.choice(("check-up", "cleaning", "consultation"))})
    return rows


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
    for seed, deployment in ((31, chat), (32, widget)):
        maker.simulate("chats", deployment, 9, 20 - seed / 100, _LAST_DAY, seed=seed, llmLogs=False)


def _knowledge(maker: Maker, support: Row) -> None:
    maker.at(40)
    base = f"/workers/{support['workerId']}"
    folder = maker.post(f"{base}/folders", name="Help centre", description="Articles that customers read as well")
    for name, page in (("Router lights explained", "router-lights"), ("Reset your password", "password")):
        link = f"https://help.example.com/{page}"
        maker.post(f"{base}/resources/link", name=name, rawLink=link, updateFrequency="weekly", folderId=folder["id"])


def _voices_and_senders(maker: Maker) -> None:
    maker.at(44)
    maker.post("/team/customVoices", elevenlabsVoiceId="TxGEqnHWrfWFTfGW9XjX")
    profile = {"name": content.LARKSPUR.name, "about": "Orders, deliveries and returns", "vertical": "Retail"}
    maker.post("/team/assets/purchase_whatsapp_sender", phoneNumber="+15035550121", profile=profile)


def _test(maker: Maker, clinic: Row) -> Row:
    """The test of the clinic's flow: before the last version it finds that a calendar that is down ends calls."""
    maker.at(39)
    names = ("Move", "caller wants to move an appointment"), ("Hours", "caller asks about hours or the address")
    checkpoints = [{"name": name, "description": purpose, "runs": 3, "tolerance": 1} for name, purpose in names]
    checkpoints.insert(0, {"name": "New", "description": "caller wants a new appointment", "runs": 5, "tolerance": 1})
    test: Row = maker.post(
        f"/workers/{clinic['workerId']}/tests",
        name="Books and moves",
        description="Run before each new version of the flow",
        testMode="voice",
        systemPrompt="You call a dental clinic. You are polite and in a hurry.",
        flowId=clinic["flowId"],
        checkpoints=checkpoints,
    )
    return test


def _run(maker: Maker, test: Row, days: float) -> None:
    maker.at(days)
    maker.post(f"/workers/{test['workerId']}/tests/{test['id']}/run")
    maker.at(days - 0.05)


def _echo(maker: Maker, clinic: Row) -> None:
    maker.at(10)
    suite = maker.post(
        "/echo/suites",
        name="Front desk regression",
        description="Run before each new version of the flow",
        deploymentId=clinic["id"],
    )
    items = [
        {"title": "Greets", "description": "Greets with the clinic's name", "type": "BINARY", "threshold": 1},
        {"title": "Books", "description": "Agrees on a day and a time", "type": "BINARY", "threshold": 1},
        {"title": "Patience", "description": "Stays friendly when the day changes", "type": "SCORE", "threshold": 7},
    ]
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
    maker.at(9)
    maker.post("/echo/run", type="test_suite", agent_data={"suiteId": suite["id"]})
    maker.at(8.9)


def _exports(maker: Maker) -> None:
    """Each night's export of the day before. At any loading, that of the last night can be downloaded."""
    for night in range(-2, 7):
        days = -_NIGHT - night
        maker.at(days)
        window = {"startDate": wire(moment(days + 1)), "endDate": wire(moment(days))}
        maker.post("/team/exports", format="CSV", logType="voice", fields=list(_EXPORTED), **window)
        maker.at(days - 0.0005)  # the file is written in between


def _write_messages(state: Row) -> None:
    """Text messages and WhatsApp conversations: no operation makes them."""
    workers = {worker["name"]: worker for worker in state["workers"]}
    clinic, shop = (workers[one.name] for one in (content.BAYSIDE, content.LARKSPUR))
    number = content.REMINDER_LINE["phoneNumber"]
    state["smsLogs"] = demo_messages.sms(clinic, number, [moment(16.9 - 2.13 * n) for n in range(11)])
    state["whatsappLogs"] = demo_messages.whatsapp(shop, "+15035550121", [moment(13.8 - 1.97 * n) for n in range(10)])


def main(show: Callable[[str], None] = print) -> None:
    """Write the file."""
    PATH.write_bytes(written(make()))
    show(f"{PATH}: {PATH.stat().st_size:,} bytes")


if __name__ == "__main__":
    main()

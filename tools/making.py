"""Makes the scenarios in data/, each through the API of a stand-in with a clock that stands still and a fixed seed.

So each run writes the same file. Its times are those of AS_OF; who loads it moves them by whole weeks to the present.
So it goes on for a week behind AS_OF: what lies ahead of the clock is left out at the loading (state/import_rows.py).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from datetime import UTC, datetime, timedelta
from itertools import pairwise
from pathlib import Path
from random import Random
from typing import Any
from zlib import crc32

import orjson

from dryline.flow.language.python_code import translate
from dryline.settings import Settings
from dryline.simulator.tables import table
from dryline.tools.content import Business, Program, Version
from dryline.tools.documents import written
from dryline.world.clock import wire

AS_OF = datetime(2026, 11, 20, 17, 0, tzinfo=UTC)  # a Friday, nine in the morning in San Francisco
LAST_DAY = -7  # of conversations, in days before AS_OF
RECENT_DAY = 7  # from here on, conversations keep their traces and LLM logs: the last week of any loading
_FIRST_DAY = 35
_MOST = 0.7  # of the callers of a version meet its usual condition
_GROWTH = 1.2  # of the calls of the last week, and of the week ahead, over the week before
# Members that nothing takes away afterwards, so that an export's size holds for the file that is made of the document.
_EXPORTED = ("id", "startTime", "endTime", "direction", "fromNumber", "toNumber", "status", "duration", "transcription")
_NIGHT = 13 / 24  # six in the morning UTC, in days behind AS_OF

Row = dict[str, Any]


def path(name: str) -> Path:
    """Return the path of a scenario's file."""
    return Path(__file__).parent.parent / "data" / f"{name}.json"


def write(name: str, document: Row, show: Callable[[str], None] = print) -> None:
    """Write a scenario's file."""
    path(name).write_bytes(written(document))
    show(f"{path(name)}: {path(name).stat().st_size:,} bytes")


def moment(days: float) -> datetime:
    """Return the time some days before AS_OF."""
    return AS_OF - timedelta(days=days)


class Maker:
    """Makes rows through the API, at chosen days before AS_OF."""

    def __init__(self, client: Any, key: str) -> None:
        self.client = client
        self.headers = {"x-api-key": key}

    def at(self, days: float) -> None:
        """Go to `days` before AS_OF, of a whole day to some time within two hours. What is due by then happens."""
        if days > 0 and days == int(days):
            days -= (1 + crc32(str(days).encode()) % 90) / 1000
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
        """Make conversations of a deployment between two days before AS_OF."""
        body |= {"workerId": deployment["workerId"], "deploymentId": deployment["id"], "count": count}
        body |= {"startTime": wire(moment(since)), "endTime": wire(moment(until))}
        self.send("POST", f"/_dryline/simulate/{kind}", body)

    def send(self, method: str, path: str, body: Any = None) -> Any:
        """Send a request and return the answer's JSON. Raises RuntimeError if it is refused."""
        answer = self.client.open(path, method=method, json=body, headers=self.headers)
        if answer.status_code >= 400:
            raise RuntimeError(f"{method} {path}: {answer.status_code} {answer.text}")
        return answer.get_json()


def made(seed: int, fill: Callable[[Maker], None]) -> Row:
    """Return the state of a stand-in that `fill` has filled. The seed is one that no other stand-in uses."""
    from dryline.app import create_app  # the one place that drives the whole stand-in from within

    app = create_app(Settings(ephemeral=True, scenario="empty", seed=seed))
    try:
        maker = Maker(app.test_client(), app.world.settings.api_keys[0])
        fill(maker)
        state: Row = maker.send("GET", "/_dryline/state")
        return state
    finally:
        app.close()


# Gives a new deployment what it needs; returns the test that is run with each version of its flow, if any.
Prepare = Callable[[Maker, Row], Row | None]


def connect_twilio(maker: Maker, account: str) -> Row:
    """Create a Twilio integration for an account, which registered numbers need."""
    body = {"accountSid": account, "authToken": "not-a-real-token", "name": "Twilio"}
    return maker.post("/team/integrations/twilio/create", description="Numbers of all lines", **body)


def open_business(
    maker: Maker, business: Business, twilio: Row, tags: dict[str, Row], index: int, prepare: Prepare | None = None
) -> Row:
    """Create one worker with all that it has, and return its voice deployment."""
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
    deployment = open_line(maker, worker, twilio, business.program, business.line, index, business.calls_a_day, prepare)
    base = f"/workers/{worker['id']}/deployments"
    for name, (value, why) in business.parameters.items():
        maker.at(5.5)
        maker.post(f"{base}/{deployment['id']}/params", name=name, value=value, description=why)
    maker.at(2)
    backup = {"backupPhoneNumber": f"{number[:-2]}98", "backupPhoneMessage": "We are having trouble, please hold."}
    maker.patch(f"{base}/voice/{deployment['id']}", **backup)
    return deployment


def open_line(
    maker: Maker,
    worker: Row,
    twilio: Row,
    program: Program,
    line: Row,
    index: int,
    calls_a_day: float = 0,
    prepare: Prepare | None = None,
) -> Row:
    """Create a flow with its versions on a number, and the calls that each version took.

    `prepare` gives the deployment what it has before its first call; the test that it returns is run with each version.
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
    test = prepare(maker, deployment) if prepare else None
    ends = [version.days for version in later]
    for version, until in zip(program.versions, [*ends, LAST_DAY], strict=True):
        if version is not first:
            maker.at(version.days - index / 100)
            maker.patch(f"{base}/flows/{flow['id']}", code=version.code, commitMessage=version.message)
        if test is not None:
            run_test(maker, test, version, until + 0.2 if until > LAST_DAY else version.days - 0.2)
        _take_calls(maker, deployment, version, until, calls_a_day, index)
    return deployment


def _take_calls(maker: Maker, deployment: Row, version: Version, until: float, a_day: float, index: int) -> None:
    """Create the calls that came in meanwhile; recent ones with their LLM logs. Most meet the `usual` condition."""
    since = version.days
    borders = [day for day in (since, RECENT_DAY, 0, until) if until <= day <= since]
    for start, end in pairwise(min(day, _FIRST_DAY) for day in borders):
        weeks = 0 if start > RECENT_DAY else 1 if start > 0 else 2
        count = round((start - end) * a_day * _GROWTH**weeks)
        if count:
            seed = round(100 * (index + 1) + start)
            start -= (7 * index + 3.3) / 100  # nobody calls at the minute in which a version is committed
            options: Row = {"direction": "inbound", "llmLogs": start <= RECENT_DAY}
            if version.usual:
                most = round(_MOST * count)
                usual = options | {"branch": version.usual, "seed": seed + 50}
                maker.simulate("calls", deployment, most, start - 0.07, end, **usual)
                count -= most
            maker.simulate("calls", deployment, count, start, end, seed=seed, **options)


def add_test(maker: Maker, line: Row, name: str, about: str, prompt: str) -> Row:
    """Create a test of a line's flow, with the caller's `prompt`. Its checkpoints come with the flow's versions."""
    path = f"/workers/{line['workerId']}/tests"
    body = {"name": name, "description": about, "testMode": "voice", "systemPrompt": prompt, "flowId": line["flowId"]}
    test: Row = maker.post(path, checkpoints=[], **body)
    return test


def run_test(maker: Maker, test: Row, version: Version, days: float) -> None:
    """Run a test with the checkpoints of a version at a time, to its end.

    Raises ValueError if a checkpoint names a condition that the version lacks.
    """
    require_conditions(version)
    checkpoints = [
        {"name": each.name, "description": each.condition, "runs": each.runs, "tolerance": each.tolerance}
        for each in version.checkpoints
    ]
    path = f"/workers/{test['workerId']}/tests/{test['id']}"
    maker.at(days)
    maker.put(path, checkpoints=checkpoints)
    maker.post(f"{path}/run")
    maker.at(days - 0.05)


def require_conditions(version: Version) -> None:
    """Raise ValueError if a checkpoint of a version names no condition of its program, or one with a placeholder."""
    program = translate(version.code, f"{version.file}.based")
    conditions = {condition.text for condition in program.conditions if condition.fixed}
    for checkpoint in version.checkpoints:
        if checkpoint.condition not in conditions:
            raise ValueError(
                f"{version.file}: the checkpoint {checkpoint.name} names a condition that the flow lacks: "
                f"{checkpoint.condition!r}"
            )


def add_links(maker: Maker, line: Row, folder: str, about: str, site: str, pages: Iterable[tuple[str, str]]) -> None:
    """Create a folder of articles, each a name and its page of a site."""
    base = f"/workers/{line['workerId']}"
    made = maker.post(f"{base}/folders", name=folder, description=about)
    for name, page in pages:
        link = f"https://{site}/{page}"
        maker.post(f"{base}/resources/link", name=name, rawLink=link, updateFrequency="weekly", folderId=made["id"])


def export_nightly(maker: Maker) -> None:
    """Export each day in the night after it. At any loading, that of the last night can be downloaded."""
    for night in range(-2, 7):
        days = -_NIGHT - night
        maker.at(days)
        window = {"startDate": wire(moment(days + 1)), "endDate": wire(moment(days))}
        maker.post("/team/exports", format="CSV", logType="voice", fields=list(_EXPORTED), **window)
        maker.at(days - 0.0005)  # the file is written in between


def contacts(rng: Random, count: int, what: str, **choices: Sequence[str]) -> list[Row]:
    """Return contact rows as a business's software exports them.

    `what` says what the contacts are. A row has one of each of `choices`.
    """
    rows = []
    for _ in range(count):
        row = {
            "id": f"{what}-{rng.randrange(1000, 9999)}",
            "name": f"{rng.choice(table('first names'))} {rng.choice(table('last names'))}",
        }
        row["phoneNumber"] = f"+1{rng.choice(('415', '510', '916'))}55501{rng.randrange(100):02d}"
        rows.append(row | {name: rng.choice(options) for name, options in choices.items()})
    return rows

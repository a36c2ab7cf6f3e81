"""Mutated state documents: what is taken must be shown by every page and survive its own round trip."""

from __future__ import annotations

import re
import time
from random import Random
from typing import Any

from dryline.tests.contract.two_teams import KEYS, NORTH
from dryline.tools.attack.client import Answer, Client
from dryline.tools.attack.findings import Findings
from dryline.tools.attack.odd_values import mutated
from dryline.tools.attack.requests import dumps

_MOST_PAGES = 120
_MOST_REFUSALS = 6  # of one document


def attack_documents(client: Client, findings: Findings, random: Random, seconds: float, base: Any) -> tuple[int, int]:
    """Put mutated copies of a document, and return how many were sent and how many were taken."""
    sent = taken = 0
    ends = time.monotonic() + seconds
    while time.monotonic() < ends:
        document = _mutated(random, base)
        answer = Answer(422)
        for _ in range(_MOST_REFUSALS):
            data = dumps(document)
            answer = client.send("PUT", "/_dryline/state?lenient=true", data=data)
            sent += 1
            if answer.is_good or not _put_back_refused_rows(document, base, answer):
                break
        if not answer.is_good:
            continue
        taken += 1
        if random.random() < 0.5:  # before the work or after it
            _visit(client, random)
            _do_the_work(client, random)
        else:
            _do_the_work(client, random)
            _visit(client, random)
        _go_round(client, findings, data)
    client.send("DELETE", "/_dryline/clock")
    return sent, taken


def _mutated(random: Random, base: Any) -> Any:
    """Return a copy of the document in which some members of some rows are odd, and sometimes `asOf` is."""
    document = dict(base)
    for name in random.sample(
        [name for name in base if base[name] and isinstance(base[name], list)], random.choice([1, 2, 4])
    ):
        rows = document[name] = list(base[name])
        for _ in range(random.choice([1, 1, 3])):
            index = random.randrange(len(rows))
            rows[index] = mutated(random, rows[index], random.choice([1, 1, 2]))
    if random.random() < 0.4:
        document["asOf"] = random.choice(
            ["2026-01-01T00:00:00Z", "2026-03-01T10:00:00Z", "2030-01-01T00:00:00Z", "0003-01-01T00:00:00Z"]
        )
    return document


def _put_back_refused_rows(document: Any, base: Any, answer: Answer) -> bool:
    """Put the rows of the base where a refusal names a row, and return whether there were any."""
    details = answer.json.get("details", []) if isinstance(answer.json, dict) else []
    rows = [re.match(r"(\w+)\[(\d+)\]", detail["path"]) for detail in details]
    for match in filter(None, rows):
        document[match[1]][int(match[2])] = base[match[1]][int(match[2])]
    return any(rows)


def _visit(client: Client, random: Random) -> None:
    """Follow the links of the console and read the lists of the API, each page of a kind once."""
    kinds: set[str] = set()
    waiting = ["/console"]
    while waiting and len(kinds) < _MOST_PAGES:
        address = waiting.pop(random.randrange(len(waiting)))
        kind = re.sub(r"(?<=/)[\w%-]*-[\w%.-]*|\d+", "ID", address)
        if kind in kinds:
            continue
        kinds.add(kind)
        page = client.send("GET", address)
        links = re.findall(rb'(?:href|hx-get)="(/console[^"#]*)', page.data)
        waiting += {link.decode().replace("&amp;", "&") for link in links if b"/static/" not in link}
        waiting += [page.headers["Location"]] if page.headers.get("Location", "").startswith("/console") else []
    for path in _READS:
        client.send("GET", path.replace("WORKER", f"{NORTH}-workers"), headers={"x-api-key": KEYS[NORTH]})
    client.send("POST", "/api/voice-analysis", {"includeCallDetails": True}, headers={"x-api-key": KEYS[NORTH]})
    number = {"phoneNumber": "+14155550100", "timestamp": 1772445600}
    client.send("POST", "/api/workers/check-callable", number, headers={"x-api-key": KEYS[NORTH]})


_READS = (
    *("/api/team", "/api/team/assets/phone_numbers", "/api/team/customVoices", "/api/team/exports", "/api/team/tags"),
    *("/api/workers", "/api/workers/WORKER", "/api/workers/WORKER/flows", "/api/workers/WORKER/tags"),
    *(f"/api/workers/WORKER/deployments/{kind}" for kind in ("voice", "voicev1", "chat", "chat-embed")),
    *(f"/api/workers/WORKER/deploymentLogs/{kind}" for kind in ("voice", "chat", "chat-embed", "sms", "whatsapp")),
    *("/api/workers/WORKER/llm-logs", "/api/workers/WORKER/runtime-errors", "/api/workers/WORKER/folders"),
    *("/api/workers/WORKER/resources/link", "/api/workers/WORKER/resources/file", "/api/team/default-checks"),
    *("/api/echo/suites", "/api/echo/agents", "/api/echo/scorecards", "/_dryline/echo-runs", "/_dryline/webhooks"),
    *("/api/workers/business-hours?includeTeamPhoneHours=true", "/api/workers/team-phone-hours?includeRelations=true"),
    "/api/workers/WORKER/deployments/voice/north-voiceDeployments/outbound-campaigns",
    "/api/workers/WORKER/tests/north-tests/runs",
)


def _do_the_work(client: Client, random: Random) -> None:
    """Move the clock, so that what is due by the document is done."""
    client.send("POST", "/_dryline/clock/advance", {"seconds": random.choice([0, 60, 3600, 90_000, 10_000_000])})


def _go_round(client: Client, findings: Findings, sent: bytes) -> None:
    """Put what the server gives, and compare what it gives then."""
    first = client.send("GET", "/_dryline/state")
    again = client.send("PUT", "/_dryline/state", data=first.data)
    if first.is_good and again.status not in (204, 0):
        message = re.sub(r"\d+", "N", str(again.json and again.json.get("error")))[:90]
        findings.add("a state that is read cannot be put", message, f"{again.data[:300]!r} from {sent[:200]!r}")
    elif again.is_good:
        second = client.send("GET", "/_dryline/state")
        if second.is_good and set(second.json) != set(first.json):
            findings.add("round trip", "other collections")

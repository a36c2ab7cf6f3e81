"""Odd requests: mutated JSON on every operation of the OpenAPI document, long forms and queries on every route."""

from __future__ import annotations

import itertools
import json
import re
import time
from collections.abc import Iterator
from random import Random
from typing import Any
from urllib.parse import quote, quote_plus

from dryline.app import create_app
from dryline.blueprints.console.app import Console
from dryline.settings import Settings
from dryline.tests.contract.two_teams import NORTH, document, id_of, path_ids
from dryline.tools.attack.client import Client
from dryline.tools.attack.odd_values import CHARACTERS, NO_JSON, long_texts, mutated, odd_value

SNAPSHOT = "before the attack"
QUERY_SIZE = 50_000  # below the limit of a request's header
_FORM_FIELDS = ("name", "text", "code", "now", "seconds", "document", "secret", "url", "body", "q", "path")


class Operation:
    """An operation of the OpenAPI document with the ids of a row, its example body and its query parameters."""

    def __init__(self, method: str, path: str, description: dict[str, Any]) -> None:
        self.method = method
        self.id: str = description["operationId"]
        self.path = path
        ids = iter(path_ids(path, NORTH)) if path.startswith("/api/") else itertools.repeat(id_of(NORTH, "teams"))
        self.path = re.sub(r"{\w+}", lambda _: quote(next(ids), safe=""), path)
        content = description.get("requestBody", {}).get("content", {}).get("application/json", {})
        self.body = content.get("example")
        self.has_body = "requestBody" in description
        self.query = [each["name"] for each in description.get("parameters", ()) if each["in"] == "query"]


def operations(client: Client) -> list[Operation]:
    """Return the operations of the server's OpenAPI document."""
    paths = client.send("GET", "/openapi.json").json["paths"]
    return [Operation(method.upper(), path, form) for path, of in paths.items() for method, form in of.items()]


def attack_operations(client: Client, random: Random, seconds: float) -> int:
    """Send mutated bodies, queries and ids to all operations, again and again, and return how many were sent."""
    _prepare(client)
    sent, ends = 0, time.monotonic() + seconds
    every = operations(client)
    for round_number in itertools.count():
        for operation in every:
            if round_number and time.monotonic() > ends:
                return sent
            for body in _bodies(operation, random):
                client.send(operation.method, _path(operation, random), data=body)
                sent += 1
            if operation.method != "GET":
                _restore(client)
    return sent


def _bodies(operation: Operation, random: Random) -> Iterator[bytes | None]:
    if not operation.has_body:
        yield from [None] * 3
        return
    yield random.choice(NO_JSON)
    for _ in range(8):
        yield dumps(mutated(random, operation.body or {"name": "x"}, random.choice([1, 1, 2, 4])))


def _path(operation: Operation, random: Random) -> str:
    """Return the path with odd values in the query, and sometimes for an id."""
    path = operation.path
    if random.random() < 0.1 and (ids := re.findall(r"(?<=/)north-\w+", path)):
        path = path.replace(random.choice(ids), quote(str(odd_value(random))[:500], safe=""))
    names = [name for name in operation.query if random.random() < 0.5]
    query = "&".join(f"{name}={quote_plus(str(odd_value(random))[:2000])}" for name in names)
    return f"{path}?{query}" if query else path


def attack_routes(client: Client, random: Random, seconds: float) -> int:
    """Send long forms and queries of each printable character to all routes in random order; return how many."""
    _prepare(client)
    routes = [(operation.method, operation.path, operation.query) for operation in operations(client)]
    routes += console_routes()
    requests = [(route, character) for route in routes for character in CHARACTERS]
    random.shuffle(requests)
    sent, ends = 0, time.monotonic() + seconds
    for (method, path, names), character in requests:
        if time.monotonic() > ends:
            break
        if method == "GET":
            text = random.choice(long_texts(character, QUERY_SIZE // len(quote_plus(character))))
            client.send("GET", f"{path}?{random.choice(names or _FORM_FIELDS)}={quote_plus(text)}")
        else:
            text = random.choice(long_texts(character))
            _send_long(client, random, method, path, text)
        sent += 1
        if sent % 50 == 0:
            _restore(client)
    return sent


def _send_long(client: Client, random: Random, method: str, path: str, text: str) -> None:
    """Send a long text as a form: encoded, as it is, or as JSON that has the text in each member."""
    if path.startswith("/console"):
        names = random.sample(_FORM_FIELDS, 3)
        client.send_form(path, "&".join(f"{name}={quote_plus(text)}" for name in names).encode())
        return
    kind = random.choice(["form", "bare", "json"])
    if kind == "json":
        client.send(method, path, dict.fromkeys(("name", "code", "query", "content", "description", "url"), text))
    else:
        form = f"name={quote_plus(text)}" if kind == "form" else text
        client.send(method, path, data=form.encode(), headers={"Content-Type": "application/x-www-form-urlencoded"})


def console_routes() -> list[tuple[str, str, list[str]]]:
    """Return method, path and no query parameters of each page and form of the console."""
    collections = {"log_id": "voiceLogs", "deployment_id": "voiceDeployments", "suite_id": "echoSuites"}
    collections |= {"campaign_id": "outboundCampaigns", "delivery_id": "webhookDeliveries"}
    app = create_app(Settings(ephemeral=True, scenario="empty"))
    with app.world.active():
        rules = list(Console(app).url_map.iter_rules())
    app.close()
    routes: list[tuple[str, str, list[str]]] = []
    for rule in rules:
        ids = {name: collections.get(name, f"{name.removesuffix('_id')}s") for name in rule.arguments}
        path = re.sub(r"<int:\w+>", "1", str(rule))
        path = re.sub(r"<(?:path:)?(\w+)>", lambda match, ids=ids: id_of(NORTH, ids[match[1]]), path)  # type: ignore[misc]
        routes += [(method, path, []) for method in ("GET", "POST") if method in (rule.methods or ())]
    return routes


def _prepare(client: Client) -> None:
    """Load the two teams of the contract's tests, and save them."""
    loaded = client.send("PUT", "/_dryline/state", document())
    assert loaded.is_good, loaded.data
    client.send("POST", "/_dryline/snapshots", {"name": SNAPSHOT})


def _restore(client: Client) -> None:
    """Go back to the two teams, which a request may have deleted, and forget rules, settings and snapshots."""
    client.send("DELETE", "/_dryline/faults")
    client.send("PUT", "/_dryline/settings", {"strict": False, "callsPerMinute": 0, "exportMode": "auto"})
    client.send("DELETE", "/_dryline/clock")
    if not client.send("POST", f"/_dryline/snapshots/{quote(SNAPSHOT)}/restore").is_good:
        _prepare(client)


def dumps(value: Any) -> bytes:
    """Return JSON of a value, also of integers that orjson refuses."""
    return json.dumps(value).encode()

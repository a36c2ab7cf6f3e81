"""The same request as curl, Python and JavaScript would make it. Each works as it is copied."""

from __future__ import annotations

import json
import shlex
from collections.abc import Mapping
from typing import NamedTuple
from urllib.parse import quote

from dryline.blueprints.links import base_url
from dryline.models.teams import Team, authenticate
from dryline.storage.current_world import current
from dryline.storage.errors import Unauthorized
from dryline.world.channels import Channel

# Stands for a key that this server does not know in clear.
NO_KEY = "YOUR_API_KEY"

# Where the vendor's client has a channel's logs. Its methods for messages answer nothing, so the raw answer is read.
_RESOURCES = {
    "voice": "voice",
    "chat": "chat",
    "chat-embed": "chat.embed",
    "sms": "sms.with_raw_response",
    "whatsapp": "whatsapp.with_raw_response",
}
# Lists that the API answers whole.
_WHOLE = ("chat", "chat-embed")
# Parameters that its methods do not have, but pass on.
PASSED_ON = ("cursor", "minDuration", "maxDuration", "fields")


class Snippet(NamedTuple):
    """A request in one language."""

    language: str
    code: str


def key_of(team: Team) -> str:
    """A key of the team in clear, where the server was given one: keys themselves are kept as hashes."""
    settings = current().settings
    for secret in [*settings.api_keys, *(["any-key"] if settings.any_key else [])]:
        try:
            if authenticate(secret).team_id == team.id:
                return secret
        except Unauthorized:
            continue
    return NO_KEY


def listing(team: Team, channel: Channel, worker_id: str, query: Mapping[str, str]) -> list[Snippet]:
    """The list of a worker's logs; nothing where the API has no such list. `query` has the wire's names."""
    if not channel.listed:
        return []
    if channel.key in _WHOLE:
        query = {name: value for name, value in query.items() if name not in ("page", "limit")}
    known = {_snake(name): value for name, value in query.items() if name not in PASSED_ON}
    passed_on = {name: value for name, value in query.items() if name in PASSED_ON}
    arguments = [repr(worker_id)]
    arguments += [f"{name}={value if name in ('page', 'limit') else repr(value)}" for name, value in known.items()]
    arguments += [f"extra_query={passed_on!r}"] if passed_on else []
    shown = {
        "voice": "for log in logs.data:\n    print(log.id, log.start_time, log.status)",
        "chat": "for log in logs:\n    print(log.id, log.start_time)",
        "chat-embed": "for log in logs:\n    print(log.id, log.start_time)",
    }.get(channel.key, 'for log in logs.json()["data"]:\n    print(log["id"], log["startTime"])')
    return _snippets(team, channel, worker_id, None, query, "list", arguments, shown)


def one(team: Team, channel: Channel, worker_id: str, log_id: str) -> list[Snippet]:
    """One log of a worker; nothing where the API has no such address."""
    if not channel.listed:
        return []
    arguments = [repr(log_id), f"worker_id={worker_id!r}"]
    raw = "raw_response" in _RESOURCES[channel.key]
    return _snippets(
        team, channel, worker_id, log_id, {}, "retrieve", arguments, "print(logs.json())" if raw else "print(logs)"
    )


def _snippets(
    team: Team,
    channel: Channel,
    worker_id: str,
    log_id: str | None,
    query: Mapping[str, str],
    method: str,
    arguments: list[str],
    shown: str,
) -> list[Snippet]:
    base, key = base_url(), key_of(team)
    address = f"{base}/api/workers/{quote(worker_id, safe='')}/deploymentLogs/{channel.key}"
    address += f"/{quote(log_id, safe='')}" if log_id else ""
    return [
        Snippet("curl", _curl(address, key, query)),
        Snippet("Python", _client(base, key, f"{_RESOURCES[channel.key]}.{method}", arguments, shown)),
        Snippet("JavaScript", _fetch(address, key, query)),
    ]


def _curl(address: str, key: str, query: Mapping[str, str]) -> str:
    parts = [f"curl {'-G ' if query else ''}{shlex.quote(address)}", f"-H {shlex.quote(f'x-api-key: {key}')}"]
    parts += [f"--data-urlencode {shlex.quote(f'{name}={value}')}" for name, value in query.items()]
    return " \\\n  ".join(parts)


def _client(base: str, key: str, method: str, arguments: list[str], shown: str) -> str:
    return (
        "from brainbase_labs import BrainbaseLabs\n\n"
        f"client = BrainbaseLabs(base_url={base!r}, api_key={key!r})\n"
        f"logs = client.workers.deployment_logs.{method}(\n    {f',{chr(10)}    '.join(arguments)},\n)\n"
        f"{shown}\n"
    )


def _fetch(address: str, key: str, query: Mapping[str, str]) -> str:
    if query:
        asked = json.dumps(dict(query), indent=2, ensure_ascii=False)
        begin, address = f"const query = new URLSearchParams({asked});\n", f"`{address}?${{query}}`"
    else:
        begin, address = "", json.dumps(address)
    return (
        f"{begin}const answer = await fetch({address}, {{\n"
        f'  headers: {{ "x-api-key": {json.dumps(key)} }},\n}});\n'
        "if (!answer.ok) throw new Error(await answer.text());\n"
        "console.log(await answer.json());\n"
    )


def _snake(name: str) -> str:
    return "".join(f"_{letter.lower()}" if letter.isupper() else letter for letter in name)

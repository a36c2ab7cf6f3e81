"""A page's request to the API as a curl command and as Python with the vendor's client."""

import json
import re
import shlex
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from flask import g

from dryline.models.teams import Team, authenticate
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import Unauthorized
from dryline.web.links import base_url
from dryline.world.channels import Channel

# Written where the server does not know a key in clear.
NO_KEY = "YOUR_API_KEY"

# The resources of the vendor's client. Its methods for SMS and WhatsApp return None, so the raw response is read.
_RESOURCES = {
    "voice": "voice",
    "chat": "chat",
    "chat-embed": "chat.embed",
    "sms": "sms.with_raw_response",
    "whatsapp": "whatsapp.with_raw_response",
}
# Lists without pages.
_UNPAGED = ("chat", "chat-embed")
# Parameters that the client's methods lack.
EXTRA_PARAMETERS = ("cursor", "minDuration", "maxDuration", "fields")


def clear_key(team_id: str | None) -> str | None:
    """Return a key of the team in clear, if the server was started with one: it stores hashes only."""
    settings = current().settings
    for secret in [*settings.api_keys, *(["any-key"] if settings.any_key else [])]:
        try:
            if authenticate(secret).team_id == team_id:
                return secret
        except Unauthorized:
            continue
    return None


def list_snippets(team: Team, channel: Channel, worker: Worker | None, query: Mapping[str, str]) -> dict[str, str]:
    """Return the request for a worker's logs by language; empty if the API has no such list.

    `query` has the wire's names. The API lists the logs of one worker, so without one there is only Python, in a loop.
    """
    if channel.key in _UNPAGED:
        query = {name: value for name, value in query.items() if name not in ("page", "limit")}
    extra_query = {name: value for name, value in query.items() if name in EXTRA_PARAMETERS}
    arguments = [repr(worker.id) if worker else "worker.id"]
    for name, value in query.items():
        if name not in EXTRA_PARAMETERS:
            arguments.append(f"{snake(name)}={value if name in ('page', 'limit') else repr(value)}")
    arguments += [f"extra_query={extra_query!r}"] if extra_query else []
    output = {
        "voice": "for log in logs.data:\n    print(log.id, log.start_time, log.status)",
        "chat": "for log in logs:\n    print(log.id, log.start_time)",
        "chat-embed": "for log in logs:\n    print(log.id, log.start_time)",
    }.get(channel.key, 'for log in logs.json()["data"]:\n    print(log["id"], log["startTime"])')
    codes = _snippets(team, channel, _path(channel, worker.id if worker else ""), query, "list", arguments, output)
    if worker is None and codes:
        head, call = codes["Python"].split("\nlogs = ")
        loop = "\n".join(f"    {line}" for line in f"logs = {call}".splitlines())
        return {"Python": f"{head}\nfor worker in client.workers.list():\n{loop}\n"}
    return codes


def log_snippets(team: Team, channel: Channel, worker_id: str, log_id: str) -> dict[str, str]:
    """Return the request for one log by language; empty if the API has no such address."""
    output = "print(logs.json())" if channel.key in ("sms", "whatsapp") else "print(logs)"
    arguments = [repr(log_id), f"worker_id={worker_id!r}"]
    path = f"{_path(channel, worker_id)}/{quote(log_id, safe='')}"
    return _snippets(team, channel, path, {}, "retrieve", arguments, output)


def curl_post(path: str, body: Mapping[str, Any]) -> str:
    """Return the curl command that sends a body to a path, below /api with a key of the chosen team."""
    lines = [f"curl {shlex.quote(base_url() + path)}", "-H 'content-type: application/json'"]
    if path.startswith("/api"):
        key = (clear_key(g.team.id) if g.get("team") else None) or NO_KEY
        lines.append(f"-H {shlex.quote(f'x-api-key: {key}')}")
    return " \\\n  ".join([*lines, f"-d {shlex.quote(json.dumps(body))}"])


def _path(channel: Channel, worker_id: str) -> str:
    return f"/api/workers/{quote(worker_id, safe='')}/deploymentLogs/{channel.key}"


def _snippets(
    team: Team, channel: Channel, path: str, query: Mapping[str, str], method: str, arguments: list[str], output: str
) -> dict[str, str]:
    """Return the curl command and the Python code that read logs; none for a channel that the API does not list."""
    if not channel.listed:
        return {}
    base, key = base_url(), clear_key(team.id) or NO_KEY
    curl = [f"curl {'-G ' if query else ''}{shlex.quote(base + path)}", f"-H {shlex.quote(f'x-api-key: {key}')}"]
    curl += [f"--data-urlencode {shlex.quote(f'{name}={value}')}" for name, value in query.items()]
    python = (
        "from brainbase_labs import BrainbaseLabs\n\n"
        f"client = BrainbaseLabs(base_url={base!r}, api_key={key!r})\n"
        f"logs = client.workers.deployment_logs.{_RESOURCES[channel.key]}.{method}(\n"
        f"    {f',{chr(10)}    '.join(arguments)},\n)\n"
        f"{output}\n"
    )
    return {"curl": " \\\n  ".join(curl), "Python": python}


def snake(name: str) -> str:
    """Return a name of the wire as the client's methods write it."""
    return re.sub("([A-Z])", r"_\1", name).lower()

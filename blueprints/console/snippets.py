"""A page's request to the API as a curl command and as Python with the vendor's client."""

import json
import re
import shlex
import textwrap
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from dryline.models.channels import Channel
from dryline.models.teams import Team, digest, look_up_key
from dryline.models.workers import Worker
from dryline.storage.current_world import current
from dryline.storage.errors import Unauthorized
from dryline.web.links import base_url
from dryline.web.paths import PLANE
from dryline.world.masking import mask_json

# Written where the server does not know a key in clear.
NO_KEY = "YOUR_API_KEY"

NO_TOKEN = "YOUR_ADMIN_TOKEN"

# The resources of the vendor's client. Its methods for SMS and WhatsApp return None, so the raw response is read.
_RESOURCES = {
    "voice": "voice",
    "chat": "chat",
    "chat-embed": "chat.embed",
    "sms": "sms.with_raw_response",
    "whatsapp": "whatsapp.with_raw_response",
}
# The code that prints the logs of a list.
_PRINTING = {
    "voice": "for log in logs.data:\n    print(log.id, log.start_time, log.status)",
    "chat": "for log in logs:\n    print(log.id, log.start_time)",
    "chat-embed": "for log in logs:\n    print(log.id, log.start_time)",
}
_PRINTING_JSON = 'for log in logs.json()["data"]:\n    print(log["id"], log["startTime"])'  # of a raw response
# Lists without pages.
_UNPAGED = ("chat", "chat-embed")
# Parameters that the client's methods lack.
EXTRA_PARAMETERS = ("cursor", "minDuration", "maxDuration", "fields")


def clear_key(team_id: str | None) -> str | None:
    """Return a key of the team in clear, if the server was started with one: it stores hashes only."""
    settings = current().settings
    secrets = [*settings.api_keys, "any-key"] if settings.any_key else settings.api_keys
    for secret in secrets:
        try:
            if look_up_key(digest(secret)).team_id == team_id:
                return secret
        except Unauthorized:
            continue
    return None


def plane_curl(method: str, path: str, body: Any = None) -> str:
    """Return a request to the control plane, `path` below its prefix, as a curl command. Secrets are masked."""
    parts = [f"curl -X {method} {shlex.quote(f'{base_url()}{PLANE}{path}')}"]
    if current().settings.admin_token is not None:
        parts.append(f"-H {shlex.quote(f'x-dryline-token: {NO_TOKEN}')}")
    if body is not None:
        text = mask_json(json.dumps(body).encode()).decode()
        parts += ["-H 'content-type: application/json'", f"-d {shlex.quote(text)}"]
    return " ".join(parts)


def request_python(method: str, address: str, body: Any, key: str) -> str:
    """Return a request to the API as Python with the vendor's client, whose methods take any path."""
    arguments = [f"    {address!r},", "    cast_to=httpx.Response,"]
    if body is not None:
        arguments.append(f"    body={body!r},")
    return "\n".join(
        [
            "import httpx",
            "from brainbase_labs import BrainbaseLabs",
            "",
            f"client = BrainbaseLabs(base_url={base_url()!r}, api_key={key!r})",
            f"answer = client.{method.lower()}(",
            *arguments,
            ")",
            "print(answer.status_code, answer.text)",
        ]
    )


def list_snippets(team: Team, channel: Channel, worker: Worker | None, query: Mapping[str, str]) -> dict[str, str]:
    """Return the request for a worker's logs by language; empty if the API has no such list.

    `query` has the wire's names. The API lists the logs of one worker, so without one there is only Python, in a loop.
    """
    if not channel.listed:
        return {}
    if channel.key in _UNPAGED:
        query = {name: value for name, value in query.items() if name not in ("page", "limit")}
    base, key = base_url(), clear_key(team.id) or NO_KEY
    client = f"from brainbase_labs import BrainbaseLabs\n\nclient = BrainbaseLabs(base_url={base!r}, api_key={key!r})\n"
    if worker is None:
        loop = textwrap.indent(_log_listing_code(channel, "worker.id", query), "    ")
        return {"Python": f"{client}for worker in client.workers.list():\n{loop}"}
    path = f"/api/workers/{quote(worker.id, safe='')}/deploymentLogs/{channel.key}"
    curl = [f"curl -s{'G' if query else ''} {shlex.quote(base + path)}", f"-H {shlex.quote(f'x-api-key: {key}')}"]
    curl += [f"--data-urlencode {shlex.quote(f'{name}={value}')}" for name, value in query.items()]
    return {"curl": " \\\n  ".join(curl), "Python": client + _log_listing_code(channel, repr(worker.id), query)}


def _log_listing_code(channel: Channel, worker: str, query: Mapping[str, str]) -> str:
    """Return the lines of Python that print a worker's logs, with the client's names of the parameters."""
    extra_query = {name: value for name, value in query.items() if name in EXTRA_PARAMETERS}
    arguments = [worker]
    for name, value in query.items():
        if name not in EXTRA_PARAMETERS:
            literal = value if name in ("page", "limit") else repr(value)
            arguments.append(f"{snake(name)}={literal}")
    if extra_query:
        arguments.append(f"extra_query={extra_query!r}")
    lines = "".join(f"    {argument},\n" for argument in arguments)
    output = _PRINTING.get(channel.key, _PRINTING_JSON)
    return f"logs = client.workers.deployment_logs.{_RESOURCES[channel.key]}.list(\n{lines})\n{output}\n"


def snake(name: str) -> str:
    """Return a name of the wire as the client's methods write it."""
    return re.sub("([A-Z])", r"_\1", name).lower()

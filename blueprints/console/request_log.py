"""The request log: requests and answers, sent again, checked, or made to fail next time."""

import shlex
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any
from urllib.parse import quote

from flask import current_app, g, render_template, request
from werkzeug.exceptions import BadRequest

from dryline.blueprints.console.base import PageBlueprint, flash_and_redirect, load_texts, team_names, without_new_rows
from dryline.blueprints.console.faults import PRESET_GROUPS
from dryline.blueprints.console.request_reasons import RequestGroup, group_failures, reason_of
from dryline.blueprints.console.snippets import NO_KEY, clear_key, plane_curl, request_python
from dryline.blueprints.control import requests as plane
from dryline.models.teams import Team
from dryline.schemas.checks import TimesSchema
from dryline.schemas.request_log import ConditionsSchema
from dryline.storage.current_world import current
from dryline.storage.errors import DomainError, NotFound
from dryline.web.links import base_url
from dryline.web.operations import find_operation, find_view
from dryline.world.criteria import Bounds
from dryline.world.faults import PRESETS
from dryline.world.masking import MASK
from dryline.world.origins import ALL, CONSOLE, INBOX, ORIGIN_HEADER, ORIGINS
from dryline.world.path_patterns import ENCODED_SLASH
from dryline.world.request_log import Entry
from dryline.world.request_search import Criteria, find_nearest

blp = PageBlueprint("requests", "Request log", "r", path="/requests", all_teams=True)

MAX_LISTED = 100
MAX_MATCHES = 10  # below a verification
METHODS = ("GET", "POST", "PATCH", "PUT", "DELETE")
_FILTERS = ("method", "path", "status", "bodyContains", "fault", "origin")
# Headers that are not sent again: they belong to a connection or to whoever sent them, or the client makes its own.
_CONNECTION_HEADERS = {
    *("host", "content-length", "connection", "accept-encoding", "user-agent", "x-api-key", "transfer-encoding"),
    *(ORIGIN_HEADER.lower(), "x-dryline-token"),
}
# The page of a row, by the prefix of its id.
_PAGES = {
    "worker": ("workers.worker", "worker_id"),
    "log": ("calls.call", "log_id"),
    "campaign": ("campaigns.campaign", "campaign_id"),
    "delivery": ("webhooks.delivery", "delivery_id"),
}


@blp.get("")
def show() -> Any:
    """List requests, equal failures as one row, with `each` in the address one by one.

    `method`, `path`, `status`, `bodyContains`, `fault`, `origin` and `team` in the address filter them.
    """
    return render_template("request_log.html", page=RequestLogPage())


class RequestLogPage:
    """The request log: filters, and the requests that pass them."""

    methods = tuple((method, method) for method in METHODS)
    origins = tuple((origin, origin) for origin in (*ORIGINS, ALL))

    @cached_property
    def filters(self) -> dict[str, str]:
        """The filters of the address."""
        return {name: value for name, value in request.args.items() if value and name in _FILTERS}

    @property
    def conditions(self) -> dict[str, str | None]:
        """The filters that a verification has, too."""
        return {name: self.filters.get(name) for name in ("method", "path", "status", "bodyContains")}

    @cached_property
    def _shown(self) -> tuple[Sequence[Entry], int]:
        newest_first = _criteria_of_filters(self.filters).matches(current().requests.newest_first())
        entries = [entry for entry in newest_first if _passes_other_filters(entry, self.filters)]
        return without_new_rows(entries, "number")

    @property
    def entries(self) -> Sequence[Entry]:
        """The requests that the page was loaded with."""
        return self._shown[0]

    @property
    def new_count(self) -> int:
        """The number of newer ones."""
        return self._shown[1]

    @cached_property
    def groups(self) -> list[RequestGroup]:
        """The rows of the table: equal failures as one."""
        groups = group_failures(self.entries, current().faults, each=bool(request.args.get("each")))
        return groups[:MAX_LISTED]

    @cached_property
    def team_names(self) -> dict[str, str]:
        """The names of the teams, if the page shows requests of all of them."""
        return team_names()

    @property
    def key(self) -> str:
        """A key of the team for an example."""
        return (clear_key(g.team.id) if g.team else None) or NO_KEY


@blp.get("/<int:number>")
def entry(number: int) -> Any:
    return render_template("request.html", page=RequestPage(_find_entry(number)))


@dataclass
class RequestPage:
    """The page of a request, with its answer."""

    entry: Entry

    groups = PRESET_GROUPS
    presets = PRESETS

    @cached_property
    def members(self) -> dict[str, Any]:
        """The request as the control plane answers it."""
        return plane.entry_fields(self.entry)

    @cached_property
    def reason(self) -> str:
        """The reason why it failed."""
        return reason_of(self.entry, current().faults)

    @property
    def curl(self) -> str:
        """The request as a curl command."""
        return as_curl(self.entry)

    @cached_property
    def python(self) -> str | None:
        """The request as Python, if it is one of the API."""
        return as_python(self.entry)

    @cached_property
    def documentation(self) -> str | None:
        """The address of its operation's documentation."""
        return _documentation_address(self.entry)

    @property
    def rows(self) -> list[tuple[str, tuple[str, str] | None]]:
        """The ids of the rows that it was about, each with its page: the endpoint, and the id's name in the path."""
        return [(id, _PAGES.get(id.partition("_")[0])) for id in self.members["touched"]]

    @property
    def team_name(self) -> str | None:
        """The name of its team, or the id of one that is deleted."""
        team = Team.find(id=self.entry.team_id)
        return team.name if team else self.entry.team_id

    @property
    def other_team(self) -> str | None:
        """The id of its team, unless that is the page's."""
        return self.entry.team_id if g.team and self.entry.team_id != g.team.id else None

    @property
    def lacks_key(self) -> bool:
        """Whether it had a key that the server does not know in clear."""
        return _has_key(self.entry, self.members["headers"]) and clear_key(self.entry.team_id) is None

    @property
    def is_repeatable(self) -> bool:
        """Whether it can be sent again, which the masked signature of a link cannot."""
        return MASK not in self.entry.query


@blp.post("/<int:number>/replay")
def replay(number: int) -> Any:
    """Send a request again, with a key of its team."""
    entry = _find_entry(number)
    headers = {
        name: value for name, value in plane.entry_fields(entry)["headers"].items() if name not in _CONNECTION_HEADERS
    }
    if (key := clear_key(entry.team_id)) is not None:
        # The log masks keys. The engine's endpoint takes the key in two other headers.
        if "x-brainbase-api-key" in headers:
            headers["x-brainbase-api-key"] = key
        if "authorization" in headers:
            headers["authorization"] = f"Bearer {key}"
        headers["x-api-key"] = key
    client = current_app.api.test_client()  # type: ignore[attr-defined]
    try:
        answer = client.open(_path_and_query(entry), method=entry.method, headers=headers, data=entry.body or None)
        status = answer.status
    except Exception as error:  # a fault closed the connection
        status = type(error).__name__
    return flash_and_redirect(f"Sent again: {status}.", "requests.show")


@blp.get("/verify")
def verify() -> Any:
    """Run the verification of the control plane. Show what matches, and the nearest misses."""
    verification, problem = None, ""
    matches: list[Entry] = []
    nearest: Sequence[tuple[Entry, list[str]]] = ()
    texts = {name: value for name, value in request.args.items() if value and name != "team"}
    is_asked = bool(texts)
    try:
        times = load_texts(TimesSchema, {name: texts.pop(name, "") for name in ("min", "max")})
        conditions = load_texts(ConditionsSchema, texts)
        criteria = plane.read_criteria({**conditions, "team_id": request.args.get("team") or None})
        matches = list(criteria.matches(current().requests.newest_first()))
        if is_asked:
            verification = plane.verify_requests(criteria, Bounds.of(times["min"], times["max"]))
            nearest = verification.nearest or find_nearest(current().requests, criteria)
    except BadRequest as error:
        problem = error.description or ""
    except DomainError as error:
        problem = str(error)
    return render_template(
        "verify.html",
        verification=verification,
        problem=problem,
        params=request.args,
        matches=matches,
        max_matches=MAX_MATCHES,
        misses=nearest,
    )


@blp.post("/clear")
def clear() -> Any:
    """Empty the log, with `?team=` of the requests of that team."""
    team_id = request.args.get("team") or None
    current().requests.clear(team_id)
    curl = plane_curl("DELETE", f"/requests?team={quote(team_id, safe='')}" if team_id else "/requests")
    return flash_and_redirect("The requests are deleted.", "requests.show", curl=curl)


def as_curl(entry: Entry) -> str:
    """Return the request as a curl command, with the key in clear if the server was started with it."""
    headers = plane.entry_fields(entry)["headers"]
    parts = [f"curl -X {entry.method} {shlex.quote(base_url() + _path_and_query(entry))}"]
    if _has_key(entry, headers):
        parts.append(f"-H {shlex.quote(f'x-api-key: {clear_key(entry.team_id) or NO_KEY}')}")
    parts += [f"-H {shlex.quote(f'{name}: {value}')}" for name, value in headers.items() if name == "content-type"]
    if entry.body:
        parts.append(f"-d {shlex.quote(entry.text())}")
    return " \\\n  ".join(parts)


def as_python(entry: Entry) -> str | None:
    """Return the request as Python with the vendor's client; None unless it is one of the API with a key and JSON."""
    members = plane.entry_fields(entry)
    is_json = not entry.body or not isinstance(members["body"], str)
    if not (_has_key(entry, members["headers"]) and entry.path.startswith("/api/") and is_json):
        return None
    if entry.method.lower() not in ("get", "post", "patch", "put", "delete"):
        return None
    body = members["body"] if entry.body else None
    return request_python(entry.method, _path_and_query(entry), body, clear_key(entry.team_id) or NO_KEY)


def _has_key(entry: Entry, headers: Mapping[str, str]) -> bool:
    """Return whether a request needs a key: it had one, or a person of the team sent it from the console."""
    return "x-api-key" in headers or entry.origin == CONSOLE


def _path_and_query(entry: Entry) -> str:
    """Return the path and the query of a request, as they were sent."""
    slash = quote(ENCODED_SLASH)
    path = quote(entry.path, safe="/:@!$&'()*+,;=~").replace(slash, ENCODED_SLASH)
    return f"{path}?{entry.query}" if entry.query else path


def _find_entry(number: int) -> Entry:
    for entry in current().requests.newest_first():
        if entry.number == number:
            return entry
    raise NotFound(f"Request {number} is no longer in the request log.")


def _criteria_of_filters(filters: dict[str, str]) -> Criteria:
    status = filters.get("status", "")
    return Criteria(
        method=filters.get("method"),
        path=filters.get("path"),
        status=int(status) if status.isdecimal() else None,
        body_contains=filters.get("bodyContains"),
        origin=filters.get("origin"),
    )


def _passes_other_filters(entry: Entry, filters: dict[str, str]) -> bool:
    """Test what `Criteria` cannot: the class of a status (`4xx`), a fault, and the team.

    A request without a valid key has no team. It is listed with those of any team.
    """
    status = filters.get("status", "")
    if status.endswith("xx") and str(entry.status or "")[:1] != status[:1]:
        return False
    if request.args.get("team") and entry.team_id not in (None, request.args["team"]):
        return False
    if entry.origin == INBOX and not filters.keys() & {"origin", "path"}:  # mostly this server's own webhooks
        return False
    return "fault" not in filters or entry.fault_id is not None


def _documentation_address(entry: Entry) -> str | None:
    """Return the address of the operation's documentation."""
    operation = find_operation(entry.endpoint, entry.method)
    if operation is None:
        return None
    return f"/docs#/{quote(find_view(entry.endpoint).tag)}/{operation.operation_id}"

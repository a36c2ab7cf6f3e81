"""A client whose requests are watched: how long an answer takes, and its status."""

from __future__ import annotations

import re
import time
from collections import Counter, defaultdict
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import orjson
import urllib3

from dryline.tools.attack.findings import Findings
from dryline.tools.attack.target import Target

KEY = "dryline-local-key"
LONGEST_S, LONGEST_OF_SLOW_S, GIVE_UP_S = 5, 30, 90
# Loads of whole worlds, simulations and moves of the clock may take long; two operations wait on purpose.
_SLOW = re.compile(r"/_dryline/(state|reset|undo|simulate|clock|snapshots)|/console/(state|world|live)")
_WAITS = re.compile(r"/_dryline/(requests|webhooks)/wait")
DELIBERATE = (501, 503, 507)
_ID = re.compile(r"(?<=/)[a-zA-Z0-9]+[_-][\w%.-]{4,}|(?<=/)\d+(?=/|$)")


class Answer:
    """An answer, or with the status 0 none, because the server was killed."""

    def __init__(self, status: int, data: bytes = b"", headers: Any = None) -> None:
        self.status = status
        self.data = data
        self.headers = headers or {}

    @property
    def is_good(self) -> bool:
        """Whether the request succeeded."""
        return 200 <= self.status < 300

    @property
    def json(self) -> Any:
        """The answer's JSON; None if it has none."""
        try:
            return orjson.loads(self.data)
        except orjson.JSONDecodeError:
            return None


# The requests that begin an epoch, of the world or of a team.
_BEGINS_EPOCH = re.compile(
    r"/_dryline/(?:reset|undo)|PUT /_dryline/state|/restore|DELETE /_dryline/teams/"
    r"|POST /console/(?:world/reset|state/(?:document|scenario)|state/teams/\S+/remove)"
)


class Client:
    """A client of the API, the control plane and the console. Threads may share one."""

    def __init__(self, target: Target, findings: Findings, key: str = KEY) -> None:
        self._target = target
        self._findings = findings
        self._key = key
        self._pool = urllib3.PoolManager(maxsize=16)
        self._statuses: defaultdict[str, Counter[int]] = defaultdict(Counter)
        self._session: dict[str, str] = {}  # the cookie and the token of the console

    @property
    def url(self) -> str:
        """The URL of the server."""
        return self._target.url

    def send(
        self,
        method: str,
        path: str,
        body: Any = None,
        *,
        data: bytes | None = None,
        headers: Mapping[str, str] = MappingProxyType({}),
    ) -> Answer:
        """Send JSON, or `data` as it is, and return the answer. What is wrong with it becomes a finding."""
        if body is not None:
            data = orjson.dumps(body)
        sent_headers = {"x-api-key": self._key, "Content-Type": "application/json", **headers}
        where = f"{method} {_ID.sub('ID', path.partition('?')[0][:150])}"
        self._target.is_up.wait()
        starts, began = self._target.starts, time.monotonic()
        epochs, may_be_cut = self._target.epochs, self._target.unanswered_epochs > 0
        begins_epoch = _BEGINS_EPOCH.search(where) is not None
        self._target.epochs += begins_epoch
        self._target.unanswered_epochs += begins_epoch
        try:
            sent = self._pool.request(
                method,
                self._target.url + path,
                body=data,
                headers=sent_headers,
                retries=False,
                redirect=False,
                timeout=GIVE_UP_S,
            )
        except urllib3.exceptions.ReadTimeoutError:
            self._findings.add("no answer", where, f"within {GIVE_UP_S} s: {str(data)[:200]}")
            return Answer(0)
        except (urllib3.exceptions.HTTPError, OSError) as error:
            self._target.is_up.wait()
            is_cut = may_be_cut or self._target.epochs != epochs  # a reset ends earlier requests
            if self._target.starts == starts and not is_cut:  # nor was the server killed
                self._findings.add("connection", where, error)
            return Answer(0)
        finally:
            self._target.unanswered_epochs -= begins_epoch
        self._watch(where, time.monotonic() - began, sent, path, data)
        return Answer(sent.status, sent.data, sent.headers)

    def send_form(self, path: str, fields: bytes) -> Answer:
        """Send a form of the console, whose fields are URL-encoded already."""
        if not self._session:
            page = self.send("GET", "/console")
            token = re.search(rb'name="_token" value="([^"]+)"', page.data)
            cookie = page.headers.get("Set-Cookie", "").partition(";")[0]
            if token:
                self._session = {"Cookie": cookie, "X-Form-Token": token[1].decode()}
        headers = {**self._session, "Content-Type": "application/x-www-form-urlencoded"}
        return self.send("POST", path, data=fields, headers=headers)

    def never_taken(self) -> dict[str, Counter[int]]:
        """Return the statuses of each method and path to which no request succeeded."""
        return {
            where: each for where, each in self._statuses.items() if not any(200 <= status < 400 for status in each)
        }

    def _watch(self, where: str, seconds: float, sent: Any, path: str, data: bytes | None) -> None:
        self._statuses[where][sent.status] += 1
        limit = LONGEST_OF_SLOW_S if _SLOW.search(path) else LONGEST_S
        if seconds > limit and not _WAITS.search(path):
            self._findings.add(f"slower than {limit} s", where, f"{seconds:.1f} s: {path[-80:]} {str(data)[:200]}")
        if sent.status >= 500 and sent.status not in DELIBERATE:
            self._findings.add(str(sent.status), where, f"{path[-120:]} {str(data)[:300]} -> {sent.data[:120]!r}")

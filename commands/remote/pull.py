"""Copy of a service's state as a state document, by reading only."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, urlencode

from dryline.commands.remote import list_pages
from dryline.commands.remote.list_pages import Following, Query, Row
from dryline.commands.remote.reader import Reader, ReadError
from dryline.world.channels import CHANNELS
from dryline.world.clock import parse

if TYPE_CHECKING:
    from dryline.commands.remote.redact import Redactor  # which needs the extra `redact`

# Of the team, where the service has them. The numbers come first: their countries help to redact all others.
TEAM = {
    "phoneNumbers": "/api/team/assets/phone_numbers",
    "integrations": "/api/team/integrations",
    "tags": "/api/team/tags",
}
# A worker's deployments, by collection: the last part of the list's path.
DEPLOYMENTS = {
    "voiceDeployments": "voice",
    "voicev1Deployments": "voicev1",
    "chatDeployments": "chat",
    "chatEmbedDeployments": "chat-embed",
}
# Channels whose logs come all at once. Contract: README, Pagination.
UNPAGED = ("chat", "chat-embed")
# Members of a collection's rows that are rows of another collection.
NESTED = {"workers": "tags", "voiceDeployments": "customWebhooks"}
PAGE = 100
# Rows of one list that are read: a service may give pages for ever.
MAX_ROWS = 1_000_000


@dataclass
class Pull:
    """One pull. `since` (wire form) limits the logs by their start, `worker_id` selects one worker.

    `on_progress` gets status texts, `done` is the share of the workers that is finished. `left_out` has a line for
    everything that the service did not give, or gave in another form than the contract's.
    """

    reader: Reader
    since: str | None = None
    worker_id: str | None = None
    redactor: Redactor | None = None
    on_progress: Callable[[str], None] = lambda text: None
    left_out: list[str] = field(default_factory=list)
    done: float = 0
    _document: dict[str, Any] = field(default_factory=dict, init=False)
    _about: str = field(default="", init=False)

    def run(self) -> dict[str, Any]:
        """Read everything and return the rows by collection.

        Raises ReadError if the team or its workers cannot be read.
        """
        self._document = {"version": 1}
        [team] = self._read_answer("teams", "/api/team", {}, None)["rows"]
        self._add("teams", [{**team, "apiKeys": []}])
        for collection, path in TEAM.items():
            rows = self._copy(collection, path)
            if self.redactor and collection == "phoneNumbers":
                self.redactor.numbers.know_countries(row.get("countryCode") for row in rows)
        workers = self._read_answer("workers", "/api/workers", {}, list_pages.bare)["rows"]
        if self.worker_id is not None:
            workers = [worker for worker in workers if worker["id"] == self.worker_id]
            if not workers:
                raise ReadError(f"The service has no worker {self.worker_id}")
        self._add("workers", [])
        for number, worker in enumerate(workers):
            self.done = number / len(workers)
            self._worker(worker)
        return self._document

    def _worker(self, worker: Row) -> None:
        base, link = f"/api/workers/{quote(worker['id'], safe='')}", {"workerId": worker["id"]}
        tags = worker.pop("tags", None)
        self._add("workers", [worker])
        if tags is None:
            tags = self._read("tags", f"{base}/tags", {}, list_pages.bare)
        self._add("workerTags", [{**link, "tagId": tag["id"]} for tag in tags])
        self._about = f"{worker.get('name') or worker['id']}: "
        for flow in self._copy("flows", f"{base}/flows", link):
            path = f"{base}/flows/{quote(flow['id'], safe='')}/versions"
            self._copy("flowVersions", path, {"flowId": flow["id"]}, {"limit": PAGE, "offset": 0}, list_pages.by_offset)
        for collection, kind in DEPLOYMENTS.items():
            for deployment in self._copy(collection, f"{base}/deployments/{kind}", link):
                to_it = {"deploymentId": deployment["id"]}
                webhooks = deployment.pop(NESTED.get(collection, ""), ())
                self._add("customWebhooks", [{**webhook, **to_it} for webhook in webhooks])
                path = f"{base}/deployments/{quote(deployment['id'], safe='')}/params"
                self._copy("deploymentParameters", path, to_it)
        for channel in filter(attrgetter("listed"), CHANNELS):
            path = f"{base}/deploymentLogs/{channel.key}"
            if channel.key in UNPAGED:
                rows = self._read(channel.collection, path, {}, list_pages.bare)
            else:
                since = {"startTimeAfter": self.since} if self.since and channel.key == "voice" else {}
                rows = self._read(channel.collection, path, {"limit": PAGE, **since}, list_pages.by_cursor)
            self._add(channel.collection, [{**row, **link} for row in rows if self._is_recent(row)])

    def _copy(
        self,
        collection: str,
        path: str,
        link: Row | None = None,
        query: Query | None = None,
        following: Following = list_pages.bare,
    ) -> list[Row]:
        """Add a list's rows, each with its `link`, to the document and return them."""
        rows = [{**row, **(link or {})} for row in self._read(collection, path, query or {}, following)]
        return self._add(collection, rows)

    def _add(self, collection: str, rows: list[Row]) -> list[Row]:
        self._document.setdefault(collection, []).extend(rows)
        return rows

    def _is_recent(self, row: Row) -> bool:
        """Return whether a log is not older than `since`. One without a time counts as recent."""
        try:
            return self.since is None or parse(row.get("startTime") or row["createdAt"]) >= parse(self.since)
        except (KeyError, TypeError, ValueError):
            return True

    def _read(self, collection: str, path: str, query: Query, following: Following) -> list[Row]:
        """Return all rows of a list. Raises ReadError for errors that may pass, and for a refused key."""
        rows: list[Row] = []
        known: set[str] = set()
        question: Query | None = query
        try:
            while question is not None:
                answer = self._read_answer(collection, path, question, following)
                question, ids = answer["next"], {row["id"] for row in answer["rows"]}
                if question is not None and ids <= known:  # it leads back, or the service does not look at the offset
                    raise ReadError(f"GET {path}: a page has nothing new, and says that there is more")
                if question is not None and len(rows) + len(answer["rows"]) >= MAX_ROWS:
                    question = None
                    self.left_out.append(f"GET {path}: there are more than {MAX_ROWS} records; the rest is not read")
                known |= ids
                rows += answer["rows"]
                self.on_progress(
                    f"{self._about}{collection} {len(rows)}" + (f"/{answer['total']}" if answer["total"] else "")
                )
        except ReadError as error:
            if error.passing or error.status == 401:
                raise
            self.left_out.append(f"{error}" + (f"; {len(rows)} records before it are copied" if rows else ""))
        return rows

    def _read_answer(self, collection: str, path: str, query: Query, following: Following | None) -> Row:
        """Return the `rows` of one answer, the `next` query and the `total`. Without `following` it is one record."""
        question = f"GET {path}" + (f"?{urlencode(query)}" if query else "")
        answer = self.reader.get(path, **query)
        if following is None:
            rows, after = [list_pages.one(question, answer)], None
        else:
            rows, warnings = list_pages.rows_of(question, answer, following)
            after, more_warnings = list_pages.next_question(question, answer, query, following)
            self.left_out += warnings + more_warnings
        rows = [self._row(collection, row, question) for row in rows]
        return {"rows": rows, "next": after, "total": list_pages.total(answer)}

    def _row(self, collection: str, row: Row, question: str) -> Row:
        """Return a row as the document holds it, redacted if a redactor is set."""
        row = dict(row)
        inner = NESTED.get(collection, "")
        nested = row.pop(inner, None)
        if self.redactor:
            row = self.redactor.row(collection, row)
        if nested is None:
            return row
        try:
            nested, warnings = list_pages.rows_of(f"{question}: {inner} of {row['id']}", nested, list_pages.bare)
        except ReadError as error:
            self.left_out.append(str(error))
            return row
        self.left_out += warnings
        return {**row, inner: [self.redactor.row(inner, one) if self.redactor else one for one in nested]}

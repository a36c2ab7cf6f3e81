"""Copy of a service's state as a state document, by reading only."""

from collections.abc import Iterator
from operator import attrgetter
from typing import Any
from urllib.parse import quote

import orjson

from dryline.commands.remote.reader import Reader, ReadError
from dryline.models.channels import CHANNELS
from dryline.world.clock import parse

Row = dict[str, Any]
Query = dict[str, Any]

# Of the team, where the service has them.
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
PAGE = 100


class Pull:
    """One pull. `since` (wire form) limits the logs by their start, `worker_id` selects one worker.

    `left_out` has a line for everything that the service did not give, or gave in a form that cannot be read.
    """

    def __init__(self, reader: Reader, since: str | None = None, worker_id: str | None = None) -> None:
        self.reader, self.since, self.worker_id = reader, since, worker_id
        self.left_out: list[str] = []
        self._document: dict[str, list[Row]] = {}

    def run(self) -> dict[str, list[Row]]:
        """Read everything and return the rows by collection.

        Raises ReadError if the team or its workers cannot be read.
        """
        team = self.reader.get("/api/team")
        if not _is_record(team):
            raise ReadError("GET /api/team: the answer is not a record with an id")
        self._add("teams", [{**team, "apiKeys": []}])
        for collection, path in TEAM.items():
            self._copy(collection, path)
        workers = self._valid_rows("GET /api/workers", self.reader.get("/api/workers"))
        if self.worker_id is not None:
            workers = [worker for worker in workers if worker["id"] == self.worker_id]
            if not workers:
                raise ReadError(f"The service has no worker {self.worker_id}")
        self._add("workers", [])  # before what the workers have, also if there are none
        for number, worker in enumerate(workers, 1):
            self.reader.on_progress(f"worker {number} of {len(workers)}")
            self._copy_worker(worker)
        return self._document

    def _copy_worker(self, worker: Row) -> None:
        base = f"/api/workers/{quote(worker['id'], safe='')}"
        link = {"workerId": worker["id"]}
        tags = self._take_nested_rows(f"{base}: tags", worker, "tags")
        self._add("workers", [worker])
        if tags is None:
            tags = list(self._read_rows(f"{base}/tags"))
        self._add("workerTags", [{**link, "tagId": tag["id"]} for tag in tags])
        for flow in self._copy("flows", f"{base}/flows", link):
            versions = f"{base}/flows/{quote(flow['id'], safe='')}/versions"
            self._copy("flowVersions", versions, {"flowId": flow["id"]}, {"limit": PAGE, "offset": 0})
        for collection, kind in DEPLOYMENTS.items():
            for deployment in self._copy(collection, f"{base}/deployments/{kind}", link):
                path = f"{base}/deployments/{quote(deployment['id'], safe='')}"
                to_it = {"deploymentId": deployment["id"]}
                webhooks = self._take_nested_rows(f"{path}: webhooks", deployment, "customWebhooks") or ()
                self._add("customWebhooks", [{**webhook, **to_it} for webhook in webhooks])
                self._copy("deploymentParameters", f"{path}/params", to_it)
        for channel in filter(attrgetter("listed"), CHANNELS):
            query: Query = {} if channel.key in UNPAGED else {"limit": PAGE}
            if self.since and channel.key == "voice":
                query["startTimeAfter"] = self.since
            logs = self._read_rows(f"{base}/deploymentLogs/{channel.key}", query)
            self._add(channel.collection, [{**row, **link} for row in logs if self._is_recent(row)])

    def _copy(self, collection: str, path: str, link: Row | None = None, query: Query | None = None) -> list[Row]:
        """Add a list's rows, each with its `link`, to the document and return them."""
        return self._add(collection, [{**row, **(link or {})} for row in self._read_rows(path, query)])

    def _add(self, collection: str, rows: list[Row]) -> list[Row]:
        self._document.setdefault(collection, []).extend(rows)
        return rows

    def _is_recent(self, row: Row) -> bool:
        """Return whether a log is not older than `since`. One without a time counts as recent."""
        try:
            return self.since is None or parse(row.get("startTime") or row["createdAt"]) >= parse(self.since)
        except (KeyError, TypeError, ValueError):
            return True

    def _read_rows(self, path: str, query: Query | None = None) -> Iterator[Row]:
        """Yield all rows of a list. Raises ReadError for errors that may pass, and for a refused key."""
        known: set[str] = set()
        following: Query | None = query or {}
        request_line = f"GET {path}"
        try:
            while following is not None:
                answer = self.reader.get(path, **following)
                new = [row for row in self._valid_rows(request_line, answer) if row["id"] not in known]
                yield from new
                known.update(row["id"] for row in new)
                following = _next_query(request_line, answer, following)
                if following is not None and not new:  # it leads back, or the service does not look at the offset
                    raise ReadError(f"{request_line}: a page has nothing new, and says that there is more")
        except ReadError as error:
            if error.passing or error.status == 401:
                raise
            report = str(error)
            if known:
                report += f"; {len(known)} records before it are copied"
            self.left_out.append(report)

    def _valid_rows(self, request_line: str, answer: Any) -> list[Row]:
        """Return the rows of a list or a page, and report in `left_out` how many are none.

        Raises ReadError if the answer is neither. Messages name the `request_line`.
        """
        rows = answer.get("data") if isinstance(answer, dict) else answer
        if not isinstance(rows, list):
            raise ReadError(f"{request_line}: the answer is not a list of records")
        good = [row for row in rows if _is_record(row)]
        if len(good) < len(rows):
            self.left_out.append(f"{request_line}: {len(rows) - len(good)} of {len(rows)} are not records with an id")
        return good

    def _take_nested_rows(self, request_line: str, row: Row, member: str) -> list[Row] | None:
        """Take the rows of another collection out of a row; None if it has none."""
        nested = row.pop(member, None)
        try:
            return None if nested is None else self._valid_rows(request_line, nested)
        except ReadError as error:
            self.left_out.append(str(error))
            return []


def _next_query(request_line: str, answer: Any, query: Query) -> Query | None:
    """Return the query of the next page by cursor, page number or offset; None after the last one.

    Raises ReadError if there are more rows and the answer does not say how to get them. Contract: README, Pagination.
    """
    if not isinstance(answer, dict):
        return None
    rest = {name: value for name, value in query.items() if name not in ("cursor", "page")}
    if isinstance(cursor := answer.get("nextCursor"), str) and cursor:
        return {**rest, "cursor": cursor}
    pagination = answer.get("pagination")
    if isinstance(pagination, dict) and pagination.get("hasNext") is True:
        return {**rest, "page": query.get("page", 1) + 1}
    if not answer.get("hasMore"):
        return None
    if "offset" in query and answer["data"]:
        return {**query, "offset": query["offset"] + len(answer["data"])}
    raise ReadError(f"{request_line}: there are more, but the answer does not say how to get them")


def _is_record(value: Any) -> bool:
    """Return whether a value is a record with an id that is not nested too deeply to be stored."""
    if not (isinstance(value, dict) and isinstance(value.get("id"), str) and value["id"]):
        return False
    try:
        orjson.dumps([[[value]]])
    except TypeError:
        return False
    return True

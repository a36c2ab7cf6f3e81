"""Copies a running service's state into a state document, reading only."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from dryline.remote.reader import Reader, ReadError

# What a worker has, by collection: the list's path below the worker.
CHANNELS = {
    "voiceDeployments": "voice",
    "voicev1Deployments": "voicev1",
    "chatDeployments": "chat",
    "chatEmbedDeployments": "chat-embed",
}
PAGED_LOGS = {"voiceLogs": "voice", "smsLogs": "sms", "whatsappLogs": "whatsapp"}
PLAIN_LOGS = {"chatLogs": "chat", "chatEmbedLogs": "chat-embed"}
# Of the team, where the service has them.
TEAM = {
    "integrations": "/api/team/integrations",
    "phoneNumbers": "/api/team/assets/phone_numbers",
    "tags": "/api/team/tags",
}


@dataclass
class Pull:
    """One copying. `since` (wire form) bounds the logs by their start, `worker_id` takes one worker only.

    `tell` hears what is being read, `done` is the share of the workers that is finished; `missing` collects what the
    service does not have, which is left out.
    """

    reader: Reader
    since: str | None = None
    worker_id: str | None = None
    tell: Callable[[str], None] = lambda text: None
    missing: list[str] = field(default_factory=list)
    done: float = 0

    def run(self) -> dict[str, Any]:
        """The state document. Raises ReadError when the team or its workers cannot be read."""
        team = self.reader.get("/api/team")
        document: dict[str, Any] = {"version": 1, "teams": [{**team, "apiKeys": []}]}
        for collection, path in TEAM.items():
            document[collection] = self._optional(path)
        workers = self.reader.get("/api/workers")
        if self.worker_id is not None:
            workers = [worker for worker in workers if worker["id"] == self.worker_id]
            if not workers:
                raise ReadError(f"No worker {self.worker_id}.")
        document["workers"] = []
        for number, worker in enumerate(workers):
            self.done = number / len(workers)
            self._worker(document, dict(worker))
        self._mend(document)
        return document

    def _worker(self, document: dict[str, Any], worker: dict[str, Any]) -> None:
        tags = worker.pop("tags", None)
        if tags is None:
            tags = self._optional(f"/api/workers/{worker['id']}/tags")
        document["workers"].append(worker)
        _extend(document, "workerTags", ({"workerId": worker["id"], "tagId": tag["id"]} for tag in tags))
        self.tell(f"{worker['name']}: flows")
        base = f"/api/workers/{worker['id']}"
        for flow in self._optional(f"{base}/flows"):
            _extend(document, "flows", [{**flow, "workerId": worker["id"]}])
            self._versions(document, base, flow["id"])
        for collection, channel in CHANNELS.items():
            self.tell(f"{worker['name']}: {channel} deployments")
            for deployment in self._optional(f"{base}/deployments/{channel}"):
                deployment.pop("customWebhooks", None)
                _extend(document, collection, [{**deployment, "workerId": worker["id"]}])
                parameters = self._optional(f"{base}/deployments/{deployment['id']}/params")
                _extend(document, "deploymentParameters", parameters)
        self._logs(document, worker, base)

    def _versions(self, document: dict[str, Any], base: str, flow_id: str) -> None:
        path = f"{base}/flows/{flow_id}/versions"
        try:
            for page in self.reader.offset_pages(path):
                _extend(document, "flowVersions", page["data"])
        except ReadError as error:
            self._left_out(error)

    def _logs(self, document: dict[str, Any], worker: dict[str, Any], base: str) -> None:
        for collection, channel in PAGED_LOGS.items():
            query = {"startTimeAfter": self.since} if channel == "voice" else {}
            done = 0
            try:
                for page in self.reader.cursor_pages(f"{base}/deploymentLogs/{channel}", **query):
                    _extend(document, collection, self._recent(page["data"], worker["id"]))
                    done += len(page["data"])
                    total = page.get("pagination", {}).get("total", done)
                    self.tell(f"{worker['name']}: {channel} logs {done}/{total}")
            except ReadError as error:
                self._left_out(error)
        for collection, channel in PLAIN_LOGS.items():
            self.tell(f"{worker['name']}: {channel} logs")
            rows = self._optional(f"{base}/deploymentLogs/{channel}")
            _extend(document, collection, self._recent(rows, worker["id"]))

    def _recent(self, rows: Iterable[dict[str, Any]], worker_id: str) -> Iterable[dict[str, Any]]:
        for row in rows:
            began = row.get("startTime") or row.get("createdAt")
            if self.since is None or began is None or began >= self.since:
                yield {**row, "workerId": worker_id}

    def _optional(self, path: str) -> list[dict[str, Any]]:
        try:
            answer = self.reader.get(path)
        except ReadError as error:
            self._left_out(error)
            return []
        return answer if isinstance(answer, list) else answer.get("data", [])

    def _left_out(self, error: ReadError) -> None:
        if error.status is None or error.status in (401, 403, 429) or error.status >= 500:
            raise error
        self.missing.append(str(error))

    def _mend(self, document: dict[str, Any]) -> None:
        """Drop links that lead out of what was copied, where the state document wants them whole."""
        known = {row["id"] for row in document["workers"]}
        for name in ("integrations", "phoneNumbers"):
            for row in document[name]:
                if row.get("workerId") not in known:
                    row["workerId"] = None
        integrations = {row["id"] for row in document["integrations"]}
        for row in document["phoneNumbers"]:
            if row.get("integrationId") not in integrations:
                row["integrationId"] = None
        versions = {row["id"] for row in document.get("flowVersions", [])}
        for name in ("chatDeployments", "chatEmbedDeployments"):
            for row in document.get(name, []):
                if row.get("flowVersionId") not in versions:
                    row["flowVersionId"] = None


def _extend(document: dict[str, Any], collection: str, rows: Iterable[dict[str, Any]]) -> None:
    document.setdefault(collection, []).extend(rows)

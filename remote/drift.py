"""Compares another service's answers with the contract: safe reads only, field by field."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

from dryline.remote.reader import Reader, ReadError
from dryline.remote.shapes import Shapes

# Where ids for path parameters come from: parameter -> (list operation, member of its items).
# Filling one fills the worker that it belongs to; a worker alone comes last.
SOURCES: tuple[tuple[str, str, str], ...] = (
    ("integrationId", "/api/team/integrations", "id"),
    ("exportId", "/api/team/exports", "id"),
    ("flowId", "/api/workers/{workerId}/flows", "id"),
    ("versionId", "/api/workers/{workerId}/flows/{flowId}/versions", "id"),
    ("folderId", "/api/workers/{workerId}/folders", "id"),
    ("resourceId", "/api/workers/{workerId}/resources/link", "id"),
    ("errorId", "/api/workers/{workerId}/runtime-errors", "id"),
    ("sessionId", "/api/workers/{workerId}/deploymentLogs/voice", "bbEngineSessionId"),
    ("chatAgentId", "/api/workers/{workerId}/deployments/chat", "chatAgentId"),
    ("embedId", "/api/workers/{workerId}/deployments/chat-embed", "embedId"),
    ("campaignId", "/api/workers/{workerId}/deployments/voice/{deploymentId}/outbound-campaigns", "id"),
    ("webhookId", "/api/workers/{workerId}/deployments/{deploymentId}/voice/customWebhooks", "id"),
    ("workerId", "/api/workers", "id"),
)
# Parameters that mean another thing on each path: the first part of the path that fits, and the list for it.
BY_PATH: tuple[tuple[str, str, str], ...] = (
    ("/api/workers/business-hours/{id}", "id", "/api/workers/business-hours"),
    ("/api/workers/team-phone-hours/{id}", "id", "/api/workers/team-phone-hours"),
    ("/api/workers/{id}", "id", "/api/workers"),
    ("/api/echo/scorecards/{id}", "id", "/api/echo/scorecards"),
    ("/api/logs/{logId}", "logId", "/api/workers/{workerId}/deploymentLogs/voice"),
    ("/api/workers/{workerId}/llm-logs/{logId}", "logId", "/api/workers/{workerId}/llm-logs"),
)


@dataclass
class Finding:
    """Something that leaves the contract."""

    operation: str
    path: str
    what: str

    @property
    def harmless(self) -> bool:
        """Whether a client can live with it: one more member."""
        return self.what == "unknown member"


@dataclass
class Drift:
    """One comparison. `document` is dryline's OpenAPI document, `read` reads from the service that is compared."""

    document: dict[str, Any]
    reader: Reader
    tell: Callable[[str], None] = lambda text: None
    checked: list[str] = field(default_factory=list)
    skipped: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.shapes = Shapes(self.document)
        self._answers: dict[str, Any] = {}

    def run(self) -> Iterator[Finding]:
        """Every deviation, operation by operation. Raises ReadError when the service cannot be reached at all."""
        self.reader.get("/api/team")
        for path, operations in self.document["paths"].items():
            operation = operations.get("get")
            if operation is None or not path.startswith("/api/") or "/upload/" in path:
                continue
            self.tell(path)
            query = self._required_query(operation)
            filled = self._fill(path)
            if filled is None or query is None:
                self.skipped.append(f"GET {path}")
                continue
            yield from self._compare(f"GET {path}", operation, filled, query)

    def _compare(self, name: str, operation: dict[str, Any], path: str, query: dict[str, Any]) -> Iterator[Finding]:
        try:
            value = self._read(path, **query)
        except ReadError as error:
            if error.status == 404 and path.endswith("/default-checks"):  # never initialised: in the contract
                self.skipped.append(name)
                return
            yield Finding(name, "(status)", str(error))
            return
        self.checked.append(name)
        content = operation["responses"]["200"].get("content", {}).get("application/json")
        if content:
            for where, what in self.shapes.deviations(content["schema"], value):
                yield Finding(name, where, what)

    def _read(self, path: str, **query: Any) -> Any:
        key = f"{path}?{sorted(query.items())}"
        if key not in self._answers:
            self._answers[key] = self.reader.get(path, **query)
        return self._answers[key]

    def _required_query(self, operation: dict[str, Any]) -> dict[str, Any] | None:
        """Values for the query parameters that must be sent; None when we know none."""
        known = {"countryCode": "US", "numberType": "Local"}
        wanted = [p["name"] for p in operation.get("parameters", []) if p.get("in") == "query" and p.get("required")]
        return {name: known[name] for name in wanted} if set(wanted) <= set(known) else None

    def _fill(self, path: str) -> str | None:
        """The path with ids of things that are there; None when there are none."""
        for template, parameter, source in BY_PATH:
            if path == template:
                return self._with(path, parameter, source, "id")
        if "{deploymentId}" in path:
            channel = re.search(r"/deployments/(voicev1|voice|chat-embed|chat)/", path)
            path = self._with(path, "deploymentId", self._deployments(channel[1] if channel else "voice"), "id") or ""
        if "{logId}" in path:
            path = self._with(path, "logId", path.replace("/{logId}", ""), "id") or ""
        for parameter, source, member in SOURCES:
            if path and f"{{{parameter}}}" in path:
                path = self._with(path, parameter, source, member) or ""
        return path if path and "{" not in path else None

    def _deployments(self, channel: str) -> str:
        return f"/api/workers/{{workerId}}/deployments/{channel}"

    def _with(self, path: str, parameter: str, source: str, member: str) -> str | None:
        """`path` with `parameter` filled from the first item of the list at `source`; shared parameters agree."""
        for worker in self._items("/api/workers"):
            concrete = source.replace("{workerId}", worker["id"])
            target = path.replace("{workerId}", worker["id"])
            for known in re.findall(r"/(?:flows|deployments/\w+|deployments)/([^/{]+)", target):
                concrete = re.sub(r"\{(flowId|deploymentId)\}", known, concrete)
            if "{" in concrete:
                filled = self._fill(concrete)
                if filled is None:
                    continue
                concrete = filled
            for item in self._items(concrete):
                if item.get(member):
                    return target.replace(f"{{{parameter}}}", item[member])
        return None

    def _items(self, path: str) -> list[dict[str, Any]]:
        try:
            answer = self._read(path)
        except ReadError:
            return []
        if isinstance(answer, dict):
            answer = next((value for value in answer.values() if isinstance(value, list)), [])
        return [item for item in answer if isinstance(item, dict)]

"""Comparison of a service's answers with the contract, field by field, by safe reads only."""

import re
from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import quote

from dryline.commands.remote.reader import Reader, ReadError, Reply
from dryline.commands.remote.shapes import Shapes

# The values of a path parameter come from the list that the path begins with, such as /api/workers for
# /api/workers/{workerId}/flows, and its rows' `id`; where there is none, from these lists and members.
SOURCES: dict[str, tuple[str, str]] = {
    "workerId": ("/api/workers", "id"),
    "flowId": ("/api/workers/{workerId}/flows", "id"),
    "deploymentId": ("/api/workers/{workerId}/deployments/voice", "id"),
    "resourceId": ("/api/workers/{workerId}/resources/link", "id"),
    "callId": ("/api/workers/{workerId}/llm-logs", "callId"),
    "logId": ("/api/workers/{workerId}/deploymentLogs/voice", "id"),
    "sessionId": ("/api/workers/{workerId}/deploymentLogs/voice", "bbEngineSessionId"),
    "chatAgentId": ("/api/workers/{workerId}/deployments/chat", "chatAgentId"),
    "embedId": ("/api/workers/{workerId}/deployments/chat-embed", "embedId"),
}
# Values for the query parameters that must be sent.
QUERY = {"countryCode": "US", "numberType": "Local"}
# The rows of a list that are tried until one has the values that an operation needs.
MAX_ROWS_TRIED = 20

Sources = dict[str, tuple[str, str]]


class DriftFinding(NamedTuple):
    """A deviation from the contract."""

    operation: str
    path: str
    what: str  # an unknown member does not affect clients


class Drift:
    """One comparison. `document` is dryline's OpenAPI document, `reader` reads from the other service.

    After `run`, `checked` has the operations whose answers were compared, `empty` those of them that answered an empty
    list, `skipped` those that could not be called, with the reason.
    """

    def __init__(self, document: dict[str, Any], reader: Reader) -> None:
        self.document, self.reader = document, reader
        self.checked: list[str] = []
        self.empty: list[str] = []
        self.skipped: dict[str, str] = {}
        self._answers: dict[str, Reply] = {}

    def run(self) -> Iterator[DriftFinding]:
        """Yield every deviation, operation by operation. Raises ReadError if the service gives no team for this key."""
        shapes = Shapes(self.document)
        self._read_once("/api/team")
        for path, operations in self.document["paths"].items():
            operation = operations.get("get")
            if operation is None or not path.startswith("/api/") or "/upload/" in path:
                continue
            required = [p["name"] for p in operation.get("parameters", []) if p["in"] == "query" and p.get("required")]
            try:
                steps, query = self._parameter_sources(path), {name: QUERY[name] for name in required}
            except KeyError as error:
                self.skipped[f"GET {path}"] = f"no answer gives a {error.args[0]}"
                continue
            values = next(self._parameter_values(list(steps.items()), {}), None)
            if values is None:
                self.skipped[f"GET {path}"] = "nothing is there to read"
                continue
            yield from self._compare(shapes, path, operation, path.format(**values), query)

    def _compare(
        self, shapes: Shapes, template: str, operation: dict[str, Any], path: str, query: dict[str, Any]
    ) -> Iterator[DriftFinding]:
        name = f"GET {template}"
        try:
            status, value = self._read_once(path, **query)
        except ReadError as error:
            if error.status == 404 and path.endswith("/default-checks"):
                self.skipped[name] = "never initialised"  # a 404 then, in the contract
            else:
                yield DriftFinding(name, "(status)" if error.status else "(answer)", str(error))
            return
        self.checked.append(name)
        if _list_in(value) == []:
            self.empty.append(name)
        if str(status) not in operation["responses"]:
            expected = " or ".join(code for code in operation["responses"] if code.startswith("2"))
            yield DriftFinding(name, "(status)", f"is {status}, not {expected}")
        content = operation["responses"]["200"].get("content", {}).get("application/json")
        if content:
            for where, what in shapes.deviations(content["schema"], value):
                yield DriftFinding(name, where, what)

    def _read_once(self, path: str, **query: Any) -> Reply:
        key = f"{path}?{sorted(query.items())}"
        if key not in self._answers:
            self._answers[key] = self.reader.get_reply(path, **query)
        return self._answers[key]

    def _parameter_values(
        self, steps: list[tuple[str, tuple[str, str]]], known: dict[str, str]
    ) -> Iterator[dict[str, str]]:
        """Yield values for the parameters of `steps` that belong together: a row's, then those of the rows below it."""
        if not steps:
            yield known
            return
        (parameter, (source, member)), *rest = steps
        for row in self._read_rows(source.format(**known))[:MAX_ROWS_TRIED]:
            value = row.get(member)
            if isinstance(value, str) and value:
                yield from self._parameter_values(rest, {**known, parameter: quote(value, safe="")})

    def _read_rows(self, path: str) -> list[dict[str, Any]]:
        """Return the rows of a list; none if it cannot be read, which the list's own comparison reports."""
        try:
            rows = _list_in(self._read_once(path).value)
        except ReadError:
            return []
        return [row for row in rows or () if isinstance(row, dict)]

    def _parameter_sources(self, path: str) -> Sources:
        """Return the parameters of a path with their sources, in the order in which they can be read.

        Raises KeyError for a parameter without a source.
        """
        steps: Sources = {}
        for parameter in re.findall(r"\{(\w+)\}", path):
            source = path.partition(f"/{{{parameter}}}")[0], "id"
            if "get" not in self.document["paths"].get(source[0], {}):
                source = SOURCES[parameter]
            steps = {**steps, **self._parameter_sources(source[0]), parameter: source}
        return steps


def _list_in(answer: Any) -> list[Any] | None:
    """Return the list that an answer is or contains; None if there is none."""
    if isinstance(answer, dict):
        return next((answer[name] for name in ("data", "logs") if isinstance(answer.get(name), list)), None)
    return answer if isinstance(answer, list) else None

"""Calls operations by their id and notes the first call of each."""

from __future__ import annotations

from typing import Any

import orjson

from dryline.app import create_app
from dryline.settings import Settings
from dryline.state.scenarios import SHIPPED

NOW = "2026-11-20T17:00:00Z"  # when the demo's times are of, so that they stay as they are
HEADERS = {"x-api-key": "dryline-local-key"}
BASE = "http://127.0.0.1:4010"
_BYTES = ("application/octet-stream", "application/gzip")
_LONGEST_TEXT = 400  # characters; of a longer one, whole lines at its start are shown

Json = Any


class Walk:
    """A stand-in with the demo world, whose clock stands still and whose ids repeat."""

    def __init__(self) -> None:
        self.app = create_app(Settings(ephemeral=True, scenario="empty", seed=1))
        self.client = self.app.test_client()
        self.examples: dict[str, Json] = {}
        self.errors: dict[str, Json] = {}
        self.operations = {
            operation["operationId"]: (method.upper(), path, operation)
            for path, operations in self.app.openapi.document()["paths"].items()
            for method, operation in operations.items()
        }
        self.send("PUT", "/_dryline/clock", json={"now": NOW, "frozen": True})
        loaded = self.send(
            "PUT", "/_dryline/state", data=(SHIPPED / "demo.json").read_bytes(), content_type="application/json"
        )
        assert loaded.status_code == 204, loaded.text

    def __enter__(self) -> Walk:
        return self

    def __exit__(self, *exception: object) -> None:
        self.app.close()

    def __call__(
        self, operation_id: str, *ids: str, body: Json = None, data: bytes | None = None, expect: int = 0, **query: Json
    ) -> Json:
        """Call an operation with the ids of its path, and return its answer. Raises AssertionError if it is refused.

        Refused is every answer but of 200 and above, below 300, or of `expect`, that the document describes.
        """
        method, path, operation = self.operations[operation_id]
        for id in ids:
            path = path.replace(path[path.index("{") : path.index("}") + 1], id, 1)
        sent: Json = {"json": body} if body is not None else {"data": data} if data is not None else {}
        answer = self.send(method, path, query_string=query, **sent)
        right = answer.status_code == expect if expect else 200 <= answer.status_code < 300
        assert right and str(answer.status_code) in operation["responses"], f"{operation_id}: {answer.text[:600]}"
        self._note(operation_id, body, answer)
        return answer.json if answer.is_json else answer.data if answer.mimetype in _BYTES else answer.text

    def refused(self, name: str, method: str, path: str, **sent: Json) -> None:
        """Make a call that is answered by the error of this name in the document."""
        answer = self.send(method, path, **sent)
        assert answer.status_code >= 400, f"{name}: {answer.text[:600]}"
        self.errors[name] = answer.json

    def send(self, method: str, path: str, **sent: Json) -> Json:
        """Send a request without noting it, and return the whole answer."""
        return self.client.open(path, BASE, method=method, buffered=True, **{"headers": HEADERS, **sent})

    def get(self, path: str) -> Json:
        """Return the value at a path of the state, without recording the call."""
        return self.send("GET", path).json

    def wait(self, seconds: int) -> None:
        """Let API time pass. What is due by then happens."""
        self.send("POST", "/_dryline/clock/advance", json={"seconds": seconds})

    def newest(self, collection: str, **members: Json) -> Json:
        """Return a row of the state that has these members."""
        rows = self.get("/_dryline/state")[collection]
        return next(row for row in rows if all(row.get(name) == value for name, value in members.items()))

    def _note(self, operation_id: str, body: Json, answer: Json) -> None:
        noted = self.examples.setdefault(operation_id, {})
        if body is not None:
            noted.setdefault("body", body)
        if answer.data and not answer.mimetype.startswith(("audio/", *_BYTES)):
            shown = shortened(answer.json if answer.is_json else answer.text)
            if operation_id == "getState":  # one row says enough of a collection, and three of the document
                shown |= {
                    name: [] for name, rows in shown.items() if rows and name not in ("version", "writtenBy", *_SHOWN)
                }
            noted.setdefault("answers", {}).setdefault(str(answer.status_code), {}).setdefault(answer.mimetype, shown)


_SHOWN = ("teams", "workers", "flows")


def shortened(value: Json, most: int = 1) -> Json:
    """Shorten lists and texts of a value: of the outermost list one row is left, of inner ones two."""
    if isinstance(value, dict):
        return {name: shortened(inner, 2) for name, inner in value.items()}
    if isinstance(value, list):
        return [shortened(inner, 2) for inner in value[:most]]
    if isinstance(value, str) and len(value) > _LONGEST_TEXT:
        return value[: max(value.rfind("\n", 0, _LONGEST_TEXT), 0)] or value[:_LONGEST_TEXT]
    return value


def text(walk: Walk) -> bytes:
    """Return the content of the examples' file, one operation a line, so that a diff shows the change."""
    lines = [
        b'"errors": ' + orjson.dumps(walk.errors, option=orjson.OPT_SORT_KEYS),
        *(b'"%s": ' % name.encode() + orjson.dumps(walk.examples[name]) for name in sorted(walk.examples)),
    ]
    return b"{\n" + b",\n".join(lines) + b"\n}\n"

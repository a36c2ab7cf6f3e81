"""The contract's operations and records, as data for tests."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)


def _load(name: str) -> Any:
    return yaml.load((Path(__file__).parent / f"{name}.yaml").read_text(), Loader=_LOADER)[name]


OPERATIONS: list[dict[str, Any]] = _load("operations")
RECORDS: dict[str, dict[str, Any]] = _load("records")


def by_id(operation: dict[str, Any]) -> str:
    """Return the name of an operation in the ids of parametrized tests."""
    return operation["id"]


def parameters(path: str) -> list[str]:
    """Return the names of a path's parameters, in order."""
    return re.findall(r"{(\w+)}", path)


def fill(path: str, *values: str) -> str:
    """Return the path with its parameters replaced, in order."""
    left = iter(values)
    return re.sub(r"{\w+}", lambda match: next(left), path)


# What a plain "x" or 1 would not do for. All else follows from the member's type.
_EXAMPLES = {
    "phoneNumber": "+14155550142",
    "phoneNumbers": ["+14155550143"],
    "url": "http://127.0.0.1:9/hook",
    "rawLink": "https://example.com/page",
    "hours": {"monday": "09:00-17:00"},
    "startDate": "2026-01-01T00:00:00Z",
    "endDate": "2026-01-31T00:00:00Z",
    "countryCode": "US",
    "timestamp": 1_760_000_000,
    "fields": "recording_url",
    "s3FilePath": "https://example.com/file.txt",
}


def example(field: dict[str, Any]) -> Any:
    """Return a valid value of a body member or query parameter."""
    if field.get("enum"):
        return field["enum"][0]
    if field["name"] in _EXAMPLES:
        return _EXAMPLES[field["name"]]
    kind = field["type"]
    if kind == "array of object" and field.get("fields"):
        return [example_object(field["fields"])]
    if kind.startswith("array"):
        return []
    if kind == "object":
        return example_object(field.get("fields", []))
    simple = {"string": "x", "number": 1, "integer": 1, "boolean": True, "any": "x"}
    return (simple | {"timestamp": _EXAMPLES["startDate"]})[kind]


def example_object(fields: list[dict[str, Any]]) -> dict[str, Any]:
    """Return an object with those of the members that are required."""
    return {field["name"]: example(field) for field in fields if field["required"]}


def whole(field: dict[str, Any]) -> Any:
    """Return a valid value of a body member with all known members, optional ones too."""
    inner = field.get("fields")
    if not inner:
        return [] if field["type"].startswith("array") else example(field)
    value = {one["name"]: whole(one) for one in inner if not one["name"].startswith("<")}
    if field["type"].startswith("array"):
        return [value]
    return {"key": value} if field.get("meaning", "").startswith("map: ") else value


def example_request(operation: dict[str, Any]) -> dict[str, Any]:
    """Return a request with the required members only, as arguments of werkzeug's test client."""
    sent: dict[str, Any] = {}
    if operation["query"]:
        sent["query_string"] = example_object(operation["query"])
    if operation["body"]:
        sent["json"] = example_object(operation["body"]["fields"] or [])
    return sent

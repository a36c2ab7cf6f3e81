"""Validation of a JSON value against a schema of the OpenAPI document, member by member.

A validator library would bring six packages into every installation for one command, and would quote whole values,
which are somebody's data.
"""

import re
from collections.abc import Iterator
from datetime import datetime
from itertools import chain
from typing import Any

KINDS: Any = {"string": str, "integer": int, "number": (int, float), "boolean": bool, "object": dict, "array": list}
# RFC 3339, section 5.6. datetime checks that the day exists.
DATE_TIME = re.compile(r"\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d+)?(?:[Zz]|[+-]\d\d:\d\d)", re.ASCII)


class Shapes:
    """The schemas of one document."""

    def __init__(self, document: dict[str, Any]) -> None:
        self.document = document

    def deviations(self, schema: dict[str, Any], value: Any, path: str = "") -> Iterator[tuple[str, str]]:
        """Yield the deviations of `value` from `schema`: pairs of the member's path and a text.

        An unknown member is reported as `unknown member`, the only deviation that does not affect clients.
        """
        schema = self._without_reference(schema)
        here = path or "(body)"
        if "anyOf" in schema:  # a record or null: the document has no other anyOf
            if value is not None:
                yield from self.deviations(schema["anyOf"][0], value, path)
            return
        if value is None:
            if not schema.get("nullable") and (schema.get("type") or schema.get("allOf")):
                yield here, "is null, which it may not be"
            return
        if parts := [part for part in map(self._without_reference, schema.get("allOf", [])) if part]:
            yield from chain.from_iterable(self.deviations(part, value, path) for part in parts)
            return
        kind = schema.get("type")
        if kind and not _is_of_kind(value, kind):
            yield here, f"is {_kind_name(value)}, not {kind}"
            return
        if "enum" in schema and value not in schema["enum"]:
            yield here, f"is {value!r:.40}, which is not one of {', '.join(map(str, schema['enum']))}"
        if "minimum" in schema and value < schema["minimum"]:
            yield here, f"is less than {schema['minimum']}"
        if schema.get("format") == "date-time" and not _is_date_time(value):
            yield here, "is text, but no date-time"
        if isinstance(value, list):
            items = (self.deviations(schema.get("items", {}), item, f"{path}[]") for item in value)
            yield from dict.fromkeys(chain.from_iterable(items))
        elif isinstance(value, dict):
            yield from self._member_deviations(schema, value, path)

    def _member_deviations(self, schema: dict[str, Any], value: dict[str, Any], path: str) -> Iterator[tuple[str, str]]:
        properties, others = schema.get("properties", {}), schema.get("additionalProperties")
        for name in schema.get("required", []):
            if name not in value:
                yield _join_path(path, name), "is missing"
        for name, inner in value.items():
            if name in properties:
                yield from self.deviations(properties[name], inner, _join_path(path, name))
            elif isinstance(others, dict):
                yield from self.deviations(others, inner, _join_path(path, name))
            elif properties and not others:
                yield _join_path(path, name), "unknown member"

    def _without_reference(self, schema: dict[str, Any]) -> dict[str, Any]:
        while "$ref" in schema:
            schema = self.document["components"]["schemas"][schema["$ref"].rsplit("/", 1)[1]]
        return schema


def _is_of_kind(value: Any, kind: str) -> bool:
    if isinstance(value, bool):
        return kind == "boolean"
    if kind == "integer" and isinstance(value, float):
        return value.is_integer()
    return isinstance(value, KINDS[kind])


def _is_date_time(text: str) -> bool:
    try:
        return bool(DATE_TIME.fullmatch(text) and datetime.fromisoformat(text.upper()))
    except ValueError:
        return False


def _kind_name(value: Any) -> str:
    if isinstance(value, bool):
        return "boolean"
    return next((name for name, kinds in KINDS.items() if isinstance(value, kinds)), type(value).__name__)


def _join_path(path: str, name: str) -> str:
    return f"{path}.{name}" if path else name

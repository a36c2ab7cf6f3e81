"""Compare the served OpenAPI document with the contract.

Each difference is one line, `where: what`. Where, for answers, is `record.member`, so that a record that many
operations answer with is named once.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from dryline.tests.contract import RECORDS
from dryline.web.openapi import NULL

Json = dict[str, Any]

# Records into which the members of others are merged, as their notes say.
MERGED = {
    "any_deployment": ("voice_deployment", "voicev1_deployment", "chat_deployment", "chat_embed_deployment"),
    "any_log": ("voice_log", "chat_log", "chat_embed_log", "sms_log", "whatsapp_log"),
}


class Comparison:
    """A served document that is compared with the contract."""

    def __init__(self, document: Json) -> None:
        self.document = document

    def operation(self, operation: Json) -> Iterator[str]:
        served = self.document["paths"][operation["path"]][operation["method"].lower()]
        where = operation["id"]
        if not served.get("summary"):
            yield f"{where}: has no summary"
        yield from self.query(where, operation["query"], served.get("parameters", []))
        yield from self.body(where, operation["body"], served.get("requestBody"))
        yield from self.success(where, operation["success"], served["responses"])
        for error in operation["errors"]:
            if str(error["status"]) not in served["responses"]:
                yield f"{where}: {error['status']} is not listed"
            elif not self._is_error(served["responses"][str(error["status"])]):
                yield f"{where}: {error['status']} has not the error's form"

    def query(self, where: str, fields: list[Json], served: list[Json]) -> Iterator[str]:
        """Yield the differences of the query parameters."""
        parameters = {parameter["name"]: parameter for parameter in served if parameter["in"] == "query"}
        contract = {field["name"]: field for field in fields}
        yield from (f"{where} ?{name}: is not in the contract" for name in parameters.keys() - contract)
        yield from (f"{where} ?{name}: is missing" for name in contract.keys() - parameters)
        for name in contract.keys() & parameters:
            here, field, parameter = f"{where} ?{name}", contract[name], parameters[name]
            if parameter.get("required", False) != field["required"]:
                yield f"{here}: required is {parameter.get('required', False)}"
            yield from self.value(here, field, parameter["schema"])
            for ours, theirs in (("min", "minimum"), ("max", "maximum")):
                if field.get(ours) != parameter["schema"].get(theirs):
                    yield f"{here}: {theirs} is {parameter['schema'].get(theirs)}, not {field.get(ours)}"

    def body(self, where: str, body: Json | None, served: Json | None) -> Iterator[str]:
        """Yield the differences of the request body."""
        if (body is None) != (served is None):
            yield f"{where} body: is {'missing' if body else 'not in the contract'}"
        if body is None or served is None:
            return
        if served.get("required", False) != body["required"]:
            yield f"{where} body: required is {served.get('required', False)}"
        if body["fields"]:
            schema = served["content"]["application/json"]["schema"]
            yield from self.members(f"{where} body", body["fields"], schema, answer=False)

    def success(self, where: str, success: Json, responses: Json) -> Iterator[str]:
        """Yield the differences of the answer."""
        served = responses.get(str(success["status"]))
        if served is None:
            yield f"{where}: {success['status']} is not listed"
            return
        for status in responses:
            if status.startswith("2") and status != str(success["status"]):
                yield f"{where}: {status} is not in the contract"
        schema = served.get("content", {}).get("application/json", {}).get("schema")
        shape = success["shape"]
        if (shape["kind"] == "none") != (schema is None):
            yield f"{where}: answer is {'described' if schema else 'not described'}"
        elif shape["kind"] == "record":
            yield from self.record(shape["record"], schema)
        elif shape["kind"] == "array":
            if schema.get("type") != "array":
                yield f"{where}: answer is no array"
            else:
                yield from self.record(shape["record"], schema["items"])
        elif shape["kind"] == "envelope":
            fields = [_envelope_member(name, kind) for name, kind in shape["members"].items()]
            yield from self.members(f"{where} answer", fields, schema, answer=True)

    def record(self, name: str, schema: Json) -> Iterator[str]:
        """Yield the differences of a record in answers."""
        yield from self.members(name, RECORDS[name]["fields"], schema, answer=True)

    def members(self, where: str, fields: list[Json], schema: Json, *, answer: bool) -> Iterator[str]:
        """Yield the differences of an object's members. An answer may require more members than the contract does."""
        schema, _ = self.resolve(schema)
        properties = schema.get("properties", {})
        required = schema.get("required", [])
        names = {field["name"] for field in fields}
        names |= {field["name"] for record in MERGED.get(where, ()) for field in RECORDS[record]["fields"]}
        for name in sorted(properties.keys() - names):
            yield f"{where}.{name}: is not in the contract"
        for field in fields:
            name, here = field["name"], f"{where}.{field['name']}"
            if name.startswith("<"):
                if schema.get("additionalProperties") is False:
                    yield f"{here}: further members are refused"
            elif name not in properties:
                yield f"{here}: is missing"
            else:
                if field["required"] != (name in required) and not (answer and name in required):
                    yield f"{here}: required is {name in required}"
                yield from self.value(here, field, properties[name], answer=answer)

    def value(self, where: str, field: Json, schema: Json, *, answer: bool = False) -> Iterator[str]:
        """Yield the differences of the values of a member or parameter."""
        schema, nullable = self.resolve(schema)
        anything = not schema.keys() & {"type", "properties"}
        if nullable != field.get("nullable", False) and not anything:
            yield f"{where}: nullable is {nullable}"
        kind = field["type"]
        if kind.startswith("array of "):
            if schema.get("type") != "array":
                yield f"{where}: is {_form(schema)}, not {kind}"
                return
            inner = {**field, "type": kind.removeprefix("array of "), "nullable": False}
            yield from self._value(f"{where}[]", inner, *self.resolve(schema["items"])[:1], answer=answer)
        else:
            yield from self._value(where, field, schema, answer=answer)
        default, served = field.get("default"), _default(schema)
        if served != default or isinstance(served, bool) != isinstance(default, bool):
            yield f"{where}: default is {served}, not {default}"

    def _value(self, where: str, field: Json, schema: Json, *, answer: bool) -> Iterator[str]:
        kind = field["type"]
        if kind in RECORDS:
            where = kind if " answer." in where else where  # an envelope holds records, a record others as its own
            yield from self.members(where, RECORDS[kind]["fields"], schema, answer=answer)
            return
        if kind == "any":
            if "type" in schema:
                yield f"{where}: is {_form(schema)}, not any"
            return
        type_, form = ("string", "date-time") if kind == "timestamp" else (kind, None)
        if schema.get("type") != type_ or (schema.get("format") == "date-time") != (form == "date-time"):
            yield f"{where}: is {_form(schema)}, not {kind}"
            return
        enum = [choice for choice in schema.get("enum", []) if choice is not None]
        if set(enum) != set(field.get("enum") or []):
            yield f"{where}: enum is {enum}, not {field.get('enum')}"
        if kind == "object" and field.get("fields"):
            if field.get("meaning", "").startswith("map: "):
                where, schema = f"{where}.*", schema.get("additionalProperties") or {}
            yield from self.members(where, field["fields"], schema, answer=answer)

    def resolve(self, schema: Json) -> tuple[Json, bool]:
        """Return the schema behind references, and whether null is let in on the way."""
        nullable = False
        while True:
            nullable = nullable or schema.get("nullable", False)
            if "$ref" in schema:
                schema = self.document["components"]["schemas"][schema["$ref"].rpartition("/")[2]]
            elif schema.get("anyOf", ())[1:] == [NULL]:
                schema, nullable = schema["anyOf"][0], True
            elif len(schema.get("allOf", ())) == 1:
                schema = schema["allOf"][0]
            else:
                return schema, nullable

    def _is_error(self, response: Json) -> bool:
        response = self.document["components"]["responses"][response["$ref"].rpartition("/")[2]]
        schema = response.get("content", {}).get("application/json", {}).get("schema")
        return schema == {"$ref": "#/components/schemas/Error"}


def _envelope_member(name: str, kind: str) -> Json:
    type = kind.removesuffix(" or null")
    return {"name": name, "type": type, "required": True, "nullable": type != kind}


def _default(schema: Json) -> Any:
    """Return the default. A member of a body has it in its description (web/openapi.py)."""
    match = re.search(r"Default: `(.*)`\.$", schema.get("description", ""))
    return json.loads(match[1]) if match else schema.get("default")


def _form(schema: Json) -> str:
    return " ".join(filter(None, (schema.get("type"), schema.get("format")))) or str(schema)

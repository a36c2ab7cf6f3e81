"""The OpenAPI document, made from the areas when it is first asked for: a server that is never asked starts faster."""

from __future__ import annotations

import re
import threading
from functools import cache
from http import HTTPStatus
from typing import Any

import flask_smorest
from apispec.ext.marshmallow import MarshmallowPlugin, OpenAPIConverter
from flask_smorest.spec.plugins import FlaskPlugin
from marshmallow import Schema, fields, missing

from dryline import __version__
from dryline.schemas.base import ApiSchema, ErrorSchema, PartSchema, camel

# The version of the interface that is stood in for, not of dryline.
INTERFACE_VERSION = "1.0.3"

CONFIG = {
    "API_TITLE": "dryline",
    "API_VERSION": INTERFACE_VERSION,
    "OPENAPI_VERSION": "3.0.3",
    "OPENAPI_URL_PREFIX": "/",
}


class Api(flask_smorest.Api):
    """flask-smorest's Api, whose document waits until somebody reads it."""

    def __init__(self, app: Any) -> None:
        self._lock = threading.Lock()
        self._undocumented: list[tuple[Any, dict[str, Any]]] = []
        super().__init__(
            app,
            spec_kwargs={
                "flask_plugin": CamelPaths(),
                "marshmallow_plugin": SchemaPlugin(schema_name_resolver=schema_name),
                "info": {
                    "description": f"Served by dryline {__version__}, a local stand-in. `/_dryline` is its own plane."
                },
                "servers": [{"url": app.world.settings.public_url or "/"}],
                "components": {
                    "securitySchemes": {
                        "apiKey": {"type": "apiKey", "in": "header", "name": "x-api-key"},
                        "teamSecret": {"type": "apiKey", "in": "header", "name": "team-secret"},
                        "drylineToken": {"type": "apiKey", "in": "header", "name": "x-dryline-token"},
                    }
                },
            },
        )

    def register_blueprint(self, blp: Any, **options: Any) -> None:
        """Serve an area now, describe it later."""
        self._undocumented.append((blp, options))
        self._app.register_blueprint(blp, **options)

    def document(self) -> dict[str, Any]:
        """The whole document."""
        with self._lock:
            while self._undocumented:
                blp, _ = self._undocumented.pop(0)
                blp.register_views_in_doc(self, self._app, self.spec, name=blp.name, parameters=None)
                if blp.description:  # an area without one only adds to another's
                    self.spec.tag({"name": blp.name, "description": blp.description})
        return self.spec.to_dict()

    def _openapi_json(self) -> Any:
        return self._app.json.response(self.document())

    def _register_error_handlers(self) -> None:
        """blueprints/errors.py has the one set of handlers."""

    def _register_responses(self) -> None:
        """Each operation describes its own errors."""

    def _register_pagination_header(self) -> None:
        """Pages are described by the envelopes of the lists that have them, not by a header."""


class Converter(OpenAPIConverter):
    """Describes marshmallow's fields."""

    def field2nullable(self, field: fields.Field, ret: Any) -> dict[str, Any]:
        """A record that may be null is that record or null; apispec's own form lets any object through."""
        if field.allow_none and ("$ref" in ret or "allOf" in ret):
            return {"nullable": True, "allOf": ret.pop("allOf", None) or [{"$ref": ret.pop("$ref")}]}
        return super().field2nullable(field, ret)

    def field2default(self, field: fields.Field, **kwargs: Any) -> dict[str, Any]:
        """What counts where nothing is sent; None only stands for that in our code."""
        return {} if field.load_default is None else super().field2default(field, **kwargs)


class SchemaPlugin(MarshmallowPlugin):
    """Describes marshmallow's schemas."""

    Converter = Converter


class CamelPaths(FlaskPlugin):
    """Path parameters in the document have the wire's names."""

    @staticmethod
    def flaskpath2openapi(path: str) -> str:
        """`/workers/<worker_id>` -> `/workers/{workerId}`."""
        return re.sub(r"<(?:[^:<>]+:)?([^<>]+)>", lambda match: f"{{{camel(match[1])}}}", path)

    def path_helper(self, rule: Any, operations: Any, parameters: Any, **kwargs: Any) -> Any:
        """The path; each operation's id, its parameters, and the 404 that a path with an id in it can answer.

        Those of the path come first: they are what has to be filled in.
        """
        view_class = rule.endpoint.rpartition(".")[2]
        for method, operation in operations.items():
            operation["parameters"] = [*self.rule_to_params(rule), *operation.get("parameters", ())]
            operation.setdefault("operationId", method + view_class)
            responses = {str(status): response for status, response in operation["responses"].items()}
            if rule.arguments:
                responses.setdefault("404", _error(HTTPStatus.NOT_FOUND.phrase))
            operation["responses"] = dict(sorted(responses.items()))
        return self.flaskpath2openapi(rule.rule)

    def rule_to_params(self, rule: Any) -> list[dict[str, Any]]:
        """The rule's parameters."""
        return [{**param, "name": camel(param["name"])} for param in super().rule_to_params(rule)]


class _Answer:
    """Marks a schema class as the form of answers."""

    def on_bind_field(self, field_name: str, field_obj: fields.Field) -> None:
        super().on_bind_field(field_name, field_obj)  # type: ignore[misc]
        field_obj.required = field_name not in self.Meta.sometimes  # type: ignore[attr-defined]
        field_obj.dump_only = field_obj.load_only = False
        field_obj.load_default = missing
        for inner in (field_obj, getattr(field_obj, "inner", None)):
            if isinstance(inner, fields.Nested) and isinstance(inner.nested, type):
                inner.nested = answer_schema(inner.nested)


@cache
def answer_schema(schema: Any) -> Any:
    """How a schema looks in answers: its dumped members, all required but for `Meta.sometimes`."""
    if issubclass(schema, PartSchema) or not issubclass(schema, ApiSchema):
        return schema
    load_only = tuple(schema().load_only | {name for name, field in schema().fields.items() if field.load_only})
    meta = type("Meta", (schema.Meta,), {"exclude": load_only})
    return type(schema.__name__, (_Answer, schema), {"__doc__": schema.__doc__, "Meta": meta})


def body_schema(schema: Any) -> Any:
    """How a schema looks in requests: without the members that only answers have; an update has no defaults."""
    schema = schema() if isinstance(schema, type) else schema
    dump_only = {name for name, field in schema.fields.items() if field.dump_only}
    exclude = dump_only | set(schema.exclude)
    found = type(schema)(only=schema.only, exclude=exclude, partial=schema.partial, many=schema.many)
    if schema.partial:
        for field in found.fields.values():
            field.load_default = missing
    return found


def schema_name(schema: Any) -> str:
    """A component's name: `Worker` in answers, `WorkerBody` and `WorkerPatch` in requests."""
    cls = schema if isinstance(schema, type) else type(schema)
    name = re.sub("(Schema|Body)$", "", cls.__name__)
    if issubclass(cls, _Answer | PartSchema):
        return name
    return name + ("Patch" if getattr(schema, "partial", False) else "Body")


def with_body_schemas(doc_info: Any) -> Any:
    """An operation's arguments with the request form of their schemas."""
    for parameter in doc_info.get("arguments", {}).get("parameters", ()):
        if isinstance(parameter.get("schema"), Schema | type):
            parameter["schema"] = schema = body_schema(parameter["schema"])
            if parameter["in"] == "query":
                for field in schema.fields.values():
                    field.allow_none = False  # nothing in a query is null
    return doc_info


def with_answer_schemas(doc_info: Any) -> Any:
    """An operation's responses with the answer form of their schemas."""
    for answers in doc_info.get("response", {}).get("responses", {}).values():
        for answer in answers:
            schema = answer.get("schema") if isinstance(answer, dict) else None
            if isinstance(schema, ApiSchema):
                answer["schema"] = answer_schema(type(schema))(many=schema.many)
    return doc_info


def with_errors(doc: Any, doc_info: Any, security: list[dict[str, list[str]]]) -> Any:
    """The operation's document with its errors: those that its form tells, and those that `Area.errors` names."""
    statuses = {*doc_info.get("house_errors", ())}
    if "arguments" in doc_info:
        statuses.add(400)
    if "requestBody" in doc:
        statuses |= {413, 415}
    if security:
        statuses.add(401 if {"apiKey": []} in security else 403)
        doc["security"] = security
    responses = doc.setdefault("responses", {})
    for status in sorted(statuses):
        responses[str(status)] = _error(HTTPStatus(status).phrase)
    responses["default"] = _error("Any other error")
    return doc


def _error(description: str) -> dict[str, Any]:
    return {"description": description, "content": {"application/json": {"schema": answer_schema(ErrorSchema)}}}

"""The OpenAPI document, made from the areas when it is first asked for: a server that is never asked starts faster."""

from __future__ import annotations

import inspect
import re
import threading
from functools import cache
from pathlib import Path
from typing import Any

import flask_smorest
import orjson
from apispec.ext.marshmallow import MarshmallowPlugin, OpenAPIConverter
from flask_smorest.spec.plugins import FlaskPlugin
from marshmallow import Schema, fields, missing

from dryline import __version__
from dryline.schemas.base import ApiSchema, ErrorSchema, PartSchema, QuerySchema, camel
from dryline.schemas.glossary import MEMBERS

# The version of the interface that is stood in for, not of dryline.
INTERFACE_VERSION = "1.0.3"
# The areas are the same for all applications of a process.
_ONE_AT_A_TIME = threading.Lock()

# Bodies and answers to show, by the operation's id: python -m dryline.tools.examples writes them.
EXAMPLES = Path(__file__).with_name("examples.json")

CONFIG = {
    "API_TITLE": "dryline",
    "API_VERSION": INTERFACE_VERSION,
    "OPENAPI_VERSION": "3.0.3",
    "OPENAPI_URL_PREFIX": "/",
}


class Api(flask_smorest.Api):
    """flask-smorest's Api, whose document waits until somebody reads it."""

    def __init__(self, app: Any) -> None:
        self._undocumented: list[Any] = []
        self._document: dict[str, Any] | None = None
        super().__init__(
            app,
            spec_kwargs={
                "flask_plugin": CamelPaths(),
                "marshmallow_plugin": SchemaPlugin(schema_name_resolver=schema_name),
                "info": {
                    "description": f"Served by dryline {__version__}, a local stand-in for the voice-agent workers API "
                    "of this version. Paths under `/_dryline` are the control plane, which the real one does not have.",
                    "contact": {"name": "dryline, not affiliated with the vendor of the real service"},
                    "license": {"name": "Apache-2.0", "url": "https://www.apache.org/licenses/LICENSE-2.0"},
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
        self._undocumented.append(blp)
        self._app.register_blueprint(blp, **options)

    def document(self) -> dict[str, Any]:
        """The whole document."""
        with _ONE_AT_A_TIME:
            if self._document is None:
                examples = orjson.loads(EXAMPLES.read_bytes())
                self._describe_errors(examples.pop("errors"))
                for blp in self._undocumented:
                    blp.register_views_in_doc(self, self._app, self.spec, name=blp.name, parameters=None)
                    if blp.description:  # an area without one only adds to another's
                        self.spec.tag({"name": blp.name, "description": blp.description})
                self._document = self.spec.to_dict()
                for path in self._document["paths"].values():
                    _put_path_parameters_first(path)
                add_examples(self._document["paths"], examples)
            return self._document

    def _describe_errors(self, examples: dict[str, Any]) -> None:
        """The answers that operations refer to."""
        for name, description in ERRORS.values():
            content = {"application/json": {"schema": answer_schema(ErrorSchema), "example": examples.get(name)}}
            self.spec.components.response(name, {"description": description, "content": content}, lazy=True)

    def _openapi_json(self) -> Any:
        return self._app.json.response(self.document())

    def _register_error_handlers(self) -> None:
        """blueprints/errors.py has the one set of handlers."""

    def _register_responses(self) -> None:
        """Each operation describes its own errors."""

    def _register_pagination_header(self) -> None:
        """Pages are described by the envelopes of the lists that have them, not by a header."""


# Null and nothing else: beside a record, which alone would not let it through however `nullable` its member is.
NULL = {"type": "object", "nullable": True, "enum": [None]}


class Converter(OpenAPIConverter):
    """Describes marshmallow's fields."""

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        """The form of an object, with what its class says of itself, but for where in the contract it stands."""
        told = inspect.getdoc(schema if isinstance(schema, type) else type(schema)) or ""
        description = " ".join(re.sub(r" ?(Contract: [^.]*\.[^. ]*\.?|Assumed\.|\(client\))", "", told).split())
        return {**super().schema2jsonschema(schema), **({"description": description} if description else {})}

    def field2property(self, field: fields.Field) -> dict[str, Any]:
        """A member's form. What it means it says itself, or many have the same; a body's default is told in words.

        Generators of clients would demand a member with a `default` in a request, where it may be left out.
        """
        found = super().field2property(field)
        if not isinstance(field.parent, Schema):
            return found
        if found.keys().isdisjoint(("$ref", "allOf", "anyOf", "description")):
            meaning = MEMBERS.get(field.data_key or "")
            found |= {"description": meaning} if meaning else {}
        if "default" in found and not isinstance(field.parent, QuerySchema):
            default = f"Default: `{orjson.dumps(found.pop('default')).decode()}`."
            found["description"] = f"{found['description']}. {default}" if "description" in found else default
        return found

    def field2nullable(self, field: fields.Field, ret: Any) -> dict[str, Any]:
        """A record that may be null is that record or null; apispec's own form lets any object through.

        What may be anything may be null without being told so.
        """
        if field.allow_none and ("$ref" in ret or "allOf" in ret):
            return {"anyOf": [*(ret.pop("allOf", None) or [{"$ref": ret.pop("$ref")}]), NULL]}
        return super().field2nullable(field, ret) if "type" in ret else {}

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
        """The path, and the 404 that a path with an id in it can answer."""
        for operation in operations.values():
            responses = {str(status): response for status, response in operation["responses"].items()}
            if rule.arguments:
                responses.setdefault("404", ERRORS[404][0])
            operation["responses"] = dict(sorted(responses.items()))
        return super().path_helper(rule, operations, parameters, **kwargs)

    def rule_to_params(self, rule: Any) -> list[dict[str, Any]]:
        """The rule's parameters."""
        return [_told({**param, "name": camel(param["name"])}) for param in super().rule_to_params(rule)]


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
    partial = getattr(schema, "partial", False)
    name = re.sub("(Update)?(Body)?(Schema)?$" if partial else "(Body)?(Schema)?$", "", cls.__name__)
    name = name.replace("Voicev1", "VoiceV1")
    if issubclass(cls, _Answer | PartSchema):
        return name
    return name + ("Patch" if partial else "Body")


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
    """The operation's document with its id, and its errors: those of its form, and those that `Area.errors` names."""
    statuses = {*doc_info.get("house_errors", ())}
    if "arguments" in doc_info:
        statuses.add(400)
    if "requestBody" in doc:
        statuses |= {413, 415}
    if security:
        statuses.add(401 if {"apiKey": []} in security else 403)
    responses = doc.setdefault("responses", {})
    for status in (*sorted(statuses), "default"):
        responses[str(status)] = ERRORS[status][0]
    return doc | {"operationId": doc_info["operation_id"], "security": security}


def _told(parameter: dict[str, Any]) -> dict[str, Any]:
    return {**parameter, "description": MEMBERS[parameter["name"]]}


def add_examples(paths: dict[str, Any], examples: dict[str, Any]) -> None:
    """Show what was really sent and answered (tools/examples), for bodies and answers."""
    for operation in (operation for path in paths.values() for operation in path.values()):
        found = examples.get(operation["operationId"], {})
        if "body" in found:
            operation["requestBody"]["content"]["application/json"]["example"] = found["body"]
        for status, shown in found.get("answers", {}).items():
            content = operation["responses"][status]["content"]
            for kind, example in shown.items():
                content[kind]["example"] = example


def _put_path_parameters_first(path: dict[str, Any]) -> None:
    """Which row an operation is about is read before how it is filtered."""
    of_path = path.pop("parameters", [])
    for operation in path.values():
        if found := [*of_path, *operation.get("parameters", [])]:
            operation["parameters"] = found


# Each status' name in the document, and what it means.
ERRORS: dict[int | str, tuple[str, str]] = {
    400: ("BadRequest", "A member or parameter is missing, has a wrong type or is out of range: `details` names each"),
    401: ("Unauthorized", "The key is missing or unknown"),
    403: ("Forbidden", "The link was altered or has run out, or the server does not answer this caller"),
    404: ("NotFound", "The team of the key has no such record, or what the body names is not there"),
    409: ("Conflict", "What is there already forbids it"),
    413: ("ContentTooLarge", "The body is larger than the server takes"),
    415: ("UnsupportedMediaType", "The body is not sent as JSON"),
    416: ("RangeNotSatisfiable", "The file has no such part"),
    422: ("UnprocessableContent", "The document is no state: `details` names row and member, and nothing has changed"),
    503: ("ServiceUnavailable", "Not ready yet: try again in a moment"),
    "default": ("Error", "Any other error"),
}

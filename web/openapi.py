"""The OpenAPI document: how flask-smorest and apispec build it from the areas."""

import inspect
import re
import threading
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import flask_smorest
import orjson
from apispec.ext.marshmallow import MarshmallowPlugin, OpenAPIConverter
from flask_smorest.spec.plugins import FlaskPlugin
from marshmallow import Schema, fields, missing

from dryline import __version__
from dryline.schemas.base import ApiSchema, ErrorSchema, PartSchema, QuerySchema, Timestamp, camel, instance_of
from dryline.schemas.glossary import MEMBERS
from dryline.storage.files import read

# Example bodies and answers by operation id. `python -m dryline.tools.examples` writes the file.
EXAMPLES = Path(__file__).with_name("examples.json")
# The text about the server, the security schemes, and the name and description of each error response.
PARTS = Path(__file__).with_name("openapi_parts.json")

# `API_VERSION` is that of the interface that dryline stands in for, not dryline's own.
CONFIG = {"API_TITLE": "dryline", "API_VERSION": "1.0.3", "OPENAPI_VERSION": "3.0.3"}


class Api(flask_smorest.Api):
    """flask-smorest's Api with our errors and examples."""

    DEFAULT_ERROR_RESPONSE_NAME = "Error"
    ERROR_SCHEMA: ClassVar[dict[str, Any]] = {}  # for the responses of flask-smorest, which no operation here has

    def __init__(self, app: Any) -> None:
        self.app = app
        self._areas: list[Any] = []
        self._lock = threading.Lock()
        self._document: dict[str, Any] | None = None
        parts = orjson.loads(read(PARTS).replace(b"{version}", __version__.encode()))
        self._errors = parts["errors"]
        super().__init__(
            app,
            spec_kwargs={
                "flask_plugin": Routes(app, self._errors),
                "marshmallow_plugin": SchemaPlugin(schema_name_resolver=schema_name),
                "info": parts["info"],
                "components": parts["components"],
                "servers": [{"url": app.world.settings.public_url or "/"}],
            },
        )
        self.register_field(Timestamp, "string", "date-time")

    def register_blueprint(self, blp: Any, **options: Any) -> None:
        """Serve an area. It is described when the document is first read, so that starts are faster."""
        self.app.register_blueprint(blp, **options)
        self._areas.append(blp)

    def document(self) -> dict[str, Any]:
        """Return the whole document, with the examples."""
        with self._lock:
            if self._document is None:
                self._document = self._build()
            return self._document

    def _build(self) -> dict[str, Any]:
        examples = orjson.loads(read(EXAMPLES))
        errors = examples.pop("errors")
        for name, description in self._errors.values():
            content = {"application/json": {"schema": answer_schema(ErrorSchema), "example": errors.get(name)}}
            self.spec.components.response(name, {"description": description, "content": content}, lazy=True)
        for blp in self._areas:
            blp.register_views_in_doc(self, self.app, self.spec, name=blp.name, parameters=None)
            if blp.description:  # an area without a description adds to another area's tag
                self.spec.tag({"name": blp.name, "description": blp.description})
        document = self.spec.to_dict()
        for path in document["paths"].values():
            for operation in path.values():
                add_examples(operation, examples.get(operation["operationId"], {}))
        return document


# The schema of null alone. In `anyOf` with a record it makes the record nullable; `nullable` beside a `$ref` does not.
NULL = {"type": "object", "nullable": True, "enum": [None]}


class Converter(OpenAPIConverter):
    """A converter of marshmallow fields and schemas to OpenAPI."""

    def schema2jsonschema(self, schema: Any) -> dict[str, Any]:
        """Return a schema's properties with its docstring as description."""
        result = super().schema2jsonschema(schema)
        schema_class = schema if isinstance(schema, type) else type(schema)
        docstring = inspect.getdoc(schema_class)
        if docstring:
            result["description"] = " ".join(docstring.split())
        return result

    def field2property(self, field: fields.Field) -> dict[str, Any]:
        """Return a field's schema, with a description from its metadata or from the glossary."""
        result = super().field2property(field)
        if not isinstance(field.parent, Schema):
            return result
        if result.keys().isdisjoint(("$ref", "allOf", "anyOf", "description")):
            meaning = MEMBERS.get(field.data_key or "")
            result |= {"description": meaning} if meaning else {}
        # Client generators make a field of a body with `default` required, so it goes into the description.
        if "default" in result and not isinstance(field.parent, QuerySchema):
            default = f"Default: `{orjson.dumps(result.pop('default')).decode()}`."
            result["description"] = f"{result['description']}. {default}" if "description" in result else default
        return result

    def field2nullable(self, field: fields.Field, ret: Any) -> dict[str, Any]:
        """Return a nullable record as `anyOf` the record and null; apispec's own form accepts any object."""
        if field.allow_none and ("$ref" in ret or "allOf" in ret):
            record = ret.pop("allOf", None) or [{"$ref": ret.pop("$ref")}]
            return {"anyOf": [*record, *getattr(field, "other_schemas", ()), NULL]}
        return super().field2nullable(field, ret) if "type" in ret else {}  # any value may be null, too

    def field2default(self, field: fields.Field, **kwargs: Any) -> dict[str, Any]:
        """Return a field's default; None means that there is none."""
        return {} if field.load_default is None else super().field2default(field, **kwargs)


class SchemaPlugin(MarshmallowPlugin):
    """The plugin that documents marshmallow schemas."""

    Converter = Converter

    def header_helper(self, header: Any, **kwargs: Any) -> None:
        """Leave headers alone: flask-smorest registers one whose schema no operation here uses."""


class Routes(FlaskPlugin):
    """The plugin that documents routes. It is the first, so that it replaces schemas before they are resolved."""

    def __init__(self, app: Any, errors: dict[str, list[str]]) -> None:
        super().__init__()
        self.app, self.errors = app, errors

    def path_helper(self, rule: Any, operations: Any, parameters: Any, **kwargs: Any) -> str:
        """Return the path: `/workers/<worker_id>` is `/workers/{workerId}`."""
        path = super().path_helper(rule, operations, parameters, **kwargs)
        of_path = [{**parameter, "name": camel(parameter["name"])} for parameter in parameters]
        parameters.clear()
        for parameter in of_path:
            noun = re.sub("(?=[A-Z])", " ", parameter["name"].removesuffix("Id")).lower()
            parameter["description"] = MEMBERS.get(parameter["name"], f"id of the {noun}")
        for operation in operations.values():
            if of_path or "parameters" in operation:  # those of the path come before those of the query
                operation["parameters"] = [*of_path, *operation.get("parameters", [])]
        return re.sub(r"{(\w+)}", lambda match: f"{{{camel(match[1])}}}", path)

    def operation_helper(self, path: Any = None, operations: Any = None, **kwargs: Any) -> None:
        """Complete the operations of a path, from their views (`Area.route`, `Area.errors`) and their schemas."""
        view = self.app.view_functions[kwargs["rule"].endpoint].view_class
        for method, operation in operations.items():
            _use_schemas_of_direction(operation)
            function = getattr(view, method)
            operation |= {"operationId": function.operation_id, "security": view.security}
            statuses = _error_statuses(path, operation, function, view.security)
            responses = {str(status): response for status, response in operation["responses"].items()}
            responses |= {str(status): self.errors[str(status)][0] for status in statuses}
            operation["responses"] = dict(sorted(responses.items()))
            text = "404 if there is no such record." if 404 in statuses else "The list is not paginated."
            operation.setdefault("description", text)


def _error_statuses(path: str, operation: dict[str, Any], function: Any, security: Any) -> set[int]:
    """Return the statuses of an operation's errors: those that its view names, and those of its path and parameters."""
    statuses = set(getattr(function, "error_statuses", ()))
    takes_json = "application/json" in operation.get("requestBody", {}).get("content", ())
    takes_query = any(parameter["in"] == "query" for parameter in operation.get("parameters", ()))
    if takes_json or takes_query:
        statuses.add(400)
    if takes_json:
        statuses |= {413, 415}
    if security:
        statuses.add(401 if {"apiKey": []} in security else 403)
    if "{" in path:
        statuses.add(404)
    return statuses


def _use_schemas_of_direction(operation: dict[str, Any]) -> None:
    """Replace the schemas of an operation: those of what is sent have other members than those of answers."""
    for parameter in operation.get("parameters", ()):
        if isinstance(parameter.get("schema"), Schema | type):
            parameter["schema"] = request_schema(parameter["schema"])
    body = operation.get("requestBody", {})
    for content in body.get("content", {}).values():
        if isinstance(content.get("schema"), Schema | type):
            content["schema"] = request_schema(content["schema"])
            if content["schema"].partial:
                text = "Fields that are left out keep their value; `null` clears one that may be null."
                body.setdefault("description", text)
    for response in operation["responses"].values():
        for content in response.get("content", {}).values() if isinstance(response, dict) else ():
            schema = content["schema"]
            if isinstance(schema, ApiSchema):
                content["schema"] = answer_schema(type(schema))(many=schema.many)


class _Answer(ApiSchema):
    """A schema as it looks in answers."""

    def on_bind_field(self, field_name: str, field_obj: fields.Field) -> None:
        super().on_bind_field(field_name, field_obj)
        field_obj.required = field_name not in self.Meta.sometimes
        field_obj.dump_only = field_obj.load_only = False
        field_obj.load_default = missing
        if field_name in self.Meta.null_in_answers:
            field_obj.allow_none = True
        for inner in (field_obj, getattr(field_obj, "inner", None)):
            if isinstance(inner, fields.Nested) and isinstance(inner.nested, type):
                inner.nested = answer_schema(inner.nested)


@cache
def answer_schema(schema: Any) -> Any:
    """Return a schema class as it looks in answers: all fields are required, except those in `Meta.sometimes`."""
    if issubclass(schema, PartSchema) or not issubclass(schema, ApiSchema):
        return schema
    load_only = tuple(name for name, field in instance_of(schema).fields.items() if field.load_only)
    meta = type("Meta", (schema.Meta,), {"exclude": load_only})
    return type(schema.__name__, (_Answer, schema), {"__doc__": schema.__doc__, "Meta": meta})


@cache
def request_schema(schema: Any) -> Any:
    """Return a schema as it looks in requests: without the members that only answers have.

    An update has no defaults, and nothing in a query is null.
    """
    schema = instance_of(schema)
    exclude = {name for name, field in schema.fields.items() if field.dump_only} | set(schema.exclude)
    sent = type(schema)(only=schema.only, exclude=exclude, partial=schema.partial, many=schema.many)
    for field in sent.fields.values():
        if sent.partial:
            field.load_default = missing
        if isinstance(sent, QuerySchema):
            field.allow_none = False
    return sent


def schema_name(schema: Any) -> str:
    """Return a component's name: `Worker` for answers, `WorkerBody` and `WorkerPatch` for requests."""
    cls = schema if isinstance(schema, type) else type(schema)
    if not issubclass(cls, ApiSchema):
        return cls.__name__
    if issubclass(cls, _Answer | PartSchema):
        return cls.record_name
    return cls.record_name + ("Patch" if getattr(schema, "partial", False) else "Body")


def add_examples(operation: dict[str, Any], examples: dict[str, Any]) -> None:
    """Add an operation's examples (tools/examples) of its body and answers."""
    if "body" in examples:
        operation["requestBody"]["content"]["application/json"]["example"] = examples["body"]
    for status, answers in examples.get("answers", {}).items():
        content = operation["responses"][status]["content"]
        for media_type, example in answers.items():
            content[media_type]["example"] = example

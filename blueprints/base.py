"""What every area does with HTTP: ask for the key, read bodies and queries, document itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, wraps
from typing import Any

import flask_smorest
import orjson
from flask import Request, Response, g, request
from flask.json.provider import JSONProvider
from marshmallow import RAISE, Schema
from webargs import core
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from dryline.models.teams import authenticate
from dryline.world.world import current

# orjson writes at most 254 levels; a body that could not be written again is refused when it is read.
_DEEP = 200


class OrjsonProvider(JSONProvider):
    """orjson reads and writes every body."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        """JSON text."""
        return orjson.dumps(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        """The decoded value. Raises ValueError."""
        return orjson.loads(s)

    def response(self, *args: Any, **kwargs: Any) -> Any:
        """A JSON response, written once, as bytes. None is no body at all (204)."""
        return json_response(self._prepare_response_obj(args, kwargs))


def json_response(obj: Any, status: int = 200) -> Response:
    """A JSON answer, written once, as bytes. None is no body at all."""
    if obj is None:
        response = Response(status=status)
        del response.headers["Content-Type"]
        return response
    return Response(orjson.dumps(obj), status, mimetype="application/json")


def read_json(req: Request, *, shallow: bool = True) -> Any:
    """The body's JSON, or `missing` when there is none. Raises BadRequest and UnsupportedMediaType.

    Unless it need not be `shallow`, it is refused when it could not be written again.
    """
    raw = req.get_data()
    if not raw:
        return core.missing
    if not core.is_json(req.mimetype):
        raise UnsupportedMediaType("The body must be JSON, with Content-Type: application/json.")
    try:
        body = orjson.loads(raw)
        if shallow and raw.count(b"[") + raw.count(b"{") > _DEEP:
            orjson.dumps(body)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"The body is not valid JSON: {error}.") from None
    except TypeError:
        raise BadRequest("The body is nested too deeply.") from None
    return body


class Parser(FlaskParser):
    """webargs, reading JSON as above and refusing unknown body members with `--strict`."""

    DEFAULT_VALIDATION_STATUS = 400

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The body for `schema`; `missing` counts as `{}`."""
        return read_json(req)

    def _process_location_data(
        self, location_data: Any, schema: Schema, req: Any, location: str, unknown: Any, validators: Any
    ) -> Any:
        if location == "json" and current().live.strict:
            unknown = RAISE
        elif location == "query":
            unknown = None  # the schema's own: ignored
        return super()._process_location_data(location_data, schema, req, location, unknown, validators)


class Area(flask_smorest.Blueprint):
    """One area of the API: a blueprint whose every request needs the key of a team, kept in `g.team`."""

    ARGUMENTS_PARSER = Parser()

    def __init__(self, name: str, url_prefix: str, *, description: str = "", key_required: bool = True) -> None:
        super().__init__(name, __name__, url_prefix=url_prefix, description=description)
        self.security: list[dict[str, list[str]]] = [{"apiKey": []}] if key_required else []
        self._prepare_doc_cbks.append(self._prepare_house_doc)
        if key_required:
            self.before_request(demand_key)

    def arguments(self, schema: Any, **kwargs: Any) -> Any:
        """As flask-smorest's, with one schema for all requests: webargs would make one of a class for each."""
        return super().arguments(instance_of(schema), **kwargs)

    def response(self, status_code: Any, schema: Any = None, **kwargs: Any) -> Any:
        """As flask-smorest's, which writes the document; the answer takes a shorter way.

        A view answers what the schema dumps, alone or with its status, or a whole Response.
        """
        schema = instance_of(schema)
        documented = super().response(status_code, schema, **kwargs)

        def decorator(view: Any) -> Any:
            @wraps(view)
            def answer(*args: Any, **kwargs: Any) -> Any:
                result, status = view(*args, **kwargs), status_code
                if isinstance(result, tuple):
                    result, status = result
                if isinstance(result, Response):
                    return result
                return json_response(schema.dump(result) if isinstance(schema, Schema) else result, status)

            answer._apidoc = documented(view)._apidoc  # type: ignore[attr-defined]
            return answer

        return decorator

    def errors(self, *statuses: int) -> Callable[[Any], Any]:
        """Document statuses that an operation gives beyond those that its form tells (400, 401, 404)."""

        def mark(view: Any) -> Any:
            view._apidoc = {**getattr(view, "_apidoc", {}), "house_errors": statuses}
            return view

        return mark

    # The document is made when it is first asked for: what makes it is imported then.

    def _prepare_arguments_doc(self, doc: Any, doc_info: Any, **kwargs: Any) -> Any:
        from dryline.blueprints import openapi

        return super()._prepare_arguments_doc(doc, openapi.with_body_schemas(doc_info), **kwargs)

    def _prepare_response_doc(self, doc: Any, doc_info: Any, **kwargs: Any) -> Any:
        from dryline.blueprints import openapi

        return super()._prepare_response_doc(doc, openapi.with_answer_schemas(doc_info), **kwargs)

    def _prepare_house_doc(self, doc: Any, doc_info: Any, **kwargs: Any) -> Any:
        from dryline.blueprints import openapi

        return openapi.with_errors(doc, doc_info, self.security)


def instance_of(schema: Any) -> Any:
    """The one instance of a schema class; anything else as it is."""
    return _instance(schema) if isinstance(schema, type) else schema


@cache
def _instance(schema: type) -> Any:
    return schema()


def demand_key() -> None:
    """Let the holder of a valid key in: `g.key` and `g.team`. Raises Unauthorized."""
    environ = request.environ
    if environ["REQUEST_METHOD"] == "OPTIONS":  # a browser asks without the key what it may send
        return
    key = authenticate(environ.get("HTTP_X_API_KEY"))
    g.key, g.team = key, key.team

"""What every area does with HTTP: ask for the key, read bodies and queries, document itself."""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from types import SimpleNamespace
from typing import Any

import flask_smorest
import orjson
from flask import Request, Response, current_app, g, request
from flask.json.provider import JSONProvider
from flask.sessions import NullSession, SessionInterface, SessionMixin
from marshmallow import Schema
from webargs import core
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from dryline.models.teams import authenticate
from dryline.schemas.base import instance_of, strict
from dryline.storage.current_world import current
from dryline.storage.nesting import too_deep
from dryline.world.clock import work_for

# The control plane's prefix. Pages of other origins cannot reach it.
PLANE = "/_dryline"
# The health check, which is open to everyone under any host name: scripts and containers wait for it.
HEALTH = f"{PLANE}/health"
# Prefixes of paths that no fault hits and that are not in the request log: the control plane, the documentation, and
# what a browser requests beside that.
UNRECORDED = (PLANE, "/docs", "/openapi.json", "/llms.txt", "/favicon.ico")
# The prefix of the console's pages.
CONSOLE = "/console"
# The methods that change nothing.
READS = {"GET", "HEAD", "OPTIONS"}
# How many queries are kept with what they say, and how many bytes one of them has at most.
_MOST_QUERIES, _LONGEST_QUERY = 500, 500


def is_below(prefix: str, path: str) -> bool:
    """Return whether a path is the prefix or lies below it."""
    return path.startswith(prefix) and (path == prefix or path[len(prefix)] == "/")


def is_unrecorded(path: str) -> bool:
    """Return whether requests for a path are not in the request log, and not hit by faults."""
    return path == "/" or (path.startswith(UNRECORDED) and any(is_below(prefix, path) for prefix in UNRECORDED))


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


class NoSessions(SessionInterface):
    """Nobody has a session here: one that is empty and closed serves all, where Flask looks for each request's own."""

    def __init__(self) -> None:
        self._none = NullSession()

    def open_session(self, app: Any, request: Any) -> SessionMixin:
        """None that holds anything."""
        return self._none


def json_response(obj: Any, status: int = 200) -> Response:
    """A JSON answer, written once, as bytes. None is no body at all."""
    if obj is None:
        response = Response(status=status)
        del response.headers["Content-Type"]
        return response
    return JsonResponse(orjson.dumps(obj), status, content_type="application/json")


class JsonResponse(Response):
    """A JSON answer, sent as it was made: for any other, Werkzeug copies and checks the head once more before it goes.

    That took as long as making it. What got a further header meanwhile goes Werkzeug's way.
    """

    def get_wsgi_headers(self, environ: Any) -> Any:
        """The head: type and length."""
        return self.headers if len(self.headers) == 2 else super().get_wsgi_headers(environ)


def read_json(req: Request, *, shallow: bool = True) -> Any:
    """The body's JSON, or `missing` when there is none. Raises BadRequest and UnsupportedMediaType.

    Unless it need not be `shallow`, it is refused when it is nested too deeply to be kept.
    """
    raw = req.get_data()
    if not raw:
        return core.missing
    if not core.is_json(req.mimetype):
        raise UnsupportedMediaType("The body must be JSON, with Content-Type: application/json.")
    try:
        body = orjson.loads(raw)
    except orjson.JSONDecodeError as error:
        raise BadRequest(f"The body is not valid JSON: {error}.") from None
    if shallow and too_deep(raw, body):
        raise BadRequest("The body is nested too deeply.")
    return body


class Parser(FlaskParser):
    """webargs, reading JSON as above and reading bodies by the `strict` form of their schemas with `--strict`."""

    DEFAULT_VALIDATION_STATUS = 400

    def __init__(self) -> None:
        super().__init__()
        # What queries say, by schema and text: the same few come again and again, and to read one takes 35 µs.
        self._known: dict[tuple[Any, bytes], dict[str, Any]] = {}

    def is_strict(self, location: str) -> bool:
        """Whether unknown members are refused there."""
        return location == "json" and current().live.strict

    def parse(self, argmap: Any, req: Any = None, *, location: str | None = None, **kwargs: Any) -> Any:
        """The values by schema. Of a class one instance serves all requests: webargs would make one for each."""
        schema = instance_of(argmap)
        if location != "query":
            return super().parse(schema, req, location=location, **kwargs)
        # All that a query's values depend on; they are texts, numbers and the like, which nobody can change.
        asked = schema, (req or request).query_string
        known = self._known.get(asked)
        if known is None:
            known = super().parse(schema, req, location=location, **kwargs)
            if len(asked[1]) <= _LONGEST_QUERY:
                if len(self._known) >= _MOST_QUERIES:  # the caller makes them up
                    self._known.clear()
                self._known[asked] = known
        return dict(known)

    def load_querystring(self, req: Request, schema: Schema) -> Any:
        """Each parameter's first value: none is a list here.

        In the dict that webargs makes, each parameter that is left out is an exception, and a page of logs has twenty.
        """
        return req.args.to_dict()

    def load_json(self, req: Request, schema: Schema) -> Any:
        """The body for `schema`; `missing` counts as `{}`."""
        return read_json(req)

    def _process_location_data(
        self, location_data: Any, schema: Schema, req: Any, location: str, unknown: Any, validators: Any
    ) -> Any:
        if self.is_strict(location):
            schema = strict(schema)
        # None is the schema's own way.
        return super()._process_location_data(location_data, schema, req, location, None, validators)


class Area(flask_smorest.Blueprint):
    """One area of the API: a blueprint whose every request needs the key of a team, kept in `g.team`.

    `admit` lets the caller in or raises Unauthorized; the application calls it in the request's transaction, so that
    key, team and rows are of one moment. None where no key is needed. For the view that `secret_for` names the key may
    come in the header `team-secret` instead.
    """

    ARGUMENTS_PARSER = Parser()
    admit: Callable[[Request], None] | None

    def __init__(
        self, name: str, url_prefix: str, *, description: str = "", key_required: bool = True, secret_for: str = ""
    ) -> None:
        super().__init__(name, __name__, url_prefix=url_prefix, description=description)
        self.takes_secret = f"{name}.{secret_for}"
        self.security: list[dict[str, list[str]]] = [{"apiKey": []}] if key_required else []
        self._prepare_doc_cbks.append(self._prepare_house_doc)
        self._undescribed: list[tuple[Any, Any]] = []
        self.admit = demand_key if key_required else None

    def route(self, rule: str, *, tags: list[str] | None = None, **ids: str) -> Any:
        """As flask-smorest's; `get="listWorkers"` gives the operation of a method its id in the document."""
        routed = super().route(rule, tags=tags)

        def name(view: Any) -> Any:
            for method, operation_id in ids.items():
                function = getattr(view, method)
                function._apidoc = {**getattr(function, "_apidoc", {}), "operation_id": operation_id}
            return routed(view)

        return name

    def arguments(self, schema: Any, *, location: str = "json", **described: Any) -> Any:
        """As flask-smorest's, which is asked when the document is made; the body or query takes a shorter way."""
        documented = super().arguments

        def decorator(view: Any) -> Any:
            taking = self.ARGUMENTS_PARSER.use_args(schema, location=location)(view)
            return _describe_later(
                taking, view, lambda known: documented(schema, location=location, **described)(known)
            )

        return decorator

    def response(self, status_code: Any, schema: Any = None, **described: Any) -> Any:
        """As flask-smorest's, which is asked when the document is made; the answer takes a shorter way.

        A view answers what the schema dumps, alone or with its status, or a whole Response.
        """
        documented = super().response

        def decorator(view: Any) -> Any:
            @wraps(view)
            def answer(*args: Any, **kwargs: Any) -> Any:
                result, status = view(*args, **kwargs), status_code
                if isinstance(result, tuple):
                    result, status = result
                if isinstance(result, Response):
                    return result
                form = instance_of(schema)
                return json_response(form.dump(result) if isinstance(form, Schema) else result, status)

            return _describe_later(answer, view, lambda known: documented(status_code, schema, **described)(known))

        return decorator

    def errors(self, *statuses: int) -> Callable[[Any], Any]:
        """Document statuses that an operation gives beyond those that its form tells (400, 401, 404)."""

        def mark(view: Any) -> Any:
            view._apidoc = {**getattr(view, "_apidoc", {}), "house_errors": statuses}
            return view

        return mark

    # The document is made when it is first asked for: what makes it is imported, and every docstring read, then.

    def _store_endpoint_docs(self, *args: Any, **options: Any) -> None:
        self._undescribed.append((args, options))

    def register_views_in_doc(self, *args: Any, **kwargs: Any) -> None:
        """Describe the area. In a process with several applications, one of them at a time."""
        while self._undescribed:
            endpoint, options = self._undescribed.pop(0)
            super()._store_endpoint_docs(*endpoint, **options)
        super().register_views_in_doc(*args, **kwargs)

    def _prepare_arguments_doc(self, doc: Any, doc_info: Any, **kwargs: Any) -> Any:
        from dryline.blueprints import openapi

        view: Any = SimpleNamespace(_apidoc=doc_info)  # on which flask-smorest notes what it is told
        for describe in doc_info.get("house_described", ()):
            view = describe(view)
        doc_info.update(view._apidoc)
        return super()._prepare_arguments_doc(doc, openapi.with_body_schemas(doc_info), **kwargs)

    def _prepare_response_doc(self, doc: Any, doc_info: Any, **kwargs: Any) -> Any:
        from dryline.blueprints import openapi

        return super()._prepare_response_doc(doc, openapi.with_answer_schemas(doc_info), **kwargs)

    def _prepare_house_doc(self, doc: Any, doc_info: Any, **kwargs: Any) -> Any:
        from dryline.blueprints import openapi

        return openapi.with_errors(doc, doc_info, self.security)


def _describe_later(answer: Any, view: Any, describe: Callable[[Any], Any]) -> Any:
    """`answer`, which stands before a view; what `describe` tells of it is asked for when the document is made."""
    known = getattr(view, "_apidoc", {})
    answer._apidoc = {**known, "house_described": (*known.get("house_described", ()), describe)}
    return answer


def operation_id(view: Any, method: str) -> str | None:
    """The id of a view's operation, None where it is no area's."""
    function = getattr(getattr(view, "view_class", None), method.lower(), None)
    return getattr(function, "_apidoc", {}).get("operation_id")


def demand_key(asked: Request) -> None:
    """Set `g.key` and `g.team` from the request's API key. Raises Unauthorized."""
    if asked.environ["REQUEST_METHOD"] == "OPTIONS":  # a browser asks without the key what it may send
        return
    key = authenticate(sent_key(asked))
    g.key, g.team = key, key.team
    work_for(key.team_id)


def sent_key(asked: Request) -> str | None:
    """The key that the request brings, in clear; from `team-secret` only where the area takes it from there."""
    key = asked.environ.get("HTTP_X_API_KEY")
    if key is None and asked.blueprint:
        area = current_app.blueprints[asked.blueprint]
        if isinstance(area, Area) and asked.endpoint == area.takes_secret:
            key = asked.environ.get("HTTP_TEAM_SECRET")
    return key

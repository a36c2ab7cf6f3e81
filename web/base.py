"""The base of all areas: API keys, parsing of bodies and queries, JSON responses."""

from collections.abc import Callable
from typing import Any

import flask_smorest
import orjson
from flask import Blueprint, Request, Response, g, request
from flask.json.provider import JSONProvider
from marshmallow import Schema, ValidationError
from webargs import core
from webargs.flaskparser import FlaskParser
from werkzeug.exceptions import BadRequest, UnsupportedMediaType

from dryline.models.teams import Team, authenticate
from dryline.schemas.base import instance_of, strict
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.storage.json_values import is_too_deep, loads
from dryline.web.operations import find_operation, find_view
from dryline.world.origins import TEAM_KEY


class OrjsonProvider(JSONProvider):
    """A JSON provider for Flask that uses orjson."""

    def dumps(self, obj: Any, **kwargs: Any) -> str:
        return orjson.dumps(obj).decode()

    def loads(self, s: str | bytes, **kwargs: Any) -> Any:
        return orjson.loads(s)

    def response(self, *args: Any, **kwargs: Any) -> Any:
        """Return a JSON response. None is an empty body (204)."""
        return json_response(*args, **kwargs)


def json_response(obj: Any, status: int = 200) -> Response:
    """Return a JSON response. None is an empty body."""
    if obj is None:
        response = Response(status=status)
        del response.headers["Content-Type"]
        return response
    return Response(orjson.dumps(obj), status, content_type="application/json")


def read_json(req: Request, *, shallow: bool = True) -> Any:
    """Return the body's JSON, or `missing` if there is no body. Raises BadRequest and UnsupportedMediaType.

    With `shallow`, a body that is nested too deeply to be stored is refused.
    """
    raw = req.get_data()
    if not raw:
        return core.missing
    if (coding := req.headers.get("Content-Encoding", "").strip()) not in ("", "identity"):
        raise UnsupportedMediaType(f"The body is compressed (Content-Encoding: {coding}); send it without that header.")
    if not core.is_json(req.mimetype):
        raise UnsupportedMediaType("The body must be JSON, with Content-Type: application/json.")
    try:
        body = loads(raw)
    except ValueError as error:
        raise BadRequest(f"The body is not valid JSON: {error}.") from None
    if shallow and is_too_deep(raw, body):
        raise BadRequest("The body is nested too deeply.")
    return body


class Parser(FlaskParser):
    """webargs with orjson. With `--strict` unknown members of bodies and unknown parameters are refused."""

    DEFAULT_VALIDATION_STATUS = 400
    DEFAULT_UNKNOWN_BY_LOCATION: dict[str, str | None] = {}  # noqa: RUF012  # declared so by webargs; the schema decides

    def is_strict(self, location: str) -> bool:
        """Return whether unknown names are refused."""
        return location in ("json", "query") and current().runtime_settings.strict

    def parse(self, argmap: Any, req: Any = None, *, location: str | None = None, **kwargs: Any) -> Any:
        """Return the values by schema."""
        schema = instance_of(argmap)
        if self.is_strict(location or "json"):
            schema = strict(schema)
        return super().parse(schema, req, location=location, **kwargs)

    def load_querystring(self, req: Request, schema: Schema) -> Any:
        """Return the first value of each parameter; no parameter is a list. Raises ValidationError if strict.

        In webargs' own mapping each missing parameter raises an exception, and a list of logs has twenty parameters.
        """
        params: dict[str, str] = req.args.to_dict()
        if self.is_strict("query"):
            repeated = [name for name in params if len(req.args.getlist(name)) > 1]
            if repeated:
                raise ValidationError({name: ["Must be sent once."] for name in repeated})
        return params

    def load_json(self, req: Request, schema: Schema) -> Any:
        """Return the body's JSON; `missing` counts as `{}`. Raises BadRequest for an update without a body."""
        body = read_json(req)
        if body is core.missing and self.requires_body(req):
            raise BadRequest("The body must be a JSON object.")
        return body

    def requires_body(self, req: Request) -> bool:
        """Return whether a missing body is refused: of an update, and where the view says so."""
        return req.method in ("PATCH", "PUT") or hasattr(find_view(req.endpoint), "requires_body")


class UndocumentedBlueprint(Blueprint):
    """A blueprint that the OpenAPI document omits, and whose views open transactions themselves."""

    own_transactions = True


class Area(flask_smorest.Blueprint):
    """A blueprint for one area of the API.

    With `key_required`, its requests need a team's API key, and views find the team in `g.team`. A view with
    `takes_secret` takes the key from the header `team-secret` as well, and one with `requires_body` refuses a missing
    body. With `own_transactions` the views open transactions themselves, as those do that run jobs or flows.
    """

    ARGUMENTS_PARSER = Parser()

    def __init__(
        self,
        name: str,
        url_prefix: str,
        *,
        description: str = "",
        key_required: bool = True,
        own_transactions: bool = False,
    ) -> None:
        super().__init__(name, __name__, url_prefix=url_prefix, description=description)
        self.key_required, self.own_transactions = key_required, own_transactions
        self.security: list[dict[str, list[str]]] = [{"apiKey": []}] if key_required else []

    def arguments(self, schema: Any, *, location: str = "json", **kwargs: Any) -> Any:
        """Pass the body or the query to the view. The view's `schemas_by_location` then has the schema."""
        pass_arguments = super().arguments(schema, location=location, **kwargs)

        def decorator(view: Any) -> Any:
            decorated = pass_arguments(view)
            decorated.schemas_by_location = {**getattr(view, "schemas_by_location", {}), location: instance_of(schema)}
            return decorated

        return decorator

    def route(self, rule: str, *, tags: list[str] | None = None, **operation_ids: str) -> Any:
        """Register a view; `get="listWorkers"` is the operation id of its method `get`."""
        register = super().route(rule, tags=tags)

        def decorator(view: Any) -> Any:
            view.tag = (tags or [self.name])[0]
            view.security = list(self.security)
            if hasattr(view, "takes_secret"):
                view.security.append({"teamSecret": []})
            for method, operation_id in operation_ids.items():
                getattr(view, method).operation_id = operation_id
            return register(view)

        return decorator

    def errors(self, *statuses: int) -> Callable[[Any], Any]:
        """Document errors beyond those of an operation's path, query and body (400, 401, 404, 413, 415)."""

        def decorator(view: Any) -> Any:
            view.error_statuses = statuses
            return view

        return decorator


def admit(request: Request) -> None:
    """Check the request's key and, with `--strict`, that a query goes to an operation that takes one."""
    require_key(request)
    if request.environ.get("QUERY_STRING") and current().runtime_settings.strict:
        require_no_query()


def require_no_query() -> None:
    """Raise Invalid for a query to a view that takes none: its sender expects an effect."""
    operation = find_operation(request.endpoint, request.method)
    if request.args and operation is not None and "query" not in getattr(operation, "schemas_by_location", {}):
        name = next(iter(request.args))
        raise Invalid(f"{request.method} {request.path} takes no parameters.", name)


def require_key(request: Request) -> None:
    """Set `g.team` and `g.author` from the request's API key, which is then in `g.key`.

    A request of the console has no key: its author is a person of the team that it names. Raises Unauthorized, and
    EpochEnded as `enter_team`.
    """
    team_id = request.environ.get(TEAM_KEY)
    if team_id is not None:
        current().enter_team(team_id)
        g.team = g.author = Team.by_id(team_id)
        return
    if request.method == "OPTIONS":  # a browser sends its preflights without the key
        return
    key = authenticate(sent_key(request))
    current().enter_team(key.team_id)
    g.key = g.author = key
    g.team = key.team


def sent_key(request: Request) -> str | None:
    """Return the request's API key in clear. The header `team-secret` counts only for a view that takes it."""
    key = request.environ.get("HTTP_X_API_KEY")
    if key is None and hasattr(find_view(request.endpoint), "takes_secret"):
        key = request.environ.get("HTTP_TEAM_SECRET")
    return key

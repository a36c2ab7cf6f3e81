"""What was called."""

from __future__ import annotations

import re
from urllib.parse import parse_qs

import orjson
from flask import jsonify, make_response
from flask.views import MethodView
from marshmallow import ValidationError, fields, validate

from dryline.blueprints.control.base import ControlArea
from dryline.schemas.base import ApiSchema, Integer, JsonObject, Number, QueryInteger, QuerySchema, Timestamp
from dryline.world.request_record import Entry, Wanted
from dryline.world.world import current

blp = ControlArea("Control: requests", description="What was called, newest first, and checks of it.")


class EntrySchema(ApiSchema):
    """One request. `body` is its JSON, or its text; `status` is null where the connection was dropped."""

    number = Integer()
    time = Timestamp()
    method = fields.String()
    path = fields.String()
    query = JsonObject(metadata={"description": "name to list of values"})
    headers = JsonObject()
    body = fields.Raw(allow_none=True)
    status = Integer(allow_none=True)
    duration_ms = Number()
    fault_id = fields.String(allow_none=True)
    team_id = fields.String(allow_none=True)


class MissSchema(ApiSchema):
    """A request that nearly fits."""

    request = fields.Nested(EntrySchema)
    misses = fields.List(fields.String(), metadata={"description": "the conditions that it does not meet"})


class RequestQuery(QuerySchema):
    """Which requests."""

    method = fields.String(load_default=None)
    path = fields.String(load_default=None, metadata={"description": "* stands for any text"})
    status = QueryInteger(load_default=None)
    since = Timestamp(load_default=None)
    team = fields.String(load_default=None, attribute="team_id", data_key="team")
    body_contains = fields.String(load_default=None)


class RequestListQuery(RequestQuery):
    """Which requests, and how many of them."""

    limit = QueryInteger(load_default=100, validate=validate.Range(1, 10_000))


def a_pattern(value: str) -> None:
    """Raises ValidationError for text that is no regular expression."""
    try:
        re.compile(value)
    except re.error as error:
        raise ValidationError(f"Not a regular expression: {error}.") from None


class TimesSchema(ApiSchema):
    """How often, at least and at most."""

    min = Integer(load_default=None, allow_none=True, validate=validate.Range(0))
    max = Integer(load_default=None, allow_none=True, validate=validate.Range(0))


class VerifySchema(ApiSchema):
    """What must have been called. Without `times`: at least once."""

    method = fields.String(load_default=None, allow_none=True)
    path = fields.String(load_default=None, allow_none=True)
    status = Integer(load_default=None, allow_none=True)
    since = Timestamp(load_default=None, allow_none=True)
    body_contains = fields.String(load_default=None, allow_none=True)
    body_matches = fields.String(load_default=None, allow_none=True, validate=a_pattern)
    times = fields.Nested(TimesSchema, load_default=None, allow_none=True)


class CountSchema(ApiSchema):
    """How many."""

    count = Integer()


class UnmetSchema(ApiSchema):
    """It was not called as it should have been: how often it was, and what came nearest."""

    error = fields.String()
    count = Integer()
    nearest = fields.List(fields.Nested(MissSchema))


@blp.route("/requests")
class Requests(MethodView):
    @blp.arguments(RequestListQuery, location="query")
    @blp.response(200, EntrySchema(many=True))
    def get(self, query):
        """List the requests, newest first."""
        limit = query.pop("limit")
        return [shown(entry) for entry, _ in zip(current().requests.find(Wanted(**query)), range(limit), strict=False)]

    @blp.arguments(RequestQuery(only=["team"]), location="query")
    @blp.response(204)
    def delete(self, query):
        """Forget the requests."""
        current().requests.clear(query["team_id"])


@blp.route("/requests/count")
class RequestCount(MethodView):
    @blp.arguments(RequestQuery, location="query")
    @blp.response(200, CountSchema)
    def get(self, query):
        """Count the requests."""
        return {"count": sum(1 for _ in current().requests.find(Wanted(**query)))}


@blp.route("/requests/verify")
class RequestVerify(MethodView):
    @blp.arguments(VerifySchema)
    @blp.arguments(RequestQuery(only=["team"]), location="query")
    @blp.response(200, CountSchema)
    @blp.alt_response(409, schema=UnmetSchema, description="Not so: the nearest misses.")
    def post(self, body, query):
        """Check that something was called, so and so often."""
        times = body.pop("times") or {"min": None, "max": None}
        wanted = Wanted(**body, **query)
        least = times["min"] if times["min"] is not None else (0 if times["max"] is not None else 1)
        count = sum(1 for _ in current().requests.find(wanted))
        if least <= count and (times["max"] is None or count <= times["max"]):
            return {"count": count}
        bounds = f"at least {least}" + (f" and at most {times['max']}" if times["max"] is not None else "")
        nearest = [
            {"request": EntrySchema().dump(shown(entry)), "misses": misses}
            for entry, misses in current().requests.nearest(wanted)
        ]
        unmet = {"error": f"Expected {bounds}, found {count}.", "count": count, "nearest": nearest}
        return make_response(jsonify(unmet), 409)


def shown(entry: Entry) -> dict[str, object]:
    """An entry as it is answered."""
    return {
        **{name: getattr(entry, name) for name in ("number", "time", "method", "path", "status", "duration_ms")},
        "fault_id": entry.fault_id,
        "team_id": entry.team_id,
        "query": parse_qs(entry.query, keep_blank_values=True),
        "headers": {name.removeprefix("HTTP_").replace("_", "-").lower(): value for name, value in entry.headers},
        "body": _decoded(entry),
    }


def _decoded(entry: Entry) -> object:
    if not entry.body:
        return None
    try:
        body = orjson.loads(entry.body)
        orjson.dumps(body)
    except (ValueError, TypeError):
        return entry.text()
    return body

"""What was called."""

from __future__ import annotations

import re
from itertools import islice
from typing import Any
from urllib.parse import parse_qs

import orjson
from flask.views import MethodView
from marshmallow import ValidationError, fields, validate, validates_schema

from dryline.blueprints.base import json_response
from dryline.blueprints.control.base import ControlArea, known_team
from dryline.blueprints.control.har import archive
from dryline.blueprints.links import base_url
from dryline.schemas.base import (
    ApiSchema,
    Integer,
    JsonObject,
    Number,
    QueryInteger,
    QuerySchema,
    Timestamp,
    instance_of,
)
from dryline.storage.current_world import current
from dryline.traffic import request_search
from dryline.traffic.request_log import Entry
from dryline.traffic.request_search import Criteria, Verification, find

# The form of ids: `worker_…`.
_ID = re.compile(r"[A-Za-z0-9]+_[A-Za-z0-9-]{6,}")

blp = ControlArea("Control: requests", description="What was called, newest first, and checks of it.")


class EntrySchema(ApiSchema):
    """One request. `body` is its JSON, or its text; `status` is null where the connection was dropped."""

    number = Integer(metadata={"description": "counts up from the start of the server"})
    time = Timestamp(metadata={"description": "when it came, in API time"})
    method = fields.String()
    path = fields.String(metadata={"description": "path, without the query"})
    query = JsonObject(metadata={"description": "name to list of values"})
    headers = JsonObject()
    body = fields.Raw(
        allow_none=True, metadata={"description": "its JSON, or its text; cut off in older requests if it is long"}
    )
    status = Integer(
        allow_none=True, metadata={"description": "status of the answer; null where the connection was dropped"}
    )
    duration_ms = Number(metadata={"description": "real time until the answer"})
    fault_id = fields.String(allow_none=True, metadata={"description": "rule that struck it"})
    team_id = fields.String(allow_none=True, metadata={"description": "team of its key"})
    answer_headers = JsonObject(metadata={"description": "name to value"})
    answer = fields.Raw(
        allow_none=True,
        metadata={
            "description": "the answer's JSON, or its text; cut off after 64,000 bytes, in older requests after 1,000"
        },
    )
    touched = fields.List(
        fields.String(),
        metadata={"description": "ids in the path, that of the row answered, and of a webhook delivery"},
    )


class MissSchema(ApiSchema):
    """A request that nearly fits."""

    request = fields.Nested(EntrySchema)
    misses = fields.List(fields.String(), metadata={"description": "the conditions that it does not meet"})


class RequestQuery(QuerySchema):
    """Which requests."""

    method = fields.String(load_default=None)
    path = fields.String(load_default=None, metadata={"description": "* stands for any text"})
    status = QueryInteger(load_default=None, metadata={"description": "status of the answer"})
    since = Timestamp(load_default=None)
    after = QueryInteger(load_default=None, metadata={"description": "only later ones than that of this number"})
    team = fields.String(load_default=None, attribute="team_id", data_key="team")
    body_contains = fields.String(load_default=None)


class RequestListQuery(RequestQuery):
    """Which requests, and how many of them."""

    limit = QueryInteger(load_default=100, validate=validate.Range(1, 10_000))


def a_pattern(value: str) -> None:
    """Raises ValidationError for text that is no regular expression."""
    import regex  # imported late: a start does not need it

    try:
        regex.compile(value)
    except regex.error as error:
        raise ValidationError(f"Not a regular expression: {error}.") from None
    except RecursionError:
        raise ValidationError("Nested too deeply.") from None


class TimesSchema(ApiSchema):
    """How often, at least and at most."""

    min = Integer(
        load_default=None, allow_none=True, validate=validate.Range(0), metadata={"description": "at least so often"}
    )
    max = Integer(
        load_default=None, allow_none=True, validate=validate.Range(0), metadata={"description": "at most so often"}
    )

    @validates_schema
    def can_be_met(self, data, **kwargs):
        """Bounds that no number is within are a slip of their writer."""
        if None not in (data["min"], data["max"]) and data["min"] > data["max"]:
            raise ValidationError("Must not be less than min.", "max")


class ConditionsSchema(ApiSchema):
    """Which requests. What is left out, or null, matches any."""

    method = fields.String(load_default=None, allow_none=True)
    path = fields.String(load_default=None, allow_none=True, metadata={"description": "* stands for any text"})
    status = Integer(load_default=None, allow_none=True, metadata={"description": "status of the answer"})
    since = Timestamp(load_default=None, allow_none=True)
    after = Integer(
        load_default=None,
        allow_none=True,
        metadata={"description": "only later ones than that of this number"},
    )
    body_contains = fields.String(load_default=None, allow_none=True)
    body_matches = fields.String(
        load_default=None,
        allow_none=True,
        validate=[validate.Length(max=1_000), a_pattern],
        metadata={"description": "a regular expression; all searches together may take 2 s"},
    )


class VerifySchema(ConditionsSchema):
    """What must have been called. Without `times`: at least once."""

    times = fields.Nested(TimesSchema, load_default=None, allow_none=True)


class WaitSchema(ConditionsSchema):
    """What to wait for. Requests that were made before count, unless `since` or `after` leaves them out."""

    count = Integer(
        load_default=1, validate=validate.Range(1, 10_000), metadata={"description": "how many of them there must be"}
    )
    timeout_ms = Integer(
        load_default=10_000,
        validate=validate.Range(0, 60_000),
        metadata={"description": "how long to wait for them, in real time"},
    )


class ArrivedSchema(ApiSchema):
    """What was waited for."""

    count = Integer(metadata={"description": "how many match"})
    requests = fields.List(fields.Nested(EntrySchema), metadata={"description": "the newest 100 of them, newest first"})


class CountSchema(ApiSchema):
    """How many."""

    count = Integer()


class UnmetSchema(ApiSchema):
    """It was not called as it should have been: how often it was, and which calls were too many or came nearest."""

    error = fields.String(metadata={"description": "what was wanted, and how many were found"})
    count = Integer()
    surplus = fields.List(
        fields.Nested(EntrySchema), metadata={"description": "too often: the newest calls beyond the bound"}
    )
    nearest = fields.List(
        fields.Nested(MissSchema),
        metadata={"description": "not called often enough: what misses the fewest conditions"},
    )


@blp.route("/requests", get="listRequests", delete="clearRequests")
class Requests(MethodView):
    @blp.arguments(RequestListQuery, location="query")
    @blp.response(200, EntrySchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the requests, newest first.

        The newest 10,000, with the query, headers and bodies of both sides; secrets are masked. The control
        plane's own requests are left out.
        """
        limit = query.pop("limit")
        return [shown(entry) for entry in islice(find(current().requests, criteria_of(query)), limit)]

    @blp.arguments(RequestQuery(only=["team"]), location="query")
    @blp.response(204)
    @blp.errors(404)
    def delete(self, query):
        """Forget the requests.

        With `team`, those of one team.
        """
        current().requests.clear(known_team(query["team_id"]))


@blp.route("/requests/count", get="countRequests")
class RequestCount(MethodView):
    @blp.arguments(RequestQuery, location="query")
    @blp.response(200, CountSchema)
    @blp.errors(404)
    def get(self, query):
        """Count the requests.

        By the same filters as `listRequests`.
        """
        return {"count": sum(1 for _ in find(current().requests, criteria_of(query)))}


@blp.route("/requests/verify", post="verifyRequests")
class RequestVerify(MethodView):
    @blp.arguments(VerifySchema)
    @blp.arguments(RequestQuery(only=["team"]), location="query")
    @blp.response(200, CountSchema)
    @blp.alt_response(409, schema=UnmetSchema, description="Not so: the calls too many, or the nearest misses.")
    @blp.errors(404)
    def post(self, body, query):
        """Check that something was called, so and so often.

        Without `times`: at least once. 409 where it was not so, with the calls too many, or those that came nearest
        and what each missed.
        """
        times = body.pop("times") or {"min": None, "max": None}
        criteria = criteria_of(body | query)
        verification = request_search.verify(current().requests, criteria, times["min"], times["max"])
        if verification.met:
            return {"count": verification.count}
        return unmet(verification, f"Expected {verification.expected}, found {verification.count}.")


@blp.route("/requests/wait", post="waitForRequests")
class RequestWait(MethodView):
    @blp.arguments(WaitSchema)
    @blp.arguments(RequestQuery(only=["team"]), location="query")
    @blp.response(200, ArrivedSchema)
    @blp.alt_response(409, schema=UnmetSchema, description="Not in time: the nearest misses.")
    @blp.errors(404)
    def post(self, body, query):
        """Wait until something was called.

        As often as `count` says, or until time is over: a 409 then, with what came nearest. Other requests go on
        meanwhile.
        """
        count, timeout_ms = body.pop("count"), body.pop("timeout_ms")
        world, criteria = current(), criteria_of(body | query)
        entries = request_search.wait(world.requests, criteria, count, timeout_ms / 1000, world.ending)
        if len(entries) < count:
            within = "until the server ended" if world.ending.is_set() else f"within {timeout_ms} ms"
            error = f"Expected {count} {within}, found {len(entries)}."
            return unmet(request_search.verify(world.requests, criteria, count, None), error)
        return {"count": len(entries), "requests": [on_the_wire(entry) for entry in entries[:100]]}


@blp.route("/requests.har", get="exportRequests")
class RequestsHar(MethodView):
    @blp.arguments(RequestQuery, location="query")
    @blp.response(200, {"type": "object"})
    @blp.errors(404)
    def get(self, query):
        """Export the requests as an HTTP Archive.

        Oldest first; browsers and other tools open it. Version 1.2:
        https://w3c.github.io/web-performance/specs/HAR/Overview.html. `startedDateTime` is real time, `_apiTime` the
        time of the world's clock; `_faultId` names the fault that was applied. Status 0 is a connection that was cut
        without an answer.
        """
        entries = list(find(current().requests, criteria_of(query)))[::-1]
        document = json_response(archive(entries, base_url()))
        document.headers["Content-Disposition"] = "attachment; filename=dryline.har"
        return document


def unmet(verification: Verification, error: str) -> Any:
    """Return the answer for calls that are not as expected."""
    answer = {
        "error": error,
        "count": verification.count,
        "surplus": [on_the_wire(entry) for entry in verification.surplus],
        "nearest": [{"request": on_the_wire(entry), "misses": misses} for entry, misses in verification.nearest],
    }
    return json_response(answer, 409)


def on_the_wire(entry: Entry) -> dict[str, Any]:
    """An entry within another answer."""
    return instance_of(EntrySchema).dump(shown(entry))


def criteria_of(params: dict[str, Any]) -> Criteria:
    """Return the criteria of a request. Raises NotFound for an unknown team."""
    known_team(params["team_id"])
    return Criteria(**params)


def shown(entry: Entry) -> dict[str, Any]:
    """An entry as it is answered."""
    return {
        **{name: getattr(entry, name) for name in ("number", "time", "method", "path", "status", "duration_ms")},
        "fault_id": entry.fault_id,
        "team_id": entry.team_id,
        "query": parse_qs(entry.query, keep_blank_values=True),
        "headers": {name.lower(): value for name, value in entry.headers},
        "body": _decoded(entry.body),
        "answer_headers": {name.lower(): value for name, value in entry.answer_headers},
        "answer": (answer := _decoded(entry.answer)),
        "touched": _touched(entry, answer),
    }


def _decoded(body: bytes) -> object:
    if not body:
        return None
    try:
        found = orjson.loads(body)
        orjson.dumps(found)
    except (ValueError, TypeError):
        return body.decode(errors="replace")
    return found


def _touched(entry: Entry, answer: object) -> list[str]:
    """The rows that a request was about."""
    found = [part for part in entry.path.split("/") if _ID.fullmatch(part)]
    if isinstance(answer, dict) and isinstance(answer.get("id"), str):
        found.append(answer["id"])
    found += [value for name, value in entry.headers if name == "X-Dryline-Delivery"]
    return list(dict.fromkeys(found))

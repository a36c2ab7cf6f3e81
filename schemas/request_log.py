"""Schemas of the request log: entries, filters, conditions, verification."""

import regex
from marshmallow import ValidationError, fields, validate

from dryline.schemas.base import (
    AnyTime,
    ApiSchema,
    Boolean,
    Integer,
    JsonObject,
    Number,
    OneOf,
    PathPattern,
    QueryInteger,
    QuerySchema,
    Timestamp,
)
from dryline.schemas.checks import AwaitedSchema, ExpectedSchema, awaited_count
from dryline.world.origins import ALL, ORIGINS, UNSEARCHED

_ORIGIN = (
    "`program`; `test`, the client of the test helpers; `arranged`, what the helpers create; `console`, a person "
    "there; or `inbox`, a request to the inbox"
)
_ORIGIN_SEARCHED = f"{_ORIGIN}; `all` for every origin. Without it `{UNSEARCHED[0]}` and `{UNSEARCHED[1]}` are left out"


class EntrySchema(ApiSchema):
    """An entry of the request log."""

    number = Integer(
        allow_none=True,
        metadata={"description": "number of the request since the server's start, in the order of the answers"},
    )
    in_progress = Boolean(
        metadata={"description": "whether it is not answered yet; number, status and answer are null then"}
    )
    time = Timestamp(metadata={"description": "time of the request, in API time"})
    answered_at = Timestamp(allow_none=True, metadata={"description": "real time of the answer"})
    method = fields.String()
    path = fields.String(metadata={"description": "path without the query"})
    query = JsonObject(metadata={"description": "name to list of values"})
    headers = JsonObject()
    body = fields.Raw(allow_none=True, metadata={"description": "body as JSON or text"})
    ignored = fields.List(fields.String(), metadata={"description": "query parameters and body members without effect"})
    status = Integer(allow_none=True, metadata={"description": "status; null if the connection was dropped"})
    duration_ms = Number(allow_none=True, metadata={"description": "real time until the answer, in milliseconds"})
    fault_id = fields.String(allow_none=True, metadata={"description": "id of the fault that was applied"})
    team_id = fields.String(allow_none=True, metadata={"description": "id of the key's team"})
    origin = fields.String(validate=OneOf(*ORIGINS), metadata={"description": _ORIGIN})
    answer_headers = JsonObject(metadata={"description": "name to value"})
    answer = fields.Raw(allow_none=True, metadata={"description": "answer as JSON or text, at most 64,000 bytes"})
    touched = fields.List(fields.String(), metadata={"description": "ids in the path, the answer, or a delivery"})


class MissSchema(ApiSchema):
    """A request that meets some of the conditions."""

    request = fields.Nested(EntrySchema)
    misses = fields.List(fields.String(), metadata={"description": "conditions that the request does not meet"})
    body_text = fields.String(metadata={"description": "beginning of the request's body, as it was sent"})


class RequestQuery(QuerySchema):
    """Filters of the request log."""

    method = fields.String(load_default=None)
    path = PathPattern(load_default=None, metadata={"description": "path, where {…} is one segment and * any text"})
    status = QueryInteger(load_default=None, metadata={"description": "status of the answer"})
    since = AnyTime(load_default=None, needs_offset=True)
    after = QueryInteger(load_default=None, metadata={"description": "only requests with a higher number"})
    team = fields.String(load_default=None, attribute="team_id", data_key="team")
    body_contains = fields.String(load_default=None)
    origin = fields.String(load_default=None, validate=OneOf(*ORIGINS, ALL), metadata={"description": _ORIGIN_SEARCHED})


class RequestListQuery(RequestQuery):
    """Filters of the request log, and a limit."""

    limit = QueryInteger(load_default=100, validate=validate.Range(1, 10_000))


def require_pattern(value: str) -> None:
    """Check a regular expression. Raises ValidationError."""
    try:
        regex.compile(value)
    except regex.error as error:
        raise ValidationError(f"Not a regular expression: {error}.") from None
    except RecursionError:
        raise ValidationError("Nested too deeply.") from None


class ContentSchema(ApiSchema):
    """Conditions for the content of a request, beside its headers. A field that is left out or null matches all."""

    body_contains = fields.String(load_default=None, metadata={"description": "text in the request's body"})
    json = fields.Raw(
        load_default=None,
        metadata={"description": "JSON that the body must have; it may have further members at every depth"},
    )
    query = JsonObject(load_default=None, metadata={"description": "query parameters by name; null: not sent"})


class ConditionsSchema(ContentSchema):
    """Conditions for requests. A field that is left out or null matches all requests."""

    method = fields.String(load_default=None)
    path = PathPattern(load_default=None, metadata={"description": "path, where {…} is one segment and * any text"})
    status = Integer(load_default=None, metadata={"description": "status of the answer"})
    since = AnyTime(load_default=None, needs_offset=True)
    after = Integer(load_default=None, metadata={"description": "only requests with a higher number"})
    body_matches = fields.String(
        load_default=None,
        validate=[validate.Length(max=1_000), require_pattern],
        metadata={"description": "regular expression for the request's body; all searches together may take 2 seconds"},
    )
    headers = JsonObject(load_default=None, metadata={"description": "values of headers by name; null: not sent"})
    origin = fields.String(load_default=None, validate=OneOf(*ORIGINS, ALL), metadata={"description": _ORIGIN_SEARCHED})


class VerifySchema(ExpectedSchema, ConditionsSchema):
    """Expected requests. Without `times`, at least one is expected; a number is exact."""


class WaitSchema(AwaitedSchema, ConditionsSchema):
    """Requests to wait for. Earlier requests count as well, unless `since` or `after` excludes them."""

    count = awaited_count("requests")


class CountSchema(ApiSchema):
    """A number of requests."""

    count = Integer(metadata={"description": "number of matching requests"})


class ArrivedSchema(CountSchema):
    """Requests that were waited for."""

    requests = fields.List(fields.Nested(EntrySchema), metadata={"description": "the newest 100 that match"})


class UnmetSchema(CountSchema):
    """A failed verification, with the requests beyond the maximum or those that nearly match."""

    error = fields.String(metadata={"description": "expected and actual number"})
    surplus = fields.List(
        fields.Nested(EntrySchema),
        metadata={"description": "if there are too many: the newest requests beyond the maximum"},
    )
    nearest = fields.List(
        fields.Nested(MissSchema),
        metadata={"description": "if there are too few: the requests that miss the fewest conditions"},
    )

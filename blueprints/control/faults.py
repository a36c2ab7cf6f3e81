"""Faults: rules that make matching requests fail or slow down."""

import re
from wsgiref.util import is_hop_by_hop

from flask.views import MethodView
from marshmallow import ValidationError, fields, post_load, pre_load, validate, validates_schema

from dryline.blueprints.control.base import ControlArea, TeamQuery, require_known_team
from dryline.schemas.base import ApiSchema, Boolean, Integer, JsonObject, Number, OneOf, PathPattern, Timestamp, camel
from dryline.schemas.request_log import ContentSchema
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.web.operations import METHODS, require_operation, require_path
from dryline.web.paths import UNRECORDED
from dryline.world.faults import LONGEST_MS, PRESETS, DelayDistribution, FaultAnswer
from dryline.world.path_patterns import normal_path
from dryline.world.rate_limits import RateLimit
from dryline.world.request_search import Criteria

blp = ControlArea("Control: faults", description="Make matching requests fail, wait or lose their answer.")

# The effects of a fault, of which it needs at least one.
EFFECTS = (
    "status",
    "delay_ms",
    "delay_distribution",
    "bytes_per_second",
    "rate_limit",
    "drop",
    "malformed",
    "headers",
    "override",
    "answers",
)
MAX_ANSWERS = 1_000
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")
_STATUS, _DELAY_MS = validate.Range(200, 599), validate.Range(0, LONGEST_MS)


class Malformed(fields.Field):
    """`truncated`, `garbage`, or `true`, which means `truncated`."""

    def _deserialize(self, value, attr, data, **kwargs):
        if isinstance(value, bool):
            return "truncated" if value else None
        if value not in ("truncated", "garbage"):
            raise ValidationError("Must be true, truncated or garbage.")
        return value


def check_headers(headers):
    """Check the headers of an answer. Those of the connection are the server's own, except `Connection: close`."""
    for name, value in (headers or {}).items():
        if not (name.isascii() and name.replace("-", "").isalnum()) or not _HEADER_VALUE.fullmatch(value):
            raise ValidationError(f"Not a header: {name!r}.")
        is_of_connection = is_hop_by_hop(name) or name.lower() in ("proxy-connection", "trailer")
        if is_of_connection and (name.lower(), value.lower()) != ("connection", "close"):
            raise ValidationError(f"{name} belongs to the connection; only Connection: close can be set.")
        if name.lower() == "content-length" and not value.isdecimal():
            raise ValidationError("Content-Length must be a number.")


class OverrideSchema(ApiSchema):
    """An answer instead of the operation's."""

    error_messages = {"type": "Must be a status, or an object with status, body and headers."}  # noqa: RUF012

    status = Integer(load_default=200, validate=_STATUS, metadata={"description": "status of the answer"})
    body = fields.Raw(load_default=None, metadata={"description": "body of the answer: JSON or text"})
    headers = fields.Dict(fields.String(), fields.String(), load_default=None, validate=check_headers)


class StatusOrAnswer(fields.Nested):
    """An answer, or a status alone."""

    other_schemas = ({"type": "integer", "minimum": 200, "maximum": 599},)

    def _deserialize(self, value, attr, data, partial=None, **kwargs):
        if isinstance(value, int) and not isinstance(value, bool):
            value = {"status": value}
        return super()._deserialize(value, attr, data, partial, **kwargs)


class RateLimitSchema(ApiSchema):
    """A rate limit for each key. Answers have `X-RateLimit-…` headers."""

    requests = Integer(
        required=True, validate=validate.Range(1, 1_000_000), metadata={"description": "requests allowed per window"}
    )
    window_seconds = Number(
        required=True,
        validate=validate.Range(0, 31 * 86_400, min_inclusive=False),
        metadata={"description": "length of a window in seconds of API time; its first request begins it"},
    )

    @post_load
    def build(self, data, **kwargs):
        return RateLimit(**data)


class DelayDistributionSchema(ApiSchema):
    """A random delay in real time, drawn from the seed."""

    type = fields.String(required=True, validate=OneOf("uniform"), metadata={"description": "always `uniform`"})
    lower_ms = Integer(required=True, validate=_DELAY_MS, metadata={"description": "shortest delay"})
    upper_ms = Integer(required=True, validate=_DELAY_MS, metadata={"description": "longest delay"})

    @validates_schema
    def check_order(self, data, **kwargs):
        if data["lower_ms"] > data["upper_ms"]:
            raise ValidationError("Must not be less than lowerMs.", "upperMs")

    @post_load
    def build(self, data, **kwargs):
        return DelayDistribution(**data)


class FaultSchema(ContentSchema):
    """A fault. It needs at least one effect on the answer: its content, its time or its form."""

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    preset = fields.String(
        load_only=True,
        validate=OneOf(*PRESETS),
        metadata={"description": "name of a ready-made fault; other fields override it"},
    )
    method = fields.String(load_default="*", metadata={"description": "HTTP method, or * for any"})
    path = PathPattern(
        load_default="*", metadata={"description": "path such as /api/workers/{id}; {…} is one segment, * any text"}
    )
    request_headers = JsonObject(
        load_default=None, metadata={"description": "values of the request's headers by name; null: not sent"}
    )
    status = Integer(
        load_default=None,
        validate=_STATUS,
        metadata={"description": "status to answer with; the request is not carried out"},
    )
    body = fields.Raw(load_default=None, metadata={"description": "body to answer with `status`: JSON or text"})
    headers = fields.Dict(
        fields.String(),
        fields.String(),
        load_default=None,
        validate=check_headers,
        metadata={"description": "headers to add to the answer"},
    )
    answers = fields.List(
        StatusOrAnswer(OverrideSchema),
        load_default=None,
        validate=validate.Length(1, MAX_ANSWERS),
        metadata={"description": "answers to give in turn; without `times` each is given once"},
    )
    delay_ms = Integer(load_default=0, validate=_DELAY_MS, metadata={"description": "delay in real time"})
    delay_distribution = fields.Nested(
        DelayDistributionSchema, load_default=None, metadata={"description": "random delays, instead of `delayMs`"}
    )
    bytes_per_second = Integer(
        load_default=None,
        validate=validate.Range(1, 1_000_000_000),
        metadata={"description": "speed of the answer's body in real time"},
    )
    rate_limit = fields.Nested(
        RateLimitSchema,
        load_default=None,
        metadata={"description": "apply the fault only to requests beyond this limit; `status` is 429 by default"},
    )
    drop = Boolean(load_default=False, metadata={"description": "close the connection without an answer"})
    malformed = Malformed(
        load_default=None,
        metadata={
            "description": "damage to the answer: `truncated` (or true) cuts it off, `garbage` makes it invalid JSON",
            "type": "string",
            "enum": ["truncated", "garbage", None],
        },
    )
    phase = fields.String(
        load_default="before",
        validate=OneOf("before", "after"),
        metadata={"description": "before or after the request is carried out; with `after` its answer is lost"},
    )
    override = fields.Nested(
        OverrideSchema, load_only=True, metadata={"description": "answer for any path, instead of the operation's"}
    )
    probability = Number(
        load_default=1,
        validate=validate.Range(0, 1, min_inclusive=False),
        metadata={"description": "probability that the fault applies to a matching request, drawn from the seed"},
    )
    times = Integer(
        load_default=None,
        validate=validate.Range(1),
        metadata={"description": "number of requests that the fault applies to; null means no limit"},
    )
    skip = Integer(
        load_default=0, validate=validate.Range(0), metadata={"description": "matching requests to leave alone first"}
    )
    team_id = fields.String(
        load_default=None, metadata={"description": "team whose requests the fault applies to; null means all teams"}
    )
    matches = Integer(dump_only=True, metadata={"description": "number of requests that matched"})
    hits = Integer(dump_only=True, metadata={"description": "number of requests that the fault was applied to"})

    @pre_load
    def apply_preset(self, data, **kwargs):
        """Return the preset's rule with the sent fields over it. An unknown preset is refused by its field."""
        preset = PRESETS.get(str(data.get("preset"))) if isinstance(data, dict) else None
        if preset is None:
            return data
        rule = {camel(name): value for name, value in preset["rule"].items()}
        return rule | data

    @validates_schema
    def check_method_and_path(self, data, **kwargs):
        """Check that some request can match."""
        method, path = data.get("method", "*"), data.get("path", "*")
        require_path(path)
        if normal_path(path).startswith(UNRECORDED):
            raise ValidationError("Faults do not apply to the control plane and the documentation.", "path")
        if method.upper() not in METHODS:
            raise ValidationError(f"Must be one of: {', '.join(METHODS)}.", "method")
        if "override" not in data:
            require_operation(method, path, " An override may have any.")

    @validates_schema
    def check_secrets(self, data, **kwargs):
        """Check that no criterion compares a secret, which the request log masks."""
        content = {name: data.get(name) for name in ("json", "query", "body_contains")}
        try:  # a secret is refused where the tests of the criteria are made
            Criteria(**content, headers=data.get("request_headers")).tests()
        except Invalid as error:
            field = "request_headers" if error.field == "headers" else error.field
            raise ValidationError(str(error), camel(field)) from None

    @validates_schema
    def check_conflicts(self, data, **kwargs):
        """Check that no effect cancels another one."""
        names = ("status", "body", "malformed", "bytes_per_second", "answers")
        answers = [name for name in names if data.get(name) is not None]
        if data.get("answers") and ("override" in data or set(answers) & {"status", "body"}):
            raise ValidationError("Not allowed with status, body or override: each answer has its own.", "answers")
        if data.get("delay_ms") and data.get("delay_distribution"):
            raise ValidationError("Not allowed with delayMs: send one of the two.", "delayDistribution")
        if data.get("drop") and answers:
            raise ValidationError("Not allowed with drop: a dropped connection has no answer.", camel(answers[0]))
        if data.get("body") is not None and data.get("status") is None and not data.get("rate_limit"):
            raise ValidationError("Not allowed without status.", "body")
        if "override" in data and (set(answers) - {"bytes_per_second"} or data.get("drop")):
            raise ValidationError(
                "Not allowed with status, body, drop or malformed: an override is a whole answer.", "override"
            )

    @validates_schema
    def check_effect(self, data, **kwargs):
        if not any(data.get(name) for name in EFFECTS):
            raise ValidationError(f"A fault needs one of: {', '.join(map(camel, EFFECTS))}.", "status")


@blp.route("/faults", get="listFaults", post="addFault", delete="clearFaults")
class Faults(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, FaultSchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the faults, newest first.

        `matches` counts the requests that matched a fault, `hits` those that it was applied to.
        """
        return [vars(fault) for fault in current().faults.listing(query.get("team_id"))]

    @blp.arguments(FaultSchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(201, FaultSchema)
    @blp.errors(404)
    def post(self, body, query):
        """Add a fault.

        A fault selects requests by `method`, `path` and the conditions of `verifyRequests` for content and headers, and
        has one or more effects. If several faults match a request, the oldest applies. 400 if no request can match or
        the fault has no effect.
        """
        body["team_id"] = query.get("team_id") or require_known_team(body["team_id"], "team_id")
        return vars(add_fault(body))

    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    @blp.errors(404)
    def delete(self, query):
        """Remove all faults.

        Requests that a fault delays continue at once.
        """
        current().faults.clear(query.get("team_id"))


@blp.route("/faults/<id>", delete="removeFault")
class FaultById(MethodView):
    @blp.response(204)
    def delete(self, id):
        """Remove a fault.

        Requests that it delays continue at once. 404 if there is no such fault.
        """
        current().faults.remove(id)


def add_fault(body):
    """Add a fault from the fields that `FaultSchema` loaded."""
    world = current()
    body.pop("preset", None)
    answer = body.pop("override", {})
    headers = (answer.pop("headers", None) or {}) | (body["headers"] or {})
    has_other_effect = body["drop"] or body["malformed"] or body["status"] or body["answers"] or answer
    if body["rate_limit"] and not has_other_effect:
        body["status"] = 429
    if body["answers"]:
        body["answers"] = [FaultAnswer(**each) for each in body["answers"]]
        body["times"] = body["times"] or len(body["answers"])
    rule = body | answer | {"method": body["method"].upper(), "headers": headers or None}
    return world.faults.add(world.ids.new("fault"), world.stamp(), **rule)

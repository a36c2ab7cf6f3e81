"""Faults on demand."""

from __future__ import annotations

import re

from flask import current_app
from flask.views import MethodView
from marshmallow import ValidationError, fields, post_load, pre_load, validate, validates, validates_schema

from dryline.blueprints.base import UNRECORDED
from dryline.blueprints.control.base import ControlArea, TeamQuery, known_team
from dryline.blueprints.nearest import nearest_path
from dryline.schemas.base import ApiSchema, Boolean, Integer, Number, OneOf, Timestamp, camel
from dryline.storage.current_world import current
from dryline.traffic.delays import LONGEST_MS, DelayDistribution
from dryline.traffic.fault_presets import PRESETS
from dryline.traffic.path_patterns import overlaps
from dryline.traffic.rate_limits import RateLimit

blp = ControlArea("Control: faults", description="Make chosen requests fail, wait or lose their answer.")

# Headers of one connection: RFC 9110, 7.6.1, and those that WSGI leaves to the server (PEP 3333).
HOP_BY_HOP = {
    *("connection", "keep-alive", "proxy-authenticate", "proxy-authorization", "proxy-connection"),
    *("te", "trailer", "trailers", "transfer-encoding", "upgrade"),
}
METHODS = ("*", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
# What a rule needs one of.
EFFECTS = (
    *("status", "delay_ms", "delay_distribution", "bytes_per_second", "rate_limit"),
    *("drop", "malformed", "headers", "override"),
)
_HEADER_VALUE = re.compile(r"[\t\x20-\x7e\xa0-\xff]*")


class Malformed(fields.Field):
    """`true` (the same as `truncated`), `truncated` or `garbage`."""

    def _deserialize(self, value, attr, data, **kwargs):
        if value is False:
            return None
        if value is True:
            return "truncated"
        if value not in ("truncated", "garbage"):
            raise ValidationError("Must be true, truncated or garbage.")
        return value


class OverrideSchema(ApiSchema):
    """An answer to give instead, also to a path that this server does not have."""

    status = Integer(
        load_default=200, validate=validate.Range(200, 599), metadata={"description": "status of the answer"}
    )
    body = fields.Raw(load_default=None, allow_none=True, metadata={"description": "JSON, or text"})
    headers = fields.Dict(fields.String(), fields.String(), load_default=None, allow_none=True)


class RateLimitSchema(ApiSchema):
    """So many requests a window of API time for each key. Answers tell what is left in `X-RateLimit-…` headers."""

    requests = Integer(
        required=True,
        validate=validate.Range(1, 1_000_000),
        metadata={"description": "how many pass; the window begins with the first"},
    )
    window_seconds = Number(
        required=True,
        validate=validate.Range(0, 31 * 86_400, min_inclusive=False),
        metadata={"description": "how long the window is, in API time"},
    )

    @post_load
    def made(self, data, **kwargs):
        """With nothing counted yet."""
        return RateLimit(**data)


class DelayDistributionSchema(ApiSchema):
    """A delay that differs from request to request, drawn from the seed, in real time."""

    class Meta(ApiSchema.Meta):
        sometimes = ("lower_ms", "upper_ms", "median_ms", "sigma")

    type = fields.String(
        required=True,
        validate=OneOf("uniform", "lognormal"),
        metadata={"description": "uniform needs lowerMs and upperMs, lognormal medianMs and sigma"},
    )
    lower_ms = Integer(validate=validate.Range(0, LONGEST_MS), metadata={"description": "uniform: the shortest"})
    upper_ms = Integer(validate=validate.Range(1, LONGEST_MS), metadata={"description": "uniform: the longest"})
    median_ms = Integer(
        validate=validate.Range(1, LONGEST_MS), metadata={"description": "lognormal: half of them are shorter"}
    )
    sigma = Number(
        validate=validate.Range(0, 5),
        metadata={"description": "lognormal: how far they spread; 0 is not at all, 1 is a lot"},
    )

    @validates_schema
    def has_its_own(self, data, **kwargs):
        """Each kind has two members, and not the other's."""
        uniform, lognormal = ("lower_ms", "upper_ms"), ("median_ms", "sigma")
        own, others = (uniform, lognormal) if data.get("type") == "uniform" else (lognormal, uniform)
        for name in own:
            if name not in data:
                raise ValidationError("Missing data for required field.", camel(name))
        for name in others:
            if name in data:
                raise ValidationError(f"Is not for {data['type']}.", camel(name))
        if data["type"] == "uniform" and data["lower_ms"] > data["upper_ms"]:
            raise ValidationError("Must not be less than lowerMs.", "upperMs")

    @post_load
    def made(self, data, **kwargs):
        """As the rule has it."""
        return DelayDistribution(**data)


class FaultSchema(ApiSchema):
    """A rule. It needs at least one effect: what it answers, how late or slowly, or what it does to the answer."""

    id = fields.String(dump_only=True)
    created_at = Timestamp(dump_only=True)
    preset = fields.String(
        load_only=True,
        validate=OneOf(*PRESETS),
        metadata={"description": "a rule by its name; what else is sent goes before what it says"},
    )
    method = fields.String(load_default="*", metadata={"description": "an HTTP method, or * for any"})
    path = fields.String(load_default="*", metadata={"description": "such as /api/workers/*; * stands for any text"})
    status = Integer(
        load_default=None,
        allow_none=True,
        validate=validate.Range(200, 599),
        metadata={"description": "answer with this status instead; the request is not carried out"},
    )
    body = fields.Raw(load_default=None, allow_none=True, metadata={"description": "with `status`: JSON, or text"})
    headers = fields.Dict(
        fields.String(),
        fields.String(),
        load_default=None,
        allow_none=True,
        metadata={"description": "headers that the answer gets"},
    )
    delay_ms = Integer(load_default=0, validate=validate.Range(0, 600_000), metadata={"description": "real time"})
    delay_distribution = fields.Nested(
        DelayDistributionSchema,
        load_default=None,
        allow_none=True,
        metadata={"description": "in place of `delayMs`: delays that differ"},
    )
    bytes_per_second = Integer(
        load_default=None,
        allow_none=True,
        validate=validate.Range(1, 1_000_000_000),
        metadata={"description": "how fast the answer's body comes, in real time"},
    )
    rate_limit = fields.Nested(
        RateLimitSchema,
        load_default=None,
        allow_none=True,
        metadata={"description": "strike only what is beyond it; without `status` that is a 429"},
    )
    drop = Boolean(load_default=False, metadata={"description": "close the connection without an answer"})
    malformed = Malformed(
        load_default=None,
        allow_none=True,
        metadata={
            "description": "spoil the answer: `truncated` (or true) cuts it off, `garbage` makes it no JSON",
            "type": "string",
            "enum": ["truncated", "garbage", None],
        },
    )
    phase = fields.String(
        load_default="before",
        validate=OneOf("before", "after"),
        metadata={"description": "after: the request is carried out and its answer lost"},
    )
    override = fields.Nested(OverrideSchema, load_only=True, metadata={"description": "a canned answer"})
    probability = Number(
        load_default=1,
        validate=validate.Range(0, 1, min_inclusive=False),
        metadata={"description": "how often it strikes what it matches, drawn from the seed"},
    )
    times = Integer(
        load_default=None,
        allow_none=True,
        validate=validate.Range(1),
        metadata={"description": "strikes before it is used up; null is no bound"},
    )
    skip = Integer(
        load_default=0, validate=validate.Range(0), metadata={"description": "matches that it lets pass first"}
    )
    team_id = fields.String(
        load_default=None,
        allow_none=True,
        metadata={"description": "only requests with a key of this team; null is every team"},
    )
    matches = Integer(dump_only=True, metadata={"description": "requests that it matched so far"})
    hits = Integer(dump_only=True, metadata={"description": "requests that it struck so far"})

    @pre_load
    def take_preset(self, data, **kwargs):
        """The preset's rule below what was sent; an unknown one is told by its field."""
        preset = PRESETS.get(str(data.get("preset"))) if isinstance(data, dict) else None
        return {camel(name): value for name, value in preset.rule.items()} | data if preset else data

    @validates_schema
    def can_strike(self, data, **kwargs):
        """A rule that no request can meet is a slip of its writer."""
        path = data.get("path", "*")
        if not path.startswith(("/", "*")):
            raise ValidationError("Must begin with / or *.", "path")
        if path.startswith(UNRECORDED):
            raise ValidationError("The control plane and the documentation are never hit.", "path")
        if data.get("method", "*").upper() not in METHODS:
            raise ValidationError(f"Must be one of: {', '.join(METHODS)}.", "method")
        if "override" not in data:
            _demand_operation(data.get("method", "*").upper(), path)

    @validates_schema
    def agrees_with_itself(self, data, **kwargs):
        """What takes another effect's place is a slip of its writer."""
        answers = [name for name in ("status", "body", "malformed", "bytes_per_second") if data.get(name) is not None]
        if data.get("delay_ms") and data.get("delay_distribution"):
            raise ValidationError("Is another delay: leave this out, or delayMs.", "delayDistribution")
        if data.get("drop") and answers:
            raise ValidationError("A connection that is cut has no answer: leave this out, or drop.", camel(answers[0]))
        if data.get("body") is not None and data.get("status") is None and not data.get("rate_limit"):
            raise ValidationError("Needs status.", "body")
        if "override" in data and (set(answers) - {"bytes_per_second"} or data.get("drop")):
            raise ValidationError("Is an answer of its own: leave out status, body, drop and malformed.", "override")

    @validates_schema
    def has_an_effect(self, data, **kwargs):
        """A rule that does nothing is a slip of its writer."""
        if not any(data.get(name) for name in EFFECTS):
            raise ValidationError(f"A fault needs one of: {', '.join(map(camel, EFFECTS))}.", "status")

    @validates("headers")
    def can_be_sent(self, headers, **kwargs):
        """Some headers are the server's own to send; `Connection: close` it sends where it is asked to."""
        for name, value in (headers or {}).items():
            if not (name.isascii() and name.replace("-", "").isalnum()) or not _HEADER_VALUE.fullmatch(value):
                raise ValidationError(f"Not a header: {name!r}.")
            if name.lower() in HOP_BY_HOP and (name.lower(), value.lower()) != ("connection", "close"):
                raise ValidationError(
                    f"{name} is between the server and its client; only Connection: close can be set."
                )
            if name.lower() == "content-length" and not value.isdecimal():
                raise ValidationError("Content-Length is a number.")


@blp.route("/faults", get="listFaults", post="addFault", delete="clearFaults")
class Faults(MethodView):
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, FaultSchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the rules, newest first, with how often each has struck.

        `matches` counts what a rule applied to, `hits` what it struck.
        """
        return [vars(fault) for fault in current().faults.listing(known_team(query.get("team")))]

    @blp.arguments(FaultSchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(201, FaultSchema)
    @blp.errors(404)
    def post(self, body, query):
        """Add a rule.

        A rule names requests (`method`, `path` with `*`) and what happens to them: `status` with `body` and
        `headers`, `delayMs`, `drop`, `malformed`; or it is one of the presets. The first rule that strikes counts.
        400 for a rule that no request can meet, or that does nothing.
        """
        body["team_id"] = known_team(query.get("team")) or known_team(body["team_id"], "team_id")
        return vars(add(body))

    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    @blp.errors(404)
    def delete(self, query):
        """Take all rules away.

        Requests that a rule delays go on at once.
        """
        current().faults.clear(known_team(query.get("team")))


@blp.route("/faults/<id>", delete="removeFault")
class FaultById(MethodView):
    @blp.response(204)
    def delete(self, id):
        """Take a rule away.

        Requests that it delays go on at once. 404 where there is none of this id.
        """
        current().faults.remove(id)


def add(body):
    """Switch on a rule, as `FaultSchema` has read it."""
    world = current()
    body.pop("preset", None)
    answer = body.pop("override", {})
    headers = (answer.pop("headers", None) or {}) | (body["headers"] or {})
    if body["rate_limit"] and not (body["drop"] or body["malformed"] or body["status"] or answer):
        body["status"] = 429
    rule = body | answer | {"method": body["method"].upper(), "headers": headers or None}
    return world.faults.add(world.ids.new("fault"), world.clock.stamp(), **rule)


def _demand_operation(method, path):
    """Raises ValidationError for a path that no operation has, and for a method that none of those has."""
    routes = [rule for rule in current_app.url_map.iter_rules() if overlaps(path, rule.rule)]
    if not routes:
        near = nearest_path(current_app.url_map.iter_rules(), path)
        hint = f"; did you mean {near}?" if near else "."
        raise ValidationError(f"No operation has this path{hint} An override may have any.", "path")
    offered = set().union(*(rule.methods or () for rule in routes))
    if method not in ("*", *offered):
        raise ValidationError(f"{path} has {', '.join(sorted(offered & set(METHODS)))}.", "method")

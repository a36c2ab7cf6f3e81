"""The request log: search, counts, verification."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from typing import Any
from urllib.parse import parse_qs

import orjson
from flask.views import MethodView
from marshmallow import ValidationError

from dryline.blueprints.control.base import ControlArea, TeamQuery, require_known_team
from dryline.blueprints.control.checks import CheckAnswers, pop_bounds
from dryline.schemas.base import UNKNOWN, QuerySchema, instance_of, strict
from dryline.schemas.request_log import (
    ArrivedSchema,
    CountSchema,
    EntrySchema,
    RequestListQuery,
    RequestQuery,
    UnmetSchema,
    VerifySchema,
    WaitSchema,
)
from dryline.storage.current_world import current
from dryline.storage.errors import Invalid
from dryline.web.errors import flatten_messages
from dryline.web.operations import (
    METHODS,
    find_operation,
    find_operations,
    find_routes,
    require_operation,
    require_path,
)
from dryline.world import request_search
from dryline.world.clock import wire
from dryline.world.criteria import Bounds, Verification
from dryline.world.path_patterns import normal_path, path_pattern
from dryline.world.request_log import Entry
from dryline.world.request_search import Criteria, find_nearest

# The format of ids, such as `worker_…`.
_ID = re.compile(r"[A-Za-z0-9]+_[A-Za-z0-9-]{6,}")
# How much of a nearest request's body a failed check shows as it was sent.
_BODY_CHARACTERS = 1_000

blp = ControlArea("Control: requests", description="The request log: search, counts, verification.")


class RequestAnswers(CheckAnswers[Entry]):
    """The answers of checks of requests."""

    plural = "requests"

    def on_the_wire(self, item: Entry) -> dict[str, Any]:
        """Return a request as answers have it."""
        fields: dict[str, Any] = instance_of(EntrySchema).dump(entry_fields(item))
        return fields

    def near_miss(self, item: Entry, misses: list[str]) -> dict[str, Any]:
        """Return a request that misses these criteria, with the beginning of its body as it was sent."""
        return {"request": self.on_the_wire(item), "misses": misses, "bodyText": item.text()[:_BODY_CHARACTERS]}


ANSWERS = RequestAnswers()


@blp.route("/requests", get="listRequests", delete="clearRequests")
class Requests(MethodView):
    @blp.arguments(RequestListQuery, location="query")
    @blp.response(200, EntrySchema(many=True))
    @blp.errors(404)
    def get(self, query):
        """List the requests, newest first.

        The log holds the newest 10,000, with secrets masked. Requests of the control plane are not recorded.
        """
        limit = query.pop("limit")
        matches = read_criteria(query).matches(current().requests.in_progress_and_answered())
        return [entry_fields(entry) for entry in islice(matches, limit)]

    @blp.arguments(TeamQuery, location="query")
    @blp.response(204)
    @blp.errors(404)
    def delete(self, query):
        """Clear the request log.

        With `team`, only the requests of that team are deleted.
        """
        current().requests.clear(query.get("team_id"))


@blp.route("/requests/count", get="countRequests")
class RequestCount(MethodView):
    @blp.arguments(RequestQuery, location="query")
    @blp.response(200, CountSchema)
    @blp.errors(404)
    def get(self, query):
        """Count the requests.

        The filters are those of `listRequests`.
        """
        return {"count": sum(1 for _ in read_criteria(query).matches(current().requests.in_progress_and_answered()))}


@blp.route("/requests/verify", post="verifyRequests")
class RequestVerify(MethodView):
    @blp.arguments(VerifySchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, CountSchema)
    @blp.alt_response(409, schema=UnmetSchema, description="The number of requests is not as expected.")
    @blp.errors(404)
    def post(self, body, query):
        """Verify that requests were made.

        Without `times`, at least one is expected. Requests in progress count. The 409 has the requests beyond the
        maximum, or those that nearly match. 400 if there is a maximum and requests that may match fell out of the log.
        """
        bounds = pop_bounds(body)
        return ANSWERS.of_verification(verify_requests(read_criteria(body | query), bounds))


@blp.route("/requests/wait", post="waitForRequests")
class RequestWait(MethodView):
    @blp.arguments(WaitSchema)
    @blp.arguments(TeamQuery, location="query")
    @blp.response(200, ArrivedSchema)
    @blp.alt_response(409, schema=UnmetSchema, description="The requests did not arrive in time.")
    @blp.errors(404)
    def post(self, body, query):
        """Wait for requests.

        The answer is sent when `count` answered requests match. After `timeoutMs` it is a 409 with the requests that
        nearly match. Other requests are served meanwhile.
        """
        count, timeout_ms = body.pop("count"), body.pop("timeout_ms")
        world, criteria = current(), read_criteria(body | query)
        matches = request_search.wait(world, criteria, count, timeout_ms / 1000)
        return ANSWERS.of_wait(matches, count, timeout_ms, lambda: find_nearest(world.requests, criteria))


def verify_requests(criteria: Criteria, bounds: Bounds) -> Verification[Entry]:
    """Check how often requests were made.

    Raises Invalid for a name that no request of the path and method has, if the check would pass for that reason: an
    unknown name in a check that needs no request, and a misspelt parameter that must not be sent.
    """
    body = criteria.json if isinstance(criteria.json, dict) else {}
    parts: dict[str, dict[str, Any]] = {"query": dict(criteria.query or {}), "json": body}
    absent = {name: value for name, value in parts["query"].items() if value is None}
    refused = [("query", name) for name in _unknown_names(criteria, "query", absent) if "did you mean" in name]
    if bounds.least == 0:
        parts["query"] = {name: value for name, value in parts["query"].items() if value is not None}
        for part, values in parts.items():
            refused += [(part, name) for name in _unknown_names(criteria, part, values)]
    if refused:
        field, name = refused[0]
        raise Invalid(f"No such request has {name}.", field)
    return request_search.verify(current().requests, criteria, bounds)


def _unknown_names(criteria: Criteria, location: str, values: dict[str, Any]) -> list[str]:
    """Return the names that are unknown to all operations that the criteria allow, or to the one that knows most."""
    if not values:
        return []
    operations = find_operations(criteria.method or "*", criteria.path or "*")
    declared = [getattr(operation, "schemas_by_location", {}) for operation in operations]
    schemas = [by_location.get(location) for by_location in declared]
    if location == "query":  # an operation that declares no parameters takes none
        schemas = [schema or QuerySchema for schema in schemas]
    schemas = [schema for schema in schemas if schema is not None]
    unknown_by_schema = [list(_unknown_names_in(schema, values)) for schema in schemas]
    return min(unknown_by_schema, key=len, default=[])


def read_criteria(params: dict[str, Any]) -> Criteria:
    """Return the criteria of a request.

    Raises NotFound for an unknown team, and Invalid for a method, path or status that no request can have: a check for
    a misspelt path would otherwise find that it was never called.
    """
    require_known_team(params.get("team_id"))
    criteria = Criteria(**params)
    if criteria.method is not None and criteria.method.upper() not in METHODS[1:]:
        raise Invalid(f"Must be one of: {', '.join(METHODS[1:])}.", "method")
    if criteria.status is not None and not 100 <= criteria.status <= 599:
        raise Invalid("Must be 100 to 599.", "status")
    if criteria.path is not None:
        try:
            require_path(criteria.path)
            if not _is_possible_request(criteria):
                require_operation(criteria.method or "*", criteria.path)
        except ValidationError as error:
            raise Invalid(str(error.messages[0]), str(error.field_name)) from None
    return criteria


def _is_possible_request(criteria: Criteria) -> bool:
    """Return whether a request of this method and path can be in the log although no operation has them.

    There was such a request, or the override of a fault answers the path.

    An override is known by its own path, which no operation has: other rules with such a path are refused.
    """
    path = normal_path(criteria.path or "")
    pattern = path_pattern(path)
    overrides = [rule for rule in current().faults.rules if rule.status is not None and not find_routes(rule.path)]
    if any(rule.pattern.fullmatch(path) or pattern.fullmatch(normal_path(rule.path)) for rule in overrides):
        return True

    same_path = Criteria(method=criteria.method, path=criteria.path)
    return next(same_path.matches(current().requests.in_progress_and_answered()), None) is not None


def entry_fields(entry: Entry) -> dict[str, Any]:
    """Return an entry's fields, with bodies decoded."""
    body, answer = decoded_body(entry.body), decoded_body(entry.answer)
    names = ("time", "method", "path", "status", "in_progress", "fault_id", "team_id", "origin")
    return {
        **{name: getattr(entry, name) for name in names},
        "number": entry.number or None,
        "duration_ms": None if entry.in_progress else entry.duration_ms,
        "answered_at": None if entry.in_progress else wire(datetime.fromtimestamp(entry.answered_at, UTC)),
        "query": parse_qs(entry.query, keep_blank_values=True),
        "headers": {name.lower(): value for name, value in entry.headers},
        "body": body,
        "ignored": ignored_names(entry, body),
        "answer_headers": {name.lower(): value for name, value in entry.answer_headers},
        "answer": answer,
        "touched": _touched_ids(entry, answer),
    }


def decoded_body(body: bytes) -> object:
    """Return a body as JSON, or as text if it is none."""
    if not body:
        return None
    try:
        value = orjson.loads(body)
        orjson.dumps(value)
    except (ValueError, TypeError):
        return body.decode(errors="replace")
    return value


def ignored_names(entry: Entry, body: object) -> list[str]:
    """Return the names that the operation ignored, each with the name that the sender may have meant.

    A refused request has none. `--strict` refuses requests with such names.
    """
    operation = find_operation(entry.endpoint, entry.method)
    if operation is None or entry.status is None or entry.status >= 400:
        return []
    schemas = getattr(operation, "schemas_by_location", {})
    sent = parse_qs(entry.query, keep_blank_values=True)
    query = {name: values[0] for name, values in sent.items()}
    names = sorted(_unknown_names_in(schemas.get("query", QuerySchema), query)) if query else []
    known = query.keys() - {name.partition(" ")[0] for name in names}
    repeated = {name: len(values) for name, values in sent.items() if name in known and len(values) > 1}
    names += [f"{name} (only the first of {count} counts)" for name, count in repeated.items()]
    if isinstance(body, dict) and "json" in schemas:
        names += sorted(_unknown_names_in(schemas["json"], body))
    return names


def _unknown_names_in(schema: Any, values: dict[str, Any]) -> Iterator[str]:
    for name, message in flatten_messages(strict(instance_of(schema)).validate(values)):
        if message.startswith(UNKNOWN):
            suggestion = message.removeprefix(UNKNOWN).strip(";. ")
            yield f"{name} ({suggestion})" if suggestion else name


def _touched_ids(entry: Entry, answer: object) -> list[str]:
    """Return the ids of the records that a request was about."""
    ids = [segment for segment in entry.path.split("/") if _ID.fullmatch(segment)]
    if isinstance(answer, dict) and isinstance(answer.get("id"), str):
        ids.append(answer["id"])
    ids += [value for name, value in entry.headers if name == "X-Dryline-Delivery"]
    return list(dict.fromkeys(ids))

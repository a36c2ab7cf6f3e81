"""The operations of this server, and suggestions for paths that none of them has."""

import re
from collections.abc import Iterable, Iterator
from difflib import get_close_matches
from typing import Any

from flask import Flask, current_app
from marshmallow import ValidationError
from werkzeug.routing import Rule

from dryline.schemas.base import camel
from dryline.web.paths import is_unrecorded
from dryline.world.path_patterns import has_name_after_star, normal_path, route_pattern, segments_that_are_no_ids

METHODS = ("*", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

# Longer paths get no suggestion: comparing them takes seconds. The longest known path has 120 characters.
MAX_LENGTH = 300
# The least similarity of a suggestion: 1 means the same text.
MIN_SIMILARITY = 0.75
# A segment of a path that is an id: one of a record, a parameter of a route, or one in braces.
_ID = re.compile(r"/(?:[A-Za-z0-9]+_[A-Za-z0-9-]{6,}|<[^/]*>|\{[^/]*\}|\*)(?=/|$)")
# A parameter of a route: `<worker_id>`, or `<path:name>` with a converter. The name is the group.
_PARAMETER = re.compile(r"<(?:\w+:)?(\w+)>")


def api() -> Flask:
    """Return the application with the API's routes: the running one, or the one that the console belongs to."""
    return getattr(current_app, "api", current_app)


def find_view(endpoint: str | None) -> Any:
    """Return the view class of an endpoint, or None."""
    return getattr(api().view_functions.get(endpoint or ""), "view_class", None)


def find_operation(endpoint: str | None, method: str) -> Any:
    """Return the method of a view class that answers an endpoint's requests, or None."""
    return getattr(find_view(endpoint), "get" if method == "HEAD" else method.lower(), None)


def find_routes(path: str) -> list[Rule]:
    """Return the routes that answer the paths of a pattern."""
    leads_to = route_pattern(path)
    return [rule for rule in api().url_map.iter_rules() if leads_to(rule.rule)]


def find_operations(method: str, path: str) -> Iterator[Any]:
    """Yield the methods of view classes that answer requests of a method, or of `*`, and the paths of a pattern."""
    for rule in find_routes(path):
        methods = (rule.methods or ()) if method == "*" else (method.upper(),)
        for each in methods:
            if operation := find_operation(rule.endpoint, each):
                yield operation


def require_path(path: str) -> None:
    """Raise ValidationError for a pattern that is none of a path."""
    if "://" in path:
        raise ValidationError("Must begin with / or *: leave out the scheme and the host.", "path")
    if not path.startswith(("/", "*")):
        raise ValidationError("Must begin with / or *.", "path")
    if "?" in path:
        raise ValidationError("Must not have a query: a path ends before the question mark.", "path")
    if has_name_after_star(path):
        raise ValidationError("Must not have * and then {…} in one segment: * alone stands for any text.", "path")


def require_operation(method: str, path: str, advice: str = "") -> None:
    """Raise ValidationError for a path that no recorded request can have, or a method that none of its operations has.

    `path` is a pattern (world/path_patterns.py). `advice` ends the message about an unknown path.
    """
    require_path(path)
    routes = find_routes(path)
    if not routes:
        raise ValidationError(f"No operation has this path{_hint(path)}{advice}", "path")
    if all(is_unrecorded(rule.rule) for rule in routes):
        raise ValidationError(
            "Requests of the control plane and the documentation are not logged, and faults do not apply to them.",
            "path",
        )

    offered = set().union(*(rule.methods or () for rule in routes))
    if method.upper() not in ("*", *offered):
        raise ValidationError(f"{path} has {', '.join(sorted(offered & set(METHODS)))}.", "method")


def _hint(path: str) -> str:
    """Return the end of the message about an unknown path: a path that the caller may have meant, and why."""
    near = nearest_path(api().url_map.iter_rules(), path)
    hint = f"; did you mean {near}?" if near else "."
    if mistake := next(segments_that_are_no_ids(path), None):
        hint += (
            f" {mistake} is not an id. {{name}} stands for any segment and * for any text; other characters of an id "
            "are percent-encoded."
        )
    return hint


def nearest_path(rules: Iterable[Rule], path: str) -> str | None:
    """Return the known path that is spelled most like `path`, ids apart, as the OpenAPI document writes it.

    None if no path is similar enough.
    """
    known = [rule.rule for rule in rules]
    if len(path) > MAX_LENGTH or path in known:
        return None
    # Among paths that differ only in ids, the one with the most similar number of segments comes last and wins.
    known.sort(key=lambda rule: (-abs(rule.count("/") - path.count("/")), rule))
    by_text = {_without_ids(rule): rule for rule in known}
    nearest = get_close_matches(_without_ids(path), by_text, n=1, cutoff=MIN_SIMILARITY)
    if not nearest:
        return None
    return _PARAMETER.sub(lambda match: f"{{{camel(match[1])}}}", by_text[nearest[0]])


def _without_ids(path: str) -> str:
    """Return a path without its ids, and without what was meant to be one."""
    mistakes = set(segments_that_are_no_ids(path))
    path = "/".join(segment for segment in path.split("/") if segment not in mistakes)
    return _ID.sub("", normal_path(path))

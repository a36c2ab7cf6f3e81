"""The operations of this server, and suggestions for paths that none of them has."""

import re
from collections.abc import Iterable, Iterator
from typing import Any

from flask import Flask, current_app
from marshmallow import ValidationError
from werkzeug.routing import Rule

from dryline.schemas.base import camel
from dryline.world.path_patterns import normal_path, route_pattern

METHODS = ("*", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")

# Longer paths get no suggestion: comparing them takes seconds. The longest known path has 120 characters.
MAX_LENGTH = 300
# The least similarity of a suggestion: 1 means the same text.
MIN_SIMILARITY = 0.75
# A segment of a path that is an id: one of a record, a parameter of a route, or one in braces.
_ID = re.compile(r"/(?:[A-Za-z0-9]+_[A-Za-z0-9-]{6,}|<[^/]*>|\{[^/]*\}|\*)(?=/|$)")


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
    """Return the routes that answer a path, which may have `*` or `{…}`."""
    leads_to = route_pattern(path)
    return [rule for rule in api().url_map.iter_rules() if leads_to(rule.rule)]


def find_operations(method: str, path: str) -> Iterator[Any]:
    """Yield the methods of view classes that answer requests of a method and a path, either of which may be `*`."""
    for rule in find_routes(path):
        for each in rule.methods or () if method == "*" else {method.upper()}:
            if operation := find_operation(rule.endpoint, each):
                yield operation


def require_operation(method: str, path: str, advice: str = "") -> None:
    """Raise ValidationError for a path that no operation has, or a method that none of its operations has.

    In `path` a `*` or `{…}` matches any text. `advice` ends the message about an unknown path.
    """
    if "?" in path:
        raise ValidationError("Must not have a query: a path ends before the question mark.", "path")
    routes = find_routes(path)
    if not routes:
        near = nearest_path(api().url_map.iter_rules(), normal_path(path))
        hint = f"; did you mean {near}?" if near else "."
        raise ValidationError(f"No operation has this path{hint}{advice}", "path")
    offered = set().union(*(rule.methods or () for rule in routes))
    if method.upper() not in ("*", *offered):
        raise ValidationError(f"{path} has {', '.join(sorted(offered & set(METHODS)))}.", "method")


def nearest_path(rules: Iterable[Rule], path: str) -> str | None:
    """Return the known path that is spelled most like `path`, ids apart, as OpenAPI writes it; None if none is near."""
    from difflib import get_close_matches  # imported here because only a wrong path needs it

    known = [rule.rule for rule in rules]
    if len(path) > MAX_LENGTH or path in known:
        return None
    # Among paths that differ only in ids, the one with the most similar number of segments comes last and wins.
    known.sort(key=lambda rule: (-abs(rule.count("/") - path.count("/")), rule))
    by_text = {_ID.sub("", rule): rule for rule in known}
    nearest = get_close_matches(_ID.sub("", path), by_text, n=1, cutoff=MIN_SIMILARITY)
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda id: f"{{{camel(id[1])}}}", by_text[nearest[0]]) if nearest else None

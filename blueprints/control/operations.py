"""Checks that a method and a path belong to an operation of this server, with suggestions."""

from flask import current_app
from marshmallow import ValidationError

from dryline.blueprints.nearest import nearest_path
from dryline.traffic.path_patterns import overlaps

METHODS = ("*", "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")


def require_operation(method: str, path: str, advice: str = "") -> None:
    """Raise ValidationError for a path that no operation has, or a method that none of its operations has.

    In `path` a `*` matches any text. `advice` ends the message about an unknown path.
    """
    if "?" in path:
        raise ValidationError("Must not have a query: a path ends before the question mark.", "path")
    # The console is an application of its own; `api` is the one whose routes count.
    rules = list(getattr(current_app, "api", current_app).url_map.iter_rules())
    routes = [rule for rule in rules if overlaps(path, rule.rule)]
    if not routes:
        near = nearest_path(rules, path)
        hint = f"; did you mean {near}?" if near else "."
        raise ValidationError(f"No operation has this path{hint}{advice}", "path")
    offered = set().union(*(rule.methods or () for rule in routes))
    if method.upper() not in ("*", *offered):
        raise ValidationError(f"{path} has {', '.join(sorted(offered & set(METHODS)))}.", "method")

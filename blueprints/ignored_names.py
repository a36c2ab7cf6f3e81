"""The parameters and members of a recorded request that its operation does not have."""

from collections.abc import Iterator
from typing import Any, NamedTuple
from urllib.parse import parse_qs

from flask import current_app
from werkzeug.exceptions import HTTPException

from dryline.blueprints.errors import flatten_messages
from dryline.schemas.base import UNKNOWN, QuerySchema, instance_of, strict
from dryline.traffic.request_log import Entry


def ignored_names(entry: Entry, body: object) -> list[str]:
    """Return the names that the operation ignored, each with the name that the sender may have meant.

    A refused request has none. `--strict` refuses requests with such names.
    """
    if entry.status is None or entry.status >= 400 or not (entry.query or isinstance(body, dict)):
        return []
    operation = find_operation(entry)
    if operation is None:
        return []
    forms = getattr(operation.function, "forms", {})
    query = parse_qs(entry.query, keep_blank_values=True)
    names = [*_unknown(forms.get("query", QuerySchema), {name: values[0] for name, values in query.items()})]
    if isinstance(body, dict) and "json" in forms:
        names += _unknown(forms["json"], body)
    return names


class Operation(NamedTuple):
    """The endpoint of a route, and the method of its view that answers one HTTP method."""

    endpoint: str
    function: Any


def find_operation(entry: Entry) -> Operation | None:
    """Return the operation that answered a request; None if none has its path and method."""
    api = getattr(current_app, "api", current_app)  # the console is an application of its own
    try:
        endpoint, _ = api.url_map.bind("localhost").match(entry.path, entry.method)
    except HTTPException:
        return None
    method = "get" if entry.method == "HEAD" else entry.method.lower()
    function = getattr(getattr(api.view_functions[endpoint], "view_class", None), method, None)
    return Operation(endpoint, function) if hasattr(function, "operation_id") else None


def _unknown(form: Any, values: dict[str, Any]) -> Iterator[str]:
    for name, message in flatten_messages(strict(instance_of(form)).validate(values)):
        if message.startswith(UNKNOWN):
            suggestion = message.removeprefix(UNKNOWN).strip(";. ")
            yield f"{name} ({suggestion})" if suggestion else name

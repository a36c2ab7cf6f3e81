"""Error handlers: all errors are answered as `{"error": …}`, with `details` if fields are invalid."""

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from flask import Flask, current_app, request
from werkzeug.exceptions import HTTPException

from dryline.schemas.base import camel
from dryline.storage import errors
from dryline.storage.current_world import current
from dryline.web.base import json_response
from dryline.web.operations import nearest_path
from dryline.web.routing import SENT_PATH

STATUS = {
    errors.NotFound: 404,
    errors.Conflict: 409,
    errors.Invalid: 400,
    errors.NoTeam: 422,
    errors.Unauthorized: 401,
    errors.Forbidden: 403,
    errors.NotReady: 503,
    errors.Busy: 503,
    errors.Unavailable: 503,
}

log = logging.getLogger("dryline")


def register(app: Flask) -> None:
    app.register_error_handler(errors.DomainError, answer_domain_error)
    app.register_error_handler(HTTPException, answer_http_error)
    app.register_error_handler(Exception, answer_unexpected_error)


def answer(status: int, message: str, details: list[dict[str, str]] | None = None) -> Any:
    """Return an error response. Contract: records.error."""
    return json_response({"error": message, "details": details} if details else {"error": message}, status)


def answer_domain_error(error: errors.DomainError) -> Any:
    """Answer a broken rule."""
    message, field = str(error), getattr(error, "field", None)
    path = _wire_path(field) if field else ""
    if isinstance(error, errors.BadDocument):
        return answer(422, message, [{"path": path, "message": text} for path, text in error.faults])
    if isinstance(error, errors.Invalid):
        return answer(400, _with_field_name(path, message), [{"path": path, "message": message}])
    if isinstance(error, errors.Unauthorized) and current().settings.loopback:
        message += f" The start message has the keys; without --api-key it is {current().settings.default_key}."
    response = answer(STATUS[type(error)], _with_field_name(path, message))
    if isinstance(error, errors.NotReady):
        response.headers["Retry-After"] = "1"
    return response


def answer_http_error(error: HTTPException) -> Any:
    """Answer an error of Flask or webargs. The messages of webargs become `details`."""
    status = error.code or 500
    messages = getattr(error, "data", {}).get("messages")
    if messages:
        # By location: webargs has the messages about the body under `json`, those about the query under `query`.
        locations = messages.values()
        faults = [fault for location in locations for fault in flatten_messages(location)]
        details = [{"path": path, "message": text} for path, text in faults]
        response = answer(status, _summary(details), details)
    else:
        response = answer(status, _sentence_of_http_error(error, status))
    for name, value in error.get_headers():
        if name.lower() not in ("content-type", "content-length"):
            response.headers[name] = value
    return response


def _with_field_name(path: str, message: str) -> str:
    """Return the message with its field; an error of the whole body has none."""
    return f"{path}: {message}" if path else message


def _summary(details: list[dict[str, str]]) -> str:
    """Return the first three errors in one sentence, with the number of the others."""
    messages = [_with_field_name(**detail).removesuffix(".") for detail in details[:3]]
    more = len(details) - len(messages)
    text = "; ".join([*messages, f"and {more} more"] if more else messages)
    return text if text.endswith("?") else f"{text}."


def _sentence_of_http_error(error: HTTPException, status: int) -> str:
    if status == 404:
        sent = request.environ.get(SENT_PATH, "")
        if "//" in sent.lstrip("/"):
            return f"No such path: {request.method} {sent}. There is nothing between two slashes: an id may be missing."
        return f"No such path: {request.method} {request.path}{_suggestion()}"
    if status == 405:
        methods = set(getattr(error, "valid_methods", None) or ()) - {"HEAD", "OPTIONS"}
        return f"{request.method} is not allowed on {request.path}; it has {', '.join(sorted(methods))}."
    if status == 413:
        return f"The body is larger than {current().settings.max_body_mb} MB."
    return error.description or error.name


def _suggestion() -> str:
    """Return the end of the message about an unknown path: a path that the caller may have meant."""
    path = request.path
    if path.startswith("/api/api/"):
        return f". The base URL has no /api at its end; did you mean {path.removeprefix('/api')}?"
    suggestion = nearest_path(current_app.url_map.iter_rules(), path)
    return f"; did you mean {suggestion}?" if suggestion else ""


def answer_unexpected_error(error: Exception) -> Any:
    """Answer an unexpected exception: log it, and give the caller a reference to the log.

    A full disk is a 507; another cause outside of dryline is a 503. In the event loop a lock raises MustNotWait.
    """
    if errors.database_is_locked(error) and current().db.is_nonblocking:
        raise errors.MustNotWait from error
    if cause := current().find_outside_cause(error):
        log.error("%s %s failed: %s", request.method, request.path, cause)
        return answer(507 if errors.disk_is_full(error) else 503, cause)
    reference = current().ids.new("error")
    log.error("%s: %s %s failed", reference, request.method, request.path, exc_info=error)
    return answer(500, f"Internal error. The log has more under {reference}.")


def _wire_path(field: str) -> str:
    """Return a field's name on the wire: in camelCase, unless the body was sent in snake_case."""
    body = request.get_json(silent=True)
    if isinstance(body, dict) and field.partition(".")[0] in body:
        return field
    return ".".join(map(camel, field.split(".")))


def flatten_messages(messages: Any, path: str = "") -> Iterator[tuple[str, str]]:
    """Yield (dotted path, message) from marshmallow's nested messages about one location."""
    if isinstance(messages, Mapping):
        for name, inner in messages.items():
            # `_schema` stands for the whole object, `value` for the values of a Dict field.
            if name in ("_schema", "") or (name == "value" and path):
                inner_path = path
            else:
                inner_path = f"{path}.{name}" if path else str(name)
            yield from flatten_messages(inner, inner_path)
    elif isinstance(messages, list):
        for message in messages:
            yield from flatten_messages(message, path)
    else:
        yield path, str(messages)

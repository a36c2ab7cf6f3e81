"""Routes whose ids are any text, slashes included."""

import re
from collections.abc import Callable
from functools import cache, partial
from typing import Any
from urllib.parse import quote, unquote, urlsplit

from flask import Flask, Request
from werkzeug.exceptions import BadHost
from werkzeug.routing import MapAdapter, PathConverter, Rule, UnicodeConverter

from dryline.world.path_patterns import ENCODED_SLASH, normal_path

# Stands for a slash within an id while its path is matched. No id has this character.
_SLASH = "\0"
# In a request's environment: its path as it was sent. PATH_INFO has the normal one, by which faults and checks find it.
SENT_PATH = "dryline.sent_path"


class Id(UnicodeConverter):
    """Any text, sent percent-encoded."""

    def to_python(self, value: str) -> str:
        return value.replace(_SLASH, "/")

    def to_url(self, value: str) -> str:
        """Return the id as a segment of a path."""
        return quote(value, safe="!$&'()*+,:;=@")


class IdPath(PathConverter):
    """Any text, whose slashes need not be percent-encoded."""

    to_python = Id.to_python


class LazyRule(Rule):
    """A rule that compiles its functions for URLs at the first URL. At a start, that would take a tenth of the time."""

    def _compile_builder(self, append_unknown: bool = True) -> Any:
        compiled = cache(partial(super()._compile_builder, append_unknown))
        return lambda rule, **values: compiled()(rule, **values)


def path_to_match(request: Request) -> str:
    """Return a request's path, in which an encoded slash is part of an id and separates nothing.

    WSGI decodes `%2F` in PATH_INFO, so this reads the path as it was sent. A proxy may have stripped SCRIPT_NAME.
    Doubled slashes stay, and no route has them: an id may be missing between them.
    """
    uri, root = request.environ.get("REQUEST_URI", ""), request.environ["SCRIPT_NAME"]
    if "%2" not in uri:
        sent = request.environ.get(SENT_PATH, "")
        path = sent if "//" in sent else request.path
        return path if request.environ["PATH_INFO"] else ""
    path = uri.partition("?")[0] if uri.startswith("/") else urlsplit(uri).path
    path = path.removeprefix(root) if path.startswith(f"{root}/") else path
    return unquote(re.sub("(?i)%2f", "%00", path))


def recorded_path(request: Request) -> str:
    """Return a request's path as faults and the request log have it: without doubled slashes, decoded but for slashes.

    A slash within an id stays encoded.
    """
    if "%2" not in request.environ.get("REQUEST_URI", ""):
        return request.path
    return normal_path(path_to_match(request).replace(_SLASH, ENCODED_SLASH))


class RoutedFlask(Flask):
    """A Flask application whose ids are any text. It has no views that are coroutines."""

    url_rule_class = LazyRule

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.url_map.converters.update({"default": Id, "string": Id, "path": IdPath})

    def ensure_sync(self, func: Callable[..., Any]) -> Callable[..., Any]:
        """Return the function itself. Flask would look for a coroutine five times in each request."""
        return func

    def create_url_adapter(self, request: Request | None) -> MapAdapter | None:
        """Return what matches a request with a route, by the path that keeps slashes in ids apart."""
        try:
            adapter = super().create_url_adapter(request)
        except BadHost:  # the page of the error has links, too
            adapter = self.url_map.bind("localhost")
        if request is not None and adapter is not None:
            adapter.path_info = path_to_match(request)
        return adapter

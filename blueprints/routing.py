"""Routes that cost little to register, and ids that are any text."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote, urlsplit

from werkzeug.routing import MapAdapter, PathConverter, Rule, UnicodeConverter

# What stands for a slash within an id while its path is looked up. In a path that is sent, no row has it in its id.
_SLASH = "\0"


class LateRule(Rule):
    """A route whose URL builder is compiled when a URL is first built from it.

    Werkzeug compiles two builders a route when it is registered: of the whole time that it takes to make the
    application with its 180 routes that was three quarters, and only a handful of routes are ever built from.
    """

    def _compile_builder(self, append_unknown: bool = True) -> Any:
        compile_now = super()._compile_builder
        compiled: Any = None

        def build(rule: Rule, *args: Any, **kwargs: Any) -> Any:
            nonlocal compiled
            compiled = compiled or compile_now(append_unknown)
            return compiled(rule, *args, **kwargs)

        return build


class Id(UnicodeConverter):
    """Any text, sent percent-encoded."""

    def to_python(self, value: str) -> str:
        """The id."""
        return value.replace(_SLASH, "/")


class IdPath(PathConverter):
    """As `Id`; slashes may come as they are."""

    def to_python(self, value: str) -> str:
        """The id."""
        return value.replace(_SLASH, "/")


CONVERTERS = {"default": Id, "string": Id, "path": IdPath}


# All that an adapter is made of beside the path and the query.
_OF_A_HOST = (
    *("HTTP_HOST", "SERVER_NAME", "SERVER_PORT", "SCRIPT_NAME", "wsgi.url_scheme"),
    *("HTTP_CONNECTION", "HTTP_UPGRADE"),
)
_MOST_HOSTS = 64


class Adapters:
    """What finds a request's view.

    Flask and Werkzeug read and check the host three times for each request. What they made of it is kept and used for
    the next request by the same host.
    """

    def __init__(self) -> None:
        self._known: dict[tuple[Any, ...], MapAdapter] = {}

    def adapter_for(self, request: Any, make: Callable[[Any], Any]) -> MapAdapter:
        """The request's adapter; `make` gives one for a host that is new, or raises HTTPException.

        An id is any text: where it has a slash, the path as it was sent tells.
        """
        environ = request.environ
        of_host = tuple(map(environ.get, _OF_A_HOST))
        known = self._known.get(of_host)
        if known is None:
            known = make(request)
            if len(self._known) >= _MOST_HOSTS:  # the caller makes them up
                self._known.clear()
            self._known[of_host] = known
        path, sent = request.path if environ["PATH_INFO"] else "", environ.get("REQUEST_URI", "")
        if "%2" in sent:
            path = path_to_look_up(sent, environ["SCRIPT_NAME"])
        query = request.query_string.decode(errors="replace")
        host = known.server_name, known.script_name, known.subdomain, known.url_scheme
        return MapAdapter(known.map, *host, path, environ["REQUEST_METHOD"], query)


def path_to_look_up(request_uri: str, below: str) -> str:
    """The path of a request, in which an encoded slash is part of an id and divides nothing.

    `below` is where a proxy has this server, and may have sent it or not.
    """
    path = urlsplit(request_uri).path
    path = path.removeprefix(below) if path.startswith(f"{below}/") else path
    return unquote(re.sub("(?i)%2f", "%00", path))

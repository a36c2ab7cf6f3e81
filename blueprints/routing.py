"""Routes that cost little to register, and ids that are any text."""

from __future__ import annotations

import re
from typing import Any
from urllib.parse import unquote, urlsplit

from werkzeug.routing import PathConverter, Rule, UnicodeConverter

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


def path_to_look_up(request_uri: str) -> str:
    """The path of a request, in which an encoded slash is part of an id and divides nothing."""
    return unquote(re.sub("(?i)%2f", "%00", urlsplit(request_uri).path))

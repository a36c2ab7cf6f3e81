"""Routes that cost little to register."""

from __future__ import annotations

from typing import Any

from werkzeug.routing import Rule


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

"""Cross-origin requests from the web pages that `--cors-origin` names, and from no others."""

from __future__ import annotations

from typing import Any

from flask import Flask, request

from dryline.blueprints.base import PLANE


def register(app: Flask, origins: tuple[str, ...]) -> None:
    """Answer preflights and mark answers for `origins` (`*` for any page). The control plane stays closed to them."""

    @app.before_request
    def preflight() -> Any:
        if request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers:
            return "", 204
        return None

    @app.after_request
    def mark(response: Any) -> Any:
        origin = request.headers.get("Origin")
        if origin and not request.path.startswith(PLANE) and ("*" in origins or origin in origins):
            response.headers["Access-Control-Allow-Origin"] = origin
            response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, PATCH, DELETE"
            response.headers["Access-Control-Allow-Headers"] = request.headers.get(
                "Access-Control-Request-Headers", "content-type, x-api-key"
            )
            response.headers["Access-Control-Expose-Headers"] = "Content-Disposition"
            response.headers["Access-Control-Max-Age"] = "600"
            response.vary.add("Origin")
        return response

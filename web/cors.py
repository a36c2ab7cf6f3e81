"""Cross-origin requests from web pages of the origins that `--cors-origin` names."""

from functools import partial
from typing import Any

from flask import Flask, Request, request

from dryline.web.paths import PLANE, is_below


def register(app: Flask, origins: tuple[str, ...]) -> None:
    """Answer preflights and add CORS headers for `origins`; `*` stands for any. The control plane stays closed."""

    @app.before_request
    def answer_preflight() -> Any:
        return ("", 204) if is_preflight(request) else None

    app.after_request(partial(add_headers, origins=origins))


def is_preflight(request: Request) -> bool:
    """Return whether a browser asks if it may send a page's request."""
    return request.method == "OPTIONS" and "Access-Control-Request-Method" in request.headers


def add_headers(response: Any, origins: tuple[str, ...]) -> Any:
    """Return the response to the current request with CORS headers, if pages of its origin may read it."""
    if not origins or is_below(PLANE, request.path):
        return response
    response.vary.add("Origin")
    origin = request.headers.get("Origin")
    if origin and ("*" in origins or origin in origins):
        response.headers["Access-Control-Allow-Origin"] = origin
        response.headers["Access-Control-Allow-Methods"] = "GET, POST, PUT, PATCH, DELETE"
        names = request.headers.get("Access-Control-Request-Headers", "content-type, x-api-key")
        response.headers["Access-Control-Allow-Headers"] = names
        response.headers["Access-Control-Expose-Headers"] = "*"
        response.headers["Access-Control-Max-Age"] = "600"
    return response

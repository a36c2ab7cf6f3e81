"""The interactive documentation, served from an installed package: it works without a network."""

from __future__ import annotations

from typing import Any, cast

from flask import Blueprint, current_app, make_response, redirect, render_template, request, send_from_directory

from dryline.blueprints.base import CONSOLE, json_response
from dryline.blueprints.control.base import guard
from dryline.storage.current_world import current
from dryline.storage.errors import Forbidden

blp = Blueprint("documentation", __name__, template_folder="swagger", static_folder="swagger")


@blp.get("/")
def index() -> Any:
    """Lead a browser to the console."""
    return redirect(request.script_root + CONSOLE)


@blp.get("/docs")
def page() -> Any:
    """Swagger UI. Who may use the control plane is given the first key: a person need not look for it."""
    settings = current().settings
    try:
        guard()
        key = next(iter(settings.api_keys), None)
    except Forbidden:
        key = None
    shown = render_template("docs.html", key=key, label=settings.label, token=settings.admin_token is not None)
    answer = make_response(shown)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@blp.get("/openapi.json")
def openapi_json() -> Any:
    """Return the OpenAPI document."""
    return json_response(cast(Any, current_app).openapi.document())


@blp.get("/docs/assets/docs.<any(js, css):kind>")
def own_asset(kind: str) -> Any:
    """What is ours beside Swagger UI."""
    return blp.send_static_file(f"docs.{kind}")


@blp.get("/docs/assets/<path:name>")
def asset(name: str) -> Any:
    """One of Swagger UI's files."""
    from swagger_ui_bundle import swagger_ui_path  # only a browser that opens /docs needs it

    return send_from_directory(swagger_ui_path, name, max_age=86_400)

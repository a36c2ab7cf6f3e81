"""The documentation: interactive, from an installed package so that it works offline, and the guides as text."""

from pathlib import Path
from typing import Any, cast

from flask import Blueprint, Response, current_app, redirect, render_template, request, send_from_directory
from swagger_ui_bundle import swagger_ui_path

from dryline.storage.current_world import current
from dryline.storage.errors import Forbidden
from dryline.storage.files import read
from dryline.web.base import json_response
from dryline.web.links import base_url
from dryline.web.paths import CONSOLE
from dryline.web.plane import admit_running_request

blp = Blueprint("docs", __name__, template_folder="swagger", static_folder="swagger", static_url_path="/docs/own")
# A summary for coding assistants: https://llmstxt.org
SUMMARY = Path(__file__).with_name("llms.txt")
GUIDES = Path(__file__).parent.parent / "docs"


@blp.get("/")
def index() -> Any:
    """Redirect to the console, with the query."""
    query = request.query_string.decode()
    return redirect(f"{request.script_root}{CONSOLE}{'?' if query else ''}{query}")


@blp.get("/docs")
def page() -> Any:
    """Return Swagger UI. It has the first API key filled in if the caller may use the control plane."""
    settings = current().settings
    try:
        admit_running_request()
        key = next(iter(settings.api_keys), None)
    except Forbidden:
        key = None
    html = render_template("docs.html", key=key, label=settings.label, token=settings.admin_token is not None)
    return html, {"Cache-Control": "no-store"}


@blp.get("/openapi.json")
def openapi_json() -> Any:
    """Return the OpenAPI document, whose server is this application, wherever another one has mounted it."""
    url = current().settings.public_url or request.script_root or "/"
    return json_response(cast(Any, current_app).openapi.document() | {"servers": [{"url": url}]})


@blp.get("/docs/assets/<path:name>")
def asset(name: str) -> Any:
    """Return a file of Swagger UI."""
    return send_from_directory(swagger_ui_path, name, max_age=86_400)


@blp.get("/llms.txt")
def summary() -> Any:
    """Return llms.txt, the summary of the guides, with this server's own URL."""
    text = read(SUMMARY).decode().replace("{base}", base_url())
    return Response(text, content_type="text/plain; charset=utf-8")


@blp.get("/docs/<name>.md")
def guide(name: str) -> Any:
    """Return a guide. Raises NotFound."""
    return send_from_directory(GUIDES, f"{name}.md", mimetype="text/markdown")

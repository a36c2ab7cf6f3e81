"""The interactive documentation, served from an installed package: it works without a network."""

from __future__ import annotations

from typing import Any

from flask import Blueprint, redirect, send_from_directory

from dryline.blueprints.base import CONSOLE

blp = Blueprint("documentation", __name__)


@blp.get("/")
def index() -> Any:
    """Lead a browser to the console."""
    return redirect(CONSOLE)


@blp.get("/docs/assets/<path:name>")
def asset(name: str) -> Any:
    """One of Swagger UI's files."""
    from swagger_ui_bundle import swagger_ui_path  # only a browser that opens /docs needs it

    return send_from_directory(swagger_ui_path, name, max_age=86_400)

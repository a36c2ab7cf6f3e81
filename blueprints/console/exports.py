"""Exports through their states."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("exports", "Exports", "e", path="/exports")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("exports.html")

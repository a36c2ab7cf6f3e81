"""Conversations, as the API lists them."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("calls", "Calls", "c", path="/calls")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("calls.html")


@blp.get("/<log_id>")
def call(log_id: str) -> Any:
    """One call."""
    return render_template("calls.html")

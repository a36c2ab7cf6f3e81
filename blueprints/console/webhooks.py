"""Deliveries, and an inbox."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("webhooks", "Webhooks", "h", path="/webhooks")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("webhooks.html")

"""What programs asked."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("traffic", "Traffic", "t", path="/traffic")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("traffic.html")

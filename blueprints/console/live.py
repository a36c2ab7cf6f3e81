"""Calls in progress, and a place to make one."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("live", "Live", "l", path="/live")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("live.html")

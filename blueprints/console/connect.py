"""Address, key and snippets."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("connect", "Connect", "n", path="/connect")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("connect.html")

"""Save points, state documents, scenarios, teams and keys."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("state", "State", "s", path="/state")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("state.html")

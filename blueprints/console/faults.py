"""Faults on demand."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("faults", "Faults", "f", path="/faults")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("faults.html")

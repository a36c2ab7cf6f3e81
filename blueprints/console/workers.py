"""Workers, with their flows, deployments, tags, resources and tests."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("workers", "Workers", "w", path="/workers")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("workers.html")


@blp.get("/<worker_id>")
def worker(worker_id: str) -> Any:
    """One worker."""
    return render_template("workers.html")

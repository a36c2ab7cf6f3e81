"""Campaigns and their rows."""

from __future__ import annotations

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import Pages

blp = Pages("campaigns", "Campaigns", "m", path="/campaigns")


@blp.get("")
def show() -> Any:
    """The page."""
    return render_template("campaigns.html")


@blp.get("/<campaign_id>")
def campaign(campaign_id: str) -> Any:
    """One campaign."""
    return render_template("campaigns.html")

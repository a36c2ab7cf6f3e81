"""The guides as text, for programs that write programs: what this is (llms.txt), and docs/ as it ships."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from flask import Blueprint, Response, send_from_directory

from dryline.blueprints.links import base_url

blp = Blueprint("guides", __name__)

# https://llmstxt.org
SUMMARY = Path(__file__).with_name("llms.txt")
GUIDES = Path(__file__).parent.parent / "docs"


@blp.get("/llms.txt")
def summary() -> Any:
    """What a coding assistant needs first, with this server's own address."""
    text = SUMMARY.read_text(encoding="utf-8").replace("{base}", base_url())
    return Response(text, content_type="text/plain; charset=utf-8")


@blp.get("/docs/<name>.md")
def guide(name: str) -> Any:
    """One of the guides. Raises NotFound."""
    return send_from_directory(GUIDES, f"{name}.md", mimetype="text/markdown")

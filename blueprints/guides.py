"""The guides as text for coding assistants: a summary (llms.txt) and the pages of docs/."""

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
    """Return the summary with this server's own URL."""
    text = SUMMARY.read_text(encoding="utf-8").replace("{base}", base_url())
    return Response(text, content_type="text/plain; charset=utf-8")


@blp.get("/docs/<name>.md")
def guide(name: str) -> Any:
    """Return a guide. Raises NotFound."""
    return send_from_directory(GUIDES, f"{name}.md", mimetype="text/markdown")

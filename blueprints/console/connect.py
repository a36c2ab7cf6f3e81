"""Address, key and snippets that work as they are copied."""

from typing import Any

from flask import render_template

from dryline.blueprints.console.base import PageBlueprint
from dryline.storage.current_world import current

blp = PageBlueprint("connect", "Connect", "n", path="/connect")


@blp.get("")
def show() -> Any:
    """Show how programs connect to this server."""
    return render_template("connect.html", key=next(iter(current().settings.api_keys), ""))

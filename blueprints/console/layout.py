"""Whether anything changed: what open pages ask every now and then. It costs no SQL."""

from __future__ import annotations

from typing import Any

from flask import jsonify, request

from dryline.blueprints.console.base import Pages
from dryline.storage.current_world import current

blp = Pages("pulse")


def beat() -> str:
    """What changes with every write, request and fault."""
    world = current()
    return f"{world.writes}.{world.requests.count}.{world.faults.changes}"


@blp.get("/pulse")
def pulse() -> Any:
    """The beat, or 204 where it is the one that the page knows."""
    now = beat()
    if request.args.get("since") == now:
        return "", 204
    return jsonify(beat=now)

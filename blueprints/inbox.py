"""An inbox: an address on this server that webhooks can be pointed at, where no receiver runs yet.

What came is in the request log, as every request is; faults can make it fail.
"""

from __future__ import annotations

from typing import Any

from flask import Blueprint

from dryline.world.outgoing import INBOX

blp = Blueprint("inbox", __name__)


@blp.route(f"{INBOX}<path:name>", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def receive(name: str) -> Any:
    """Take what is sent."""
    return "", 204

"""An inbox: URLs on this server that accept any webhook, for use before a receiver exists.

Deliveries are in the request log, and faults can make them fail.
"""

from typing import Any

from flask import Blueprint

from dryline.world.outgoing import INBOX

blp = Blueprint("inbox", __name__)


@blp.route(f"{INBOX}<path:name>", methods=["GET", "POST", "PUT", "PATCH", "DELETE"])
def receive(name: str) -> Any:
    """Accept a request."""
    return "", 204

"""The ceiling: a Flask view that answers ready bytes, behind the same sockets and the same loop as dryline.

`python bare.py READY ANSWER...` serves the files ANSWER at /0, /1, … and writes its address to READY.
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path
from typing import Any

from flask import Flask, Response, request
from waitress import wasyncore

from dryline.serving.listener import Listener


def application(answers: list[bytes]) -> Flask:
    """Nothing is looked up, checked or written as JSON; a body is read."""
    app = Flask("bare", static_folder=None)

    @app.route("/<int:number>/<path:path>", methods=["GET", "POST"])
    def bare(number: int, path: str) -> Response:
        if request.method == "POST":
            request.get_json()
            return Response(answers[number], 201, mimetype="application/json")
        return Response(answers[number], mimetype="application/json")

    return app


class LoopOnly:
    """A dispatcher like `serving.lanes.Lanes`, with which the event loop answers everything."""

    in_loop = True
    current_channel: Any = None

    def add_task(self, channel: Any) -> None:
        """Note the connection for `serve_current`."""
        self.current_channel = channel

    def serve_current(self) -> None:
        """Answer the request of the noted connection."""
        if self.current_channel is not None:
            self.current_channel.service()
            self.current_channel = None


def serve(ready: Path, answers: list[bytes]) -> None:
    """Answer until the process is ended."""
    bound = socket.create_server(("127.0.0.1", 0), backlog=1024)
    sockets: dict[int, Any] = {}
    Listener(application(answers), bound, LoopOnly(), map=sockets, ident="bare")
    part = ready.with_suffix(".part")
    part.write_text(json.dumps({"url": f"http://127.0.0.1:{bound.getsockname()[1]}"}))
    part.replace(ready)
    wasyncore.loop(1, use_poll=True, map=sockets)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), [Path(name).read_bytes() for name in sys.argv[2:]])

"""The ceiling: a Flask view that answers ready bytes, behind the same server and the same kind of loop as dryline.

`python bare.py READY ANSWER...` serves the files ANSWER at /0, /1, … and writes its address to READY.
"""

from __future__ import annotations

import json
import socket
import sys
from collections import deque
from pathlib import Path
from typing import Any

from flask import Flask, Response, request
from waitress import create_server, wasyncore


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


class Arrived(deque[Any]):
    """A dispatcher like `serving.dispatcher.QuickDispatcher`, with which the event loop answers everything."""

    add_task = deque.append


def serve(ready: Path, answers: list[bytes]) -> None:
    """Answer until the process is ended."""
    bound = socket.create_server(("127.0.0.1", 0), backlog=1024)
    sockets: dict[int, Any] = {}
    server = create_server(application(answers), map=sockets, sockets=[bound], threads=0, ident="bare")
    server.task_dispatcher, server.pull_trigger = (arrived := Arrived()), lambda: None
    part = ready.with_suffix(".part")
    part.write_text(json.dumps({"url": f"http://127.0.0.1:{bound.getsockname()[1]}"}))
    part.replace(ready)
    while True:
        wasyncore.loop(1, use_poll=True, map=sockets, count=1)
        while arrived:
            arrived.popleft().service()


if __name__ == "__main__":
    serve(Path(sys.argv[1]), [Path(name).read_bytes() for name in sys.argv[2:]])

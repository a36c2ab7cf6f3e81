"""A bare Flask view that answers ready bytes, served by waitress: what dryline is compared with.

`python bare.py READY ANSWER...` serves the files ANSWER at /0, /1, … and writes its address to READY.
"""

from __future__ import annotations

import json
import socket
import sys
from pathlib import Path

import waitress
from flask import Flask, Response, request


def application(answers: list[bytes]) -> Flask:
    """Return an application that looks nothing up and checks nothing. It reads a body."""
    app = Flask("bare", static_folder=None)

    @app.route("/<int:number>/<path:path>", methods=["GET", "POST"])
    def bare(number: int, path: str) -> Response:
        if request.method == "POST":
            request.get_json()
            return Response(answers[number], 201, mimetype="application/json")
        return Response(answers[number], mimetype="application/json")

    return app


def serve(ready: Path, answers: list[bytes]) -> None:
    """Answer requests until the process ends."""
    bound = socket.create_server(("127.0.0.1", 0), backlog=1024)
    part = ready.with_suffix(".part")
    part.write_text(json.dumps({"url": f"http://127.0.0.1:{bound.getsockname()[1]}"}))
    part.replace(ready)
    waitress.serve(application(answers), sockets=[bound], _quiet=True)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), [Path(name).read_bytes() for name in sys.argv[2:]])

"""The ceiling: a Flask view that answers ready bytes, served by waitress as it comes, in threads.

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
    """Nothing is looked up, checked or written as JSON; a body is read."""
    app = Flask("bare", static_folder=None)

    @app.route("/<int:number>/<path:path>", methods=["GET", "POST"])
    def bare(number: int, path: str) -> Response:
        if request.method == "POST":
            request.get_json()
            return Response(answers[number], 201, mimetype="application/json")
        return Response(answers[number], mimetype="application/json")

    return app


def serve(ready: Path, answers: list[bytes]) -> None:
    """Answer until the process is ended."""
    bound = socket.create_server(("127.0.0.1", 0), backlog=1024)
    part = ready.with_suffix(".part")
    part.write_text(json.dumps({"url": f"http://127.0.0.1:{bound.getsockname()[1]}"}))
    part.replace(ready)
    waitress.serve(application(answers), sockets=[bound], threads=8)


if __name__ == "__main__":
    serve(Path(sys.argv[1]), [Path(name).read_bytes() for name in sys.argv[2:]])

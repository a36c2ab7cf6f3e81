"""A receiver of webhooks, which notes of which phase the ones are that arrive."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from random import Random


class Receiver:
    """A server on loopback. `arrived` is called with the phase in the path of each webhook. Some answers are errors."""

    def __init__(self, arrived: Callable[[int], None], seed: int) -> None:
        random = Random(seed)

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if phase := re.search(r"phase-(\d+)-", self.path):
                    arrived(int(phase[1]))
                self.send_response(random.choice([200, 200, 200, 500, 302]))
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_port}"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def close(self) -> None:
        """Close the server."""
        self._server.shutdown()
        self._server.server_close()

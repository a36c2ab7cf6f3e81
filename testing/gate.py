"""The connections of the plugin's gate: each is passed on to the session's server, or its request is refused."""

from __future__ import annotations

import contextlib
import json
import socket
import threading
from http.server import BaseHTTPRequestHandler
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from dryline.pytest_plugin import Gate

_SWITCH = "To switch this off, set dryline_isolate = false in pytest's configuration, or DRYLINE_ISOLATE=0 for one run."

REFUSED = pytest.StashKey[str]()  # the sentence of a test whose request was refused


def serve_connection(connection: socket.socket, gate: Gate) -> None:
    """Serve a connection, and close it."""
    address = gate.admit(connection)
    with connection, contextlib.suppress(OSError):
        if address is None:
            _Refusal(connection, gate)
            connection.shutdown(socket.SHUT_WR)
            while connection.recv(1 << 16):  # closing a connection that has unread content would discard the answer
                pass
            return
        try:
            _connect_with_server(connection, address)
        finally:
            gate.forget(connection)


def sentence_for(item: pytest.Item | None) -> str:
    """Return the sentence for requests that a test sends, or code outside of a test."""
    if item is None:
        return f"dryline kept a request from the real service. Send it in a test with the fixture dryline. {_SWITCH}"
    beginning = f"dryline kept a request of {item.nodeid} from the real service."
    if "dryline_in_process" in getattr(item, "fixturenames", ()):
        return f"{beginning} Use dryline_in_process.client(), or the fixture dryline, which has an address."
    return f"{beginning} Add the fixture dryline to the test. {_SWITCH}"


class _Refusal(BaseHTTPRequestHandler):
    """An answer of status 421 to one request, whose body is not read."""

    protocol_version = "HTTP/1.1"
    timeout = 10.0  # seconds that a client may take for its request

    def __init__(self, connection: socket.socket, gate: Gate) -> None:
        self._gate = gate
        super().__init__(connection, connection.getpeername(), None)  # type: ignore[arg-type]  # there is no server

    def _refuse(self) -> None:
        item = self._gate.item
        sentence = sentence_for(item)
        if item is not None:
            item.stash[REFUSED] = sentence
        body = json.dumps({"error": sentence}).encode()

        # Clients retry neither this status nor, if they know the header, this answer.
        self.send_response(421)
        self.send_header("x-should-retry", "false")
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Connection", "close")
        self.end_headers()
        self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = do_OPTIONS = _refuse  # of http.server

    def log_message(self, format: str, *arguments: Any) -> None:
        """Write nothing: the test's report says it."""


def _connect_with_server(client: socket.socket, address: tuple[str, int]) -> None:
    """Connect a client with a server until the server closes the connection."""
    with socket.create_connection(address) as server:
        for end in (client, server):
            end.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)  # what comes in pieces goes on in pieces
        requests = threading.Thread(target=_copy_until_end, args=(client, server), daemon=True)
        requests.start()
        _copy_until_end(server, client)
        with contextlib.suppress(OSError):  # the client has gone
            client.shutdown(socket.SHUT_RDWR)  # ends the other thread's reading
        requests.join()


def _copy_until_end(source: socket.socket, target: socket.socket) -> None:
    """Send on what comes, and its end."""
    with contextlib.suppress(OSError):
        while data := source.recv(1 << 16):
            target.sendall(data)
    with contextlib.suppress(OSError):
        target.shutdown(socket.SHUT_WR)

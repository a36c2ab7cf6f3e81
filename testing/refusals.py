"""The answer to requests that a test sends without a fixture: one sentence, in the form of the API's errors."""

from __future__ import annotations

import contextlib
import http.client
import json
import socket
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from dryline.pytest_plugin import ReservedPort

# Clients retry neither this status nor, if they know the header, this answer.
STATUS, RETRY_HEADER = 421, ("x-should-retry", "false")
_SWITCH = "To switch this off, set dryline_isolate = false in pytest's configuration, or DRYLINE_ISOLATE=0 for one run."
# How long a client may take for its request.
PATIENCE_S = 10.0

REFUSED = pytest.StashKey[str]()  # the sentence of a test whose request was refused


def sentence_for(item: pytest.Item | None) -> str:
    """Return the sentence for requests that a test sends, or code outside of a test."""
    if item is None:
        return f"dryline kept a request from the real service. Send it in a test with the fixture dryline. {_SWITCH}"
    beginning = f"dryline kept a request of {item.nodeid} from the real service."
    if "dryline_in_process" in getattr(item, "fixturenames", ()):
        return f"{beginning} Use dryline_in_process.client(), or the fixture dryline, which has an address."
    return f"{beginning} Add the fixture dryline to the test. {_SWITCH}"


def answer(connection: socket.socket, port: ReservedPort) -> None:
    """Read one request from a connection, refuse it, and close the connection."""
    with connection, contextlib.suppress(OSError, http.client.HTTPException):
        connection.settimeout(PATIENCE_S)
        stream = connection.makefile("rb")
        if not stream.readline():
            return
        http.client.parse_headers(stream)
        sentence = sentence_for(port.item)
        if port.item is not None:
            port.item.stash[REFUSED] = sentence
        body = json.dumps({"error": sentence}).encode()
        headers = ("content-type: application/json", f"content-length: {len(body)}", ": ".join(RETRY_HEADER))
        lines = (f"HTTP/1.1 {STATUS} {http.client.responses[STATUS]}", *headers, "connection: close", "", "")
        connection.sendall("\r\n".join(lines).encode() + body)
        connection.shutdown(socket.SHUT_WR)
        while stream.read(1 << 16):  # closing a connection that has unread content would discard the answer
            pass

"""The listening socket and its connections."""

from __future__ import annotations

import errno
import logging
import os
import socket
from typing import Any

from dryline.settings import BadSetting, Settings
from dryline.world.real_time import monotonic

# The first bytes that a client of https:// sends. https://www.rfc-editor.org/rfc/rfc8446#section-5.1
_TLS_RECORD = b"\x16\x03"
# The warning about such clients is logged once in this many seconds.
WARN_EVERY_S = 60

log = logging.getLogger("dryline")


class ListeningSocket(socket.socket):
    """A socket whose connections refuse TLS."""

    def accept(self) -> tuple[socket.socket, Any]:
        """Return the next connection and its address."""
        connection, address = super().accept()
        return _PlainConnection(self.family, self.type, self.proto, connection.detach()), address


class _PlainConnection(socket.socket):
    """A connection that ends if the client speaks TLS. Without that, each side would wait for the other one."""

    _has_received = False
    _next_warning = 0.0

    def recv(self, size: int, flags: int = 0, /) -> bytes:
        data = super().recv(size, flags)
        is_first, self._has_received = not self._has_received, True
        if not (is_first and data.startswith(_TLS_RECORD)):
            return data
        if monotonic() >= _PlainConnection._next_warning:
            _PlainConnection._next_warning = monotonic() + WARN_EVERY_S
            log.warning("A client speaks https:// to this server, which answers http:// only: change its base URL.")
        return b""


def bind(settings: Settings) -> socket.socket:
    """Return a listening socket. Raises BadSetting if the address is not available."""
    try:
        family = socket.getaddrinfo(settings.host, settings.port, type=socket.SOCK_STREAM)[0][0]
        bound = socket.create_server((settings.host, settings.port), family=family, backlog=1024)
        return ListeningSocket(bound.family, bound.type, bound.proto, bound.detach())
    except OSError as error:
        prefix = f"Cannot listen on {settings.host}:{settings.port}"
        if error.errno == errno.EADDRINUSE:
            raise BadSetting(
                f"{prefix}: the port is in use. Choose another with --port, or a free one with --port 0 "
                "(make run ARGS='--port 0')."
            ) from error
        # create_server appends the address to its text. A failed look-up has a number of its own.
        reason = error.strerror if isinstance(error, socket.gaierror) else os.strerror(error.errno or 0)
        raise BadSetting(f"{prefix}: {reason}.") from error

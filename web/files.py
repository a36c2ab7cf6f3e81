"""Responses with files, whole or by Range, and with JSON that is too large for the memory."""

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import SpooledTemporaryFile
from typing import IO, Any

from flask import Response, request
from werkzeug.http import parse_range_header
from werkzeug.utils import send_file

_MOST_BYTES_IN_MEMORY = 16_000_000
_PIECE_BYTES = 64_000


def send(path: Path, content_type: str, name: str, *, saved: bool = True) -> Response:
    """Return a response with a file of exactly this content type. Raises FileNotFoundError.

    It is saved under `name` unless it is to be shown.
    """
    environ = request.environ
    ranges = parse_range_header(environ.get("HTTP_RANGE"))
    if ranges is None or ranges.units != "bytes" or len(ranges.ranges) != 1:  # is ignored: RFC 9110, 14.2
        environ = {name: value for name, value in environ.items() if name != "HTTP_RANGE"}
    elif ranges.ranges[0][0] < -path.stat().st_size:  # longer than the file: all of it (14.1.2), as Werkzeug lacks
        environ = environ | {"HTTP_RANGE": "bytes=0-"}
    response: Any = send_file(path, environ, content_type, saved, name, response_class=Response)
    response.headers["Content-Type"] = content_type
    return response


def written_response(write: Callable[[IO[bytes]], object]) -> Response:
    """Return a response with the JSON that `write` writes. Where it is long, it waits in a temporary file."""
    file: Any = SpooledTemporaryFile(_MOST_BYTES_IN_MEMORY)  # noqa: SIM115  # the response closes a long one
    try:
        write(file)
    except BaseException:
        file.close()
        raise
    length = file.tell()
    file.seek(0)
    if length <= _MOST_BYTES_IN_MEMORY:
        with file:
            return Response(file.read(), content_type="application/json")

    # waitress sends the file itself: what it copies into its buffers would stay in the memory.
    wrap = request.environ.get("wsgi.file_wrapper", _pieces)
    response = Response(wrap(file), content_type="application/json", direct_passthrough=True)
    response.content_length = length
    return response


def _pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file in pieces, and close it at its end: a client in the same process may not close the response."""
    with file:
        while piece := file.read(_PIECE_BYTES):
            yield piece

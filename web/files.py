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


def file_response(path: Path, content_type: str, name: str, *, as_attachment: bool = True) -> Response:
    """Return a response with a file of exactly this content type. Raises FileNotFoundError.

    A browser saves an attachment under `name`, and shows others.
    """
    environ = _with_usable_range(request.environ, path)
    response: Any = send_file(path, environ, content_type, as_attachment, name, response_class=Response)
    response.headers["Content-Type"] = content_type
    return response


def _with_usable_range(environ: dict[str, Any], path: Path) -> dict[str, Any]:
    """Return a request's environment with a range that Werkzeug answers as RFC 9110 says, or with none."""
    ranges = parse_range_header(environ.get("HTTP_RANGE"))
    if ranges is None or ranges.units != "bytes" or len(ranges.ranges) != 1:  # is ignored: 14.2
        return {name: value for name, value in environ.items() if name != "HTTP_RANGE"}
    if ranges.ranges[0][0] < -path.stat().st_size:  # the last bytes, more than there are: all of them (14.1.2)
        return environ | {"HTTP_RANGE": "bytes=0-"}
    return environ


def written_response(write: Callable[[IO[bytes]], object]) -> Response:
    """Return a response with the JSON that `write` writes. A long one is kept in a temporary file until it is sent."""
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
    wrap = request.environ.get("wsgi.file_wrapper", _file_in_pieces)
    response = Response(wrap(file), content_type="application/json", direct_passthrough=True)
    response.content_length = length
    return response


def _file_in_pieces(file: IO[bytes]) -> Iterator[bytes]:
    """Yield a file in pieces, and close it at its end: a client in the same process may not close the response."""
    with file:
        while piece := file.read(_PIECE_BYTES):
            yield piece

"""Responses with files, whole or by Range."""

from pathlib import Path
from typing import Any

from flask import Response, request
from werkzeug.http import parse_range_header
from werkzeug.utils import send_file


def send(path: Path, content_type: str, name: str, *, saved: bool = True) -> Response:
    """Return a response with a file of exactly this content type. Raises FileNotFoundError.

    It is saved under `name` unless it is to be shown.
    """
    environ = _with_plain_range(request.environ, path.stat().st_size)
    response: Any = send_file(path, environ, content_type, saved, name, response_class=Response)
    response.headers["Content-Type"] = content_type
    return response


def _with_plain_range(environ: dict[str, Any], length: int) -> dict[str, Any]:
    """Return the environment without its Range, unless that is one range of bytes (RFC 9110, 14.2).

    A suffix range longer than the file means the whole file (14.1.2); Werkzeug finds no such range.
    """
    ranges = parse_range_header(environ.get("HTTP_RANGE"))
    if ranges is None or ranges.units != "bytes" or len(ranges.ranges) != 1:
        return {name: value for name, value in environ.items() if name != "HTTP_RANGE"}
    return environ | {"HTTP_RANGE": "bytes=0-"} if ranges.ranges[0][0] < -length else environ

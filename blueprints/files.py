"""Responses with files, whole or by Range."""

import os
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from flask import Response, request, send_file
from werkzeug.http import parse_range_header
from werkzeug.wsgi import wrap_file


def send(path: Path, content_type: str, name: str, *, saved: bool = True) -> Response:
    """Return a response with a file of exactly this content type. Raises FileNotFoundError.

    It is saved under `name` unless it is to be shown. The event loop reads it, so that no thread waits for a slow
    reader.
    """
    file = path.open("rb")
    try:
        stat = os.fstat(file.fileno())
        version = f"{stat.st_mtime_ns:x}-{stat.st_size:x}"
        response = send_file(file, as_attachment=saved, download_name=name, conditional=False, etag=version)
        response.headers["Content-Type"] = content_type
        response.content_length = stat.st_size
        response.last_modified = stat.st_mtime  # type: ignore[assignment]  # takes seconds as well
        environ = _with_plain_range(request.environ, stat.st_size)
        response.make_conditional(environ, accept_ranges=True, complete_length=stat.st_size)
        if response.status_code == 206 and "wsgi.file_wrapper" in environ:
            # Werkzeug cuts the range out while iterating; the server sends Content-Length bytes from here.
            file.seek(response.content_range.start or 0)
            response.response = wrap_file(environ, file)
    except BaseException:
        file.close()
        raise
    return response


def send_once(path: Path, content_type: str, name: str) -> Response:
    """Return a response with the whole file, to be saved under `name`. Raises FileNotFoundError.

    The file may be removed once this returns.
    """
    file = path.open("rb")

    def content() -> Iterator[bytes]:
        with file:  # in tests without a server, nobody closes the response
            yield from iter(partial(file.read, 1 << 16), b"")

    response = Response(content(), content_type=content_type)
    response.call_on_close(file.close)
    response.content_length = os.fstat(file.fileno()).st_size
    response.headers.set("Content-Disposition", "attachment", filename=name)
    return response


def _with_plain_range(environ: dict[str, Any], length: int) -> dict[str, Any]:
    """Return the environment without its Range, unless that is one range of bytes (RFC 9110, 14.2).

    A suffix range longer than the file means the whole file (14.1.2); Werkzeug finds no such range.
    """
    ranges = parse_range_header(environ.get("HTTP_RANGE"))
    if ranges is None or ranges.units != "bytes" or len(ranges.ranges) != 1:
        return {name: value for name, value in environ.items() if name != "HTTP_RANGE"}
    return environ | {"HTTP_RANGE": "bytes=0-"} if ranges.ranges[0][0] < -length else environ

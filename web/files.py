"""Responses with files, whole or by Range."""

from pathlib import Path
from typing import Any

from flask import Response, request
from werkzeug.utils import send_file


def send(path: Path, content_type: str, name: str, *, saved: bool = True) -> Response:
    """Return a response with a file of exactly this content type. Raises FileNotFoundError.

    It is saved under `name` unless it is to be shown.
    """
    response: Any = send_file(path, request.environ, content_type, saved, name, response_class=Response)
    response.headers["Content-Type"] = content_type
    return response

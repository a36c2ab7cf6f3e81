"""Files that are never seen half written."""

from __future__ import annotations

from pathlib import Path


def write_whole(path: Path, content: bytes) -> None:
    """Write a file beside `path`, then let it be `path`: whoever looks finds all of it or nothing. Raises OSError."""
    part = path.with_name(path.name + ".part")
    part.write_bytes(content)
    part.replace(path)

"""Absolute addresses on this server: only a request knows where it is reached."""

from __future__ import annotations

from urllib.parse import quote

from flask import request

from dryline.jobs.exports import remake_soon
from dryline.models.exports import Export
from dryline.world.world import current


def base_url() -> str:
    """What every address on this server begins with: `--public-url`, or else as the running request has it."""
    return current().settings.public_url or request.host_url.rstrip("/")


def with_link(export: Export) -> Export:
    """The export with the address of its file, while it can be fetched. A file that is lost is made anew."""
    if export.lost:
        remake_soon(current(), export)
    export.download_url = _address(export) if export.open else None
    return export


def _address(export: Export) -> str:
    return f"{base_url()}/downloads/exports/{quote(export.id, safe='')}?signature={export.signature}"

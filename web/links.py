"""Absolute URLs on this server, which depend on the running request."""

from urllib.parse import quote

from flask import request

from dryline.models.exports import Export
from dryline.models.logs import Log
from dryline.models.recordings import addresses_at
from dryline.models.resources import Resource
from dryline.models.voice_log_pages import SelectedLogs
from dryline.models.voice_logs import VoiceLog
from dryline.storage.current_world import current
from dryline.web.paths import CONSOLE


def base_url() -> str:
    """Return the start of every URL on this server: `--public-url`, or that of the running request.

    It has the path at which another application has mounted this one.
    """
    return current().settings.public_url or request.root_url.rstrip("/")


def is_from_console() -> bool:
    """Return whether a page of the console sends the request: browsers name the page in the header Referer."""
    return request.headers.get("Referer", "").startswith(f"{base_url()}{CONSOLE}/")


def with_download_url(export: Export) -> Export:
    """Return an export with the URL of its file while it can be downloaded."""
    address = f"{base_url()}/downloads/exports/{quote(export.id, safe='')}"
    export.download_url = f"{address}?signature={export.signature}" if export.is_available else None
    return export


def with_file_url(resource: Resource) -> Resource:
    """Return a resource with the URL of its file on this server, if its bytes were uploaded here."""
    resource.base_url = base_url()
    return resource


def with_recordings(logs: SelectedLogs) -> SelectedLogs:
    """Return voice logs with the URLs of their recordings."""
    logs.addresses = addresses_at(base_url())
    return logs


def log_with_recording(log: Log) -> Log:
    """Return a log of any channel, with the URL of its recording if it has one."""
    if isinstance(log, VoiceLog):
        log.recording_url = addresses_at(base_url()).of(log.id, log.recording_url)
    return log

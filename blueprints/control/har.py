"""The request log as an HTTP Archive, HAR 1.2: https://w3c.github.io/web-performance/specs/HAR/Overview.html."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, quote

from dryline import __version__
from dryline.traffic.request_log import Entry
from dryline.world.clock import wire

_PHRASES = {status.value: status.phrase for status in HTTPStatus}


def archive(entries: Iterable[Entry], base_url: str) -> dict[str, Any]:
    """Return the archive of these entries, whose requests were sent to `base_url`."""
    creator = {"name": "dryline", "version": __version__}
    return {"log": {"version": "1.2", "creator": creator, "entries": [_entry(entry, base_url) for entry in entries]}}


def _entry(entry: Entry, base_url: str) -> dict[str, Any]:
    started = datetime.fromtimestamp(entry.answered_at - entry.duration_ms / 1000, UTC)
    return {
        "startedDateTime": wire(started),
        "time": entry.duration_ms,
        "request": _request(entry, base_url),
        "response": _response(entry),
        "cache": {},
        "timings": {"send": 0, "wait": entry.duration_ms, "receive": 0},
        "_apiTime": entry.time,
        **({"_faultId": entry.fault_id} if entry.fault_id else {}),
    }


def _request(entry: Entry, base_url: str) -> dict[str, Any]:
    query = f"?{entry.query}" if entry.query else ""
    body = {"mimeType": dict(entry.headers).get("Content-Type", ""), "text": entry.text()}
    return {
        "method": entry.method,
        "url": base_url + quote(entry.path, errors="replace") + query,
        **_message(entry.headers, entry.body_bytes),
        "queryString": _pairs(parse_qsl(entry.query, keep_blank_values=True)),
        **({"postData": body} if entry.body else {}),
    }


def _response(entry: Entry) -> dict[str, Any]:
    headers, answer = dict(entry.answer_headers), entry.answer
    status = entry.status or 0
    content: dict[str, Any] = {"size": entry.answer_bytes, "mimeType": headers.get("Content-Type", "")}
    try:
        content["text"] = answer.decode()
    except UnicodeDecodeError:
        content |= {"text": base64.b64encode(answer).decode(), "encoding": "base64"}
    return {
        "status": status,
        "statusText": _PHRASES.get(status, ""),
        **_message(entry.answer_headers, entry.answer_bytes),
        "content": content,
        "redirectURL": headers.get("Location", ""),
    }


def _message(headers: Sequence[tuple[str, str]], size: int) -> dict[str, Any]:
    return {
        "httpVersion": "HTTP/1.1",
        "cookies": [],
        "headers": _pairs(headers),
        "headersSize": -1,
        "bodySize": size,
    }


def _pairs(pairs: Iterable[tuple[str, str]]) -> list[dict[str, str]]:
    return [{"name": name, "value": value} for name, value in pairs]

"""The request record as an HTTP Archive (HAR 1.2), and its form on the wire."""

from __future__ import annotations

import base64
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from http import HTTPStatus
from typing import Any
from urllib.parse import parse_qsl, quote

from marshmallow import fields

from dryline import __version__
from dryline.schemas.base import ApiSchema, Integer, JsonObject, Number
from dryline.traffic.request_log import ANSWER_BYTES, Entry
from dryline.world.clock import wire

_PHRASES = {status.value: status.phrase for status in HTTPStatus}


def described(field: Any, text: str, **kwargs: Any) -> Any:
    """A field with what it is."""
    return field(metadata={"description": text}, **kwargs)


class HarPairSchema(ApiSchema):
    """A header, a parameter or a cookie."""

    name = described(fields.String, "its name")
    value = described(fields.String, "its value; secrets are masked")


class HarPostDataSchema(ApiSchema):
    """The body of a request."""

    mime_type = described(fields.String, "its Content-Type")
    text = described(fields.String, "its text")


class HarContentSchema(ApiSchema):
    """The body of an answer."""

    class Meta(ApiSchema.Meta):
        sometimes = ("encoding",)

    size = described(Integer, "its bytes, also where the record does not keep them, as with files")
    mime_type = described(fields.String, "its Content-Type")
    text = described(fields.String, "its text, or base64 where it is none")
    encoding = described(fields.String, "base64, where the text is that")


class HarMessageSchema(ApiSchema):
    """What a request and an answer have in common."""

    http_version = described(fields.String, "always HTTP/1.1")
    cookies = fields.List(fields.Nested(HarPairSchema), metadata={"description": "always empty: the API has none"})
    headers = fields.List(fields.Nested(HarPairSchema), metadata={"description": "in the order they came"})
    headers_size = described(Integer, "always -1: not known")
    body_size = described(Integer, "bytes of the body, where they are known")


class HarRequestSchema(HarMessageSchema):
    """A request."""

    class Meta(ApiSchema.Meta):
        sometimes = ("post_data",)

    method = described(fields.String, "its method")
    url = described(fields.String, "its whole address")
    query_string = fields.List(fields.Nested(HarPairSchema), metadata={"description": "its parameters"})
    post_data = fields.Nested(HarPostDataSchema, metadata={"description": "its body, where it has one"})


class HarResponseSchema(HarMessageSchema):
    """An answer."""

    status = described(Integer, "its status; 0 where the connection was cut without an answer")
    status_text = described(fields.String, "the status in words")
    content = fields.Nested(HarContentSchema, metadata={"description": "its body"})
    redirect_url = described(fields.String, "where it leads elsewhere", data_key="redirectURL")


class HarTimingsSchema(ApiSchema):
    """Where the time went, in milliseconds."""

    send = described(Number, "always 0")
    wait = described(Number, "all of it")
    receive = described(Number, "always 0")


class HarEntrySchema(ApiSchema):
    """A request with its answer."""

    class Meta(ApiSchema.Meta):
        sometimes = ("fault_id",)

    started_date_time = described(fields.String, "when it came, in real time")
    time = described(Number, "how long it took, in milliseconds")
    request = fields.Nested(HarRequestSchema, metadata={"description": "what was asked"})
    response = fields.Nested(HarResponseSchema, metadata={"description": "what was answered"})
    cache = described(JsonObject, "always empty")
    timings = fields.Nested(HarTimingsSchema, metadata={"description": "where the time went"})
    api_time = described(fields.String, "when it came, by the clock of this world", data_key="_apiTime")
    fault_id = described(fields.String, "the fault that struck it", data_key="_faultId")


class HarCreatorSchema(ApiSchema):
    """What wrote it."""

    name = described(fields.String, "dryline")
    version = described(fields.String, "its version")


class HarLogSchema(ApiSchema):
    """The archive."""

    version = described(fields.String, "always 1.2")
    creator = fields.Nested(HarCreatorSchema, metadata={"description": "what wrote it"})
    entries = fields.List(fields.Nested(HarEntrySchema), metadata={"description": "oldest first"})


class HarSchema(ApiSchema):
    """An HTTP Archive, version 1.2."""

    log = fields.Nested(HarLogSchema, metadata={"description": "the archive"})


def archive(entries: Iterable[Entry], base_url: str) -> dict[str, Any]:
    """The archive of these requests, which were sent to `base_url`."""
    creator = {"name": "dryline", "version": __version__}
    return {"log": {"version": "1.2", "creator": creator, "entries": [_entry(one, base_url) for one in entries]}}


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
        **_message(entry.headers, len(entry.body)),
        "queryString": _pairs(parse_qsl(entry.query, keep_blank_values=True)),
        **({"postData": body} if entry.body else {}),
    }


def _response(entry: Entry) -> dict[str, Any]:
    headers, answer = dict(entry.answer_headers), entry.answer
    status = entry.status or 0
    size = _size(entry)
    content: dict[str, Any] = {"size": size, "mimeType": headers.get("Content-Type", "")}
    try:
        content["text"] = answer.decode()
    except UnicodeDecodeError:
        content |= {"text": base64.b64encode(answer).decode(), "encoding": "base64"}
    return {
        "status": status,
        "statusText": _PHRASES.get(status, ""),
        **_message(entry.answer_headers, size),
        "content": content,
        "redirectURL": headers.get("Location", ""),
    }


def _size(entry: Entry) -> int:
    """Bytes of an answer's body: the record has none of a file, and the beginning of a long one. Its header has all."""
    kept = len(entry.sent)
    if 0 < kept < ANSWER_BYTES or entry.method == "HEAD":
        return kept
    return int(dict(entry.answer_headers).get("Content-Length", kept))


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

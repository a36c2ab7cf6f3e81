"""The lists of conversations: what an address asks for, read as the API reads it, and the rows of its answer."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from typing import Any

import orjson
from flask import g, request
from marshmallow import Schema, ValidationError

from dryline.models import activity, voice_log_pages
from dryline.models.exports import LONGEST_WINDOW
from dryline.models.logs import Page, model_of
from dryline.models.workers import Worker
from dryline.schemas.base import camel
from dryline.schemas.chat_embed_logs import ChatEmbedLogFilterSchema
from dryline.schemas.logs import NumberedLogsSchema, PageArgumentsSchema, schema_of
from dryline.schemas.voice_logs import VoiceLogFilterSchema, VoiceLogListSchema
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.world.channels import CHANNELS, Channel
from dryline.world.clock import FIRST, parse, wire

WORDS = {
    "voice": "Calls",
    "chat": "Chats",
    "chat-embed": "Chat widget",
    "sms": "SMS",
    "whatsapp": "WhatsApp",
    "api": "API",
}
VOICE = CHANNELS[0]
PAGE_LENGTH = 25
# What a list's row shows of a call.
_SHOWN = frozenset(
    (
        "start_time",
        "direction",
        "from_number",
        "to_number",
        "deployment_id",
        "status",
        "duration",
        "data",
        "transcription",
    )
)


class WidgetLogsSchema(ChatEmbedLogFilterSchema, PageArgumentsSchema):
    """Which of a worker's widget logs, and which page of them."""


def _channel(key: str) -> Channel:
    """Raises NotFound."""
    found = [one for one in CHANNELS if one.key == key]
    if not found:
        raise NotFound(f"There is no channel {key!r}.")
    return found[0]


class Asked:
    """What an address asks for: the channel, the worker, and the API's own parameters.

    `query` has them as the API takes them, `filters` those that say which logs, by attribute; `faults` what is wrong.
    """

    def __init__(self) -> None:
        sent = request.args
        self.channel = _channel(sent.get("channel", VOICE.key))
        schema = _SCHEMAS.get(self.channel.key, NumberedLogsSchema)()
        # Nothing but what the schema knows: links are made of it.
        known = {field.data_key for field in schema.fields.values()}
        self.query = {name: value for name, value in sent.items() if value != "" and name in known}
        self.faults: dict[str, str] = {}
        self.read = self._load(schema, {"limit": str(PAGE_LENGTH), **self.query})
        of_list = {"page", "limit", "cursor", "sort_by", "sort_order", "fields"}
        self.filters = {name: value for name, value in self.read.items() if name not in of_list}

    @cached_property
    def workers(self) -> list[Worker]:
        """Those to choose from."""
        return list(Worker.listing(g.team)) if g.team else []

    @cached_property
    def worker(self) -> Worker | None:
        """The one that is asked for, or else the one with the newest conversation of the channel. Raises NotFound."""
        if g.team is None:
            return None
        if id := request.args.get("worker"):
            return Worker.fetch(g.team, id)
        for newest in activity.newest_logs(g.team, model_of(self.channel), 1):
            return Worker.fetch(g.team, newest.worker_id)
        return self.workers[0] if self.workers else None

    def _load(self, schema: Schema, sent: Mapping[str, str]) -> dict[str, Any]:
        try:
            return schema.load(sent)
        except ValidationError as error:
            told = error.normalized_messages()
            self.faults = {name: " ".join(map(str, texts)) for name, texts in told.items()}
            return schema.load({name: value for name, value in sent.items() if name not in told})

    @property
    def word(self) -> str:
        """What the channel's conversations are called."""
        return WORDS[self.channel.key]

    @property
    def more(self) -> bool:
        """Whether there are filters that few need."""
        few = {
            "searchQuery",
            "status",
            "direction",
            "fromNumber",
            "toNumber",
            "deploymentId",
            "page",
            "limit",
            "cursor",
        }
        return not self.query.keys() <= few

    def shown(self, name: str) -> str:
        """A moment as its field in a form has it, which knows no offset: UTC."""
        try:
            return wire(parse(self.query[name]))[:-1]
        except (KeyError, ValueError):
            return ""

    def args(self, **changed: Any) -> dict[str, Any]:
        """What leads here again, with some of it changed; None leaves it out."""
        place = {
            "worker": self.worker and self.worker.id,
            "channel": None if self.channel is VOICE else self.channel.key,
        }
        return {name: value for name, value in {**self.query, **place, **changed}.items() if value is not None}

    def page(self, worker: Worker, **changed: Any) -> Page:
        """The page of the worker's list; `changed` is asked for otherwise than the address has it."""
        asked = {**self.read, **changed}
        if self.channel is VOICE:
            return voice_log_pages.search(worker, **{**asked, "fields": _SHOWN})
        return model_of(self.channel).numbered(worker, **asked)

    @property
    def export(self) -> dict[str, str] | None:
        """What an export of these logs is asked with; None where the API's has no such filter."""
        until = self.filters.get("start_time_before") or self.filters.get("end_date") or current().clock.stamp()
        since = self.filters.get("start_time_after") or self.filters.get("start_date")
        window = ("start_time_after", "start_time_before", "start_date", "end_date")
        filters = {camel(name): self.query[camel(name)] for name in self.filters if name not in window}
        if not filters.keys() <= {camel(name) for name in VoiceLogFilterSchema().fields} or self.worker is None:
            return None
        window_start = max(parse(until), FIRST + LONGEST_WINDOW) - LONGEST_WINDOW + timedelta(seconds=1)
        return {
            "startDate": since or wire(window_start),
            "endDate": until,
            "logType": self.channel.key,
            "workerId": self.worker.id,
            **({"filtersJson": orjson.dumps(filters).decode()} if filters else {}),
        }


_SCHEMAS: dict[str, type[Schema]] = {"voice": VoiceLogListSchema, "chat-embed": WidgetLogsSchema}


def rows_of(channel: Channel, page: Page, sought: str | None) -> list[dict[str, Any]]:
    """The page's logs, as the API answers them, each with a word about it."""
    rows = orjson.loads(orjson.dumps(schema_of(channel)().dump(page.data)))
    for row in rows:
        row["about"] = _found(row.get("transcription"), sought) or ("", "", _about(channel, row))
    return rows


def _about(channel: Channel, row: dict[str, Any]) -> str:
    if channel is VOICE:
        told = (row.get("data") or {}).get("call_analysis")
        return str((told.get("call_summary") or "") if isinstance(told, dict) else "")
    messages = (row.get("messages") or {}).get("messages")
    of_user = (
        [m for m in messages if isinstance(m, dict) and m.get("role") == "user"] if isinstance(messages, list) else []
    )
    return str(of_user[0].get("content") or "") if of_user else ""


def _found(text: str | None, part: str | None, around: int = 50) -> tuple[str, str, str] | None:
    """Where the text has the part: what stands before it, itself, and what stands behind it."""
    found = re.search(re.escape(part), text, re.IGNORECASE) if text and part else None
    if found is None:
        return None
    before, after = found.string[: found.start()], found.string[found.end() :]
    return "…" * (len(before) > around) + before[-around:], found[0], after[:around] + "…" * (len(after) > around)

"""Lists of conversations: the query string as the API reads it, and the rows that it selects."""

import re
from collections.abc import Mapping
from datetime import timedelta
from functools import cached_property
from typing import Any

import orjson
from flask import g, request
from marshmallow import Schema, ValidationError, fields
from marshmallow.validate import OneOf

from dryline.models import voice_log_pages
from dryline.models.channels import CHANNELS, VOICE, Channel
from dryline.models.exports import LOGS, LONGEST_WINDOW
from dryline.models.logs import Page
from dryline.models.workers import Worker
from dryline.schemas.base import camel
from dryline.schemas.chat_logs import ChatEmbedLogFilterSchema
from dryline.schemas.logs import NumberedLogsSchema, PageArgumentsSchema
from dryline.schemas.voice_logs import SORTABLE, SortMember, VoiceLogFilterSchema, VoiceLogListSchema
from dryline.storage.current_world import current
from dryline.storage.errors import NotFound
from dryline.world.clock import FIRST, parse, wire

CHANNEL_TITLES = {
    "voice": "Calls",
    "chat": "Chats",
    "chat-embed": "Chat widget",
    "sms": "SMS",
    "whatsapp": "WhatsApp",
    "api": "API",
}
PAGE_LENGTH = 25
SORTED = (*SORTABLE, "duration")
SENTIMENTS = ("Positive", "Neutral", "Negative")
# The columns that a row of the list needs.
_CALL_COLUMNS = frozenset(
    (
        *("start_time", "direction", "from_number", "to_number", "worker_id", "deployment_id"),
        *("status", "duration", "data", "transcription", "other_shapes"),
    )
)
# Parameters that are not filters.
_LIST_PARAMETERS = {"page", "limit", "cursor", "sort_by", "sort_order", "fields"}
# Parameters that the form, or the head of a column, shows without "More filters".
_COMMON = [
    *("searchQuery", "status", "sentiment", "direction", "deploymentId", "startTimeAfter"),
    *("sortBy", "sortOrder", "page", "limit", "cursor"),
]


class WidgetLogsSchema(ChatEmbedLogFilterSchema, PageArgumentsSchema):
    """The query of a list of widget logs."""


class CallsSchema(VoiceLogListSchema):
    """The query of a list of calls: that of the API, and what the API lacks."""

    sentiment = fields.String(data_key="sentiment", validate=OneOf(SENTIMENTS))
    sort_by = SortMember(SORTED, data_key="sortBy", load_default="start_time")


_SCHEMAS: dict[str, type[Schema]] = {"voice": CallsSchema, "chat-embed": WidgetLogsSchema}


class LogListQuery:
    """The query string of a list: its channel, its worker, and the parameters of the API.

    `query` has the parameters by the wire's names, `params` their values, `filters` the values of those that select
    logs, `errors` the messages about invalid ones.
    """

    def __init__(self) -> None:
        args = request.args
        channels = {channel.key: channel for channel in CHANNELS}
        if (key := args.get("channel", VOICE.key)) not in channels:
            raise NotFound(f"There is no channel {key!r}.")
        self.channel = channels[key]
        self.title = CHANNEL_TITLES[self.channel.key]
        schema = _SCHEMAS.get(self.channel.key, NumberedLogsSchema)()
        # No other names, because links are made of them.
        names = {field.data_key for field in schema.fields.values()}
        self.query = {name: value for name, value in args.items() if value != "" and name in names}
        self.errors: dict[str, str] = {}
        self.params = self._load_valid(schema, {"limit": str(PAGE_LENGTH), **self.query})
        if re.search(r"\d", self.params.get("search_query", "")):  # it can be a telephone number or an id as well
            self.params["call_text"] = self.params.pop("search_query")
        self.filters = {name: value for name, value in self.params.items() if name not in _LIST_PARAMETERS}

    @property
    def beyond_the_api(self) -> str:
        """The filters and the order of this list that the API lacks, in words; empty if there are none."""
        parts = {
            "the sentiment": "sentiment" in self.filters,
            "a number or an id in the search field": "call_text" in self.filters,
            "the length": self.params.get("sort_by") == "duration",
        }
        return " and ".join(text for text, is_set in parts.items() if is_set)

    @property
    def api_query(self) -> dict[str, str]:
        """The parameters that the API has too, by the wire's names."""
        unknown = {("sentiment", self.query.get("sentiment")), ("sortBy", "duration")}
        return {name: value for name, value in self.query.items() if (name, value) not in unknown}

    def _load_valid(self, schema: Schema, texts: Mapping[str, str]) -> dict[str, Any]:
        try:
            return schema.load(texts)
        except ValidationError as error:
            messages = error.normalized_messages()
            self.errors = {name: " ".join(map(str, messages[name])) for name in messages}
            return schema.load({name: value for name, value in texts.items() if name not in messages})

    @cached_property
    def workers(self) -> list[Worker]:
        """The team's workers."""
        return list(Worker.listing(g.team))

    @cached_property
    def worker(self) -> Worker | None:
        """The worker of `?worker=`; None for the conversations of all workers. Raises NotFound."""
        id = request.args.get("worker")
        return Worker.fetch(g.team, id) if id else None

    @property
    def owner(self) -> Any:
        """The worker or the team that the list is of."""
        return self.worker or g.team

    @property
    def has_rare_filters(self) -> bool:
        """Whether a filter is set that the form shows under "More filters"."""
        return not self.query.keys() <= set(_COMMON)

    def form_time(self, name: str) -> str:
        """Return a parameter as the value of a `datetime-local` field, in UTC."""
        try:
            return wire(parse(self.query[name]))[:-1]
        except (KeyError, ValueError):
            return ""

    def args(self, **changes: Any) -> dict[str, Any]:
        """Return the arguments of a link to this list with some parameters changed; None removes one."""
        scope = {
            "worker": self.worker and self.worker.id,
            "channel": channel_parameter(self.channel),
        }
        return {name: value for name, value in {**self.query, **scope, **changes}.items() if value is not None}

    def page(self, **changes: Any) -> Page:
        """Return the page of the list, with some parameters changed."""
        params = {**self.params, **changes}
        if self.channel is VOICE:
            return voice_log_pages.search(self.owner, **{**params, "fields": _CALL_COLUMNS})
        return LOGS[self.channel.key].numbered(self.owner, **params)

    @property
    def quick_ranges(self) -> list[tuple[str, dict[str, Any], bool]]:
        """The title, the link's arguments and the choice of each usual range of dates."""
        now = current().now()
        starts = {"Today": wire(now)[:10], "7 days": wire(now - timedelta(days=7))[:10], "Any time": None}
        chosen = (self.query.get("startTimeAfter") or "")[:10] or None
        return [
            (title, self.args(startTimeAfter=start, startTimeBefore=None, page=None, cursor=None), start == chosen)
            for title, start in starts.items()
        ]

    @property
    def export(self) -> dict[str, str] | None:
        """The form values of an export of these logs, or None if exports lack one of the filters."""
        if self.beyond_the_api:
            return None
        # Without an end, that of the present minute: in a form it reads better than a time with milliseconds.
        next_minute = f"{wire(current().now() + timedelta(minutes=1))[:16]}:00.000Z"
        until = self.filters.get("start_time_before") or self.filters.get("end_date") or next_minute
        since = self.filters.get("start_time_after") or self.filters.get("start_date")
        window = ("start_time_after", "start_time_before", "start_date", "end_date")
        filters = {camel(name): self.query[camel(name)] for name in self.filters if name not in window}
        if not filters.keys() <= {camel(name) for name in VoiceLogFilterSchema().fields}:
            return None
        earliest = max(parse(until), FIRST + LONGEST_WINDOW) - LONGEST_WINDOW
        values = {"startDate": since or wire(earliest), "endDate": until, "logType": self.channel.key}
        if self.worker:
            values["workerId"] = self.worker.id
        if filters:
            values["filtersJson"] = orjson.dumps(filters).decode()
        return values


def channel_parameter(channel: Channel) -> str | None:
    """Return the value of `channel` in an address: none for calls."""
    return None if channel is VOICE else channel.key

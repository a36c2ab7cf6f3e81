"""Lists of conversations: the query string as the API reads it, and the page that shows a list."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from typing import Any

import orjson
from flask import g, request, url_for
from marshmallow import Schema, ValidationError, fields
from marshmallow.validate import OneOf

from dryline.blueprints.console import snippets
from dryline.blueprints.console.conversation import text_of
from dryline.blueprints.console.operations import typed
from dryline.blueprints.console.template_filters import in_words
from dryline.models import voice_log_pages
from dryline.models.calls_in_progress import UNDER_WAY
from dryline.models.channels import CHANNELS, CHAT, VOICE, Channel
from dryline.models.deployments import Deployment
from dryline.models.exports import LOGS, LONGEST_WINDOW
from dryline.models.flows import Flow
from dryline.models.logs import Page
from dryline.models.open_json import analysis_of, messages_of
from dryline.models.voice_logs import OUTCOMES
from dryline.models.workers import Worker
from dryline.schemas.base import camel
from dryline.schemas.chat_logs import ChatEmbedLogFilterSchema
from dryline.schemas.exports import FORMATS
from dryline.schemas.logs import NumberedLogsSchema, PageArgumentsSchema
from dryline.schemas.logs_lookup import LOG_SCHEMAS
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
_LONGEST_SEARCH = 200  # characters of a search whose hit is shown; the time of finding it grows with their number
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


@dataclass(frozen=True)
class SortLink:
    """The link in the head of a column. `order` is that of the present list; None if another column sorts it."""

    address: str
    order: str | None


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
        self.params = self._load(schema, {"limit": str(PAGE_LENGTH), **self.query})
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

    def _load(self, schema: Schema, texts: Mapping[str, str]) -> dict[str, Any]:
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
            "channel": _channel_parameter(self.channel),
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
        return {
            "startDate": since or wire(earliest),
            "endDate": until,
            "logType": self.channel.key,
            **({"workerId": self.worker.id} if self.worker else {}),
            **({"filtersJson": orjson.dumps(filters).decode()} if filters else {}),
        }


@dataclass
class LogListPage:
    """The page of a list of conversations."""

    list_query: LogListQuery

    @property
    def is_voice(self) -> bool:
        """Whether the list is one of calls."""
        return self.list_query.channel is VOICE

    @property
    def channels(self) -> list[tuple[str, str, str]]:
        """The title, the key and the address of the list of each channel."""
        worker_id = request.args.get("worker")
        return [
            (CHANNEL_TITLES[one.key], one.key, url_for("calls.show", worker=worker_id, channel=_channel_parameter(one)))
            for one in CHANNELS
        ]

    def address(self, **changes: Any) -> str:
        """Return the address of this list with some parameters changed; None removes one."""
        return url_for("calls.show", **self.list_query.args(**changes))

    @property
    def address_without_filters(self) -> str:
        """The address of all conversations of the channel and the worker."""
        worker = self.list_query.worker
        channel = _channel_parameter(self.list_query.channel)
        return url_for("calls.show", worker=worker.id if worker else None, channel=channel)

    # The rows, and the columns that they have.

    @cached_property
    def logs(self) -> Page | None:
        """The page of the list; None if the query has errors."""
        return None if self.list_query.errors else self.list_query.page()

    @cached_property
    def rows(self) -> list[dict[str, Any]]:
        """The logs as the API answers them; `about` is the text before, within and after the search hit."""
        if self.logs is None:
            return []
        channel = self.list_query.channel
        names = {**LOG_SCHEMAS[channel.key].wire_names, "other_shapes": "other_shapes"}
        rows = orjson.loads(orjson.dumps(self.logs.data.project(names)))
        search_text = self.list_query.query.get("searchQuery")
        for row in rows:
            row["sentiment"] = analysis_of(row).get("user_sentiment") or ""
            row["about"] = _excerpt(row.get("transcription"), search_text) or ("", "", _summary(channel, row))
        return rows

    @property
    def has_status(self) -> bool:
        """Whether the logs of the channel have a status."""
        return "status" in self.rows[0]

    @property
    def has_duration(self) -> bool:
        """Whether the logs of the channel have a duration."""
        return "duration" in self.rows[0]

    def sort_link(self, member: str) -> SortLink:
        """Return the link that sorts calls by a member: downwards first, then the other way round."""
        query = self.list_query.query
        is_present = query.get("sortBy", "startTime") == member
        order = query.get("sortOrder", "desc") if is_present else None
        upcoming = "asc" if order == "desc" else "desc"
        address = self.address(sortBy=member, sortOrder=upcoming, page=None, cursor=None)
        return SortLink(address, order)

    @property
    def has_numbers(self) -> bool:
        """Whether the logs have the numbers of both parties."""
        return bool(self.rows[0].get("fromNumber"))

    @property
    def has_user(self) -> bool:
        """Whether the logs of the channel have a user."""
        return self.list_query.channel is CHAT

    @property
    def has_worker(self) -> bool:
        """Whether the list is one of all workers."""
        return self.list_query.worker is None

    @property
    def has_deployment(self) -> bool:
        """Whether the list is one of a worker that may have several deployments."""
        return bool(self.list_query.channel.deployments and self.list_query.worker)

    @property
    def worker_names(self) -> dict[str, str]:
        """The names of the workers by id."""
        return {one.id: one.name for one in self.list_query.workers}

    @cached_property
    def deployment_names(self) -> dict[str, str]:
        """The names of the deployments by id."""
        return {one.id: one.name for one in Deployment.listing(g.team, **self._of_worker)}

    @property
    def _of_worker(self) -> dict[str, str]:
        worker = self.list_query.worker
        return {"worker_id": worker.id} if worker else {}

    # The choices of the form, as pairs of a value and its title.

    @property
    def workers(self) -> list[tuple[str, str]]:
        """The workers."""
        return [(one.id, one.name) for one in self.list_query.workers]

    @property
    def outcomes(self) -> list[tuple[str, str]]:
        """The statuses of calls."""
        return [(outcome, in_words(outcome)) for outcome in (*UNDER_WAY, *OUTCOMES)]

    @property
    def sentiments(self) -> list[tuple[str, str]]:
        """The sentiments of calls."""
        return [(sentiment, sentiment.lower()) for sentiment in SENTIMENTS]

    @property
    def sortable(self) -> list[tuple[str, str]]:
        """The members of calls by which the list can be sorted."""
        return [(name, name) for name in SORTED]

    @property
    def deployments(self) -> list[tuple[str, str]]:
        """The deployments of the worker, or of all."""
        return list(self.deployment_names.items())

    @property
    def flows(self) -> list[tuple[str, str]]:
        """The flows of the worker, or of all."""
        return [(one.id, one.name) for one in Flow.listing(g.team, **self._of_worker)]

    # The list as a request and as an export.

    @cached_property
    def snippets(self) -> dict[str, str]:
        """The request that the API answers with this list, by language; none if it lists no logs of the channel."""
        query = {"limit": str(PAGE_LENGTH), **self.list_query.api_query}
        code = snippets.list_snippets(g.team, self.list_query.channel, self.list_query.worker, query)
        if not (missing := self.list_query.beyond_the_api):
            return code
        comment = f"# The API cannot select or sort calls by {missing}.\n"
        return {language: comment + text for language, text in code.items()}

    @cached_property
    def export(self) -> dict[str, str] | None:
        """The form values of an export of these logs, or None if exports lack one of the filters."""
        return self.list_query.export

    @property
    def export_filters(self) -> dict[str, str]:
        """The form values of an export but for its window."""
        export = self.export or {}
        return {name: value for name, value in export.items() if name not in ("startDate", "endDate")}

    def export_time(self, name: str) -> str:
        """Return a time of the window as the value of a `datetime-local` field, in UTC."""
        text: str = typed(name, (self.export or {}).get(name, ""))
        return text.removesuffix("Z").removesuffix(":00.000")

    @property
    def formats(self) -> Sequence[str]:
        """The formats of exports."""
        return FORMATS


def _channel_parameter(channel: Channel) -> str | None:
    """Return the value of `channel` in an address: none for calls."""
    return None if channel is VOICE else channel.key


def _summary(channel: Channel, row: dict[str, Any]) -> str:
    """Return the summary of a call, or the user's first message of another channel."""
    if channel is VOICE:
        return analysis_of(row).get("call_summary") or ""
    first = next((message for message in messages_of(row) if message["role"] == "user"), {})
    return text_of(first.get("content"))


def _excerpt(text: str | None, part: str | None) -> tuple[str, str, str] | None:
    """Return the first hit, with some words before and after it. It begins near the hit, which is seen in a row."""
    if not text or not part or len(part) > _LONGEST_SEARCH:
        return None
    match = re.search(re.escape(part), text, re.IGNORECASE)
    if match is None:
        return None
    before, after = match.string[: match.start()], match.string[match.end() :]
    short_before = before if len(before) <= 24 else "…" + before[-24:].partition(" ")[2]
    return short_before, match[0], after[:60] + "…" * (len(after) > 60)

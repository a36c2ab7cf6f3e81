"""The page of a list of conversations."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import orjson
from flask import g, request, url_for

from dryline.blueprints.console import snippets
from dryline.blueprints.console.conversation import text_of
from dryline.blueprints.console.log_lists import (
    CHANNEL_TITLES,
    PAGE_LENGTH,
    SENTIMENTS,
    SORTED,
    LogListQuery,
    channel_parameter,
)
from dryline.blueprints.console.operations import typed
from dryline.blueprints.console.template_filters import in_words
from dryline.models.calls_in_progress import UNDER_WAY
from dryline.models.channels import CHANNELS, CHAT, VOICE, Channel
from dryline.models.deployments import Deployment
from dryline.models.flows import Flow
from dryline.models.logs import Page
from dryline.models.open_json import analysis_of, messages_of
from dryline.models.voice_logs import OUTCOMES
from dryline.schemas.exports import FORMATS
from dryline.schemas.logs_lookup import LOG_SCHEMAS

_EXCERPT_BEFORE, _EXCERPT_AFTER = 24, 60  # characters beside a hit
_LONGEST_SEARCH = 200  # characters of a search whose hit is shown; the time of finding it grows with their number


@dataclass(frozen=True)
class SortLink:
    """The link in the head of a column. `order` is that of the present list; None if another column sorts it."""

    address: str
    order: str | None


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
            (CHANNEL_TITLES[one.key], one.key, url_for("calls.show", worker=worker_id, channel=channel_parameter(one)))
            for one in CHANNELS
        ]

    def address(self, **changes: Any) -> str:
        """Return the address of this list with some parameters changed; None removes one."""
        return url_for("calls.show", **self.list_query.args(**changes))

    @property
    def address_without_filters(self) -> str:
        """The address of all conversations of the channel and the worker."""
        worker = self.list_query.worker
        channel = channel_parameter(self.list_query.channel)
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
            excerpt = _search_excerpt(row.get("transcription"), search_text)
            row["about"] = excerpt or ("", "", _summary_or_first_message(channel, row))
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
        return {one.id: one.name for one in Deployment.listing(g.team, **self._worker_filter)}

    @property
    def _worker_filter(self) -> dict[str, str]:
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
        return [(one.id, one.name) for one in Flow.listing(g.team, **self._worker_filter)]

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


def _summary_or_first_message(channel: Channel, row: dict[str, Any]) -> str:
    """Return the summary of a call, or the user's first message of another channel."""
    if channel is VOICE:
        return analysis_of(row).get("call_summary") or ""
    first = next((message for message in messages_of(row) if message["role"] == "user"), {})
    return text_of(first.get("content"))


def _search_excerpt(text: str | None, part: str | None) -> tuple[str, str, str] | None:
    """Return the first hit, with some words before and after it. It begins near the hit, which is seen in a row."""
    if not text or not part or len(part) > _LONGEST_SEARCH:
        return None
    match = re.search(re.escape(part), text, re.IGNORECASE)
    if match is None:
        return None
    before, after = match.string[: match.start()], match.string[match.end() :]
    if len(before) > _EXCERPT_BEFORE:
        _, _, whole_words = before[-_EXCERPT_BEFORE:].partition(" ")
        before = f"…{whole_words}"
    if len(after) > _EXCERPT_AFTER:
        after = f"{after[:_EXCERPT_AFTER]}…"
    return before, match[0], after

"""Batches of generated conversations, and the times at which they begin."""

from collections.abc import Callable, Iterable, Iterator
from datetime import datetime, timedelta
from operator import itemgetter
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from dryline.simulator.conversations import Conversation
from dryline.storage.errors import DomainError, Invalid

# The share of calls that an hour lets through, on the wall clock of the business; less on a weekend.
_BUSY_HOURS = (*[0.02] * 6, 0.1, 0.3, 0.8, 1, 1, 1, 0.8, 0.8, 1, 1, 0.9, 0.7, 0.4, 0.3, 0.2, 0.1, 0.05, 0.03)
_WEEKEND_SHARE = 0.4
_DAY_S = 86_400
_ATTEMPTS = 20  # to find a time that its hour lets through
STEP = timedelta(milliseconds=1)  # from the newest conversation to the next
LONGEST_S = 900  # no call is longer
AT_ONCE = 100  # conversations in one transaction


class ConversationBatch:
    """Conversations to write. They take place one after the other, outside of a transaction, since flows are run.

    `make` returns the rows of a conversation, given its number and itself, and `keep` writes a portion of them.
    """

    def __init__(
        self,
        conversations: Iterable[Conversation],
        *,
        make: Callable[[int, Conversation], Any],
        keep: Callable[[list[Any]], None],
    ) -> None:
        self._conversations, self._make, self._keep = conversations, make, keep
        self._logs: list[tuple[str, str]] = []
        self.not_taken: list[dict[str, str | None]] = []

    @property
    def ids(self) -> list[str]:
        """The ids of the logs that were written, oldest first."""
        return [id for _, id in sorted(self._logs, key=itemgetter(0))]

    def portions(self) -> Iterator[list[Conversation]]:
        """Yield conversations in portions for `write`. Raises Busy.

        If one fails, the portion before it comes first: what a flow has sent belongs to a conversation that exists.
        """
        ready: list[Conversation] = []
        try:
            for conversation in self._conversations:
                ready.append(conversation)
                if len(ready) == AT_ONCE:
                    yield ready
                    ready = []
        except DomainError:
            yield ready
            raise
        yield ready

    def write(self, conversations: list[Conversation]) -> None:
        """Write a portion in the running transaction."""
        made: list[Any] = []
        for conversation in conversations:
            made.append(self._make(len(self._logs), conversation))
            log = made[-1].log
            self._logs.append((log["start_time"], log["id"]))
            if conversation.not_taken is not None:
                self.not_taken.append({"id": log["id"], **conversation.not_taken})
        self._keep(made)


def moments(
    rng: Random, count: int, start: datetime | None, end: datetime, zone: str, *, after: datetime | None = None
) -> list[datetime]:
    """Return the start times of `count` conversations, in order: more of them by day in `zone`, and on weekdays.

    The first begins at `start`, if there is one. Without one all are in the day before `end`, and `after` the newest
    conversation that there is. Raises Invalid for a start after the end, and for years outside of 1970 to 9000.
    """
    _require_possible(start, end)
    begin = end - timedelta(days=1) if start is None else start
    if start is None and after is not None and after >= begin:
        begin = after + STEP
    room_s = max((end - begin).total_seconds() - LONGEST_S, 0.0)
    local = begin.astimezone(ZoneInfo(zone))  # daylight saving within the span is passed over: an hour is no matter
    first_s = local.weekday() * _DAY_S + local.hour * 3600 + local.minute * 60
    offsets_s = [] if start is None else [0.0]
    while len(offsets_s) < count:
        offsets_s.append(_busy_offset_s(rng, first_s, room_s))
    return [begin + timedelta(seconds=after_s) for after_s in sorted(offsets_s)]


def _require_possible(start: datetime | None, end: datetime) -> None:
    """Raise Invalid for a start after the end, and for years outside of 1970 to 9000."""
    for border, name in ((start, "start_time"), (end, "end_time")):
        if border is not None and not 1970 <= border.year < 9000:
            raise Invalid("Must be between the years 1970 and 9000.", name)
    if start is not None and start > end:
        raise Invalid("The start is after the end.", "start_time")


def _busy_offset_s(rng: Random, first_s: float, room_s: float) -> float:
    """Return an offset up to `room_s`, likely in a busy hour. `first_s` is the second of the week at offset 0."""
    for _ in range(_ATTEMPTS):
        after_s = rng.random() * room_s
        day, second = divmod(first_s + after_s, _DAY_S)
        is_weekday = day % 7 < 5
        if rng.random() < _BUSY_HOURS[int(second // 3600)] * (1 if is_weekday else _WEEKEND_SHARE):
            break
    return after_s

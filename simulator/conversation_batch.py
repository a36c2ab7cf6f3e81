"""Batches of generated conversations, and the times at which they begin."""

from collections.abc import Callable, Iterable
from datetime import datetime, timedelta
from operator import itemgetter
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from dryline.simulator.conversation_plans import ConversationPlan
from dryline.storage.errors import Invalid

# The share of calls that an hour lets through, on the wall clock of the business; less on a weekend.
_BUSY_HOURS = (*[0.02] * 6, 0.1, 0.3, 0.8, 1, 1, 1, 0.8, 0.8, 1, 1, 0.9, 0.7, 0.4, 0.3, 0.2, 0.1, 0.05, 0.03)
_DAY_S = 86_400
LONGEST_S = 900  # no call is longer
LLM_LOGGED = 1000
# Conversations in memory before they are written: with 100, each takes up to an eighth longer. With webhooks it stays
# 100, since message ids are drawn after each portion, and a seed has to give the same ids as before.
AT_ONCE, WITH_WEBHOOKS_AT_ONCE = 20, 100
# Plans in memory: of a whole request, and of those that are written at once.
MAX_PLANNED_BYTES, BYTES_AT_ONCE = 300_000_000, 20_000_000


class ConversationBatch:
    """Conversations that are ready to be written.

    `make` returns the rows of a conversation from its number and its plan, and `keep` writes `at_once` of them.
    """

    def __init__(
        self,
        plans: Iterable[ConversationPlan],
        *,
        make: Callable[[int, ConversationPlan], Any],
        keep: Callable[[list[Any]], None],
        at_once: int = AT_ONCE,
    ) -> None:
        self._plans, self._make, self._keep, self._at_once = plans, make, keep, at_once

    def write(self) -> list[str]:
        """Write the conversations in the running transaction and return their log ids, oldest first."""
        logs: list[tuple[str, str]] = []
        made: list[Any] = []
        size = 0
        for index, plan in enumerate(self._plans):
            made.append(self._make(index, plan))
            logs.append((made[-1].log["start_time"], made[-1].log["id"]))
            size += plan.size
            if len(made) == self._at_once or size > BYTES_AT_ONCE:
                self._keep(made)
                made, size = [], 0
        self._keep(made)
        return [id for _, id in sorted(logs, key=itemgetter(0))]


def run_flows(plans: Iterable[ConversationPlan], *, llm_logs: bool) -> list[ConversationPlan]:
    """Return the plans, whose flows this runs, since a flow must not run in a transaction.

    Raises Invalid if they would take too much memory.
    """
    ready: list[ConversationPlan] = []
    size = 0
    for plan in plans:
        ready.append(plan if llm_logs else plan.lean())
        size += plan.size
        if size > MAX_PLANNED_BYTES:
            raise Invalid(
                f"Conversations with this flow are so long that one request can have {len(ready) - 1}.", "count"
            )
    return ready


def moments(rng: Random, count: int, start: datetime | None, end: datetime, zone: str) -> list[datetime]:
    """Return the start times of `count` conversations, in order: more of them by day in `zone`, and on weekdays.

    The first begins at `start`, if there is one. Raises Invalid for a start after the end, and for years outside of
    1970 to 9000.
    """
    for border, name in ((start, "start_time"), (end, "end_time")):
        if border is not None and not 1970 <= border.year < 9000:
            raise Invalid("Must be between the years 1970 and 9000.", name)
    if start is not None and start > end:
        raise Invalid("The start is after the end.", "start_time")
    begin = end - timedelta(days=1) if start is None else start
    room = max((end - begin).total_seconds() - LONGEST_S, 0.0)
    local = begin.astimezone(ZoneInfo(zone))  # daylight saving within the span is passed over: an hour is no matter
    first_s = local.weekday() * _DAY_S + local.hour * 3600 + local.minute * 60
    offsets_s = [] if start is None else [0.0]
    while len(offsets_s) < count:
        for _ in range(20):
            after_s = rng.random() * room
            days, second = divmod(first_s + after_s, _DAY_S)
            if rng.random() < _BUSY_HOURS[int(second // 3600)] * (1 if days % 7 < 5 else 0.4):
                break
        offsets_s.append(after_s)
    return [begin + timedelta(seconds=after_s) for after_s in sorted(offsets_s)]

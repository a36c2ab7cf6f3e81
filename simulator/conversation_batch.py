"""Batches of generated conversations, and the times at which they begin."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from operator import itemgetter
from random import Random
from typing import Any
from zoneinfo import ZoneInfo

from dryline.simulator.branch_scheduler import FlowScheduler
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
    """Planned conversations, ready to be written.

    `plan` returns the plan of a conversation by its number, `make` its rows, and `keep` writes `at_once` of them. A
    flow must not run in a transaction, so conversations that follow one are planned here, scripted ones by `write`.
    """

    def __init__(
        self,
        count: int,
        following: FlowScheduler,
        *,
        plan: Callable[[int], ConversationPlan],
        make: Callable[[int, ConversationPlan], Any],
        keep: Callable[[list[Any]], None],
        llm_logs: bool,
        at_once: int = AT_ONCE,
    ) -> None:
        self._count, self._plan, self._make, self._keep, self._at_once = count, plan, make, keep, at_once
        self._plans: list[ConversationPlan] = []
        if not following.why:
            self._plan_all(llm_logs)

    def write(self) -> list[str]:
        """Write the conversations in the running transaction and return their log ids, oldest first."""
        logs: list[tuple[str, str]] = []
        made: list[Any] = []
        size = 0
        for index in range(self._count):
            plan = self._plans[index] if self._plans else self._plan(index)
            made.append(self._make(index, plan))
            size += plan.size
            if len(made) == self._at_once or size > BYTES_AT_ONCE or index == self._count - 1:
                self._keep(made)
                logs += [(one.log["start_time"], one.log["id"]) for one in made]
                made, size = [], 0
        return [id for _, id in sorted(logs, key=itemgetter(0))]

    def _plan_all(self, llm_logs: bool) -> None:
        """Plan all conversations. Raises Invalid if their plans would take too much memory."""
        size = 0
        for index in range(self._count):
            plan = self._plan(index) if llm_logs else self._plan(index).lean()
            self._plans.append(plan)
            size += plan.size
            if size > MAX_PLANNED_BYTES:
                raise Invalid(f"Conversations with this flow are so long that one request can have {index}.", "count")


def moments(rng: Random, count: int, start: datetime | None, end: datetime, zone: str) -> list[datetime]:
    """Return the start times of `count` conversations, in order: more of them by day in `zone`, and on weekdays.

    The first begins at `start`, if there is one. Raises Invalid for a start after the end, and for years outside of
    1970 to 9000.
    """
    for border, name in ((start, "start_time"), (end, "end_time")):
        if border is not None and not 1970 <= border.year < 9000:
            raise Invalid("Conversations lie between the years 1970 and 9000.", name)
    if start is not None and start > end:
        raise Invalid("The start lies behind the end.", "start_time")
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

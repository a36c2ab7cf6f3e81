"""Conversations that are settled before they are written, and the moments at which they begin."""

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
# Conversations that are held in memory before they are written. Of more, the first have left the processor's caches by
# then: of a hundred, each takes up to an eighth longer, most on a busy machine. Where webhooks are told, it stays a
# hundred: the ids of messages are drawn after each portion, and a seed is to give what it gave.
AT_ONCE, TOLD_AT_ONCE = 20, 100


class ConversationBatch:
    """Conversations that were settled, ready to be written.

    `plan` says what comes up in the one of a number, `make` gives it as rows, `keep` writes `at_once` of them. Those
    that follow a flow are planned here, since it is not to be run in a transaction; scripts are while they are written.
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
            self._plans = [plan(index) if llm_logs else plan(index).lean() for index in range(count)]

    def write(self) -> list[str]:
        """Write them in the running transaction. Returns their log ids, oldest first."""
        found: list[tuple[str, str]] = []
        for first in range(0, self._count, self._at_once):
            made = [self._made(index) for index in range(first, min(first + self._at_once, self._count))]
            self._keep(made)
            found += [(one.log["start_time"], one.log["id"]) for one in made]
        return [id for _, id in sorted(found, key=itemgetter(0))]

    def _made(self, index: int) -> Any:
        return self._make(index, self._plans[index] if self._plans else self._plan(index))


def moments(rng: Random, count: int, start: datetime | None, end: datetime, zone: str) -> list[datetime]:
    """When `count` conversations begin, in order: more of them by day, as the clocks of `zone` go, and on weekdays.

    With `start` the first begins then. Raises Invalid when it lies behind `end`, or a time outside of 1970 to 9000.
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
    found = [] if start is None else [0.0]
    while len(found) < count:
        for _ in range(20):
            after_s = rng.random() * room
            days, second = divmod(first_s + after_s, _DAY_S)
            if rng.random() < _BUSY_HOURS[int(second // 3600)] * (1 if days % 7 < 5 else 0.4):
                break
        found.append(after_s)
    return [begin + timedelta(seconds=after_s) for after_s in sorted(found)]

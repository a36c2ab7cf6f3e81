"""Faults on demand: rules that make chosen requests fail, wait or lose their answer. They end with the process."""

from __future__ import annotations

import random
import threading
import time
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

from dryline.storage.errors import NotFound
from dryline.traffic.delays import DelayDistribution
from dryline.traffic.path_patterns import PathPattern
from dryline.traffic.rate_limits import RateLimit

# How often a delayed request looks whether its rule still stands, in seconds.
LOOK_EVERY_S = 0.25
# In a request's environ: says whether its client gives up before a delay of so many seconds is over. A client of this
# process puts it there. Nobody waits then; the request goes on as it does behind a client that has left.
GIVES_UP = "dryline.gives_up"
# Key of a request's environ: the listener closes the connection after the response, and says so in its headers.
CLOSE = "dryline.close"


@dataclass(eq=False)
class Fault:
    """One rule. `path` may hold `*` for any text; `times` is how often it strikes, `skip` how many matches pass first.

    `phase` `after` strikes when the view has run and its writes are committed: the answer is what is lost. `before`
    strikes instead of the view where the rule has an answer (`status`) or none (`drop`); what only delays the answer,
    spoils it or adds headers needs the view's, which runs after the delay. `delay_ms` is real time, and so are the
    delays that are drawn by chance. `malformed` is `truncated` or `garbage`; `bytes_per_second` is how fast the body is
    sent. With a `rate_limit` the rule strikes only what is beyond it.
    """

    id: str
    created_at: str
    method: str = "*"
    path: str = "*"
    status: int | None = None
    body: Any = None
    headers: dict[str, str] | None = None
    delay_ms: int = 0
    drop: bool = False
    malformed: str | None = None
    phase: str = "before"
    probability: float = 1
    times: int | None = None
    skip: int = 0
    team_id: str | None = None
    delay_distribution: DelayDistribution | None = None
    bytes_per_second: int | None = None
    rate_limit: RateLimit | None = None
    chance: random.Random = field(default_factory=random.Random)
    matches: int = 0
    hits: int = 0

    # Set once the rule is taken away: by hand, and its delays are over; or with its world, and so are its requests.
    removed = False
    forgotten = False

    def __post_init__(self) -> None:
        self._pattern = PathPattern(self.path)

    def matches_request(self, method: str, path: str, team_id: str | None) -> bool:
        """Whether the rule speaks of such a request."""
        return (
            self.method in ("*", method)
            and (self.team_id is None or self.team_id == team_id)
            and self._pattern.matches(path)
        )

    def in_words(self) -> str:
        """What it does."""
        does = [
            *([f"{self.delay_ms:,} ms late"] if self.delay_ms else []),
            *([self.delay_distribution.in_words()] if self.delay_distribution else []),
            *([limit.in_words()] if (limit := self.rate_limit) else []),
            *([f"answers {self.status}"] if self.status else []),
            *(["cuts the connection"] if self.drop else []),
            *([f"{self.malformed} answer"] if self.malformed else []),
            *([f"{self.bytes_per_second:,} bytes a second"] if self.bytes_per_second else []),
            *([f"{name}: {value}" for name, value in (self.headers or {}).items()]),
            *(["after the write is done"] if self.phase == "after" else []),
            *([f"{self.probability:.0%} of the time"] if self.probability < 1 else []),
            *([f"{self.times} times" if self.times != 1 else "once"] if self.times else []),
            *([f"after {self.skip} that pass"] if self.skip else []),
        ]
        return ", ".join(does)

    @property
    def spent(self) -> bool:
        """Whether it has struck as often as it may."""
        return self.times is not None and self.hits >= self.times

    @property
    def may_delay(self) -> bool:
        """Whether a request may have to wait for it."""
        return bool(self.delay_ms or self.delay_distribution or self.bytes_per_second)

    def next_delay_ms(self) -> int:
        """How long the next request waits."""
        return self.delay_distribution.draw_ms(self.chance) if self.delay_distribution else self.delay_ms

    def delay(self, ending: threading.Event, delay_ms: float) -> bool:
        """Wait so long. Says whether the request goes on.

        Not when the server ends, nor when the world was reset meanwhile: the request is of a time that is gone.
        """
        until = time.monotonic() + delay_ms / 1000
        while not self.removed and (left := until - time.monotonic()) > 0:
            if ending.wait(min(left, LOOK_EVERY_S)):
                return False
        return not self.forgotten


class Faults:
    """The rules of one world, oldest first. The first that strikes is the one that counts."""

    def __init__(self, seed: int | None = None) -> None:
        self._lock = threading.RLock()  # who keeps the rules `unchanged` asks them, too
        self.rules: list[Fault] = []
        self.changes = 0  # how often a rule came or went
        self._seed = seed
        self.clear()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def may_delay(self) -> bool:
        """Whether a rule may delay a request."""
        return any(rule.may_delay for rule in self.rules)

    @property
    def unchanged(self) -> AbstractContextManager[Any]:
        """For a block in which no rule comes or goes."""
        return self._lock

    def add(self, id: str, created_at: str, **values: Any) -> Fault:
        """A new rule."""
        with self._lock:
            self._added += 1
            fault = Fault(id=id, created_at=created_at, chance=self._chance(f"delays/{self._added}"), **values)
            self.rules = [*self.rules, fault]
            self.changes += 1
        return fault

    def by_id(self, id: str) -> Fault | None:
        """The rule of this id, while it stands."""
        return next((rule for rule in self.rules if rule.id == id), None)

    def listing(self, team_id: str | None = None) -> list[Fault]:
        """The rules, newest first; with `team_id` only that team's."""
        return [rule for rule in reversed(self.rules) if team_id in (None, rule.team_id)]

    def remove(self, id: str) -> None:
        """Take a rule away. Raises NotFound."""
        with self._lock:
            gone = [rule for rule in self.rules if rule.id == id]
            if not gone:
                raise NotFound(f"Fault {id} not found.")
            self._take_away(gone)

    def clear(self, team_id: str | None = None) -> None:
        """Take all rules away (with `team_id` only that team's); without it, chance begins again from the seed."""
        with self._lock:
            self._take_away([rule for rule in self.rules if team_id in (None, rule.team_id)])
            if team_id is None:
                self._random = self._chance("faults")
                self._added = 0

    def _chance(self, name: str) -> random.Random:
        """A row of chances of its own, the same for the same seed."""
        return random.Random(None if self._seed is None else f"{self._seed}/{name}")

    def start_over(self, team_id: str | None = None) -> None:
        """As `clear`, with the world that the rules were made in; the requests that they delay go with it."""
        for rule in self.listing(team_id):
            rule.forgotten = True
        self.clear(team_id)

    def _take_away(self, gone: list[Fault]) -> None:
        self.rules = [rule for rule in self.rules if rule not in gone]
        self.changes += 1
        for rule in gone:
            rule.removed = True

    def strike(
        self, method: str, path: str, team_id: str | None, caller: str, now: datetime
    ) -> tuple[Fault | None, dict[str, str]]:
        """The rule that strikes this request, counted, or None; and the headers that tell what rate limits leave of it.

        `caller` is whom they count for, `now` the moment in API time.
        """
        told: dict[str, str] = {}
        with self._lock:
            for rule in self.rules:
                if not rule.matches_request(method, path, team_id) or rule.spent:
                    continue
                rule.matches += 1
                if rule.matches <= rule.skip:
                    continue
                if rule.rate_limit is not None:
                    allowance = rule.rate_limit.take(caller, now)
                    told = allowance.headers()
                    if allowance.passes:
                        continue
                if self._random.random() >= rule.probability:
                    continue
                rule.hits += 1
                return rule, told
        return None, told

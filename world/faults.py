"""Fault rules, which make chosen requests fail, wait or lose their answer. They end with the process."""

from __future__ import annotations

import random
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from dryline.storage.errors import NotFound
from dryline.storage.files import read_json
from dryline.world.path_patterns import path_pattern
from dryline.world.rate_limits import RateLimit
from dryline.world.real_time import monotonic
from dryline.world.request_log import Entry
from dryline.world.request_search import Criteria

if TYPE_CHECKING:
    from dryline.storage.current_world import Task
    from dryline.world.world import World

LONGEST_MS = 600_000  # of a delay
# The interval at which a delayed request checks whether its rule and its epoch still exist, in seconds.
CHECK_INTERVAL_S = 0.25
# Key of a request's environ: a function that says whether the client times out within a delay of so many seconds. A
# client in this process sets it. The delay is then skipped, and the request continues as if its client had gone.
GIVES_UP = "dryline.gives_up"


class ConnectionCut(ConnectionError):
    """The connection ends here, without the rest of the answer. The server closes it for any error of a socket."""


class DelayDistribution(NamedTuple):
    """Delays from `lower_ms` to `upper_ms`, each as likely as any other. `type` is `uniform`."""

    type: str
    lower_ms: int
    upper_ms: int

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form. `names` maps wire names to attributes."""
        return {name: getattr(self, attribute) for name, attribute in names.items()}


class FaultAnswer(NamedTuple):
    """The answer that a rule gives to one request. Without a `status` it is the view's, with these headers added."""

    status: int | None
    body: Any = None
    headers: Mapping[str, str] | None = None

    def project(self, names: Mapping[str, str]) -> dict[str, Any]:
        """Return the wire form. `names` maps wire names to attributes."""
        return {name: getattr(self, attribute) for name, attribute in names.items()}


@dataclass(eq=False)
class Fault:
    """One rule. It is applied at most `times` times, after `skip` matches.

    `method`, `path`, `json`, `query`, `request_headers` and `body_contains` are criteria as in a search of the request
    log; `*` matches any method or path. Like a search, a rule leaves out requests of `UNSEARCHED` origins. With
    `answers`, each application gives the next one, and the first follows the last.

    With `phase` `after` the view runs and its writes are committed, and only the answer is lost. With `before` a rule
    with a `status` or `drop` replaces the view; a rule that only delays or spoils the answer or adds headers needs the
    view's answer, which is made after the delay. Delays are real time. `malformed` is `truncated` or `garbage`;
    `bytes_per_second` is the speed at which the body is sent. A rule with a `rate_limit` applies only to requests
    beyond it.
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
    json: Any = None
    query: Mapping[str, Any] | None = None
    request_headers: Mapping[str, Any] | None = None
    body_contains: str | None = None
    answers: Sequence[FaultAnswer] | None = None

    # Set when the rule is removed, which ends its delays.
    removed = False

    def __post_init__(self) -> None:
        self.pattern = path_pattern(self.path)
        criteria = Criteria(
            method=None if self.method == "*" else self.method,
            path=self.path,
            team_id=self.team_id,
            body_contains=self.body_contains,
            json=self.json,
            query=self.query,
            headers=self.request_headers,
        )
        self._tests = criteria.tests()

    def matches_request(self, entry: Entry) -> bool:
        """Return whether a request meets all criteria of the rule."""
        return all(test(entry) for _, test in self._tests)

    @property
    def further_criteria(self) -> list[str]:
        """The names of the criteria beside method, path and team, such as `json.name`."""
        return [name for name, _ in self._tests if name not in ("method", "path", "team", "origin")]

    def in_words(self) -> str:
        """Return the rule's effect and its conditions as a phrase."""
        return ", ".join([*self._effects_in_words(), *self._conditions_in_words()])

    def _effects_in_words(self) -> Iterator[str]:
        if self.delay_ms:
            yield f"{self.delay_ms:,} ms late"
        delays = self.delay_distribution
        if delays:
            yield f"{delays.lower_ms:,} to {delays.upper_ms:,} ms late"
        if self.rate_limit:
            yield self.rate_limit.in_words()
        if self.status:
            yield f"answers {self.status}"
        if self.answers:
            statuses = ", ".join(str(answer.status) for answer in self.answers)
            yield f"answers {statuses} in turn"
        if self.drop:
            yield "cuts the connection"
        if self.malformed:
            yield f"{self.malformed} answer"
        if self.bytes_per_second:
            yield f"{self.bytes_per_second:,} bytes a second"
        for name, value in (self.headers or {}).items():
            yield f"{name}: {value}"

    def _conditions_in_words(self) -> Iterator[str]:
        if self.phase == "after":
            yield "after the write is done"
        if self.probability < 1:
            yield f"{self.probability:.0%} of the time"
        if self.times == 1:
            yield "once"
        elif self.times:
            yield f"{self.times} times"
        if self.skip:
            yield f"after {self.skip} unaffected requests"

    @property
    def is_used_up(self) -> bool:
        """Whether it was applied `times` times."""
        return self.times is not None and self.hits >= self.times

    def answer_of_hit(self, hit: int) -> FaultAnswer:
        """Return the answer of one application of the rule; `hit` counts them from 1."""
        if not self.answers:
            return FaultAnswer(self.status, self.body, self.headers)
        answer = self.answers[(hit - 1) % len(self.answers)]
        return answer._replace(headers={**(self.headers or {}), **(answer.headers or {})})

    def next_delay_ms(self) -> int:
        """Return the delay of one request in milliseconds."""
        distribution = self.delay_distribution
        if distribution is None:
            return self.delay_ms
        return self.chance.randint(distribution.lower_ms, distribution.upper_ms)

    def wait_for_delay(self, world: World, task: Task, delay_ms: float) -> bool:
        """Wait, and return whether to go on with the task's request.

        The result is False if the server is stopping, or if the epoch of the task has ended meanwhile.
        """
        deadline = monotonic() + delay_ms / 1000
        while world.epochs.is_current(task):
            left = deadline - monotonic()
            if self.removed or left <= 0:
                return True
            if world.ending.wait(min(left, CHECK_INTERVAL_S)):
                break
        return False


class AppliedFault(NamedTuple):
    """A rule that applies to one request, and the answer that it gives."""

    rule: Fault
    answer: FaultAnswer


class FaultRules:
    """The rules of one world, oldest first. At most one is applied to a request, the first that matches.

    They change in a block of `changing`, which is `World.changing`.
    """

    def __init__(self, changing: Callable[[], AbstractContextManager[None]], seed: int | None = None) -> None:
        self._changing = changing
        self.lock = threading.RLock()  # while it is held, no rule is added or removed
        self.rules: list[Fault] = []
        self.changes = 0  # counts rules that were added or removed
        self._seed = seed
        self.clear()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def add(self, id: str, created_at: str, **values: Any) -> Fault:
        with self._changing(), self.lock:
            self._added += 1
            fault = Fault(id=id, created_at=created_at, chance=self._new_random(f"delays/{self._added}"), **values)
            self.rules = [*self.rules, fault]
            self.changes += 1
        return fault

    def by_id(self, id: str) -> Fault | None:
        return next((rule for rule in self.rules if rule.id == id), None)

    def listing(self, team_id: str | None = None) -> list[Fault]:
        """Return the rules, newest first; with `team_id` only that team's."""
        return [rule for rule in reversed(self.rules) if team_id in (None, rule.team_id)]

    def remove(self, id: str) -> None:
        """Remove a rule. Raises NotFound."""
        with self._changing():
            rule = self.by_id(id)
            if rule is None:
                raise NotFound(f"Fault {id} not found.")
            self._remove([rule])

    def clear(self, team_id: str | None = None) -> None:
        """Remove all rules, or a team's. Without `team_id`, the random numbers start again from the seed."""
        with self._changing(), self.lock:
            self._remove(self.listing(team_id))
            if team_id is None:
                self._random = self._new_random("faults")
                self._added = 0

    def _new_random(self, name: str) -> random.Random:
        return random.Random(None if self._seed is None else f"{self._seed}/{name}")

    def _remove(self, removed: list[Fault]) -> None:
        with self.lock:
            self.rules = [rule for rule in self.rules if rule not in removed]
            self.changes += 1
        for rule in removed:
            rule.removed = True

    def apply(self, entry: Entry, caller: str, now: datetime) -> tuple[AppliedFault | None, dict[str, str]]:
        """Return the rule to apply to this request, or None, and the headers about rate limits.

        Matches and hits are counted. Rate limits count requests of each `caller`; `now` is API time.
        """
        headers: dict[str, str] = {}
        # Outside of the lock, for which the event loop waits: to compare a large body takes a while.
        matching = [rule for rule in self.rules if rule.matches_request(entry)]
        with self.lock:
            for rule in matching:
                if rule.removed:
                    continue
                rule.matches += 1
                if rule.matches <= rule.skip or rule.is_used_up:
                    continue
                if rule.rate_limit is not None:
                    allowance = rule.rate_limit.take(caller, now)
                    headers = allowance.headers()
                    if allowance.passes:
                        continue
                if self._random.random() >= rule.probability:
                    continue
                rule.hits += 1
                return AppliedFault(rule, rule.answer_of_hit(rule.hits)), headers
        return None, headers


# Ready-made rules: each has a `title`, and a `rule` with the values of `Fault`; nested values have wire names.
PRESETS = read_json(Path(__file__).with_name("fault_presets.json"))

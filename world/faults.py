"""Faults on demand: rules that make chosen requests fail, wait or lose their answer. They end with the process."""

from __future__ import annotations

import random
import threading
from dataclasses import dataclass
from typing import Any

from dryline.world.errors import NotFound
from dryline.world.path_patterns import path_pattern


@dataclass
class Fault:
    """One rule. `path` may hold `*` for any text; `times` is how often it strikes, `skip` how many matches pass first.

    `phase` `before` strikes instead of the view, `after` when the view has run and its writes are committed: the
    answer is what is lost. `delay_ms` is real time. `malformed` is `truncated` or `garbage`.
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
    matches: int = 0
    hits: int = 0

    def __post_init__(self) -> None:
        self._pattern = path_pattern(self.path)

    def matches_request(self, method: str, path: str, team_id: str | None) -> bool:
        """Whether the rule speaks of such a request."""
        return (
            self.method in ("*", method)
            and (self.team_id is None or self.team_id == team_id)
            and self._pattern.fullmatch(path) is not None
        )


class Faults:
    """The rules of one world, oldest first. The first that strikes is the one that counts."""

    def __init__(self, seed: int | None = None) -> None:
        self._lock = threading.Lock()
        self.rules: list[Fault] = []
        self._seed = seed
        self.clear()

    def __bool__(self) -> bool:
        return bool(self.rules)

    def add(self, id: str, created_at: str, **values: Any) -> Fault:
        """A new rule."""
        fault = Fault(id=id, created_at=created_at, **values)
        with self._lock:
            self.rules = [*self.rules, fault]
        return fault

    def listing(self, team_id: str | None = None) -> list[Fault]:
        """The rules, newest first; with `team_id` only that team's."""
        return [rule for rule in reversed(self.rules) if team_id in (None, rule.team_id)]

    def remove(self, id: str) -> None:
        """Take a rule away. Raises NotFound."""
        with self._lock:
            kept = [rule for rule in self.rules if rule.id != id]
            if len(kept) == len(self.rules):
                raise NotFound(f"Fault {id} not found.")
            self.rules = kept

    def clear(self, team_id: str | None = None) -> None:
        """Take all rules away (with `team_id` only that team's); without it, chance begins again from the seed."""
        with self._lock:
            self.rules = [rule for rule in self.rules if team_id is not None and rule.team_id != team_id]
            if team_id is None:
                self._random = random.Random(None if self._seed is None else f"{self._seed}/faults")

    def strike(self, method: str, path: str, team_id: str | None) -> Fault | None:
        """The rule that strikes this request, counted; or None."""
        with self._lock:
            for rule in self.rules:
                if not rule.matches_request(method, path, team_id) or (rule.times or rule.hits + 1) <= rule.hits:
                    continue
                rule.matches += 1
                if rule.matches <= rule.skip or self._random.random() >= rule.probability:
                    continue
                rule.hits += 1
                return rule
        return None

"""API time, which the control plane can freeze, set and advance. All code reads the time from here.

A team follows the world's time until it gets a time of its own. `Clock.now` returns the time of the current team: that
of the running request's key, link or `?team=`, or that of the running job. The current team is a context variable
because each record stamps its own times: as a parameter it would go through a hundred methods of the models. Code that
works for another team uses `Clock.of`.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

# Some time away from the ends of the calendar, so that a moment a while before or after now is a date, too.
FIRST = datetime(2, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 1, 1, tzinfo=UTC)

_current_team_id: ContextVar[str | None] = ContextVar("dryline_team", default=None)


def wire(moment: datetime) -> str:
    """Return a moment as the API writes it: UTC, ISO 8601, milliseconds and `Z`. Such texts sort as their times do."""
    return moment.astimezone(UTC).isoformat("T", "milliseconds")[:-6] + "Z"


def parse(text: str) -> datetime:
    """Return the moment of an ISO 8601 text. Without an offset it is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    # An offset can move the first and the last day of the calendar out of it.
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(str(error)) from error


def current_team_id() -> str | None:
    """Return the id of the team that the running request or job is for, or None."""
    return _current_team_id.get()


def set_current_team(team_id: str | None) -> None:
    """Set the team that the rest of the running request is for."""
    _current_team_id.set(team_id)


@contextlib.contextmanager
def for_team(team_id: str | None) -> Iterator[None]:
    """Set the current team for a block."""
    token = _current_team_id.set(team_id)
    try:
        yield
    finally:
        _current_team_id.reset(token)


class Clock:
    """The time of a world and of its teams: real time plus an offset, or a frozen moment, from FIRST to LAST."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Both are replaced as a whole, so that readers need no lock.
        self._world = _Position(None, timedelta(0))
        self._teams: Mapping[str, _Position] = {}

    @property
    def teams(self) -> tuple[str, ...]:
        """The ids of the teams with a time of their own."""
        return tuple(self._teams)

    def now(self) -> datetime:
        """Return the time of the current team, in UTC."""
        return self._position(_current_team_id.get()).now()

    def stamp(self) -> str:
        """Return the time of the current team as the API writes it."""
        return wire(self.now())

    def of(self, team_id: str | None) -> TeamClock:
        """Return the clock of a team, or for None the world's."""
        return TeamClock(self, team_id)

    def state(self) -> dict[str, Any]:
        """Return the state of all clocks as JSON, for `restore`."""
        return {**self._world.as_json(), "teams": {id: position.as_json() for id, position in self._teams.items()}}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Set all clocks to a `state`. Raises OverflowError, and LookupError or ValueError for anything else."""
        with self._lock:
            self._world = _from_json(state)
            self._teams = {id: _from_json(position) for id, position in state.get("teams", {}).items()}

    def restore_team(self, team_id: str, state: Mapping[str, Any]) -> None:
        """Set one team's clock to a `state`."""
        teams = state.get("teams", {})
        with self._lock:
            self._put(team_id, _from_json(teams[team_id]) if team_id in teams else None)

    def reset(self) -> None:
        """Set all clocks to real time."""
        self.restore(_Position(None, timedelta(0)).as_json())

    def _position(self, team_id: str | None) -> _Position:
        return self._teams.get(team_id, self._world) if self._teams and team_id is not None else self._world

    def _put(self, team_id: str | None, position: _Position | None) -> None:
        """Set a team's position, or the world's; None is the world's for a team and real time for the world."""
        if team_id is None:
            self._world = position or _Position(None, timedelta(0))
            return
        others = {id: other for id, other in self._teams.items() if id != team_id}
        self._teams = others if position is None else {**others, team_id: position}


class TeamClock:
    """The clock of one team, or for None the world's. Setting a team's clock gives the team a time of its own."""

    def __init__(self, clock: Clock, team_id: str | None) -> None:
        self._clock = clock
        self._team_id = team_id

    @property
    def is_frozen(self) -> bool:
        """Whether time stands still until it is set or advanced."""
        return self._clock._position(self._team_id).frozen_at is not None

    @property
    def ahead(self) -> timedelta:
        """The time less real time."""
        return self.now() - datetime.now(UTC)

    def now(self) -> datetime:
        """Return the time in UTC. It does not run past LAST."""
        return self._clock._position(self._team_id).now()

    def stamp(self) -> str:
        """Return the time as the API writes it."""
        return wire(self.now())

    def set(self, moment: datetime | None = None, *, frozen: bool | None = None) -> None:
        """Set the time, and freeze it or let it run. None leaves it as it is. Raises OverflowError."""
        with self._clock._lock:
            moment = _in_range(moment or self.now())
            freeze = self.is_frozen if frozen is None else frozen
            position = _Position(moment, timedelta(0)) if freeze else _Position(None, moment - datetime.now(UTC))
            self._clock._put(self._team_id, position)

    def advance(self, by: timedelta) -> None:
        """Move forward. A frozen clock stays frozen. Raises OverflowError past LAST."""
        with self._clock._lock:
            frozen_at, offset = self._clock._position(self._team_id)
            then = _in_range(self.now() + by)
            position = _Position(None, offset + by) if frozen_at is None else _Position(then, offset)
            self._clock._put(self._team_id, position)

    def reset(self) -> None:
        """Let the team follow the world's time again, or the world real time."""
        with self._clock._lock:
            self._clock._put(self._team_id, None)


class _Position(NamedTuple):
    frozen_at: datetime | None
    offset: timedelta

    def as_json(self) -> dict[str, Any]:
        frozen = self.frozen_at.isoformat() if self.frozen_at else None
        return {"frozen_at": frozen, "offset_seconds": self.offset.total_seconds()}

    def now(self) -> datetime:
        if self.frozen_at is not None:
            return self.frozen_at
        try:
            return min(datetime.now(UTC) + self.offset, LAST)
        except OverflowError:
            return LAST


def _from_json(position: Mapping[str, Any]) -> _Position:
    frozen = position["frozen_at"]
    frozen_at = datetime.fromisoformat(frozen) if frozen else None
    return _Position(frozen_at, timedelta(seconds=position["offset_seconds"]))


def _in_range(moment: datetime) -> datetime:
    if not FIRST <= moment <= LAST:
        raise OverflowError(f"{moment} is not between {FIRST.date()} and {LAST.date()}, the range of the clock.")
    return moment

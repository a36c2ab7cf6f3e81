"""The one clock. All API time comes from it, so that the control plane can freeze, set and advance it.

A team may have a time of its own: the clock shows that of the team at work (`work_for`), else the world's.
"""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Iterator, Mapping
from contextvars import ContextVar
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple


def wire(moment: datetime) -> str:
    """`moment` as the API writes time: UTC, ISO 8601, milliseconds and `Z`. Such texts sort as their times do."""
    return moment.astimezone(UTC).isoformat("T", "milliseconds")[:-6] + "Z"


def parse(text: str) -> datetime:
    """A time from ISO 8601 text; without an offset it is UTC. Raises ValueError for anything else."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    # An offset can push the first and last day of the calendar out of it: OverflowError is a ValueError here.
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:
        raise ValueError(str(error)) from error


# Clear of the calendar's ends, so that what is due a while before or after now is a date, too.
FIRST = datetime(2, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 1, 1, tzinfo=UTC)


# Whose request or job is running.
_at_work: ContextVar[str | None] = ContextVar("dryline_team_at_work", default=None)


def work_for(team_id: str | None) -> None:
    """From now on, in this request, a team is at work; None is nobody in particular."""
    _at_work.set(team_id)


def at_work() -> str | None:
    """The id of the team at work."""
    return _at_work.get()


@contextlib.contextmanager
def working_for(team_id: str | None) -> Iterator[None]:
    """As `work_for`, for a block."""
    token = _at_work.set(team_id)
    try:
        yield
    finally:
        _at_work.reset(token)


class Clock:
    """API time: real time plus an offset, or a frozen moment, from FIRST to LAST.

    What reads or moves it reads or moves the time of the team at work, where that has one of its own.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        # Exchanged as a whole: readers take no lock.
        self._worlds = _Position(None, timedelta(0))
        self._teams: Mapping[str | None, _Position] = {}

    @property
    def teams(self) -> tuple[str, ...]:
        """The ids of the teams that have a time of their own."""
        return tuple(id for id in self._teams if id is not None)

    def disown(self, team_id: str) -> None:
        """Have a team follow the world's time (again)."""
        with self._lock:
            self._teams = {id: at for id, at in self._teams.items() if id != team_id}

    @property
    def _at(self) -> _Position:
        return self._teams.get(_at_work.get(), self._worlds) if self._teams else self._worlds

    def _go(self, position: _Position, own: bool = False) -> None:
        team_id = _at_work.get()
        if team_id in self._teams or (own and team_id is not None):
            self._teams = {**self._teams, team_id: position}
        else:
            self._worlds = position

    @property
    def frozen(self) -> bool:
        """Whether time stands still until it is set or advanced."""
        return self._at.frozen_at is not None

    def now(self) -> datetime:
        """The present moment of API time, in UTC. It runs no further than LAST."""
        return self._at.now()

    def stamp(self) -> str:
        """The present moment as the API writes it."""
        return wire(self.now())

    def set(self, moment: datetime | None = None, *, frozen: bool | None = None, own: bool = False) -> None:
        """Go to `moment` (the present one when None), then stand still or run as `frozen` says (as it is when None).

        With `own` the team at work has a time of its own from now on. Raises OverflowError for a moment that the clock
        cannot show.
        """
        with self._lock:
            moment = _shown(moment or self.now())
            stands = self.frozen if frozen is None else frozen
            self._go(_Position(moment, timedelta(0)) if stands else _Position(None, moment - datetime.now(UTC)), own)

    def advance(self, by: timedelta, *, own: bool = False) -> None:
        """Move forward; `own` as with `set`. A frozen clock stays frozen. Raises OverflowError past LAST."""
        with self._lock:
            frozen_at, offset = self._at
            then = _shown(self.now() + by)
            self._go(_Position(None, offset + by) if frozen_at is None else _Position(then, offset), own)

    def reset(self) -> None:
        """Back to real time, running."""
        with self._lock:
            self._go(_Position(None, timedelta(0)))

    def position(self) -> dict[str, Any]:
        """Where the clock is, as JSON, for `go_to`: the moment that it stands at, or how far it runs ahead.

        `teams` has those that have a time of their own.
        """
        return {**self._worlds.written(), "teams": {id: at.written() for id, at in self._teams.items()}}

    def go_to(self, position: Mapping[str, Any]) -> None:
        """Stand still there again, or run as far ahead, the teams likewise."""
        with self._lock:
            self._worlds = _read(position)
            self._teams = {id: _read(at) for id, at in position.get("teams", {}).items()}

    def give_back(self, team_id: str, position: Mapping[str, Any]) -> None:
        """Have a team's time be as it was in a `position`: its own, or the world's."""
        self.disown(team_id)
        if team_id in position.get("teams", {}):
            with self._lock:
                self._teams = {**self._teams, team_id: _read(position["teams"][team_id])}

    def start_over(self) -> None:
        """Real time, for everybody."""
        self.go_to(_Position(None, timedelta(0)).written())


class _Position(NamedTuple):
    frozen_at: datetime | None
    offset: timedelta

    def written(self) -> dict[str, Any]:
        frozen = self.frozen_at.isoformat() if self.frozen_at else None
        return {"frozen_at": frozen, "offset_seconds": self.offset.total_seconds()}

    def now(self) -> datetime:
        if self.frozen_at is not None:
            return self.frozen_at
        try:
            return min(datetime.now(UTC) + self.offset, LAST)
        except OverflowError:
            return LAST


def _read(written: Mapping[str, Any]) -> _Position:
    frozen = written["frozen_at"]
    frozen_at = datetime.fromisoformat(frozen) if frozen else None
    return _Position(frozen_at, timedelta(seconds=written["offset_seconds"]))


def _shown(moment: datetime) -> datetime:
    if not FIRST <= moment <= LAST:
        raise OverflowError(f"{moment} is out of the clock's reach.")
    return moment

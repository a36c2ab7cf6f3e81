"""API time, which the control plane can freeze, set and advance. All code reads the time from here."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple

# Some time away from the ends of the calendar, so that a moment a while before or after now is a date, too.
FIRST = datetime(2, 1, 1, tzinfo=UTC)
LAST = datetime(9999, 1, 1, tzinfo=UTC)
# The times of rows may lie before and after those of the clock, as far as they still have dates before and after them.
EARLIEST = FIRST - timedelta(days=180)
LATEST = LAST + timedelta(days=180)


def wire(moment: datetime) -> str:
    """Return a moment as the API writes it: UTC, ISO 8601, milliseconds and `Z`. Such texts sort as their times do."""
    return moment.astimezone(UTC).isoformat("T", "milliseconds")[:-6] + "Z"


def parse(text: str) -> datetime:
    """Return the moment of an ISO 8601 text. Without an offset it is UTC. Raises ValueError."""
    moment = datetime.fromisoformat(text)
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    try:
        return moment.astimezone(UTC)
    except OverflowError as error:  # an offset can move the first and the last day of the calendar out of it
        raise ValueError(str(error)) from error


def require_row_time(moment: datetime) -> datetime:
    """Return the moment. Raises OverflowError, whose message is a sentence, if it is not from EARLIEST to LATEST."""
    if not EARLIEST <= moment <= LATEST:
        raise OverflowError(f"Times are from {wire(EARLIEST)} to {wire(LATEST)}.")
    return moment


class Clock:
    """The time of a world: real time plus an offset, or a frozen moment, from FIRST to LAST."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._position = _REAL_TIME  # replaced as a whole, so that readers need no lock

    @property
    def is_frozen(self) -> bool:
        """Whether time stands still until it is set or advanced."""
        return self._position.frozen_at is not None

    @property
    def ahead(self) -> timedelta:
        """The time less real time."""
        return self.now() - datetime.now(UTC)

    def now(self) -> datetime:
        """Return the time in UTC. It does not run past LAST."""
        return self._position.now()

    def stamp(self) -> str:
        """Return the time as the API writes it."""
        return wire(self.now())

    def set(self, moment: datetime | None = None, *, frozen: bool | None = None) -> None:
        """Set the time, and freeze it or let it run. None leaves it as it is. Raises OverflowError."""
        with self._lock:
            moment = _require_in_range(moment or self.now())
            freeze = self.is_frozen if frozen is None else frozen
            if freeze:
                self._position = _Position(moment, timedelta(0))
            else:
                self._position = _Position(None, moment - datetime.now(UTC))

    def advance(self, by: timedelta) -> None:
        """Move forward. A frozen clock stays frozen. Raises OverflowError past LAST."""
        with self._lock:
            frozen_at, offset = self._position
            moment = _require_in_range(self.now() + by)
            if frozen_at is None:
                self._position = _Position(None, offset + by)
            else:
                self._position = _Position(moment, offset)

    def reset(self) -> None:
        """Go back to real time."""
        self._position = _REAL_TIME

    def state(self) -> dict[str, Any]:
        """Return the state as JSON, for `restore`."""
        frozen_at, offset = self._position
        return {"frozen_at": frozen_at.isoformat() if frozen_at else None, "offset_seconds": offset.total_seconds()}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Set the clock to a `state`. Raises OverflowError, and LookupError or ValueError for anything else."""
        frozen = state["frozen_at"]
        frozen_at = datetime.fromisoformat(frozen) if frozen else None
        self._position = _Position(frozen_at, timedelta(seconds=state["offset_seconds"]))


class _Position(NamedTuple):
    frozen_at: datetime | None
    offset: timedelta

    def now(self) -> datetime:
        if self.frozen_at is not None:
            return self.frozen_at
        try:
            return min(datetime.now(UTC) + self.offset, LAST)
        except OverflowError:
            return LAST


_REAL_TIME = _Position(None, timedelta(0))


def _require_in_range(moment: datetime) -> datetime:
    if not FIRST <= moment <= LAST:
        raise OverflowError(f"{moment} is not between {FIRST.date()} and {LAST.date()}, the range of the clock.")
    return moment

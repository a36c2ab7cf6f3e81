"""The one clock. All API time comes from it, so that the control plane can freeze, set and advance it."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Any, NamedTuple


def wire(moment: datetime) -> str:
    """`moment` as the API writes time: UTC, ISO 8601, milliseconds and `Z`. Such texts sort as their times do."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds")[:-6] + "Z"


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


class Clock:
    """API time: real time plus an offset, or a frozen moment, from FIRST to LAST."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._at = _Position(None, timedelta(0))  # exchanged as a whole: readers take no lock

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

    def set(self, moment: datetime | None = None, *, frozen: bool | None = None) -> None:
        """Go to `moment` (the present one when None), then stand still or run as `frozen` says (as it is when None).

        Raises OverflowError for a moment that the clock cannot show.
        """
        with self._lock:
            moment = _shown(moment or self.now())
            stands = self.frozen if frozen is None else frozen
            self._at = _Position(moment, timedelta(0)) if stands else _Position(None, moment - datetime.now(UTC))

    def advance(self, by: timedelta) -> None:
        """Move forward. A frozen clock stays frozen. Raises OverflowError past LAST."""
        with self._lock:
            frozen_at, offset = self._at
            then = _shown(self.now() + by)
            self._at = _Position(None, offset + by) if frozen_at is None else _Position(then, offset)

    def reset(self) -> None:
        """Back to real time, running."""
        self.go_to({"frozen_at": None, "offset_seconds": 0})

    def position(self) -> dict[str, Any]:
        """Where the clock is, as JSON, for `go_to`: the moment that it stands at, or how far it runs ahead."""
        frozen_at, offset = self._at
        frozen = frozen_at.isoformat() if frozen_at else None
        return {"frozen_at": frozen, "offset_seconds": offset.total_seconds()}

    def go_to(self, position: Mapping[str, Any]) -> None:
        """Stand still there again, or run as far ahead."""
        frozen = position["frozen_at"]
        with self._lock:
            frozen_at = datetime.fromisoformat(frozen) if frozen else None
            self._at = _Position(frozen_at, timedelta(seconds=position["offset_seconds"]))


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


def _shown(moment: datetime) -> datetime:
    if not FIRST <= moment <= LAST:
        raise OverflowError(f"{moment} is out of the clock's reach.")
    return moment

"""The one clock. All API time comes from it, so that the control plane can freeze, set and advance it."""

from __future__ import annotations

import threading
from datetime import UTC, datetime, timedelta
from typing import Any


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


class Clock:
    """API time: real time plus an offset, or a frozen moment."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._offset = timedelta(0)
        self._frozen_at: datetime | None = None

    @property
    def frozen(self) -> bool:
        """Whether time stands still until it is set or advanced."""
        return self._frozen_at is not None

    def now(self) -> datetime:
        """The present moment of API time, in UTC."""
        return self._frozen_at or datetime.now(UTC) + self._offset

    def stamp(self) -> str:
        """The present moment as the API writes it."""
        return wire(self.now())

    def set(self, moment: datetime | None = None, *, frozen: bool | None = None) -> None:
        """Go to `moment` (the present one when None), then stand still or run as `frozen` says (as it is when None)."""
        with self._lock:
            moment = moment or self.now()
            if self.frozen if frozen is None else frozen:
                self._frozen_at = moment
            else:
                self._frozen_at = None
                self._offset = moment - datetime.now(UTC)

    def advance(self, by: timedelta) -> None:
        """Move forward. A frozen clock stays frozen. Raises OverflowError past the year 9999."""
        with self._lock:
            if self._frozen_at is not None:
                self._frozen_at += by
            else:
                datetime.now(UTC) + self._offset + by  # raises before anything changed
                self._offset += by

    def reset(self) -> None:
        """Back to real time, running."""
        with self._lock:
            self._frozen_at = None
            self._offset = timedelta(0)

    def position(self) -> dict[str, Any]:
        """Where the clock is, as JSON, for `go_to`: the moment that it stands at, or how far it runs ahead."""
        with self._lock:
            frozen = self._frozen_at.isoformat() if self._frozen_at else None
            return {"frozen_at": frozen, "offset_seconds": self._offset.total_seconds()}

    def go_to(self, position: dict[str, Any]) -> None:
        """Stand still there again, or run as far ahead."""
        with self._lock:
            frozen = position["frozen_at"]
            self._frozen_at = datetime.fromisoformat(frozen) if frozen else None
            self._offset = timedelta(seconds=position["offset_seconds"])

"""Helpers that a whole stand-in and one of its teams share: clients, time, state."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from dryline.testing.conversations import Conversations
from dryline.testing.plane import given
from dryline.testing.traffic import Traffic
from dryline.world import clock

if TYPE_CHECKING:
    from brainbase_labs import AsyncBrainbaseLabs, BrainbaseLabs


class Driver(Traffic, Conversations):
    """The helpers that `StandIn` and `Team` share. A team's helpers change nothing of another team."""

    # Clients

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that the vendor's client reads."""
        return {"BRAINBASE_LABS_BASE_URL": self.url, "BRAINBASE_LABS_API_KEY": self.api_key}

    def client(self, **options: Any) -> BrainbaseLabs:
        """Return the vendor's client (package brainbase-labs) for this stand-in; `options` go to the client."""
        from brainbase_labs import BrainbaseLabs

        return BrainbaseLabs(**{"base_url": self.url, "api_key": self.api_key} | self._http("Client") | options)

    def async_client(self, **options: Any) -> AsyncBrainbaseLabs:
        """Return the vendor's async client for this stand-in."""
        from brainbase_labs import AsyncBrainbaseLabs

        return AsyncBrainbaseLabs(
            **{"base_url": self.url, "api_key": self.api_key} | self._http("AsyncClient") | options
        )

    def _http(self, kind: Literal["Client", "AsyncClient"]) -> dict[str, Any]:
        """Return the options that the vendor's client needs to reach this stand-in."""
        return {}

    # Time

    def now(self) -> datetime:
        """Return the current API time, in UTC; for a team, its own."""
        return clock.parse(self.plane("GET", "/clock")["now"])

    def freeze(self, now: str | datetime | None = None) -> datetime:
        """Freeze API time at `now` (ISO 8601 text or an aware datetime) or where it is; for a team, its own time."""
        return clock.parse(self.plane("PUT", "/clock", given(frozen=True, now=now))["now"])

    def advance(
        self, seconds: float = 0, *, minutes: float = 0, hours: float = 0, days: float = 0, weeks: float = 0
    ) -> datetime:
        """Move API time forward, e.g. `advance(days=1)`. Work that is due is done when this returns."""
        total = timedelta(seconds=seconds, minutes=minutes, hours=hours, days=days, weeks=weeks).total_seconds()
        return clock.parse(self.plane("POST", "/clock/advance", {"seconds": total})["now"])

    # The state

    def reset(self, scenario: str | None = None) -> None:
        """Reset data, clock, ids, faults, request log and export files. `scenario` is for a whole stand-in only."""
        self.plane("POST", "/reset", given(scenario=scenario))

    def state(self) -> dict[str, Any]:
        """Return the state as one document; for a team, its part of it."""
        state: dict[str, Any] = self.plane("GET", "/state")
        return state

    def load(self, document: dict[str, Any]) -> None:
        """Replace the state by a document."""
        self.plane("PUT", "/state", document)

    def add(self, document: dict[str, Any]) -> None:
        """Add a document's rows to the state."""
        self.plane("POST", "/state", document)

    def snapshot(self, name: str) -> None:
        """Save the state as a snapshot."""
        self.plane("POST", "/snapshots", {"name": name})

    def restore(self, name: str) -> None:
        """Restore a snapshot."""
        self.plane("POST", f"/snapshots/{quote(name, safe='')}/restore")

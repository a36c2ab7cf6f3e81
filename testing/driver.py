"""What can be asked of a whole stand-in and of one team in it alike."""

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
    """The helpers that `StandIn` and `Team` share: a team's touch nothing of another team."""

    # Clients

    @property
    def environment(self) -> dict[str, str]:
        """What the vendor's client reads from the environment."""
        return {"BRAINBASE_LABS_BASE_URL": self.url, "BRAINBASE_LABS_API_KEY": self.api_key}

    def client(self, **options: Any) -> BrainbaseLabs:
        """The vendor's client (package brainbase-labs), speaking to this stand-in; `options` are its own."""
        from brainbase_labs import BrainbaseLabs

        return BrainbaseLabs(**{"base_url": self.url, "api_key": self.api_key} | self._http("Client") | options)

    def async_client(self, **options: Any) -> AsyncBrainbaseLabs:
        """The vendor's async client, likewise."""
        from brainbase_labs import AsyncBrainbaseLabs

        return AsyncBrainbaseLabs(
            **{"base_url": self.url, "api_key": self.api_key} | self._http("AsyncClient") | options
        )

    def _http(self, kind: Literal["Client", "AsyncClient"]) -> dict[str, Any]:
        """What the vendor's client needs to be told of its HTTP."""
        return {}

    # Time

    def now(self) -> datetime:
        """The present moment of API time, in UTC; for a team, of its own."""
        return clock.parse(self.plane("GET", "/clock")["now"])

    def freeze(self, now: str | datetime | None = None) -> datetime:
        """Let API time stand still, at `now` (ISO 8601, or with a time zone) or where it is; for a team, its own."""
        return clock.parse(self.plane("PUT", "/clock", given(frozen=True, now=now))["now"])

    def advance(
        self, seconds: float = 0, *, minutes: float = 0, hours: float = 0, days: float = 0, weeks: float = 0
    ) -> datetime:
        """Move API time forward, e.g. `advance(days=1)`; due work is done when this returns."""
        total = timedelta(seconds=seconds, minutes=minutes, hours=hours, days=days, weeks=weeks).total_seconds()
        return clock.parse(self.plane("POST", "/clock/advance", {"seconds": total})["now"])

    # The state

    def reset(self, scenario: str | None = None) -> None:
        """Back to the start: data, clock, ids, faults, request record, export files. A team has no scenario."""
        self.plane("POST", "/reset", given(scenario=scenario))

    def state(self) -> dict[str, Any]:
        """The whole state as one document; a team's own part of it."""
        state: dict[str, Any] = self.plane("GET", "/state")
        return state

    def load(self, document: dict[str, Any]) -> None:
        """Replace the state by a document."""
        self.plane("PUT", "/state", document)

    def add(self, document: dict[str, Any]) -> None:
        """Add a document's rows to the state."""
        self.plane("POST", "/state", document)

    def snapshot(self, name: str) -> None:
        """Keep the state under a name."""
        self.plane("POST", "/snapshots", {"name": name})

    def restore(self, name: str) -> None:
        """Go back to a kept state."""
        self.plane("POST", f"/snapshots/{quote(name, safe='')}/restore")

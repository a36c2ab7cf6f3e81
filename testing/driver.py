"""Helpers that a whole stand-in and one of its teams share: clients, time, state."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal
from urllib.parse import quote

from dryline.testing.conversations import Conversations
from dryline.testing.plane import members
from dryline.testing.traffic import Traffic
from dryline.world import clock, proxies
from dryline.world.request_log import FROM_TEST

if TYPE_CHECKING:
    from brainbase_labs import AsyncBrainbaseLabs, BrainbaseLabs

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


class Driver(Traffic, Conversations):
    """The helpers that `StandIn` and `Team` share. Those for time, settings and snapshots are refused to a team."""

    api_key: str

    # Clients

    @property
    def environment(self) -> dict[str, str]:
        """The environment variables that the vendor's client reads; if proxies are set, those to pass them by, too."""
        variables = {"BRAINBASE_LABS_BASE_URL": self.url, "BRAINBASE_LABS_API_KEY": self.api_key}
        return variables | proxies.direct_variables(self.url)

    def client(self, **options: Any) -> BrainbaseLabs:
        """Return the vendor's client (package brainbase-labs) for this stand-in; `options` go to the client."""
        from brainbase_labs import BrainbaseLabs

        return BrainbaseLabs(**self._options(options) | self._http_client(options))

    def async_client(self, **options: Any) -> AsyncBrainbaseLabs:
        """Return the vendor's async client for this stand-in."""
        from brainbase_labs import AsyncBrainbaseLabs

        return AsyncBrainbaseLabs(**self._options(options) | self._http_client(options, is_async=True))

    def _options(self, options: dict[str, Any]) -> dict[str, Any]:
        """Return the options of a client of the vendor. A header marks its requests in the request log."""
        headers = {FROM_TEST: "1", **options.get("default_headers", {})}
        return {"base_url": self.url, "api_key": self.api_key, **options, "default_headers": headers}

    def _http_client(self, options: dict[str, Any], *, is_async: bool = False) -> dict[str, Any]:
        """Return the option `http_client` for the vendor's client, unless the caller passes one."""
        if "http_client" in options:
            return {}
        from dryline.testing.vendor_clients import DirectAsyncHttpClient, DirectHttpClient

        client = DirectAsyncHttpClient if is_async else DirectHttpClient
        return {"http_client": client(self.url, **self._transport(is_async=is_async))}

    def _transport(self, *, is_async: bool) -> dict[str, Any]:
        """Return the option `transport` of an httpx client, or no option if a socket is used."""
        return {}

    # Time

    def now(self) -> datetime:
        """Return the current API time in UTC."""
        return clock.parse(self.plane("GET", "/clock")["now"])

    def freeze(self, now: str | datetime | None = None) -> datetime:
        """Freeze API time at `now` (ISO 8601 text or an aware datetime) or where it is."""
        return clock.parse(self.plane("PUT", "/clock", members(frozen=True, now=now))["now"])

    def unfreeze(self) -> datetime:
        """Let API time go on from where it is."""
        return clock.parse(self.plane("PUT", "/clock", {"frozen": False})["now"])

    def advance(
        self, seconds: float = 0, *, minutes: float = 0, hours: float = 0, days: float = 0, weeks: float = 0
    ) -> datetime:
        """Move API time forward, e.g. `advance(days=1)`. Work that is due is done when this returns."""
        total = timedelta(seconds=seconds, minutes=minutes, hours=hours, days=days, weeks=weeks).total_seconds()
        return clock.parse(self.plane("POST", "/clock/advance", {"seconds": total})["now"])

    # Settings and state

    def settings(
        self,
        *,
        export_mode: Literal["auto", "manual"] | None = None,
        export_delay_ms: int | None = None,
        strict: bool | None = None,
        calls_per_minute: float | None = None,
    ) -> dict[str, Any]:
        """Change the runtime settings that are passed, until the next reset. Returns all of them."""
        changes = members(
            export_mode=export_mode,
            export_delay_ms=export_delay_ms,
            strict=strict,
            calls_per_minute=calls_per_minute,
        )
        settings: dict[str, Any] = (
            self.plane("PUT", "/settings", changes) if changes else self.plane("GET", "/settings")
        )
        return settings

    def reset(self, scenario: str | None = None) -> None:
        """Reset data, clock, ids, faults, request log and export files. `scenario` is for a whole stand-in only."""
        self.plane("POST", "/reset", members(scenario=scenario))

    def state(self) -> dict[str, Any]:
        """Return the state as one document; for a team, its part of it."""
        state: dict[str, Any] = self.plane("GET", "/state")
        return state

    def load(self, document: dict[str, Any], *, lenient: bool = False) -> None:
        """Replace the state by a document. `lenient` ignores unknown members, and links to rows that are not there."""
        self.plane("PUT", "/state", document, query={"lenient": "true"} if lenient else None)

    def add(self, document: dict[str, Any], *, lenient: bool = False) -> None:
        """Add a document's rows to the state; `lenient` is as in `load`."""
        self.plane("POST", "/state", document, query={"lenient": "true"} if lenient else None)

    def snapshot(self, name: str) -> None:
        """Save the state as a snapshot. The pytest fixtures delete it after the test."""
        self.plane("POST", "/snapshots", {"name": name})
        self._created.snapshots.add(name)  # not before: a snapshot of the same name is another's if this is refused

    def restore(self, name: str) -> None:
        """Restore a snapshot."""
        self.plane("POST", f"/snapshots/{quote(name, safe='')}/restore")

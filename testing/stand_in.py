"""The `StandIn` and `Team` helpers, and `connect` for a server that runs already."""

from __future__ import annotations

import time
import warnings
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dryline.settings import DEFAULT_API_KEY
from dryline.testing.driver import Driver
from dryline.testing.plane import DrylineError, members, over_http
from dryline.testing.rows import Delivery, ExportRow
from dryline.testing.traffic import Created
from dryline.world.real_time import monotonic

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

Value = TypeVar("Value")

# The states through which an export reaches each status; docs/control-plane.md.
_EXPORT_STEPS = {
    "PROCESSING": ("PENDING", "PROCESSING"),
    "COMPLETED": ("PENDING", "PROCESSING", "COMPLETED"),
    "FAILED": ("PENDING", "PROCESSING", "FAILED"),
    "EXPIRED": ("PENDING", "PROCESSING", "COMPLETED", "EXPIRED"),
}


class StandIn(Driver):
    """A stand-in and the helpers that control it. `connect` and the fixtures return one."""

    def __init__(self) -> None:
        self._created = Created()

    def __repr__(self) -> str:
        return f"<dryline at {getattr(self, 'url', 'no address yet')}>"

    @property
    def app(self) -> WSGIApplication:
        """The WSGI application. Raises DrylineError if the server runs in another process."""
        raise DrylineError(f"The server at {self.url} runs in another process; only its address can be used.")

    # Exports, webhooks, teams

    def finish_export(
        self,
        id: str,
        status: Literal["PROCESSING", "COMPLETED", "FAILED", "EXPIRED"] = "COMPLETED",
        *,
        error_message: str | None = None,
    ) -> ExportRow:
        """Bring an export to a status, through all statuses on the way, and return it. COMPLETED writes its file.

        For `settings(export_mode="manual")`, where the server leaves exports alone. Raises DrylineError for an export
        that is past that status.
        """
        export: Any = next((row for row in self.state()["exports"] if row["id"] == id), {"status": "PENDING"})
        steps = _EXPORT_STEPS[status]
        start = steps.index(export["status"]) + 1 if export["status"] in steps[:-1] else len(steps) - 1
        for step in steps[start:]:
            body = members(status=step, error_message=error_message if step == "FAILED" else None)
            export = self.plane("POST", f"/exports/{id}/transition", body)
        row: ExportRow = export
        return row

    def webhooks(
        self,
        *,
        status: Literal["PENDING", "DELIVERED", "FAILED", "REFUSED"] | None = None,
        webhook_id: str | None = None,
        deployment_id: str | None = None,
        log_id: str | None = None,
        limit: int | None = None,
    ) -> list[Delivery]:
        """Return the webhook deliveries, newest first, at most `limit` (100): request, status, error, attempts."""
        query = members(status=status, webhook_id=webhook_id, deployment_id=deployment_id, log_id=log_id, limit=limit)
        deliveries: list[Delivery] = self.plane("GET", "/webhooks", query=query)
        return deliveries

    def team(self, name: str = "Test team") -> Team:
        """Create a team with its own API key. Teams do not see each other's records."""
        row = self.plane("POST", "/teams", {"name": name})
        return Team(self, row["id"], row["name"], row["apiKey"])


class Team(Driver):
    """One team of a stand-in. Its clients use its key, and its helpers change nothing of other teams.

    Clock, settings and snapshots are the whole server's: a team's helpers for them raise DrylineError.
    """

    id: str
    name: str
    stand_in: StandIn

    def __init__(self, stand_in: StandIn, id: str, name: str, api_key: str) -> None:
        self.id, self.name, self.api_key = id, name, api_key
        self.stand_in, self.url = stand_in, stand_in.url
        self._token, self._send = stand_in._token, stand_in._send
        self._scope = {"team": id}
        self._created = stand_in._created

    def __repr__(self) -> str:
        return f"<team {self.name!r} of {str(self.stand_in)[1:]}"

    def _transport(self, *, is_async: bool) -> dict[str, Any]:
        return self.stand_in._transport(is_async=is_async)

    def delete(self) -> None:
        """Delete the team with all its records."""
        self.stand_in.plane("DELETE", f"/teams/{self.id}")


def connect(url: str, token: str | None = None, *, api_key: str = DEFAULT_API_KEY) -> StandIn:
    """Return the helpers for a running server, such as one in a container. `token` is its `--admin-token`.

    Raises DrylineError if no dryline answers at `url`.
    """
    url = url.rstrip("/")
    stand_in = StandIn()
    stand_in.url, stand_in._token, stand_in.api_key, stand_in._send = url, token, api_key, over_http(url)
    health = stand_in.plane("GET", "/health")
    if not isinstance(health, dict) or health.get("status") != "ok":
        raise DrylineError(f"The server at {url} is not dryline.")
    return stand_in


def wait_until(
    condition: Callable[[], Value],
    *,
    timeout_s: float = 5,
    every_s: float = 0.02,
    message: str | None = None,
    told: str | None = None,  # the former name of `message`
) -> Value:
    """Call `condition` until it returns a true value without an AssertionError, and return that value.

    Raises DrylineError after `timeout_s` seconds of real time, with `message` or the text of the last AssertionError.
    """
    if told is not None:
        warnings.warn("told is now message.", DeprecationWarning, stacklevel=2)
    deadline = monotonic() + timeout_s
    while True:
        failure = ""
        try:
            if value := condition():
                return value
        except AssertionError as error:
            failure = str(error)
        if monotonic() >= deadline:
            reason = message or told or failure or "the condition stayed false."
            raise DrylineError(f"Timed out after {timeout_s:g} s: {reason}")
        time.sleep(every_s)

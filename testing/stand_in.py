"""A stand-in that answers somewhere, the teams in it, and how to reach one that runs already."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Literal, TypeVar

from dryline.settings import DEFAULT_API_KEY
from dryline.testing.driver import Driver
from dryline.testing.plane import DrylineError, Way, given, over_http

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

Found = TypeVar("Found")

# The moves of an export to each end; docs/control-plane.md.
_MOVES = {
    "PROCESSING": ("PENDING", "PROCESSING"),
    "COMPLETED": ("PENDING", "PROCESSING", "COMPLETED"),
    "FAILED": ("PENDING", "PROCESSING", "FAILED"),
    "EXPIRED": ("PENDING", "PROCESSING", "COMPLETED", "EXPIRED"),
}


class StandIn(Driver):
    """A stand-in and the ways to drive it, wherever it runs: `connect` gives one, and so do the fixtures."""

    def __repr__(self) -> str:
        return f"<dryline at {getattr(self, 'url', 'no address yet')}>"

    @property
    def app(self) -> WSGIApplication:
        """The application, for other tools that call one. Raises DrylineError where it is in another process."""
        raise DrylineError(f"The application of {self.url} is in another process: it is reached by its address alone.")

    # What moves by itself

    def settings(
        self,
        *,
        export_mode: Literal["auto", "manual"] | None = None,
        export_delay_ms: int | None = None,
        strict: bool | None = None,
        calls_per_minute: float | None = None,
    ) -> dict[str, Any]:
        """Change the live settings that are given, until the next reset. Returns all of them."""
        changed = given(
            export_mode=export_mode,
            export_delay_ms=export_delay_ms,
            strict=strict,
            calls_per_minute=calls_per_minute,
        )
        live: dict[str, Any] = self.plane("PUT", "/settings", changed) if changed else self.plane("GET", "/settings")
        return live

    def finish_export(
        self,
        id: str,
        status: Literal["PROCESSING", "COMPLETED", "FAILED", "EXPIRED"] = "COMPLETED",
        *,
        error_message: str | None = None,
    ) -> dict[str, Any]:
        """Move an export by hand, through all states on the way, and return it. To COMPLETED writes its file.

        For `settings(export_mode="manual")`, where exports do not move by themselves. Raises DrylineError for an export
        that is past that state.
        """
        export = next((row for row in self.state()["exports"] if row["id"] == id), {"status": "PENDING"})
        steps = _MOVES[status]
        begun = steps.index(export["status"]) + 1 if export["status"] in steps[:-1] else len(steps) - 1
        for step in steps[begun:]:
            body = given(status=step, error_message=error_message if step == "FAILED" else None)
            export = self.plane("POST", f"/exports/{id}/transition", body)
        return export

    def webhooks(
        self,
        *,
        status: Literal["PENDING", "DELIVERED", "FAILED", "REFUSED"] | None = None,
        webhook_id: str | None = None,
        deployment_id: str | None = None,
        log_id: str | None = None,
        limit: int | None = None,
    ) -> list[dict[str, Any]]:
        """The deliveries of webhooks, newest first, at most `limit` (100): request, status, error, attempts."""
        wanted = given(status=status, webhook_id=webhook_id, deployment_id=deployment_id, log_id=log_id, limit=limit)
        deliveries: list[dict[str, Any]] = self.plane("GET", "/webhooks", query=wanted)
        return deliveries

    def team(self, name: str = "Test team") -> Team:
        """A new team, with a key of its own. Nothing of one team is seen by another."""
        made = self.plane("POST", "/teams", {"name": name})
        return Team(self, made["id"], made["name"], made["apiKey"])


class Team(Driver):
    """A team of a stand-in: its clients have its key, and what is asked of it touches nothing else."""

    def __init__(self, stand_in: StandIn, id: str, name: str, api_key: str) -> None:
        self.id, self.name, self.api_key = id, name, api_key
        self.stand_in, self.url = stand_in, stand_in.url
        self._token, self._way = stand_in._token, stand_in._way
        self._scope = {"team": id}

    def __repr__(self) -> str:
        return f"<team {self.name!r} of {str(self.stand_in)[1:]}"

    def _http(self, kind: Literal["Client", "AsyncClient"]) -> dict[str, Any]:
        return self.stand_in._http(kind)

    def delete(self) -> None:
        """Delete the team with all that it has."""
        self.stand_in.plane("DELETE", f"/teams/{self.id}")


class Connected(StandIn):
    """A stand-in that somebody else started."""

    def __init__(self, url: str, token: str | None, api_key: str, way: Way) -> None:
        self.url, self._token, self.api_key, self._way = url, token, api_key, way


def connect(url: str, token: str | None = None, *, api_key: str = DEFAULT_API_KEY) -> StandIn:
    """The helpers for a stand-in that runs, such as one in a container. `token` is its `--admin-token`.

    Needs nothing but the standard library. Raises DrylineError when none answers there.
    """
    url = url.rstrip("/")
    stand_in = Connected(url, token, api_key, over_http(url))
    health = stand_in.plane("GET", "/health")
    if not isinstance(health, dict) or health.get("status") != "ok":
        raise DrylineError(f"What answers at {url} is no dryline.")
    return stand_in


def wait_until(
    condition: Callable[[], Found], *, timeout_s: float = 5, every_s: float = 0.02, told: str | None = None
) -> Found:
    """Ask again until the answer is true or no check fails any more, and return it; for what a program does by itself.

    Raises DrylineError after `timeout_s` of real time, with `told` or what the last check said.
    """
    deadline = time.monotonic() + timeout_s
    while True:
        said = ""
        try:
            if found := condition():
                return found
        except AssertionError as error:
            said = str(error)
        if time.monotonic() >= deadline:
            raise DrylineError(f"Not so within {timeout_s:g} s: {told or said or 'it never was true.'}")
        time.sleep(every_s)

"""The `StandIn` and `Team` helpers, and `connect` for a server that runs already."""

from __future__ import annotations

import inspect
import logging
import time
import warnings
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import quote

from dryline.settings import DEFAULT_API_KEY
from dryline.testing.builders import Builders
from dryline.testing.conversations import Conversations
from dryline.testing.plane import (
    LONG_TIMEOUT_S,
    TIMEOUT_S,
    DrylineError,
    PlaneReply,
    members,
    milliseconds,
    over_http,
    require_timeout,
    require_url,
)
from dryline.testing.rows import ExportRow, RuntimeValues
from dryline.testing.traffic import Created, Traffic
from dryline.testing.webhooks import Webhooks
from dryline.world import clock
from dryline.world.real_time import monotonic

if TYPE_CHECKING:
    from wsgiref.types import WSGIApplication

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback

Value = TypeVar("Value")

log = logging.getLogger("dryline")

# Moves of the clock beyond this may have much work to do.
_LONG_ADVANCE_S = 3_600

# The statuses of an export in their order; it becomes FAILED from PROCESSING.
_EXPORT_STEPS = ("PENDING", "PROCESSING", "COMPLETED", "EXPIRED")


class Driver(Traffic, Webhooks, Conversations, Builders):
    """The helpers that `StandIn` and `Team` share. Those for time, settings and snapshots are refused to a team."""

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
        self,
        seconds: float | timedelta = 0,
        *,
        minutes: float = 0,
        hours: float = 0,
        days: float = 0,
        weeks: float = 0,
    ) -> datetime:
        """Move API time forward, e.g. `advance(days=1)`, or by a timedelta. Due work is done when this returns."""
        first = seconds if isinstance(seconds, timedelta) else _amount_of_time("seconds", seconds)
        others = {"minutes": minutes, "hours": hours, "days": days, "weeks": weeks}
        total = sum((_amount_of_time(unit, value) for unit, value in others.items()), first).total_seconds()
        timeout_s = max(self.timeout_s, LONG_TIMEOUT_S) if total > _LONG_ADVANCE_S else None
        answer = self.plane("POST", "/clock/advance", {"seconds": total}, timeout_s=timeout_s)
        return clock.parse(answer["now"])

    def settings(
        self,
        *,
        export_mode: Literal["auto", "manual"] | None = None,
        export_delay_ms: int | timedelta | None = None,
        export_outcome: Literal["COMPLETED", "FAILED"] | None = None,
        export_error: str | None = None,
        strict: bool | None = None,
        calls_per_minute: float | None = None,
    ) -> RuntimeValues:
        """Change the settings that are passed, until the next reset. Returns all of them.

        With `export_outcome="FAILED"`, exports in the mode `auto` fail with the message `export_error`.
        """
        changes = members(export_mode=export_mode, export_delay_ms=milliseconds(export_delay_ms))
        changes |= members(export_outcome=export_outcome, export_error=export_error)
        changes |= members(strict=strict, calls_per_minute=calls_per_minute)
        values: RuntimeValues = self.plane("PUT" if changes else "GET", "/settings", changes or None)
        return values

    def reset(self, scenario: str | None = None) -> None:
        """Reset data, clock, ids, faults, request log and export files. `scenario` is for a whole stand-in only."""
        self.plane("POST", "/reset", members(scenario=scenario))

    def state(self) -> dict[str, Any]:
        """Return the state as one document; for a team, its part of it."""
        state: dict[str, Any] = self.plane("GET", "/state")
        return state

    def load(self, document: dict[str, Any], *, lenient: bool = False) -> None:
        """Replace the state by a document. `lenient` ignores unknown members and links to missing rows."""
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
        self.plane("POST", f"/snapshots/{quote(str(name), safe='')}/restore")


def _amount_of_time(unit: str, value: float) -> timedelta:
    """Return an amount of time. Raises DrylineError, naming the unit, for a value that is none."""
    try:
        return timedelta(**{unit: value})
    except OverflowError:
        raise DrylineError(f"{unit}: {value!r} is beyond the range of the clock.") from None
    except (TypeError, ValueError):
        also = " or a timedelta" if unit == "seconds" else ""
        raise DrylineError(f"{unit} must be a number{also}, not {value!r}.") from None


class StandIn(Driver):
    """A stand-in and the helpers that control it. `connect` and the fixtures return one."""

    def __init__(self, *, timeout_s: float = TIMEOUT_S) -> None:
        self.timeout_s = require_timeout(timeout_s)
        self._created = Created()
        self._application: Any = None
        self._other_version = ""  # a sentence, if the server has another version than these helpers

    def __repr__(self) -> str:
        try:
            return f"<dryline at {self.url}>"
        except DrylineError:
            return "<dryline at no address yet>"

    def _compare_version(self, version: str) -> None:
        """Log if the server has another version than these helpers: a newer helper may ask for what it does not know.

        It is no warning of Python's, which a project may have made an error. The pytest plugin shows it at the end.
        """
        from dryline import __version__  # noqa: PLC0415  # in a checkout it asks git

        if version != __version__:
            self._other_version = f"The dryline at {self.url} is {version}, and these helpers are {__version__}."
            log.warning(self._other_version)

    @property
    def app(self) -> WSGIApplication:
        """The WSGI application. Raises DrylineError if the server runs in another process."""
        if self._application is None:
            raise DrylineError(f"The server at {self.url} runs in another process; only its address can be used.")
        app: WSGIApplication = self._application
        return app

    def finish_export(
        self,
        id: str,
        status: Literal["PROCESSING", "COMPLETED", "FAILED", "EXPIRED"] = "COMPLETED",
        *,
        error_message: str | None = None,
    ) -> ExportRow:
        """Bring an export to a status, through all statuses on the way, and return it.

        Call `settings(export_mode="manual")` before the export is requested. Raises DrylineError in the mode `auto`,
        and for an export that is past that status.
        """
        export: Any = next((row for row in self.state()["exports"] if row["id"] == id), {"status": "PENDING"})
        steps = ("PENDING", "PROCESSING", "FAILED") if status == "FAILED" else _EXPORT_STEPS
        # A status that is none of the steps, or that lies behind the present one, is refused by the server.
        to_take: Sequence[str] = [status]
        present = export["status"]
        if status in steps and present in steps[: steps.index(status)]:
            to_take = steps[steps.index(present) + 1 : steps.index(status) + 1]
        for step in to_take:
            body = members(status=step, error_message=error_message if step == "FAILED" else None)
            export = self.plane("POST", f"/exports/{id}/transition", body)
        row: ExportRow = export
        return row

    def team(self, name: str = "Test team") -> Team:
        """Create a team with its own API key."""
        row = self.plane("POST", "/teams", {"name": name})
        return Team(self, row["id"], row["name"], row["apiKey"])


# Python's messages about wrong arguments name a method with its class. Users know the classes above by this name only.
for _owner in Driver.__mro__[:-1]:
    for _name, _method in vars(_owner).items():
        if inspect.isfunction(_method) and not _name.startswith("_"):
            _method.__qualname__ = f"{StandIn.__name__}.{_name}"


class Team(Driver):
    """One team of a stand-in, with the same helpers, which use its key and change nothing of other teams.

    Those for clock, settings and snapshots raise DrylineError.
    """

    id: str
    name: str
    stand_in: StandIn

    def __init__(self, stand_in: StandIn, id: str, name: str, api_key: str) -> None:
        self.id, self.name, self.api_key = id, name, api_key
        self.stand_in, self.url = stand_in, stand_in.url
        self.timeout_s, self._token = stand_in.timeout_s, stand_in._token
        self._scope = {"team": id}
        self._created = stand_in._created

    def __repr__(self) -> str:
        return f"<team {self.name!r} of {str(self.stand_in)[1:]}"

    def _require_running(self) -> None:
        """Raise DrylineError if the stand-in has not been started or has been stopped."""
        self.stand_in._require_running()

    def _send(self, *arguments: Any, **options: Any) -> PlaneReply:
        return self.stand_in._send(*arguments, **options)

    def _transport(self) -> dict[str, Any]:
        return self.stand_in._transport()

    def delete(self) -> None:
        """Delete the team with all its records."""
        self.stand_in.plane("DELETE", f"/teams/{self.id}")


def connect(
    url: str, token: str | None = None, *, api_key: str = DEFAULT_API_KEY, timeout_s: float = TIMEOUT_S
) -> StandIn:
    """Return the helpers for a running server; `token` is its `--admin-token`.

    A helper waits for an answer for 30 s, or `timeout_s`. Raises DrylineError if no dryline answers.
    """
    url = require_url(url).rstrip("/")
    stand_in = StandIn(timeout_s=timeout_s)
    stand_in.url, stand_in._token, stand_in.api_key, stand_in._send = url, token, api_key, over_http(url)
    health = stand_in.plane("GET", "/health")
    if not isinstance(health, dict) or health.get("status") != "ok":
        raise DrylineError(f"The server at {url} is not dryline.")
    stand_in._compare_version(str(health.get("version")))
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

    Raises DrylineError after `timeout_s` of real time, with `message` or the last AssertionError's text.
    """
    if told is not None:
        warnings.warn("told is now message.", DeprecationWarning, stacklevel=2)
    deadline = monotonic() + require_timeout(timeout_s, may_be_0=True)
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

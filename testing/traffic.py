"""Helpers for the tested program's requests: faults, the request log, and checks of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, Literal

from dryline.testing import journal
from dryline.testing.plane import ControlPlane, DrylineError, members

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


@dataclass(slots=True)
class Created:
    """Records of a test that the pytest fixtures check or remove after it."""

    fault_ids: list[str] = field(default_factory=list)  # of rules that have to match
    snapshots: set[str] = field(default_factory=set)


def created_through(helpers: Traffic) -> Created:
    """Return what the test created through these helpers, for the pytest plugin."""
    return helpers._created


class Traffic(ControlPlane):
    """The helpers for requests of the API."""

    _created: Created

    def fault(
        self,
        *,
        path: str | None = None,
        method: str | None = None,
        preset: str | None = None,
        status: int | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
        delay_ms: int | None = None,
        delay_distribution: dict[str, Any] | None = None,
        bytes_per_second: int | None = None,
        rate_limit: dict[str, Any] | None = None,
        drop: bool | None = None,
        malformed: Literal["truncated", "garbage"] | None = None,
        override: dict[str, Any] | None = None,
        phase: Literal["before", "after"] | None = None,
        probability: float | None = None,
        times: int | None = None,
        skip: int | None = None,
        team: str | None = None,
        unused_ok: bool = False,
    ) -> str:
        """Make chosen requests fail, e.g. `fault(path="/api/workers", status=503, times=1)`. Returns the rule's id.

        The pytest fixtures fail a test whose rule was not applied, or less than `times` times, unless `unused_ok`.
        docs/control-plane.md describes each member. Raises DrylineError for a rule that could never match.
        """
        target = members(path=path, method=method, probability=probability, times=times, skip=skip, team_id=team)
        answer = members(preset=preset, status=status, body=body, headers=headers, override=override)
        timing = members(delay_ms=delay_ms, delay_distribution=delay_distribution, bytes_per_second=bytes_per_second)
        rule = target | answer | timing | members(rate_limit=rate_limit, drop=drop, malformed=malformed, phase=phase)
        id = str(self.plane("POST", "/faults", rule)["id"])
        if not unused_ok:
            self._created.fault_ids.append(id)
        return id

    def faults(self) -> list[dict[str, Any]]:
        """Return the fault rules that exist, with how often each matched (`matches`) and was applied (`hits`)."""
        rules: list[dict[str, Any]] = self.plane("GET", "/faults")
        return rules

    def unused_faults(self) -> list[dict[str, Any]]:
        """Return the rules of `fault` that were not applied, or less than `times` times."""
        rules = [rule for rule in self.faults() if rule["id"] in self._created.fault_ids]
        return [rule for rule in rules if rule["hits"] < (rule.get("times") or 1)]

    def requests(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        since: str | datetime | None = None,
        body_contains: str | None = None,
        from_test: bool | None = None,
        team: str | None = None,
        limit: int | None = None,
    ) -> list[dict[str, Any]]:
        """Return the logged requests, newest first, at most `limit` (100). In `path`, `*` and `{…}` match any text.

        `from_test=False` leaves out the requests of `client()` and `async_client()`.
        """
        criteria = members(method=method, path=path, status=status, since=since, body_contains=body_contains)
        criteria |= members(team=team, limit=limit)
        if from_test is not None:
            criteria["fromTest"] = str(from_test).lower()
        entries: list[dict[str, Any]] = self.plane("GET", "/requests", query=criteria)
        return entries

    def journal(self, newest: int = 50) -> str:
        """Return the newest requests as text, a line each, oldest first, with status, duration, error and fault."""
        return journal.format_requests(self.requests(limit=newest), newest)

    def verify(
        self,
        *,
        method: str | None = None,
        path: str | None = None,
        status: int | None = None,
        since: str | datetime | None = None,
        body_contains: str | None = None,
        body_matches: str | None = None,
        json: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str | None] | None = None,
        from_test: bool | None = None,
        times: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        team: str | None = None,
    ) -> int:
        """Check that a request was made, `times` times or within bounds, and return how often.

        In `path`, `*` and `{…}` match any text. `json` has the members that the body must have, at every depth; it may
        have others. `query` and `headers` have values by name, None for what must not be sent. `from_test=False` leaves
        out the requests of `client()` and `async_client()`. Requests in progress count. Raises DrylineError with the
        criteria, and the requests that came nearest or were too many.
        """
        criteria = members(method=method, path=path, status=status, since=since)
        criteria |= members(body_contains=body_contains, body_matches=body_matches)
        criteria |= members(json=json, query=query, headers=headers, from_test=from_test)
        bounds = members(min=at_least, max=at_most)
        if times is not None and bounds:
            raise DrylineError("times is the exact number: leave out at_least and at_most.")
        body = criteria | members(times=bounds or times)
        try:
            return int(self.plane("POST", "/requests/verify", body, query=members(team=team))["count"])
        except DrylineError as error:
            raise DrylineError(journal.format_failed_check(str(error), criteria, error.answer), error.answer) from None

"""Helpers for the tested program's requests: faults, the request log, and checks of it."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from json import loads
from typing import Any, Literal, TypedDict, Unpack
from urllib.parse import quote

from dryline.testing import journal
from dryline.testing.plane import (
    ControlPlane,
    DrylineError,
    as_json,
    hint_at_loop,
    members,
    members_in,
    milliseconds,
    require_exact_or_bounds,
    require_timeout,
)
from dryline.testing.rows import FaultRule, LoggedRequest
from dryline.world.origins import PROGRAM, TEST, Origin

__tracebackhide__ = True  # pytest leaves the frames of this module out of a traceback


@dataclass(slots=True)
class Created:
    """Records of a test that the pytest fixtures check or remove after it."""

    fault_ids: list[str] = field(default_factory=list)  # of rules that have to match
    snapshots: set[str] = field(default_factory=set)
    newest_number: int = 0  # of the requests that `ignored` counts
    ignored: list[list[str]] = field(default_factory=list)  # the names of each request that no operation has


class LogCriteria(TypedDict, total=False):
    """Criteria for the request log.

    `origin="program"` leaves out the requests of `client()`. Without an `origin`, what the helpers create is left out,
    and what a person does in the console; `all` is for every origin.
    """

    method: str | None
    path: str | None
    status: int | None
    since: str | datetime | None
    body_contains: str | None
    origin: Origin | Literal["all"] | None
    from_test: bool | None  # the former name of `origin`
    team: str | None


class Criteria(LogCriteria, total=False):
    """Criteria for requests: those of the log and more. In `query` and `headers`, None is for what must not be sent."""

    body_matches: str | None
    json: Any
    query: Mapping[str, Any] | None
    headers: Mapping[str, str | None] | None


class RateLimit(TypedDict):
    """A rate limit for each key: `requests` are allowed in `window_seconds` of API time."""

    requests: int
    window_seconds: float


class DelayDistribution(TypedDict):
    """Delays in real time, drawn at random between two bounds."""

    type: Literal["uniform"]
    lower_ms: int
    upper_ms: int


def _criteria_as_sent(criteria: dict[str, Any]) -> dict[str, Any]:
    """Return criteria as they are sent: a decimal number is one in a body, and has all its digits elsewhere."""
    texts = {name: criteria.pop(name) for name in ("query", "headers", "requestHeaders") if name in criteria}
    sent: dict[str, Any] = loads(as_json(criteria)) | loads(as_json(texts, decimal=str))
    return sent


def _with_origin(criteria: Mapping[str, Any]) -> dict[str, Any]:
    """Return criteria with `origin` in place of its former name `from_test`."""
    current = {name: value for name, value in criteria.items() if name != "from_test"}
    if (from_test := criteria.get("from_test")) is not None:
        warnings.warn('from_test is now origin: "test", or "program".', DeprecationWarning, stacklevel=3)
        current["origin"] = TEST if from_test else PROGRAM
    return current


def created_by(world: Traffic) -> Created:
    """Return what the running test has created with the helpers of a stand-in, for the fixtures."""
    return world._created


class Traffic(ControlPlane):
    """The helpers for requests of the API."""

    _created: Created

    def fault(
        self,
        *,
        path: str | None = None,
        method: str | None = None,
        json: Any = None,
        query: Mapping[str, Any] | None = None,
        request_headers: Mapping[str, str | None] | None = None,
        body_contains: str | None = None,
        preset: str | None = None,
        status: int | None = None,
        body: Any = None,
        headers: dict[str, str] | None = None,
        answers: Sequence[int | dict[str, Any]] | None = None,
        delay_ms: int | timedelta | None = None,
        delay_distribution: DelayDistribution | None = None,
        bytes_per_second: int | None = None,
        rate_limit: RateLimit | None = None,
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
        """Make chosen requests fail, and return the rule's id.

        Which requests: those that `verify` finds by `method`, `path`, `json`, `query` and `body_contains`; its
        `headers` are `request_headers` here. In a path `{id}` stands for one segment and `*` for any text. With `team`
        only requests of this team's id. The rule leaves out the first `skip` that match, applies to each
        with a `probability`, and ends after `times`. With a `rate_limit` it applies to requests beyond the limit. Of
        several rules that match, the oldest applies.

        What happens: they are answered by `status`, with `body` and `headers`, and are not carried out. `override` is
        such an answer (`status`, `body`, `headers`) also for a path that the API does not have. `answers` are given in
        turn, each once unless there are `times`: `[429, 503, {"status": 500, "body": {}}]`. Requests wait for
        `delay_ms`, or for a random time (`delay_distribution`). `bytes_per_second` makes the answer slow, `drop` closes
        the connection, `malformed` spoils the answer. With `phase="after"` the request is carried out first, and its
        answer is lost. A `preset` is a ready-made rule, such as `unavailable-twice`: `dryline faults presets` lists
        them.

        The pytest fixtures fail a test whose rule was not applied `times` times, or once, unless `unused_ok`. Raises
        DrylineError for a rule that could never match.
        """
        target = members(path=path, method=method, probability=probability, times=times, skip=skip, team_id=team)
        content = members(json=json, query=query, request_headers=request_headers, body_contains=body_contains)
        target |= _criteria_as_sent(content)
        answer = members(preset=preset, status=status, body=body, headers=headers, override=override, answers=answers)
        timing = members(delay_ms=milliseconds(delay_ms), bytes_per_second=bytes_per_second)
        timing |= members(delay_distribution=members_in(delay_distribution), rate_limit=members_in(rate_limit))
        rule = target | answer | timing | members(drop=drop, malformed=malformed, phase=phase)
        id = str(self.plane("POST", "/faults", rule)["id"])
        if not unused_ok:
            self._created.fault_ids.append(id)
        return id

    def remove_fault(self, id: str) -> None:
        """Remove a rule, which then need not be applied."""
        self.plane("DELETE", f"/faults/{quote(str(id), safe='')}")
        if id in self._created.fault_ids:
            self._created.fault_ids.remove(id)

    def faults(self) -> list[FaultRule]:
        """Return the fault rules that exist."""
        rules: list[FaultRule] = self.plane("GET", "/faults")
        return rules

    def unused_faults(self) -> list[FaultRule]:
        """Return the rules that were not applied, or less than `times` times."""
        rules = [rule for rule in self.faults() if rule["id"] in self._created.fault_ids]
        return [rule for rule in rules if rule["hits"] < (rule.get("times") or 1)]

    def requests(self, *, limit: int | None = None, **criteria: Unpack[LogCriteria]) -> list[LoggedRequest]:
        """Return the logged requests, newest first, at most `limit` (100)."""
        query = members(**_with_origin(criteria), limit=limit)
        entries: list[LoggedRequest] = self.plane("GET", "/requests", query=query)
        return entries

    def journal(self, newest: int = 50) -> str:
        """Return the newest requests as text, a line each, oldest first."""
        return journal.format_requests(self.requests(limit=newest), newest)

    def verify(
        self,
        *,
        times: int | None = None,
        at_least: int | None = None,
        at_most: int | None = None,
        **criteria: Unpack[Criteria],
    ) -> int:
        """Check that a request was made, `times` times or within bounds, and return how often.

        Raises DrylineError with the requests that came nearest or were too many.
        """
        limits = members(times=require_exact_or_bounds(times, at_least, at_most))
        return int(self._run_check("verify", _with_origin(criteria), limits)["count"])

    def wait_for_request(
        self, *, count: int = 1, timeout_s: float = 5, **criteria: Unpack[Criteria]
    ) -> list[LoggedRequest]:
        """Wait until `count` requests that match are answered, and return them, newest first.

        Earlier requests count, too. Raises DrylineError as `verify` does, after `timeout_s` of real time.
        """
        require_timeout(timeout_s, may_be_0=True)
        limits = members(count=count, timeout_ms=round(timeout_s * 1000))
        answer = self._run_check("wait", _with_origin(criteria), limits, timeout_s=timeout_s + self.timeout_s)
        entries: list[LoggedRequest] = answer["requests"]
        return entries

    def _run_check(
        self, route: str, criteria: dict[str, Any], limits: dict[str, Any], *, timeout_s: float | None = None
    ) -> Any:
        sent = _criteria_as_sent(members(**criteria))
        query = {"team": sent.pop("team", None)}
        try:
            return self.plane("POST", f"/requests/{route}", sent | limits, query=query, timeout_s=timeout_s)
        except DrylineError as error:
            if not error.answer:  # the server has not answered
                raise
            hint = hint_at_loop("dryline.wait_for_request") if route == "wait" else ""
            message = journal.format_failed_check(f"{error}{hint}", sent, error.answer)
            raise DrylineError(message, error.answer) from None

"""Searches in the request log: by criteria, by waiting for requests, and by counting them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any
from urllib.parse import parse_qs

import orjson
import regex

from dryline.storage.errors import Invalid
from dryline.world.criteria import (
    MAX_FOUND,
    Bounds,
    Matches,
    Near,
    Verification,
    includes,
    json_parts,
    nearest,
    verify_count,
)
from dryline.world.masking import is_secret, mask_addresses
from dryline.world.origins import ALL, UNSEARCHED, Origin
from dryline.world.path_patterns import path_pattern, route_pattern
from dryline.world.real_time import monotonic
from dryline.world.request_log import DroppedRequests, Entry, RequestLog

if TYPE_CHECKING:
    from dryline.world.world import World

# Real time that one search may take for its regular expression.
MAX_SEARCH_S = 2.0
# How long a check waits for requests in progress that may match.
MAX_PENDING_S = 2.0
# How often a search that waits for requests checks whether the server, or its epoch, ends.
CHECK_EVERY_S = 0.25

Test = Callable[[Entry], bool]


@dataclass(frozen=True)
class Criteria:
    """Criteria for requests. `path` is a pattern; `after` is the number of a request before; None matches all.

    `json` has members that the body must have, or is the whole body. `query` and `headers` have values by name, of
    which None means that it was not sent; a list of a parameter means that it was sent repeatedly. Without an `origin`
    no request of `UNSEARCHED` matches, and with `all` those of every origin do.
    """

    method: str | None = None
    path: str | None = None
    status: int | None = None
    since: str | None = None
    after: int | None = None
    team_id: str | None = None
    body_contains: str | None = None
    body_matches: str | None = None
    json: Any = None
    query: Mapping[str, Any] | None = None
    headers: Mapping[str, Any] | None = None
    origin: str | None = None

    def tests(self) -> list[tuple[str, Test]]:
        """Return a test for each criterion, with the criterion's name in the API.

        Raises Invalid for an invalid regular expression, and for a secret, which the log masks: it never matches.
        """
        return [*self._tests_of_request(), *self._tests_of_parts()]

    def _tests_of_request(self) -> Iterator[tuple[str, Test]]:
        """Yield the tests of all but the body's members, the parameters and the headers."""
        if self.path is not None:
            pattern = path_pattern(self.path)
            yield "path", lambda entry: pattern.fullmatch(entry.path) is not None
        if self.method is not None:
            method = self.method.upper()
            yield "method", lambda entry: entry.method == method
        if self.status is not None:
            yield "status", lambda entry: entry.status == self.status
        if self.since is not None:
            since = self.since
            yield "since", lambda entry: entry.time >= since
        if self.after is not None:
            after = self.after
            yield "after", lambda entry: entry.in_progress or entry.number > after
        if self.team_id is not None:
            yield "team", lambda entry: entry.team_id == self.team_id
        if self.body_contains is not None:
            part = self.body_contains
            yield "bodyContains", lambda entry: part in entry.text()
        yield "origin", lambda entry: self._has_origin(entry.origin)
        if self.body_matches is not None:
            yield "bodyMatches", _body_regex_test(self.body_matches)

    def _has_origin(self, origin: Origin) -> bool:
        if self.origin is None:
            return origin not in UNSEARCHED
        return self.origin in (ALL, origin)

    def _tests_of_parts(self) -> Iterator[tuple[str, Test]]:
        """Yield the tests of the body's members, the parameters and the headers."""
        for name, part in json_parts(self.json).items():
            yield name, partial(_has_json, part)
        for name, value in (self.query or {}).items():
            yield f"query.{name}", partial(_has_parameter, name, value)
        for name, value in (self.headers or {}).items():
            yield f"headers.{name}", partial(_has_header, name.lower(), value)
        parts = {"json": _member_names(self.json), "query": self.query or (), "headers": self.headers or ()}
        for part, names in parts.items():
            for name in names:
                if is_secret(name):
                    raise Invalid(f"{name} holds a secret, which the request log masks.", part)
        for part, value in {"json": self.json, "query": self.query, "body_contains": self.body_contains}.items():
            if _has_credentials(value):
                raise Invalid("An address holds credentials, which the request log masks.", part)

    def matches(self, entries: list[Entry]) -> Iterator[Entry]:
        """Yield the entries that meet all criteria."""
        tests = [test for _, test in self.tests()]
        return (entry for entry in entries if all(test(entry) for test in tests))

    def in_progress_test(self) -> Test:
        """Return a test of requests in progress: whether one may match, whatever its answer is."""
        tests = [(name, test) for name, test in self.tests() if name != "status"]
        return lambda entry: all(test(entry) or (name == "team" and entry.team_id is None) for name, test in tests)

    def may_match(self, dropped: DroppedRequests) -> bool:
        """Return whether one of the requests that fell out of the log may meet the criteria."""
        if not self._has_origin(dropped.origin):
            return False
        if self.after is not None and dropped.number <= self.after:
            return False
        if self.since is not None and dropped.time < self.since:
            return False
        if not dropped.route:  # those without a route are counted together, whatever their method, path and team
            return True
        if self.method and self.method.upper() != dropped.method:
            return False
        if self.path:
            leads_to = route_pattern(self.path, any_id=True)
            if not leads_to(dropped.route):
                return False
        return self.team_id in (None, dropped.team_id)


def _body_regex_test(pattern: str) -> Test:
    """Return a test for a regular expression in the body. It raises Invalid once its searches took MAX_SEARCH_S.

    Python's `re` has no time limit and stops all other threads meanwhile. `regex` has one and lets them run.
    """
    compiled = regex.compile(pattern, regex.DOTALL)
    deadline = monotonic() + MAX_SEARCH_S

    def test(entry: Entry) -> bool:
        try:
            remaining_s = deadline - monotonic()
            if remaining_s <= 0:
                raise TimeoutError
            return compiled.search(entry.text(), timeout=remaining_s, concurrent=True) is not None
        except TimeoutError:
            raise Invalid(f"The search takes longer than {MAX_SEARCH_S:g} s.", "body_matches") from None

    return test


def _has_credentials(value: Any) -> bool:
    """Return whether a text of a JSON value is an address with credentials."""
    if isinstance(value, str):
        return mask_addresses(value) != value
    return any(map(_has_credentials, _members_of(value)))


def _members_of(value: Any) -> Iterable[Any]:
    """Return the values of an object or of an array; of any other JSON value none."""
    if isinstance(value, Mapping):
        return value.values()
    return value if isinstance(value, list) else ()


def _has_json(expected: Any, entry: Entry) -> bool:
    try:
        return includes(orjson.loads(entry.body), expected)
    except ValueError:
        return False


def _has_parameter(name: str, value: Any, entry: Entry) -> bool:
    sent = parse_qs(entry.query, keep_blank_values=True).get(name)
    if value is None:
        return sent is None
    values = value if isinstance(value, list) else [value]
    return sent == [_text_as_sent(each) for each in values]


def _has_header(name: str, value: Any, entry: Entry) -> bool:
    sent = {key.lower(): text for key, text in entry.headers}.get(name)
    if value is None:
        return sent is None
    return sent == _text_as_sent(value)


def _text_as_sent(value: Any) -> str:
    """Return a value as a query or a header has it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def _member_names(value: Any) -> Iterator[str]:
    """Yield the names of the members of a JSON value, at every depth."""
    for member in _members_of(value):
        yield from _member_names(member)
    if isinstance(value, dict):
        yield from value


def wait(world: World, criteria: Criteria, count: int, within_s: float) -> Matches[Entry]:
    """Wait until `count` answered requests meet all criteria, and return them.

    Returns fewer when the time is over or the server ends. Raises Invalid, and EpochEnded. Each request is tested once,
    outside of the log's lock, so that requests do not wait for the search.
    """
    log, deadline = world.requests, monotonic() + within_s
    matches: list[Entry] = []
    newest_number, clears = 0, log.clears
    while True:
        if clears != log.clears:
            matches, newest_number, clears = [], 0, log.clears
        total, entries = log.count, log.newer_than(newest_number)
        matches = [*criteria.matches(entries), *matches]
        newest_number = entries[0].number if entries else newest_number
        remaining_s = deadline - monotonic()
        world.epochs.require_current()
        if len(matches) >= count or remaining_s <= 0 or world.ending.is_set():
            return Matches(len(matches), matches[:MAX_FOUND])
        log.wait_for_next(total, min(remaining_s, CHECK_EVERY_S))


def verify(log: RequestLog, criteria: Criteria, bounds: Bounds) -> Verification[Entry]:
    """Check how often something was called. Raises Invalid.

    Requests in progress count. Where it depends on their answers whether they match, wait for these.
    """
    most = bounds.most
    deadline = monotonic() + MAX_PENDING_S
    while True:
        total, entries = log.count, log.in_progress_and_answered()
        calls = list(criteria.matches(entries))
        count = len(calls)
        may_match = criteria.in_progress_test()
        pending = [entry for entry in entries if entry.in_progress and entry not in calls and may_match(entry)]
        is_decided = count > most if most is not None else count >= bounds.least
        remaining_s = deadline - monotonic()
        if is_decided or not pending or remaining_s <= 0:
            break
        log.wait_for_next(total, min(remaining_s, CHECK_EVERY_S))
    return verify_count(
        Matches(count, calls[:MAX_FOUND]),
        bounds,
        require_complete=lambda: _require_none_dropped(log, criteria),
        find_nearest=lambda: find_nearest(log, criteria),
        pending=0 if is_decided else len(pending),
    )


def _require_none_dropped(log: RequestLog, criteria: Criteria) -> None:
    """Raise Invalid if requests fell out of the log that may meet the criteria."""
    count = sum(dropped.count for dropped in log.dropped() if criteria.may_match(dropped))
    if count:
        message = (
            f"The log no longer holds all requests: {count:,} that may match fell out of it. "
            "Clear it before, or leave out earlier requests with since or after."
        )
        raise Invalid(message, "times")


def find_nearest(log: RequestLog, criteria: Criteria) -> tuple[Near[Entry], ...]:
    """Return the requests that miss the fewest criteria, each with the names of those."""
    entries = [entry for entry in log.in_progress_and_answered() if criteria.team_id in (None, entry.team_id)]
    return nearest(criteria.tests(), entries)

"""Criteria for what is on record, such as requests and deliveries: named tests, counts within bounds, near misses."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

MAX_FOUND = 100  # of the items that are found, the newest are kept
MAX_SURPLUS = 10
MAX_NEAREST = 3

Item = TypeVar("Item")
Test = Callable[[Item], bool]
Tests = Sequence[tuple[str, Callable[[Item], bool]]]  # each with the criterion's name in the API
Near = tuple[Item, list[str]]  # what is near, and the names of the criteria that it misses


def includes(actual: Any, expected: Any) -> bool:
    """Return whether a JSON value is the expected one, except that its objects may have further members."""
    if isinstance(expected, dict):
        return isinstance(actual, dict) and all(
            name in actual and includes(actual[name], value) for name, value in expected.items()
        )
    if isinstance(expected, list):
        return isinstance(actual, list) and len(actual) == len(expected) and all(map(includes, actual, expected))
    if isinstance(actual, bool) != isinstance(expected, bool):  # in Python, True equals 1
        return False
    return bool(actual == expected)


def json_parts(expected: Any) -> dict[str, Any]:
    """Return what a body must include, by the names of the criteria: each member of an object, or the whole value."""
    if isinstance(expected, dict):
        return {f"json.{name}": {name: value} for name, value in expected.items()}
    return {} if expected is None else {"json": expected}


def misses_of(tests: Tests[Item], item: Item) -> list[str]:
    """Return the names of the criteria that an item misses."""
    return [name for name, test in tests if not test(item)]


def nearest(tests: Tests[Item], items: Iterable[Item]) -> tuple[Near[Item], ...]:
    """Return the items that miss the fewest criteria, but at least one."""
    near: list[Near[Item]] = []
    for item in items:
        if misses := misses_of(tests, item):
            near = sorted([*near, (item, misses)], key=lambda pair: len(pair[1]))[:MAX_NEAREST]
    return tuple(near)


@dataclass(frozen=True)
class Matches(Generic[Item]):
    """The number of items that meet all criteria, and the newest of them, newest first."""

    count: int
    newest: Sequence[Item]


@dataclass(frozen=True)
class Bounds:
    """The least and the greatest number that is expected: at least 1 if neither is named."""

    least: int
    most: int | None

    @classmethod
    def of(cls, least: int | None, most: int | None) -> "Bounds":
        if least is None:
            least = 1 if most is None else 0
        return cls(least, most)

    def __str__(self) -> str:
        if self.most is None:
            return f"at least {self.least}"
        if self.least == self.most:
            return f"exactly {self.most}"
        return f"at least {self.least} and at most {self.most}" if self.least else f"at most {self.most}"


@dataclass(frozen=True)
class Verification(Generic[Item]):
    """Whether there are as many as expected.

    `pending` counts the requests in progress that may still match. `surplus` has the newest above the upper bound.
    `nearest` has, below the lower bound, those that miss the fewest criteria, each with the names of these.
    """

    met: bool
    count: int
    expected: Bounds
    pending: int = 0
    surplus: tuple[Item, ...] = ()
    nearest: tuple[Near[Item], ...] = ()

    @property
    def in_words(self) -> str:
        """The result as a sentence."""
        pending = f" {self.pending} still in progress may match." if self.pending else ""
        return f"Expected {self.expected}, found {self.count}.{pending}"


def verify_count(
    matches: Matches[Item],
    bounds: Bounds,
    *,
    require_complete: Callable[[], None],
    find_nearest: Callable[[], tuple[Near[Item], ...]],
    pending: int = 0,
) -> Verification[Item]:
    """Check how many items were found, where `pending` more may still be.

    `require_complete` raises Invalid if there may have been more, which are no longer on record.
    """
    count, most = matches.count, bounds.most
    if most is not None and count > most:
        surplus = matches.newest[: min(count - most, MAX_SURPLUS)]
        return Verification(False, count, bounds, surplus=tuple(surplus))
    if most is not None:
        require_complete()
    if count < bounds.least or pending:
        return Verification(False, count, bounds, pending, nearest=find_nearest())
    return Verification(True, count, bounds)

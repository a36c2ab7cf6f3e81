"""Answers of checks, of requests or of deliveries: whether there are as many as expected, or were in time."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable
from typing import Any, ClassVar, Generic

from dryline.storage.current_world import current
from dryline.web.base import json_response
from dryline.world.criteria import Bounds, Item, Matches, Near, Verification


def pop_bounds(body: dict[str, Any]) -> Bounds:
    """Take the expected number out of a body."""
    times = body.pop("times") or {"min": None, "max": None}
    return Bounds.of(times["min"], times["max"])


class CheckAnswers(ABC, Generic[Item]):
    """The answers about items of one kind."""

    plural: ClassVar[str]  # the member with the items that were waited for

    @abstractmethod
    def on_the_wire(self, item: Item) -> dict[str, Any]:
        """Return an item as answers have it."""

    @abstractmethod
    def near_miss(self, item: Item, misses: list[str]) -> dict[str, Any]:
        """Return an item that misses these criteria as answers have it."""

    def of_verification(self, result: Verification[Item]) -> Any:
        """Return the number of items, or a 409 if it is not as expected."""
        if result.met:
            return {"count": result.count}
        return self._conflict(result.in_words, result.count, result.surplus, result.nearest)

    def of_wait(
        self, matches: Matches[Item], count: int, timeout_ms: int, find_nearest: Callable[[], Iterable[Near[Item]]]
    ) -> Any:
        """Return the items that were waited for, or a 409 if they are fewer than `count`."""
        if matches.count < count:
            within = "until the server ended" if current().ending.is_set() else f"within {timeout_ms} ms"
            error = f"Expected {count} {within}, found {matches.count}."
            return self._conflict(error, matches.count, (), find_nearest())
        return {"count": matches.count, self.plural: [self.on_the_wire(item) for item in matches.newest]}

    def _conflict(self, error: str, count: int, surplus: Iterable[Item], nearest: Iterable[Near[Item]]) -> Any:
        answer = {
            "error": error,
            "count": count,
            "surplus": [self.on_the_wire(item) for item in surplus],
            "nearest": [self.near_miss(item, misses) for item, misses in nearest],
        }
        return json_response(answer, 409)

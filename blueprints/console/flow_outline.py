"""The outline of a flow: its conditions as a list of lists, with the calls that took each."""

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple


class OutlinedCondition(NamedTuple):
    """A condition. `share` is of the calls that could take it, `here` the calls in progress that took it last."""

    text: str
    line: int
    leaves: bool
    calls: int
    share: float | None
    here: int
    following: list[Any]


def outline_of(
    loops: Sequence[Mapping[str, Any]], taken: Counter[Any], before: int, here: Counter[int | None]
) -> list[OutlinedCondition]:
    """Return the conditions of loops in the order of the code. `taken` counts calls by line and by text."""
    conditions = []
    for loop in loops:
        for one in loop["conditions"]:
            calls = taken[one["line"]] + taken[one["condition"]]
            share = min(calls / before, 1) if before else None
            following = outline_of(one["loops"], taken, calls, here)
            about = (one["condition"].removeprefix('f"').removesuffix('"'), one["line"], one["leaves"])
            conditions.append(OutlinedCondition(*about, calls, share, here[one["line"]], following))
        conditions += outline_of(loop["loops"], taken, before, here)
    return conditions

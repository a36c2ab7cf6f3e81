"""The map of a flow: its conditions as a tree whose branches are as thick as calls took them, as SVG and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from dryline.models.taken_branches import TakenBranches

# In pixels: the column of a level, the height of a row, the widest branch, and the first column with the start.
_COLUMN, _ROW, _WIDEST, _START = 400, 32, 14, 96
_LABEL_LENGTH = 42  # characters


@dataclass
class Place:
    """A condition on the map. `level` counts from 1, `row` may lie between two; `share` is of the parent's calls."""

    text: str
    line: int
    leaves: bool
    level: int
    parent: Place | None
    calls: int
    share: float | None
    row: float = 0


def places_of(loops: Sequence[Mapping[str, Any]], taken: TakenBranches) -> list[Place]:
    """Return the conditions of a flow in the order of its code, each with its place and its calls."""
    places = list(_places(loops, taken, None))
    rows = 0
    for place in places:
        if not any(other.parent is place for other in places):
            place.row, rows = rows, rows + 1
    for place in reversed(places):  # a condition stands in the middle of what follows it
        if children := [other.row for other in places if other.parent is place]:
            place.row = (children[0] + children[-1]) / 2
    return places


def _places(loops: Sequence[Mapping[str, Any]], taken: TakenBranches, parent: Place | None) -> Iterator[Place]:
    before = parent.calls if parent else taken.calls
    for loop in loops:
        for one in loop["conditions"]:
            calls = taken.of(one["condition"], one["line"])
            level = parent.level + 1 if parent else 1
            share = min(calls / before, 1) if before else None
            place = Place(one["condition"], one["line"], one["leaves"], level, parent, calls, share)
            yield place
            yield from _places(one["loops"], taken, place)
        yield from _places(loop["loops"], taken, parent)


def draw(places: Sequence[Place], calls: int, here: Mapping[int | None, int]) -> Markup:
    """Draw the map. `here` counts the calls in progress at each line, at None those that have met no condition."""
    rows = max((place.row for place in places), default=0) + 1
    middle = _y((rows - 1) / 2)
    branches, marks = [], []
    for place in places:
        x, y = _x(place.level), _y(place.row)
        from_x, from_y = (_label_end(place.parent), _y(place.parent.row)) if place.parent else (_START - 12, middle)
        bend = (x - from_x) / 2
        branches.append(
            Markup('<path class="branch{}" d="M{:.0f} {:.0f}C{:.0f} {:.0f} {:.0f} {:.0f} {:.0f} {:.0f}"{}/>').format(
                "" if place.calls else " untaken",
                *(from_x, from_y, from_x + bend, from_y, from_x + bend, y, x, y),
                Markup(' stroke-width="{:.1f}"').format(max(_WIDEST * place.calls / calls, 1.5)) if place.calls else "",
            )
        )
        marks.append(_label(place, x, y, here.get(place.line, 0)))
    start = Markup('<text class="start" x="{}" y="{:.0f}">{}</text>{}').format(
        _START - 20, middle + 4, _calls(calls), _dot(_START - 12, middle, here.get(None, 0))
    )
    return Markup(
        '<svg class="map" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="group" aria-label="Map of the flow">'
        "{2}{3}{4}</svg>"
    ).format(
        _x(max((place.level for place in places), default=1)) + _COLUMN - 30,
        int(_y(rows - 1) + _ROW / 2 + 4),
        Markup("").join(branches),
        start,
        Markup("").join(marks),
    )


def _x(level: int) -> float:
    return _START + 44 + (level - 1) * _COLUMN


def _y(row: float) -> float:
    return row * _ROW + _ROW / 2 + 4


def _label_end(place: Place) -> float:
    return _x(place.level + 1) - 60


def _label(place: Place, x: float, y: float, here: int) -> Markup:
    text = place.text if len(place.text) <= _LABEL_LENGTH else place.text[: _LABEL_LENGTH - 1] + "…"
    return Markup(
        '<a class="place{0}" href="#L{1}" aria-label="{2}, line {1}: {14}{4}"><title>{2}, line {1}: {14}</title>'
        '<rect x="{5:.0f}" y="{6:.0f}" width="{7:.0f}" height="24" rx="5"/><text x="{8:.0f}" y="{9:.0f}">{10}</text>'
        '<text class="count" x="{11:.0f}" y="{9:.0f}">{3}{12}</text></a>{13}'
    ).format(
        " here" if here else "",
        place.line,
        place.text,
        place.calls,
        f", {here} now" if here else "",
        x,
        y - 12,
        _label_end(place) - x,
        x + 8,
        y + 4,
        text,
        _label_end(place) - 8,
        "" if place.leaves else " ↺",
        _dot(x - 10, y, here),
        _calls(place.calls),
    )


def _calls(number: int) -> str:
    return f"{number} call" if number == 1 else f"{number:,} calls"


def _dot(x: float, y: float, here: int) -> Markup:
    """Draw how many calls in progress are at a place."""
    if not here:
        return Markup("")
    return Markup(
        '<g class="dot-here" aria-hidden="true"><circle cx="{0:.0f}" cy="{1:.0f}" r="9"/>'
        '<text x="{0:.0f}" y="{2:.0f}">{3}</text></g>'
    ).format(x, y, y + 4, here)

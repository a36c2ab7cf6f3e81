"""The map of a flow: its conditions as a tree whose branches are as thick as calls took them, as SVG and as a table."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from markupsafe import Markup

from dryline.blueprints.console.template_filters import count
from dryline.models.taken_branches import TakenBranches

# In pixels: the column of a level, the height of a row, the widest branch, and the first column with the start.
# Three levels fit a page of 1,440 pixels.
_COLUMN, _ROW, _WIDEST, _START = 356, 32, 14, 96
# In pixels: the narrow map, the indentation of a level on it, and its widest branch.
_NARROW, _INDENT, _NARROW_WIDEST = 330, 20, 8
_CHARACTER = 7  # pixels, a little more than the mean


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
    middle = _row_y((rows - 1) / 2)
    branches, marks = [], []
    for place in places:
        x, y = _level_x(place.level), _row_y(place.row)
        from_x, from_y = (_label_end(place.parent), _row_y(place.parent.row)) if place.parent else (_START - 12, middle)
        bend = (x - from_x) / 2
        path = f"M{from_x} {from_y:.0f}C{from_x + bend:.0f} {from_y:.0f} {from_x + bend:.0f} {y:.0f} {x} {y:.0f}"
        branches.append(_branch(place, path, _WIDEST / max(calls, 1)))
        marks.append(_label(place, x, y, _label_end(place), here.get(place.line, 0)))
    start = Markup('<text class="start" x="{}" y="{:.0f}">{}</text>{}').format(
        _START - 20, middle + 4, count(calls, "call"), _dot(_START - 12, middle, here.get(None, 0))
    )
    width = _level_x(max((place.level for place in places), default=1)) + _COLUMN - 30
    return _drawing("map whole", width, int(_row_y(rows - 1) + _ROW / 2 + 4), [*branches, start, *marks])


def draw_narrow(places: Sequence[Place], calls: int, here: Mapping[int | None, int]) -> Markup:
    """Draw the map for a phone: a row for each condition, indented by its level. `here` as in `draw`."""
    rows = {place.line: row for row, place in enumerate(places, start=1)}
    branches, marks = [], []
    for place in reversed(places):  # later branches lie below earlier ones
        x, y = place.level * _INDENT, _row_y(rows[place.line])
        from_y = _row_y(rows[place.parent.line]) + 12 if place.parent else _row_y(0) + 8
        path = f"M{x - 8} {from_y:.0f}V{y - 6:.0f}Q{x - 8} {y:.0f} {x} {y:.0f}"
        branches.append(_branch(place, path, _NARROW_WIDEST / max(calls, 1)))
        marks.append(_label(place, x, y, _NARROW, here.get(place.line, 0)))
    start = Markup('<text x="{}" y="{:.0f}">{}</text>{}').format(
        _INDENT, _row_y(0) + 4, count(calls, "call"), _dot(_INDENT - 8, _row_y(0), here.get(None, 0))
    )
    return _drawing(
        "map narrow", _NARROW + 1, int(_row_y(len(places)) + _ROW / 2), [*branches, start, *reversed(marks)]
    )


def _drawing(kind: str, width: float, height: int, parts: Sequence[Markup]) -> Markup:
    return Markup(
        '<svg class="{0}" width="{1}" height="{2}" viewBox="0 0 {1} {2}" role="group" aria-label="Map of the flow">'
        "{3}</svg>"
    ).format(kind, width, height, Markup("").join(parts))


def _branch(place: Place, path: str, width_of_call: float) -> Markup:
    if not place.calls:
        return Markup('<path class="branch untaken" d="{}"/>').format(path)
    width = max(width_of_call * place.calls, 1.5)
    return Markup('<path class="branch" d="{}" stroke-width="{:.1f}"/>').format(path, width)


def _level_x(level: int) -> int:
    return _START + 44 + (level - 1) * _COLUMN


def _row_y(row: float) -> float:
    return row * _ROW + _ROW / 2 + 4


def _label_end(place: Place) -> int:
    return _level_x(place.level + 1) - 48


def _label(place: Place, x: float, y: float, end: float, here: int) -> Markup:
    """Draw a condition with its calls. A text that does not fit between `x` and `end` is cut."""
    number = f"{place.calls}{'' if place.leaves else ' ↺'}"
    length = int((end - x - 24) / _CHARACTER) - len(number)
    return Markup(
        '<a class="place{here}" href="#L{line}" aria-label="{name}{now}"><title>{name}</title>'
        '<rect x="{x:.0f}" y="{top:.0f}" width="{width:.0f}" height="24" rx="5"/>'
        '<text x="{text_x:.0f}" y="{text_y:.0f}">{text}</text>'
        '<text class="count" x="{count_x:.0f}" y="{text_y:.0f}">{number}</text></a>{dot}'
    ).format(
        here=" here" if here else "",
        line=place.line,
        name=f"{place.text}, line {place.line}: {count(place.calls, 'call')}",
        now=f", {here} now" if here else "",
        x=x,
        top=y - 12,
        width=end - x,
        text_x=x + 8,
        text_y=y + 4,
        text=place.text if len(place.text) <= length else place.text[: length - 1] + "…",
        count_x=end - 8,
        number=number,
        dot=_dot(x - 10, y, here),
    )


def _dot(x: float, y: float, here: int) -> Markup:
    """Draw how many calls in progress are at a place."""
    if not here:
        return Markup("")
    return Markup(
        '<g class="dot-here" aria-hidden="true"><circle cx="{0:.0f}" cy="{1:.0f}" r="9"/>'
        '<text x="{0:.0f}" y="{2:.0f}">{3}</text></g>'
    ).format(x, y, y + 4, here)

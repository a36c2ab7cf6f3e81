"""Drawings, made here as SVG: they need no script, print well, and say in words what they show."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from markupsafe import Markup

# In the order in which they are piled up, each with its class in the style sheet.
SHADES = {"completed": "completed", "transferred": "transferred", "failed": "failed"}
WIDTH, HEIGHT, FOOT = 720, 140, 18


def stacked(columns: Mapping[str, Mapping[str, int]], every: int, whole: str) -> Markup:
    """Columns of counts, by label and outcome, piled up. Every so many are labelled, beginning with the first.

    `whole` says what the columns are together, as `24 hours`.
    """
    sums = [sum(counts.values()) for counts in columns.values()]
    most = max(sums, default=0) or 1
    step = WIDTH / len(columns)
    parts = []
    for index, (label, counts) in enumerate(columns.items()):
        top = float(HEIGHT)
        for shade, number in _piled(counts):
            height = number / most * (HEIGHT - 14)
            top -= height
            parts.append(
                Markup(
                    '<rect class="fill-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">'
                    "<title>{} {} {}</title></rect>"
                ).format(shade, index * step + 2, top, step - 4, height, label, number, shade)
            )
        if index % every == 0:
            parts.append(Markup('<text x="{:.0f}" y="{}">{}</text>').format(index * step, HEIGHT + FOOT - 3, label))
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{} calls in {}, at most {} in one">'
        '<text x="0" y="10">{}</text><line class="axis" x1="0" x2="{}" y1="{}" y2="{}"/>{}</svg>'
    ).format(WIDTH, HEIGHT + FOOT, sum(sums), whole, most, most, WIDTH, HEIGHT, HEIGHT, Markup("").join(parts))


# Where the state machine of exports has its states: column and row.
_PLACES = {"PENDING": (0, 0), "PROCESSING": (1, 0), "COMPLETED": (2, 0), "EXPIRED": (3, 0), "FAILED": (1, 1)}
_BOX = (104, 30)
_STEP = (126, 66)


def state_machine(moves: Mapping[str, Sequence[str]], here: str) -> Markup:
    """An export's states, the moves between them, and where it is."""
    parts = []
    for source, targets in moves.items():
        for target in targets:
            (x, y), (to_x, to_y) = _PLACES[source], _PLACES[target]
            down = to_y > y
            ends = [x * _STEP[0] + _BOX[0] / (2 if down else 1), _BOX[1] / (1 if down else 2) + y * _STEP[1]]
            ends += [to_x * _STEP[0] + (_BOX[0] / 2 if down else 0), to_y * _STEP[1] + (0 if down else _BOX[1] / 2)]
            line = '<line class="move{}" x1="{:.0f}" y1="{:.0f}" x2="{:.0f}" y2="{:.0f}" marker-end="url(#arrow)"/>'
            parts.append(Markup(line).format(" open" if source == here else "", *(end + 2 for end in ends)))
    for state, (x, y) in _PLACES.items():
        box = '<g class="step{}"><rect x="{}" y="{}" width="{}" height="{}" rx="6"/><text x="{}" y="{}">{}</text></g>'
        left, top = x * _STEP[0] + 2, y * _STEP[1] + 2
        shade = " here" if state == here else ""
        parts.append(Markup(box).format(shade, left, top, *_BOX, left + _BOX[0] / 2, top + 20, state))
    return Markup(
        '<svg class="machine" viewBox="0 0 {} {}" role="img" aria-label="The export is {}; by hand it can become {}">'
        '<defs><marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="9" markerHeight="9"'
        ' markerUnits="userSpaceOnUse" orient="auto">'
        '<path d="M0 0L8 4L0 8z"/></marker></defs>{}</svg>'
    ).format(
        3 * _STEP[0] + _BOX[0] + 4,
        _STEP[1] + _BOX[1] + 4,
        here,
        " or ".join(moves[here]) or "nothing else",
        Markup("").join(parts),
    )


_ACROSS, _CELL = 40, 12
DRAWN = 2_000


def row_grid(shades: Sequence[str]) -> Markup:
    """A square a row of a campaign, in its order; one path a shade, so that thousands stay small."""
    paths: dict[str, list[str]] = {}
    for index, shade in enumerate(shades[:DRAWN]):
        down, right = divmod(index, _ACROSS)
        paths.setdefault(shade, []).append(f"M{right * _CELL} {down * _CELL}h10v10h-10z")
    drawn = [Markup('<path class="fill-{}" d="{}"/>').format(shade, "".join(path)) for shade, path in paths.items()]
    told = ", ".join(f"{sum(one == shade for one in shades)} {shade.replace('-', ' ')}" for shade in paths)
    lines = -(-min(len(shades), DRAWN) // _ACROSS)
    return Markup('<svg class="grid" viewBox="0 0 {} {}" role="img" aria-label="{} rows: {}">{}</svg>').format(
        _ACROSS * _CELL - 2, max(lines * _CELL - 2, 10), len(shades), told, Markup("").join(drawn)
    )


def _piled(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    known = [(shade, counts[status]) for status, shade in SHADES.items() if counts.get(status)]
    other = sum(number for status, number in counts.items() if status not in SHADES)
    return [*known, *([("other", other)] if other else [])]

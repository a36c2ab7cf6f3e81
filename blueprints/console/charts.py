"""Drawings as SVG, which need no script and have a description in words."""

from collections.abc import Mapping, Sequence
from textwrap import shorten
from typing import NamedTuple

from markupsafe import Markup

from dryline.blueprints.console.conversation import Event, Step, Turn
from dryline.world.wording import count

# The classes of outcomes in the style sheet, from the bottom of a column to its top, and their names in a legend.
LEGEND = {
    "completed": "completed",
    "transferred": "transferred",
    "failed": "failed",
    "voicemail": "voicemail",
    "missed": "no answer or busy",
    "running": "running",
}
OUTCOME_COLOURS = {
    "completed": "completed",
    "transferred": "transferred",
    "failed": "failed",
    "voicemail": "voicemail",
    "no-answer": "missed",
    "busy": "missed",
    "ringing": "running",
    "in-progress": "running",
}
_CHART_HEIGHT = 100
_GAP_SHARE = 0.12


class Column(NamedTuple):
    """A column of the chart: its label, its calls by status, and the address of their list."""

    label: str
    counts: Mapping[str, int]
    link: str


def stacked_columns(columns: Sequence[Column], label_step: int, span: str) -> Markup:
    """Draw columns of calls by outcome, between horizontal lines.

    The last label and each `label_step`-th before it are written. `span` is the whole time in words, as `24 hours`. The
    drawing is stretched to the width of the page, so its texts stand beside it.
    """
    sums = [sum(column.counts.values()) for column in columns]
    line_step, line_count = _lines(max(sums, default=0))
    unit = _CHART_HEIGHT / (line_step * line_count)
    parts = []
    for number in range(line_count + 1):
        y = _CHART_HEIGHT - number * line_step * unit
        parts.append(Markup('<line class="axis" x1="0" x2="{}" y1="{:.1f}" y2="{:.1f}"/>').format(len(columns), y, y))
    parts += [_column(index, column, unit) for index, column in enumerate(columns)]
    lines = [f"{number * line_step:,}" for number in range(line_count, -1, -1)]
    lines[0] += " call" if lines[0] == "1" else " calls"
    last = len(columns) - 1
    labels = [column.label if (last - index) % label_step == 0 else "" for index, column in enumerate(columns)]
    return Markup(
        '<div class="chart"><div class="ys note" aria-hidden="true">{}</div><svg viewBox="0 0 {} {}"'
        ' preserveAspectRatio="none" role="group" aria-label="{} in {}, at most {} in one">{}</svg>'
        '<div class="xs note" aria-hidden="true">{}</div></div>'
    ).format(
        _spans(lines),
        len(columns),
        _CHART_HEIGHT,
        count(sum(sums), "call"),
        span,
        max(sums, default=0),
        Markup("").join(parts),
        _spans(labels),
    )


def _column(index: int, column: Column, unit: float) -> Markup:
    """Return a column, which leads to its calls. All of its height shows the numbers as a tooltip."""
    colours = calls_by_colour(column.counts)
    top, parts = float(_CHART_HEIGHT), []
    for colour, number in colours:
        top -= number * unit
        rect = Markup('<rect class="fill-{}" x="{:.2f}" y="{:.1f}" width="{}" height="{:.1f}"/>')
        parts.append(rect.format(colour, index + _GAP_SHARE / 2, top, 1 - _GAP_SHARE, number * unit))
    words = ", ".join(f"{number} {LEGEND[colour]}" for colour, number in colours) or "no calls"
    return Markup(
        '<a class="column" href="{}" aria-label="{}: {}"><rect class="hit" x="{}" y="0" width="1" height="{}"/>{}</a>'
    ).format(column.link, column.label, words, index, _CHART_HEIGHT, Markup("").join(parts))


def _spans(texts: Sequence[str]) -> Markup:
    return Markup("").join(Markup("<span>{}</span>").format(text) for text in texts)


def _lines(highest: int) -> tuple[int, int]:
    """Return the distance between the lines, a round number, and how many there are above zero: up to four."""
    step = next(
        size * power
        for power in (10**digits for digits in range(18))
        for size in (1, 2, 5)
        if size * power * 4 >= highest
    )
    return step, max(-(-highest // step), 1)


def sparkline(values: Sequence[float | None]) -> Markup:
    """Draw a line through the values of some days, which the text beside it tells in words."""
    known = [value for value in values if value is not None]
    low, high = min(known, default=0), max(known, default=0)
    scale = 20 / ((high - low) or 1)
    points = " ".join(
        f"{index},{22 - (value - low) * scale:.1f}" for index, value in enumerate(values) if value is not None
    )
    return Markup(
        '<svg viewBox="0 0 {} 24" preserveAspectRatio="none" aria-hidden="true">'
        '<polyline class="spark" points="{}"/></svg>'
    ).format(max(len(values) - 1, 1), points)


def calls_by_colour(counts: Mapping[str, int]) -> list[tuple[str, int]]:
    """Return the number of calls of each colour in `LEGEND`, given the numbers by status. Zeros are left out."""
    sums = dict.fromkeys(LEGEND, 0)
    for status, number in counts.items():
        sums[OUTCOME_COLOURS.get(status, "missed")] += number
    return [(colour, number) for colour, number in sums.items() if number]


_GRID_COLUMNS, _CELL = 40, 12
MAX_DRAWN_ROWS = 2_000


def row_grid(colours: Sequence[str]) -> Markup:
    """Draw a square for each row of a campaign. The squares of one colour are one path, so that the SVG stays small."""
    paths: dict[str, list[str]] = {}
    for index, colour in enumerate(colours[:MAX_DRAWN_ROWS]):
        down, right = divmod(index, _GRID_COLUMNS)
        paths.setdefault(colour, []).append(f"M{right * _CELL} {down * _CELL}h10v10h-10z")
    squares = [Markup('<path class="fill-{}" d="{}"/>').format(colour, "".join(path)) for colour, path in paths.items()]
    label = ", ".join(f"{sum(one == colour for one in colours)} {colour.replace('-', ' ')}" for colour in paths)
    lines = -(-min(len(colours), MAX_DRAWN_ROWS) // _GRID_COLUMNS)
    return Markup('<svg class="grid" viewBox="0 0 {} {}" role="img" aria-label="{} rows: {}">{}</svg>').format(
        _GRID_COLUMNS * _CELL - 2, max(lines * _CELL - 2, 10), len(colours), label, Markup("").join(squares)
    )


# A call's lanes are stretched to the width of the page: a unit is a thousandth of the call.
_LANES_WIDTH, _LANE, _GAP = 1000, 34, 8
_LANE_TOPS = {"agent": 0, "caller": _LANE + _GAP}
_LANES_HEIGHT = 2 * _LANE + _GAP
_TITLE_LENGTH = 60  # characters of the text that a pointer over a turn shows


def speaker_lanes(events: list[Event], length_s: float, transferred_s: float | None) -> Markup:
    """Draw a lane with the turns of the agent and one with those of the caller, and the flow's steps between them.

    The drawing is hidden from assistive technology. Each turn links to its place in the transcript.
    """

    def x(seconds: float) -> float:
        return seconds / length_s * _LANES_WIDTH

    lane = Markup('<rect class="lane" x="0" y="{}" width="{}" height="{}"/>')
    parts = [lane.format(top, _LANES_WIDTH, _LANE) for top in _LANE_TOPS.values()]
    if transferred_s is not None and transferred_s < length_s:
        transfer = Markup(
            '<rect class="transfer" x="{:.1f}" y="0" width="{:.1f}" height="{}"><title>Transferred to a person</title>'
            "</rect>"
        )
        parts.append(transfer.format(x(transferred_s), _LANES_WIDTH - x(transferred_s), _LANES_HEIGHT))
    for event in events:
        if isinstance(event, Step):
            parts.append(_step_mark(x(event.at or 0), event))
        elif (
            isinstance(event, Turn)
            and event.speaker in _LANE_TOPS
            and event.start is not None
            and event.end is not None
        ):
            parts.append(_turn_block(x(event.start), max(x(event.end) - x(event.start), 2), event))
    return Markup(
        '<svg class="lanes" id="lanes" viewBox="0 0 {0} {1}" preserveAspectRatio="none" data-length="{2}"'
        ' aria-hidden="true">{3}<line class="playhead" id="playhead" x1="0" x2="0" y1="0" y2="{1}"'
        ' vector-effect="non-scaling-stroke"/></svg>'
    ).format(_LANES_WIDTH, _LANES_HEIGHT, length_s, Markup("").join(parts))


def _turn_block(x: float, width: float, turn: Turn) -> Markup:
    return Markup(
        '<a href="#turn-{0}" data-turn="turn-{0}" tabindex="-1"><rect class="fill-{1}" x="{2:.1f}" y="{3}"'
        ' width="{4:.1f}" height="{5}"><title>{6}</title></rect></a>'
    ).format(
        turn.number, turn.speaker, x, _LANE_TOPS[turn.speaker] + 4, width, _LANE - 8, shorten(turn.text, _TITLE_LENGTH)
    )


def _step_mark(x: float, step: Step) -> Markup:
    return Markup('<rect class="step" x="{:.1f}" y="{}" width="2" height="{}"><title>{} {}</title></rect>').format(
        max(x - 1, 0), _LANE, _GAP, step.name, shorten(step.text, _TITLE_LENGTH)
    )

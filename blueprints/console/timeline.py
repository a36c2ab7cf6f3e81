"""Who spoke when, drawn: a lane for the agent and one for the caller, as wide as the call is long."""

from __future__ import annotations

from markupsafe import Markup

from dryline.blueprints.console.conversation import Step, Turn

# The drawing is stretched to the page's width: a unit is a thousandth of the call.
WIDTH, LANE, GAP = 1000, 34, 8
LANES = {"agent": 0, "caller": LANE + GAP}
HEIGHT = 2 * LANE + GAP


def lanes(told: list[Turn | Step], length_s: float, transferred_s: float | None) -> Markup:
    """The lanes, as SVG. Each turn leads to its place in the transcript, which tells all that is here in words."""

    def x(at: float) -> float:
        return at / length_s * WIDTH

    parts = [
        Markup('<rect class="lane" x="0" y="{}" width="{}" height="{}"/>').format(y, WIDTH, LANE)
        for y in LANES.values()
    ]
    if transferred_s is not None and transferred_s < length_s:
        parts.append(
            Markup(
                '<rect class="handed-over" x="{:.1f}" y="0" width="{:.1f}" height="{}"><title>{}</title></rect>'
            ).format(x(transferred_s), WIDTH - x(transferred_s), HEIGHT, "Transferred to a person")
        )
    for one in told:
        if isinstance(one, Step):
            parts.append(_mark(x(one.at or 0), one))
        elif one.who in LANES and one.start is not None and one.end is not None:
            parts.append(_block(x(one.start), max(x(one.end) - x(one.start), 2), one))
    return Markup(
        '<svg class="lanes" id="lanes" viewBox="0 0 {0} {1}" preserveAspectRatio="none" data-length="{2}"'
        ' aria-hidden="true">{3}<line class="playhead" id="playhead" x1="0" x2="0" y1="0" y2="{1}"'
        ' vector-effect="non-scaling-stroke"/></svg>'
    ).format(WIDTH, HEIGHT, length_s, Markup("").join(parts))


def _block(x: float, width: float, turn: Turn) -> Markup:
    return Markup(
        '<a href="#turn-{0}" data-turn="turn-{0}" tabindex="-1"><rect class="fill-{1}" x="{2:.1f}" y="{3}"'
        ' width="{4:.1f}" height="{5}"><title>{6}</title></rect></a>'
    ).format(turn.number, turn.who, x, LANES[turn.who] + 4, width, LANE - 8, turn.text)


def _mark(x: float, step: Step) -> Markup:
    return Markup('<rect class="step" x="{:.1f}" y="{}" width="2" height="{}"><title>{} {}</title></rect>').format(
        max(x - 1, 0), LANE, GAP, step.name, step.text
    )

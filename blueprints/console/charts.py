"""Drawings, made here as SVG: they need no script, print well, and say in words what they show."""

from __future__ import annotations

from datetime import datetime, timedelta

from markupsafe import Markup

from dryline.world.clock import wire

# In the order in which they are piled up, each with its class in the style sheet.
SHADES = {"completed": "completed", "transferred": "transferred", "failed": "failed"}
WIDTH, HEIGHT, FOOT = 720, 140, 18


def stacked_hours(counts: dict[str, dict[str, int]], since: datetime, hours: int) -> Markup:
    """A column an hour, piled up by outcome."""
    keys = [wire(since + timedelta(hours=step))[:13] for step in range(hours)]
    most = max((sum(counts.get(key, {}).values()) for key in keys), default=0) or 1
    step = WIDTH / hours
    parts = []
    for index, key in enumerate(keys):
        top = float(HEIGHT)
        for shade, number in _piled(counts.get(key, {})):
            height = number / most * (HEIGHT - 14)
            top -= height
            parts.append(
                Markup(
                    '<rect class="fill-{}" x="{:.1f}" y="{:.1f}" width="{:.1f}" height="{:.1f}">'
                    "<title>{}:00 {} {}</title></rect>"
                ).format(shade, index * step + 2, top, step - 4, height, key[11:13], number, shade)
            )
        if index % 4 == 0:
            parts.append(
                Markup('<text x="{:.0f}" y="{}">{}:00</text>').format(index * step, HEIGHT + FOOT - 3, key[11:13])
            )
    total = sum(sum(found.values()) for key, found in counts.items() if key in keys)
    return Markup(
        '<svg class="chart" viewBox="0 0 {} {}" role="img" aria-label="{} calls in {} hours, at most {} in one">'
        '<text x="0" y="10">{}</text><line class="axis" x1="0" x2="{}" y1="{}" y2="{}"/>{}</svg>'
    ).format(WIDTH, HEIGHT + FOOT, total, hours, most, most, WIDTH, HEIGHT, HEIGHT, Markup("").join(parts))


def _piled(counts: dict[str, int]) -> list[tuple[str, int]]:
    known = [(shade, counts[status]) for status, shade in SHADES.items() if counts.get(status)]
    other = sum(number for status, number in counts.items() if status not in SHADES)
    return [*known, *([("other", other)] if other else [])]

"""The way through the whole API: first what a program builds, then what it looks at, at last what is taken away."""

from __future__ import annotations

from dryline.tools.examples import building, calling, control, reading, refusals
from dryline.tools.examples.walk import Walk


def walk_through(walk: Walk) -> None:
    """Call every operation at least once."""
    built = building.show(walk)
    calling.show(walk, built)
    reading.show(walk, built)
    control.show(walk, built)
    refusals.show(walk)
    building.take_away(walk, built)
    missed = walk.operations.keys() - walk.examples.keys()
    assert not missed, f"Nothing shows {', '.join(sorted(missed))}."

"""The outline of a flow: the ways that its calls took through its conditions."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from dryline.models.taken_branches import TakenPath

MAX_STEPS = 40  # of a way; what a call took after them is not shown
MIN_SHARE = 0.01  # of all calls; rarer ways are counted together


class OutlineStep(NamedTuple):
    """A condition on a way. `here` is the number of calls in progress that took it last."""

    text: str
    line: int | None
    here: int


class Way(NamedTuple):
    """Conditions that the same calls took one after the other, and the ways on which these went on.

    `ended` is the number of calls that ended there, `others` of those on rare ways.
    """

    steps: list[OutlineStep]
    calls: int
    ended: int
    others: int
    following: list["Way"]

    @property
    def at_the_start(self) -> int:
        """The number of calls in progress that have met none of the conditions that follow."""
        return self.calls - self.ended - self.others - sum(one.calls for one in self.following)

    @property
    def short_texts(self) -> list[str]:
        """The texts of the steps. Those after the first leave out the word with which the first begins."""
        first, *others = [step.text for step in self.steps]
        subject = f"{first.split(' ')[0]} "
        return [first, *(text.removeprefix(subject) for text in others)]


def outline_of(paths: Sequence[TakenPath], lines: Mapping[str, int]) -> Way:
    """Return the way of all calls, without a step. `lines` has the lines of conditions by their text."""
    taken = (zip(path.conditions, path.lines, strict=True) for path in paths)
    lines = {**lines, **{text: line for path in taken for text, line in path if line}}
    return _build_way([], paths, lines, 0, len(paths) * MIN_SHARE)


def _build_way(
    steps: list[OutlineStep], paths: Sequence[TakenPath], lines: Mapping[str, int], depth: int, least_calls: float
) -> Way:
    """Return the way of these calls, which have met `depth` conditions in common, the last of them in `steps`.

    Ways that fewer than `least_calls` took are counted as others. A single way that all took is one with this.
    """
    paths_by_next: dict[str, list[TakenPath]] = {}
    if depth < MAX_STEPS:
        for path in paths:
            if len(path.conditions) > depth:
                paths_by_next.setdefault(path.conditions[depth], []).append(path)

    shown = [(text, taken) for text, taken in paths_by_next.items() if len(taken) >= least_calls]
    shown.sort(key=lambda item: (-len(item[1]), lines.get(item[0], 0), item[0]))
    following = []
    for text, taken in shown:
        in_progress = sum(path.in_progress for path in taken if len(path.conditions) == depth + 1)
        step = OutlineStep(text, lines.get(text), in_progress)
        following.append(_build_way([step], taken, lines, depth + 1, least_calls))

    if steps and len(following) == 1 and following[0].calls == len(paths):
        return following[0]._replace(steps=[*steps, *following[0].steps])
    others = sum(map(len, paths_by_next.values())) - sum(way.calls for way in following)
    ended = sum(not path.in_progress for path in paths if len(path.conditions) <= depth)
    return Way(steps, len(paths), ended, others, following)

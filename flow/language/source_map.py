"""A text with edits, and the source map of the result: the offset in the source of each character."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from itertools import accumulate, zip_longest
from typing import NamedTuple

Part = str | tuple[int, int]  # new text, or a stretch of the source


class Rewriting:
    """Collects edits of `source`, and applies them with `render`. Replaced stretches must not overlap."""

    def __init__(self, source: str) -> None:
        self.source = source
        self._edits: list[tuple[int, int, int, Sequence[Part]]] = []
        self._starts: list[int] = []

    def insert(self, offset: int, *parts: Part) -> None:
        """Insert parts before the character at `offset`, behind earlier insertions."""
        self._edits.append((offset, offset, len(self._edits), parts))

    def replace(self, start: int, end: int, *parts: Part) -> None:
        self._edits.append((start, end, len(self._edits), parts))

    def render(self, before: str = "") -> Rewritten:
        """Return the edited text behind the text `before`, which has no position in the source."""
        self._edits.sort(key=lambda edit: edit[:3])
        self._starts = [edit[0] for edit in self._edits]
        out = Rewritten()
        out.add(before, None)
        self._copy_with_edits(0, len(self.source), out)
        return out

    def _copy_with_edits(self, start: int, end: int, out: Rewritten) -> None:
        """Add a stretch of the source to `out`, with the edits in it."""
        offset = start
        for edit_start, edit_end, _, parts in self._edits[bisect_left(self._starts, start) :]:
            if edit_end > end or (edit_start == end and end < len(self.source)):
                break
            if edit_start < offset:
                continue  # within a replaced stretch
            out.add(self.source[offset:edit_start], offset)
            for part, following in zip_longest(parts, parts[1:], fillvalue=""):
                if not isinstance(part, str):
                    self._copy_with_edits(*part, out)
                elif isinstance(following, str):
                    out.add(part, edit_start, moves=False)
                else:  # text before a stretch has the position of that stretch
                    stretch_start, _ = following
                    out.add(part, stretch_start, moves=False)
            offset = edit_end
        out.add(self.source[offset:end], offset)


class Rewritten:
    """A text in pieces, each with its offset in the source."""

    def __init__(self) -> None:
        self.text = ""
        self._starts: list[int] = []  # in the new text
        self._origins: list[tuple[int | None, bool]] = []  # in the source; whether it advances with the new text

    def add(self, text: str, origin: int | None, *, moves: bool = True) -> None:
        if text:
            self._starts.append(len(self.text))
            self._origins.append((origin, moves))
            self.text += text

    def origin(self, offset: int) -> int | None:
        """Return the source offset of a character of the new text; None for the text before it."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0:
            return None
        origin, moves = self._origins[index]
        if origin is None or not moves:
            return origin
        return origin + offset - self._starts[index]


class SourcePosition(NamedTuple):
    """A position in a text. `line` and `column` count from 1, as editors do."""

    line: int
    column: int


class PositionIndex:
    """A converter between offsets of a text and positions in it."""

    def __init__(self, text: str) -> None:
        self._rows = text.split("\n")
        self._starts = [0, *accumulate(len(row) + 1 for row in self._rows)]

    def position(self, offset: int) -> SourcePosition:
        line = self.line(offset)
        return SourcePosition(line, offset - self._starts[line - 1] + 1)

    def line(self, offset: int) -> int:
        return min(bisect_right(self._starts, offset), len(self._rows))

    def offset(self, line: int, column: int) -> int:
        return self._starts[min(line, len(self._rows)) - 1] + column - 1

    def first_longer_than(self, length: int) -> int | None:
        """Return the first line with more than `length` characters, or None."""
        return next((line for line, row in enumerate(self._rows, 1) if len(row) > length), None)

    def row(self, line: int) -> str:
        """Return the text of a line."""
        return self._rows[line - 1]

"""A flow's code, ready to run: translated once, run often, shared by threads."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import NamedTuple

from dryline.engine.errors import Finding
from dryline.engine.rewriting import Places, Rewritten


@dataclass(eq=False, slots=True)
class Condition:
    """An until. `text` is its source where the text is known only as the flow runs (`fixed` is False). `leaves` says
    whether its block can lead out of the loop; the loops in it are in `inner`."""

    text: str
    line: int
    name: str | None
    fixed: bool
    leaves: bool
    loop: Loop
    inner: list[Loop] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Loop:
    """A loop with its conditions. `inner` are the loops in its body, outside of its untils."""

    index: int
    line: int
    talk_line: int
    conditions: list[Condition] = field(default_factory=list)
    inner: list[Loop] = field(default_factory=list)
    outermost: bool = False


class Place(NamedTuple):
    line: int
    column: int


class Program:
    """Translated code with its map of lines. Made by translate.translate()."""

    def __init__(
        self,
        source: str,
        file: str,
        rewritten: Rewritten,
        loops: list[Loop],
        warnings: list[Finding],
        imports: list[tuple[str, str, int]],
    ) -> None:
        self.source = source
        self.file = file
        self.code = rewritten.text
        self.loops = loops
        self.warnings = warnings
        self.places = Places(source)
        self.imports = {  # modules and names of them, and where they are first imported
            (module, name): Place(*self.places.place(at)) for module, name, at in reversed(imports)
        }
        self._origin = rewritten.origin
        self._generated = Places(self.code)
        self._ascii = self.code.isascii()

    @property
    def first(self) -> Place:
        """Where its first statement begins."""
        for number, row in enumerate(self.source.split("\n"), 1):
            told = row.lstrip()
            if told and not told.startswith("#"):
                return Place(number, len(row) - len(told) + 1)
        return Place(1, 1)

    def place(self, line: int, column: int) -> Place | None:
        """Where in the flow's code a place of the translated code is; None for what is the engine's own."""
        return self._place(self._generated.offset(line, column))

    def place_of_bytes(self, offset: int) -> Place | None:
        """As `place`, for an offset into the translated code as UTF-8."""
        return self._place(offset if self._ascii else len(self.code.encode()[:offset].decode(errors="ignore")))

    def _place(self, offset: int) -> Place | None:
        origin = self._origin(offset)
        return None if origin is None else Place(*self.places.place(min(origin, len(self.source))))

    @property
    def conditions(self) -> list[Condition]:
        """Every until, in the order of the code."""
        return sorted((condition for loop in self.loops for condition in loop.conditions), key=lambda one: one.line)

    def paths(self) -> list[dict]:
        """The tree of conditions: loops as the code nests them, each condition with its line and the loops in it."""
        return [_tree(loop) for loop in self.loops if loop.outermost]


def _tree(loop: Loop) -> dict:
    return {
        "line": loop.line,
        "loops": [_tree(inner) for inner in loop.inner],
        "conditions": [
            {
                "condition": condition.text,
                "line": condition.line,
                "leaves": condition.leaves,
                "loops": [_tree(inner) for inner in condition.inner],
            }
            for condition in loop.conditions
        ],
    }

"""Translated flows. A program is translated once, run often, and shared by threads."""

from __future__ import annotations

import ast
import re
from dataclasses import dataclass, field
from functools import cached_property

from dryline.flow.language.errors import Finding
from dryline.flow.language.source_map import PositionIndex, Rewritten, SourcePosition

# `answer["size"] == "large"`, also with .get and a method such as .lower() between.
_COMPARED = re.compile(
    r"""(?:\[|\.get\()\s*["'](\w+)["'](?:\s*,[^)\]\n]*)?[\])](?:\.\w+\(\))*\s*==\s*["']([^"'\n]{1,40})["']"""
)


@dataclass(eq=False, slots=True)
class Condition:
    """An until. `text` is the literal text, or the source of an expression (then `fixed` is False).

    `leaves` is whether its block can lead out of the loop. `inner` has the loops of the block.
    """

    text: str
    line: int
    fixed: bool
    leaves: bool
    loop: Loop
    inner: list[Loop] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class Loop:
    """A loop with its conditions. `inner` has the loops in its body, outside of its untils."""

    index: int
    line: int
    talk_line: int
    conditions: list[Condition] = field(default_factory=list)
    inner: list[Loop] = field(default_factory=list)
    outermost: bool = False


@dataclass(eq=False)
class Program:
    """Translated code with its source map, from `python_code.translate`. `imports` are statements."""

    source: str
    file: str
    rewritten: Rewritten
    loops: list[Loop]
    warnings: list[Finding]
    imports: list[tuple[str, SourcePosition]]

    def __post_init__(self) -> None:
        self.code = self.rewritten.text
        self.positions = PositionIndex(self.source)

    @cached_property
    def _code_positions(self) -> PositionIndex:
        return PositionIndex(self.code)

    @cached_property
    def choices(self) -> dict[str, list[str]]:
        """The texts that the code compares members with, by the member's name: `answer["size"] == "large"`."""
        choices: dict[str, dict[str, None]] = {}  # dicts as ordered sets
        for name, value in _COMPARED.findall(self.source):
            choices.setdefault(name, {})[value] = None
        return {name: list(values) for name, values in choices.items()}

    def position(self, line: int, column: int) -> SourcePosition | None:
        """Return the position in the flow's code of one in the translated code; None for the engine's own code."""
        return self._position(self._code_positions.offset(line, column))

    def position_of_node(self, node: ast.stmt | ast.expr) -> SourcePosition | None:
        """Return the position in the flow's code of a node of the translated code's tree, whose columns count bytes."""
        before = self._code_positions.row(node.lineno).encode()[: node.col_offset].decode()
        return self.position(node.lineno, len(before) + 1)

    def position_of_byte(self, offset: int) -> SourcePosition | None:
        """Return the position in the flow's code of a byte offset into the translated code as UTF-8."""
        return self._position(len(self.code.encode()[:offset].decode(errors="ignore")))

    def _position(self, offset: int) -> SourcePosition | None:
        origin = self.rewritten.origin(offset)
        return None if origin is None else self.positions.position(min(origin, len(self.source)))

    @property
    def conditions(self) -> list[Condition]:
        """All conditions, in the order of the code."""
        return sorted((condition for loop in self.loops for condition in loop.conditions), key=lambda one: one.line)

    def paths(self) -> list[dict]:
        """Return the tree of loops and conditions as the code nests them, with lines."""
        return [_loop_tree(loop) for loop in self.loops if loop.outermost]


def _loop_tree(loop: Loop) -> dict:
    conditions = [
        {"condition": each.text, "line": each.line, "leaves": each.leaves, "loops": [*map(_loop_tree, each.inner)]}
        for each in loop.conditions
    ]
    return {"line": loop.line, "loops": [*map(_loop_tree, loop.inner)], "conditions": conditions}

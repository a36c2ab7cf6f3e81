"""The questions that the code behind a condition asks, read from the tree of a flow's translated code. Nothing is run.

A simulated caller knows by this which values to give before the flow asks for them.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from contextlib import suppress

from dryline.flow.language.code_tree import blocks_of, constants_of, names_set_in_earlier_rounds
from dryline.flow.language.code_walk import CodeWalk
from dryline.flow.language.language_model import ForeseenQuestion
from dryline.flow.language.program import Condition, Program


class Lookahead:
    """The questions behind the conditions of a program, whose `statements` are those of the flow."""

    def __init__(self, program: Program, statements: Sequence[ast.stmt]) -> None:
        self.program = program
        self.functions: dict[str, ast.FunctionDef | ast.AsyncFunctionDef] = {}
        self.blocks: dict[ast.stmt, tuple[ast.AST | None, Sequence[ast.stmt], int]] = {}  # around each statement
        self.constants = constants_of(statements)
        self.untils: dict[int, ast.If] = {}  # by the line of the condition
        self._questions: dict[tuple[Condition, bool], tuple[ForeseenQuestion, ...]] = {}
        self._names_set: dict[ast.stmt, set[str]] = {}
        self._index_statements(statements)

    def questions_behind(self, condition: Condition, *, is_opening: bool = False) -> tuple[ForeseenQuestion, ...]:
        """Return the questions that the code behind a condition asks before the next talk, in their order.

        Where it `is_opening`, nobody has said anything before: all names have their first values.
        """
        key = condition, is_opening
        if key not in self._questions:
            walk = CodeWalk(self)
            until = self.untils.get(condition.line)
            if until is not None:
                with suppress(RecursionError):  # of code that is nested very deeply
                    walk.follow(until, is_opening=is_opening)
            self._questions[key] = tuple(walk.questions.values())
        return self._questions[key]

    def line_of(self, node: ast.stmt | ast.expr) -> int:
        """Return the line of the flow's code; 0 for the engine's own code."""
        position = self.program.position_of_node(node)
        return position.line if position else 0

    def is_until(self, statement: ast.If) -> bool:
        """Return whether a statement is a condition of the flow with its code."""
        return self.untils.get(self.line_of(statement)) is statement

    def loop_around(self, until: ast.stmt) -> ast.While:
        """Return the loop of a condition, of which each but the first is the `elif` of the one before."""
        parent, _, _ = self.blocks[until]
        while not isinstance(parent, ast.While):
            assert isinstance(parent, ast.stmt)
            parent, _, _ = self.blocks[parent]
        return parent

    def names_set_in_earlier_rounds(self, statement: ast.stmt) -> set[str]:
        """Return the names that a loop may have set when it is run again; none for other statements."""
        if statement not in self._names_set:
            self._names_set[statement] = names_set_in_earlier_rounds(statement)
        return self._names_set[statement]

    def _index_statements(self, statements: Sequence[ast.stmt]) -> None:
        """Note the block around each statement, the functions, and the code of each condition."""
        lines = {condition.line for condition in self.program.conditions}
        waiting: list[tuple[ast.AST | None, Sequence[ast.stmt]]] = [(None, statements)]
        while waiting:
            parent, block = waiting.pop()
            for index, statement in enumerate(block):
                self.blocks[statement] = parent, block, index
                if isinstance(statement, (ast.FunctionDef, ast.AsyncFunctionDef)):
                    self.functions[statement.name] = statement
                elif isinstance(statement, ast.If) and self.line_of(statement) in lines:
                    self.untils.setdefault(self.line_of(statement), statement)
                waiting += [(statement, inner) for inner in blocks_of(statement)]

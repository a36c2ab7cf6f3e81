"""Parts of the tree of a flow's translated code: blocks, loops, and the names that they set."""

from __future__ import annotations

import ast
from collections.abc import Iterator, Sequence

from dryline.flow.language.known_values import Names


def constants_of(statements: Sequence[ast.stmt]) -> Names:
    """Return the names that the flow assigns to once, and a literal."""
    assigned: dict[str, list[ast.expr | None]] = {}
    for node in (part for statement in statements for part in ast.walk(statement)):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            assigned.setdefault(node.id, []).append(None)
    values: Names = {}
    for statement in statements:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=value) if len(assigned[name]) == 1:
                try:
                    values[name] = ast.literal_eval(value)
                except (ValueError, TypeError, SyntaxError, MemoryError, RecursionError):
                    continue
    return values


def blocks_of(statement: ast.stmt) -> Iterator[Sequence[ast.stmt]]:
    """Yield the blocks of a statement."""
    for name in ("body", "orelse", "finalbody"):
        if block := getattr(statement, name, None):
            yield block
    for part in (*getattr(statement, "handlers", ()), *getattr(statement, "cases", ())):
        yield part.body


def is_based_loop(loop: ast.AST) -> bool:
    """Return whether a loop is one of Based: `while True` with a talk of its own."""
    if not isinstance(loop, ast.While) or not isinstance(loop.test, ast.Constant):
        return False
    return any(map(has_talk, loop.body))


def has_talk(statement: ast.stmt) -> bool:
    """Return whether a statement has a talk outside of its blocks."""
    waiting: list[ast.AST] = [statement]
    while waiting:
        node = waiting.pop()
        if isinstance(node, ast.Name) and node.id == "_based_talk":
            return True
        waiting += [part for part in ast.iter_child_nodes(node) if not isinstance(part, ast.stmt)]
    return False


def names_set_in_earlier_rounds(statement: ast.stmt) -> set[str]:
    """Return the names that a loop may have set when it is run again: a loop of Based by the blocks that go back."""
    if not isinstance(statement, (ast.While, ast.For)):
        return set()
    parts: list[ast.stmt] = [statement]
    if is_based_loop(statement):
        untils = [each for each in ast.walk(statement) if isinstance(each, ast.If)]
        parts = [part for until in untils for part in until.body if "_based_note" in names_assigned_in(until)]
    return {name for part in parts for name in names_assigned_in(part)}


def names_assigned_in(statement: ast.stmt) -> set[str]:
    """Return the names to which a statement and its blocks assign, or to whose members."""
    names = set()
    for node in ast.walk(statement):
        if isinstance(node, ast.Subscript) and isinstance(node.ctx, ast.Store):
            node = node.value
            names |= {node.id} if isinstance(node, ast.Name) else set()
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            names.add(node.id)
    return names

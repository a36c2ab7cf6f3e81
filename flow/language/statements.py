"""The statements of Based code as a tree: blocks with their statements, loops with their untils.

The rules are those of section 1 of contract/based.md. Statements that are not Based's are kept as Python, whose errors
the sandbox reports.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dryline.flow.language.errors import BasedSyntaxError
from dryline.flow.language.tokens import LogicalLine, Token

_DEEPEST = 90  # blocks in blocks; Python itself takes 100
_KINDS = {"for": "repeat", "while": "repeat", "def": "def", "class": "def"}
_OPENERS = {*_KINDS, "if", "elif", "else", "try", "except", "finally", "with"}
_NOT_A_CONDITION = {"=", ".", ":", ",", ")", ";", "->", "+=", "-=", "*=", "/=", ":=", "in", "is", "and", "or", "if"}


@dataclass(slots=True)
class Statement:
    """A logical line with the block below it. `colon` is the token that ends a header."""

    line: LogicalLine
    kind: str = "other"  # loop, until, def, repeat (for and while), other
    colon: int | None = None
    body: list[Statement] = field(default_factory=list)
    untils: list[Statement] = field(default_factory=list)  # of a loop

    @property
    def start(self) -> int:
        return self.line.tokens[0].start

    @property
    def row_end(self) -> int:
        """Return the end of the last row of the statement and its blocks."""
        last = self
        while last.untils or last.body:
            last = max((*last.body[-1:], *last.untils[-1:]), key=lambda child: child.line.row_start)
        return last.line.row_end

    def condition(self) -> tuple[list[Token], str | None]:
        """Return the tokens of an until's condition, and the name behind `as`."""
        tokens = self.line.tokens[1 : self.colon]
        if len(tokens) > 2 and tokens[-2].text == "as" and tokens[-1].kind == "name":
            return tokens[:-2], tokens[-1].text
        return tokens, None

    def simple_statements(self) -> Iterator[list[Token]]:
        """Yield the simple statements on the line, which semicolons separate: all of it, or what is behind a header."""
        part: list[Token] = []
        for token in self.line.tokens[0 if self.colon is None else self.colon + 1 :]:
            if token.kind == "op" and token.text == ";":
                if part:
                    yield part
                part = []
            else:
                part.append(token)
        if part:
            yield part


def statement_tree(lines: list[LogicalLine]) -> list[Statement]:
    """Return the statements of the whole code. Raises BasedSyntaxError."""
    block, rest = _read_block(lines, 0, lines[0].indent if lines else "", 0)
    if rest < len(lines):
        raise _indentation_error(lines[rest])
    return block


def own_statements(block: list[Statement]) -> Iterator[Statement]:
    """Yield the statements of a block and of the Python blocks in it, without those in a `def` or another loop."""
    for statement in block:
        if statement.kind not in ("def", "loop"):
            yield statement
            yield from own_statements(statement.body)


def _read_block(lines: list[LogicalLine], index: int, indent: str, depth: int) -> tuple[list[Statement], int]:
    if depth > _DEEPEST:
        raise BasedSyntaxError(lines[index].tokens[0].start, "Blocks are nested too deeply here.")
    block: list[Statement] = []
    while index < len(lines) and lines[index].indent == indent:
        statement = _read_statement(lines[index])
        index += 1
        if index < len(lines) and lines[index].indent != indent and lines[index].indent.startswith(indent):
            _check_header(statement, lines[index])
            statement.body, index = _read_block(lines, index, lines[index].indent, depth + 1)
            if index < len(lines) and lines[index].indent != indent and lines[index].indent.startswith(indent):
                raise _indentation_error(lines[index])
        _add_statement(statement, block)
    return block, index


def _check_header(statement: Statement, below: LogicalLine) -> None:
    """Refuse a line with an indented one below it that is no header. Raises BasedSyntaxError."""
    if statement.colon is None:
        first, last = statement.line.tokens[0].text, statement.line.tokens[-1]
        if first in _OPENERS | {"loop", "until"}:
            raise BasedSyntaxError(last.end, f"A colon is missing behind this {first}.")
        raise BasedSyntaxError(below.tokens[0].start, "This line is indented further than the block that it is in.")


def _indentation_error(line: LogicalLine) -> BasedSyntaxError:
    return BasedSyntaxError(line.tokens[0].start, "This line is indented as no block above it.")


def _add_statement(statement: Statement, block: list[Statement]) -> None:
    """Add a statement to its block, or an until to its loop."""
    if statement.kind == "loop":
        if not statement.body:
            raise BasedSyntaxError(statement.start, "A loop needs an indented block with a talk.")
        _take_inner_untils(statement)
    if statement.kind == "until" and not statement.body and not list(statement.simple_statements()):
        raise BasedSyntaxError(statement.start, "An until needs a statement in its block.")
    if statement.kind == "until" and block and block[-1].kind == "loop":
        block[-1].untils.append(statement)
    else:
        block.append(statement)  # the translation refuses an until without a loop, once all blocks are known


def _take_inner_untils(loop: Statement) -> None:
    """Move untils from the end of a loop's body to the loop, because some flows are indented so."""
    first = next((index for index, statement in enumerate(loop.body) if statement.kind == "until"), len(loop.body))
    loop.body, loop.untils = loop.body[:first], loop.body[first:]
    for statement in loop.untils:
        if statement.kind != "until":
            raise BasedSyntaxError(statement.start, "Nothing but further untils can follow an until inside its loop.")


def _read_statement(line: LogicalLine) -> Statement:
    tokens = line.tokens
    first = tokens[0].text if tokens[0].kind == "name" else ""
    second = tokens[1].text if len(tokens) > 1 else ""
    colons = (
        index for index, token in enumerate(tokens) if token.kind == "op" and token.text == ":" and token.depth == 0
    )
    colon = next(colons, None)
    if first == "loop" and second == ":":
        if len(tokens) == 2:
            return Statement(line, "loop", 1)
        if any(token.text == "talk" for token in tokens):
            raise BasedSyntaxError(tokens[2].start, "A loop's block begins on a line of its own.")
    if first == "until" and colon is not None and second not in _NOT_A_CONDITION:
        return Statement(line, "until", colon)
    if first == "until" and second == ":" and len(tokens) == 2:
        raise BasedSyntaxError(tokens[0].start, "An until needs a condition.")
    if first in ("Loop", "Until") and tokens[-1].text == ":":
        raise BasedSyntaxError(tokens[0].start, f"This header is written `{first.lower()}`, not `{first}`.")
    word = second if first == "async" else first
    if word in _OPENERS or (first == "case" and second not in _NOT_A_CONDITION):
        return Statement(line, _KINDS.get(word, "other"), colon)
    return Statement(line, colon=len(tokens) - 1 if tokens[-1].text == ":" else None)

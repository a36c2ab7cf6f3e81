"""The statements of Based code as a tree: blocks with their statements, loops with their untils.

The rules are those of section 1 of contract/based.md. Statements that are not Based's are kept as Python.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from dryline.flow.language.errors import BasedSyntaxError
from dryline.flow.language.tokens import LogicalLine, Token

_DEEPEST = 90  # blocks in blocks; Python itself takes 100
_OPENERS = {"if", "elif", "else", "try", "except", "finally", "with", "for", "while", "def", "class", "async"}
_NOT_A_CONDITION = {"=", ".", ":", ",", ")", ";", "->", "+=", "-=", "*=", "/=", ":=", "in", "is", "and", "or", "if"}


@dataclass(slots=True)
class Statement:
    """A logical line with the block below it. `colon` is the token that ends a header."""

    line: LogicalLine
    kind: str  # loop, until, def, repeat (for and while), other
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

    def inline(self) -> list[Token]:
        """Return the tokens behind a header's colon on the same line."""
        return [] if self.colon is None else self.line.tokens[self.colon + 1 :]


def tree(lines: list[LogicalLine]) -> list[Statement]:
    """Return the statements of the whole code. Raises BasedSyntaxError."""
    block, rest = _block(lines, 0, lines[0].indent if lines else "", 0)
    if rest < len(lines):
        raise BasedSyntaxError(lines[rest].tokens[0].start, "This line stands further left than the first line.")
    return block


def own_statements(block: list[Statement]) -> Iterator[Statement]:
    """Yield the statements of a block and of the Python blocks in it, without those in a `def` or another loop."""
    for statement in block:
        yield statement
        if statement.kind not in ("def", "loop"):
            yield from own_statements(statement.body)


def parts(tokens: list[Token]) -> Iterator[list[Token]]:
    """Yield the simple statements of one line, which semicolons separate."""
    part: list[Token] = []
    for token in tokens:
        if token.kind == "op" and token.text == ";":
            yield part
            part = []
        else:
            part.append(token)
    yield part


def _block(lines: list[LogicalLine], at: int, indent: str, depth: int) -> tuple[list[Statement], int]:
    if depth > _DEEPEST:
        raise BasedSyntaxError(lines[at].tokens[0].start, "Blocks are nested too deeply here.")
    block: list[Statement] = []
    while at < len(lines) and len(lines[at].indent) >= len(indent):
        line = lines[at]
        if line.indent != indent:
            _unexpected(line, indent, block)
        statement = _statement(line)
        at += 1
        if at < len(lines) and lines[at].indent != indent and lines[at].indent.startswith(indent):
            if statement.colon != len(statement.line.tokens) - 1:
                _unexpected(lines[at], indent, [statement])
            statement.body, at = _block(lines, at, lines[at].indent, depth + 1)
        _add_statement(statement, block)
    if at < len(lines) and not indent.startswith(lines[at].indent):
        raise BasedSyntaxError(
            lines[at].tokens[0].start, "This line is indented with other characters than those around it."
        )
    return block, at


def _add_statement(statement: Statement, block: list[Statement]) -> None:
    """Add a statement to its block, or an until to its loop."""
    if statement.kind == "loop":
        if not statement.body:
            raise BasedSyntaxError(statement.start, "A loop needs an indented block with a talk.")
        _take_inner_untils(statement)
    if statement.kind == "until" and not statement.body and not statement.inline():
        raise BasedSyntaxError(statement.start, "An until needs a statement in its block.")
    if statement.kind == "until" and block and block[-1].kind == "loop":
        block[-1].untils.append(statement)
    else:
        block.append(statement)  # the translation refuses an until without a loop, once all blocks are known


def _take_inner_untils(loop: Statement) -> None:
    """Move untils from the end of a loop's body to the loop, because some flows are indented so."""
    inner = [statement for statement in loop.body if statement.kind == "until"]
    if not inner:
        return
    first = loop.body.index(inner[0])
    for statement in loop.body[first:]:
        if statement.kind != "until":
            raise BasedSyntaxError(statement.start, "Nothing but further untils can follow an until inside its loop.")
    loop.body, loop.untils = loop.body[:first], inner


def _statement(line: LogicalLine) -> Statement:
    tokens = line.tokens
    first = tokens[0].text if tokens[0].kind == "name" else ""
    second = tokens[1].text if len(tokens) > 1 else ""
    colon = _header_colon(tokens)
    if first == "loop" and second == ":":
        if len(tokens) == 2:
            return Statement(line, "loop", 1)
        if any(token.text == "talk" for token in tokens):
            raise BasedSyntaxError(tokens[2].start, "A loop's block begins on a line of its own.")
    if first == "until" and colon is not None and second not in _NOT_A_CONDITION:
        return Statement(line, "until", colon)
    if first == "until" and second == ":" and len(tokens) == 2:
        raise BasedSyntaxError(tokens[0].start, "An until needs a condition.")
    is_case = first == "case" and colon is not None and second not in _NOT_A_CONDITION
    if first in _OPENERS or is_case:
        word = second if first == "async" else first
        kind = {"for": "repeat", "while": "repeat", "def": "def", "class": "def"}.get(word, "other")
        return Statement(line, kind, colon)
    if tokens[-1].text != ":":
        return Statement(line, "other", None)
    if _is_nearly("until", first):
        raise BasedSyntaxError(tokens[0].start, f"This header is written `until`, not `{first}`.")
    return Statement(line, "other", len(tokens) - 1)


def _is_nearly(word: str, written: str) -> bool:
    from difflib import get_close_matches  # imported late: few headers are unknown

    return written != word and bool(get_close_matches(written.lower(), [word], cutoff=0.75))


def _header_colon(tokens: list[Token]) -> int | None:
    depth = lambdas = 0
    for index, token in enumerate(tokens):
        if token.text == "lambda" and depth == 0:
            lambdas += 1
        elif token.kind != "op":
            continue
        elif token.text in "([{":
            depth += 1
        elif token.text in ")]}":
            depth -= 1
        elif token.text == ":" and depth == 0:
            if not lambdas:
                return index
            lambdas -= 1
    return None


def _unexpected(line: LogicalLine, indent: str, block: list[Statement]) -> None:
    before = block[-1].line.tokens if block else []
    if before and before[0].text in {"loop", "until"} | _OPENERS and block[-1].colon is None:
        raise BasedSyntaxError(before[-1].end, f"A colon is missing behind this {before[0].text}.")
    if not line.indent.startswith(indent):
        raise BasedSyntaxError(
            line.tokens[0].start, "This line is indented with other characters than those around it."
        )
    raise BasedSyntaxError(line.tokens[0].start, "This line is indented further than the block that it is in.")

"""The tokenizer of Based: logical lines of tokens.

`tokenize` and `ast` are no substitute: they accept the syntax of the Python that runs dryline (f-strings changed with
3.12), while the sandbox has a parser of its own, and deep nesting in untrusted code can exhaust them. Only f-strings in
f-strings recurse here, and their depth is limited.
"""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field

from dryline.flow.language.errors import BasedSyntaxError

_DEEPEST_FSTRING = 10
_TOKEN = re.compile(
    r"""(?P<space>[ \t\f\ufeff]+|\\\n)
    |(?P<comment>\#[^\n]*)
    |(?P<newline>\n)
    |(?P<string>(?:[rRbBuUfF]{0,2})(?:\"{3}|'{3}|"|'))
    |(?P<name>[^\W\d]\w*)
    |(?P<number>(?:\d[\d_]*\.?[\d_]*|\.\d[\d_]*)(?:[eE][+-]?\d+)?\w*)
    |(?P<op>:=|->|\*\*=?|//=?|>>=?|<<=?|\.{3}|[-+*/%&|^@=!<>]=|[-+*/%@&|^~<>=.,:;(){}\[\]!])""",
    re.VERBOSE,
)
_CLOSING = {")": "(", "]": "[", "}": "{"}


@dataclass(slots=True)
class Token:
    """A piece of code from `start` to `end`. An f-string has the tokens of its fields in `fields`.

    `depth` is the number of brackets around a token of a line.
    """

    kind: str  # name, number, string, op
    text: str
    start: int
    end: int
    fields: list[list[Token]] = field(default_factory=list)
    depth: int = 0


@dataclass(slots=True)
class LogicalLine:
    """A logical line of Python, which may span several rows. `row_start` and `row_end` are the bounds of these rows."""

    indent: str
    tokens: list[Token]
    row_start: int
    row_end: int = 0


def logical_lines(source: str) -> list[LogicalLine]:
    """Return the logical lines of a source whose line ends are line feeds. Raises BasedSyntaxError."""
    return _Tokenizer(source).lines()


class _Tokenizer:
    def __init__(self, source: str) -> None:
        self.source = source

    def lines(self) -> list[LogicalLine]:
        source, offset, row_start = self.source, 0, 0
        lines: list[LogicalLine] = []
        line: LogicalLine | None = None
        open_brackets: list[Token] = []
        while offset < len(source):
            kind, end = self._kind_and_end(offset)
            if kind == "newline":
                if line and not open_brackets:
                    line.row_end = offset
                    lines.append(line)
                    line = None
                row_start = end if not line else row_start
            elif kind not in ("space", "comment"):
                if line is None:
                    line = LogicalLine(source[row_start:offset].lstrip("\ufeff"), [], row_start)
                line.tokens.append(self._read_token(kind, offset, end, 0))
                line.tokens[-1].depth = len(open_brackets)
                end = line.tokens[-1].end
                _match_bracket(line.tokens[-1], open_brackets)
            offset = end
        if open_brackets:
            raise BasedSyntaxError(open_brackets[-1].start, f"This {open_brackets[-1].text} is never closed.")
        if line:
            line.row_end = len(source)
            lines.append(line)
        return lines

    def _kind_and_end(self, offset: int) -> tuple[str, int]:
        """Return the kind of the piece at an offset, and the offset behind it; of a string, only behind its quotes."""
        match = _TOKEN.match(self.source, offset)
        if match and match.lastgroup:
            return match.lastgroup, match.end()
        character = self.source[offset]
        # The message has its name, because typographic quotes and spaces look like others.
        called = f" ({unicodedata.name(character).lower()})" if unicodedata.name(character, "") else ""
        raise BasedSyntaxError(offset, f"The character {character!r}{called} has no meaning here.")

    def _read_token(self, kind: str, start: int, end: int, depth: int) -> Token:
        if kind != "string":
            return Token(kind, self.source[start:end], start, end)
        opening = self.source[start:end]
        prefix = opening.rstrip("\"'").lower()
        fields: list[list[Token]] | None = [] if "f" in prefix else None
        if fields is not None and depth >= _DEEPEST_FSTRING:
            raise BasedSyntaxError(start, "These f-strings are nested too deeply.")
        end = self._read_string(start, end, opening[len(prefix) :], fields, depth, is_raw="r" in prefix)
        return Token("string", self.source[start:end], start, end, fields or [])

    def _read_string(
        self, start: int, offset: int, quote: str, fields: list[list[Token]] | None, depth: int, *, is_raw: bool
    ) -> int:
        """Read a text from behind its quote, with the `fields` of an f-string, and return the offset behind its end."""
        source = self.source
        while offset < len(source):
            if source.startswith(quote, offset):
                return offset + len(quote)
            if source[offset] == "\n" and len(quote) == 1:
                break
            if fields is not None and source.startswith(("{{", "}}"), offset):
                offset += 2
            elif fields is not None and source[offset] == "{":
                offset = self._read_field(offset + 1, fields, depth, quote)
            elif fields is not None and not is_raw and source.startswith("\\N{", offset):
                offset = source.find("}", offset) + 1 or len(source)
            elif source[offset] == "\\" and not (fields is not None and source.startswith(("{", "}"), offset + 1)):
                offset += 2
            else:
                offset += 1
        raise BasedSyntaxError(start, "This text is never closed.")

    def _read_field(self, offset: int, fields: list[list[Token]], depth: int, quote: str) -> int:
        """Read a replacement field from behind its brace, and return the offset behind its end."""
        start = offset - 1
        tokens: list[Token] = []
        open_brackets: list[Token] = []
        fields.append(tokens)
        while offset < len(self.source):
            if not open_brackets and self.source[offset] == "}":
                return offset + 1
            if not open_brackets and self.source[offset] == ":":
                return self._read_format(offset + 1, fields, depth, quote)
            kind, end = self._kind_and_end(offset)
            if kind not in ("space", "newline", "comment"):
                tokens.append(self._read_token(kind, offset, end, depth + 1))
                end = tokens[-1].end
                _match_bracket(tokens[-1], open_brackets)
            offset = end
        raise BasedSyntaxError(start, "This { is never closed.")

    def _read_format(self, offset: int, fields: list[list[Token]], depth: int, quote: str) -> int:
        """Read a field's format, which can contain fields, and return the offset behind the brace that ends both."""
        start = offset
        while offset < len(self.source) and not self.source.startswith(quote, offset) and depth < _DEEPEST_FSTRING:
            if self.source[offset] == "}":
                return offset + 1
            offset = (
                self._read_field(offset + 1, fields, depth + 1, quote) if self.source[offset] == "{" else offset + 1
            )
        raise BasedSyntaxError(start, "This format is never closed.")


def _match_bracket(token: Token, open_brackets: list[Token]) -> None:
    """Note an opening bracket, or close the last one. Raises BasedSyntaxError."""
    if token.kind == "op" and token.text in "([{":
        open_brackets.append(token)
        return
    is_closing = token.kind == "op" and token.text in _CLOSING
    if is_closing and not (open_brackets and open_brackets.pop().text == _CLOSING[token.text]):
        raise BasedSyntaxError(token.start, f"This {token.text} closes nothing.")

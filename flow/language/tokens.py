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
    """A piece of code from `start` to `end`. An f-string has the tokens of its fields in `fields`."""

    kind: str  # name, number, string, op
    text: str
    start: int
    end: int
    fields: list[list[Token]] = field(default_factory=list)


@dataclass(slots=True)
class LogicalLine:
    """A logical line of Python, which may span several rows. `row_start` and `row_end` are the bounds of these rows."""

    indent: str
    tokens: list[Token]
    row_start: int
    row_end: int = 0
    comment: bool = False  # whether a comment follows the tokens


def logical_lines(source: str) -> list[LogicalLine]:
    """Return the logical lines of a source whose line ends are line feeds. Raises BasedSyntaxError."""
    return _Tokenizer(source).lines()


class _Tokenizer:
    def __init__(self, source: str) -> None:
        self.source = source

    def lines(self) -> list[LogicalLine]:
        source, at, row_start = self.source, 0, 0
        lines: list[LogicalLine] = []
        line: LogicalLine | None = None
        open_brackets: list[Token] = []
        while at < len(source):
            kind, end = self._kind(at)
            if kind == "newline":
                if line and not open_brackets:
                    line.row_end = at
                    lines.append(line)
                    line = None
                row_start = end if not line else row_start
            elif kind == "comment":
                if line:
                    line.comment = not open_brackets
            elif kind != "space":
                if line is None:
                    line = LogicalLine(source[row_start:at].lstrip("\ufeff"), [], row_start)
                token = self._token(kind, at, end, 0)
                end = token.end
                line.tokens.append(token)
                _match(token, open_brackets)
            at = end
        if open_brackets:
            raise BasedSyntaxError(open_brackets[-1].start, f"This {open_brackets[-1].text} is never closed.")
        if line:
            line.row_end = len(source)
            lines.append(line)
        return lines

    def _kind(self, at: int) -> tuple[str, int]:
        match = _TOKEN.match(self.source, at)
        if not match or match.lastgroup is None:
            character = self.source[
                at
            ]  # the message has its name, because typographic quotes and spaces look like others
            called = f" ({unicodedata.name(character).lower()})" if unicodedata.name(character, "") else ""
            raise BasedSyntaxError(at, f"The character {character!r}{called} has no meaning here.")
        return match.lastgroup, match.end()

    def _token(self, kind: str, start: int, end: int, depth: int) -> Token:
        if kind != "string":
            return Token(kind, self.source[start:end], start, end)
        opening = self.source[start:end]
        prefix = opening.rstrip("\"'").lower()
        quote = opening[len(prefix) :]
        if "f" in prefix:
            if depth >= _DEEPEST_FSTRING:
                raise BasedSyntaxError(start, "These f-strings are nested too deeply.")
            return self._fstring(start, end, quote, "r" in prefix, depth)
        end = self._string_end(start, end, quote)
        return Token("string", self.source[start:end], start, end)

    def _string_end(self, start: int, at: int, quote: str) -> int:
        source = self.source
        while at < len(source):
            if source[at] == "\\":
                at += 2
            elif source.startswith(quote, at):
                return at + len(quote)
            elif source[at] == "\n" and len(quote) == 1:
                break
            else:
                at += 1
        raise BasedSyntaxError(start, "This text is never closed.")

    def _fstring(self, start: int, at: int, quote: str, raw: bool, depth: int) -> Token:
        source = self.source
        fields: list[list[Token]] = []
        while at < len(source):
            if source.startswith(("{{", "}}"), at):
                at += 2
            elif source[at] == "{":
                at = self._field(at + 1, fields, depth, quote)
            elif source.startswith(quote, at):
                return Token("string", source[start : at + len(quote)], start, at + len(quote), fields)
            elif not raw and source.startswith("\\N{", at):
                at = source.find("}", at) + 1 or len(source)
            elif source[at] == "\\" and not source.startswith(("{", "}"), at + 1):
                at += 2
            elif source[at] == "\n" and len(quote) == 1:
                break
            else:
                at += 1
        raise BasedSyntaxError(start, "This text is never closed.")

    def _field(self, at: int, fields: list[list[Token]], depth: int, quote: str) -> int:
        """Read a replacement field from behind its brace, and return the offset behind its end."""
        start = at - 1
        tokens: list[Token] = []
        open_brackets: list[Token] = []
        fields.append(tokens)
        while at < len(self.source):
            if not open_brackets:
                if self.source[at] == "}":
                    return at + 1
                if self.source[at] == ":":
                    return self._format(at + 1, fields, depth, quote)
            kind, end = self._kind(at)
            if kind not in ("space", "newline", "comment"):
                token = self._token(kind, at, end, depth + 1)
                end = token.end
                tokens.append(token)
                _match(token, open_brackets)
            at = end
        raise BasedSyntaxError(start, "This { is never closed.")

    def _format(self, at: int, fields: list[list[Token]], depth: int, quote: str) -> int:
        """Read a field's format, which can contain fields, and return the offset behind the brace that ends both."""
        start = at
        while at < len(self.source) and not self.source.startswith(quote, at):
            if self.source[at] == "}":
                return at + 1
            if depth >= _DEEPEST_FSTRING:
                break
            at = self._field(at + 1, fields, depth + 1, quote) if self.source[at] == "{" else at + 1
        raise BasedSyntaxError(start, "This format is never closed.")


def _match(token: Token, open_brackets: list[Token]) -> None:
    if token.kind != "op":
        return
    if token.text in "([{":
        open_brackets.append(token)
    elif token.text in _CLOSING:
        if not open_brackets or open_brackets[-1].text != _CLOSING[token.text]:
            raise BasedSyntaxError(token.start, f"This {token.text} closes nothing.")
        open_brackets.pop()

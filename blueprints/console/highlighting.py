"""A flow's code as HTML with colours, and a comparison of two codes line by line."""

import builtins
import re
from difflib import SequenceMatcher
from html import escape as html_escape
from keyword import kwlist
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from dryline.engine.errors import BasedSyntaxError
from dryline.engine.tokens import Token, logical_lines

MAX_LENGTH = 200_000  # characters; longer code is shown without colours

# docs/flow-language.md.
_BLOCKS = ("loop", "until")
_BASED = {"say", "talk", "ask", "summarize", "extract", "done", "transfer", "end_call", "send_sms", "click_ivr"}
_BASED |= {"send_image", "state", "variables", "integrations", "api", "requests"}
_BUILTINS = {name for name in dir(builtins) if name.islower() and not name.startswith("_")}
_COMMENT = re.compile(r"#[^\n]*")


def with_newlines(text: str) -> str:
    r"""Return the text with `\n` at the ends of its lines. Browsers send forms with `\r\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_lines(code: str) -> list[str]:
    """Return the lines of the code, with any line endings."""
    return with_newlines(code).removesuffix("\n").split("\n")


def highlight(code: str) -> list[Markup]:
    """Return the lines of the code as HTML. Code that is very long or has errors has no colours."""
    code = "\n".join(split_lines(code))
    try:
        lines = logical_lines(code) if len(code) <= MAX_LENGTH else None
    except BasedSyntaxError:
        lines = None
    if lines is None:
        return [escape(line) for line in code.split("\n")]
    html, end = [], 0
    for line in lines:
        for before, token in zip([None, *line.tokens], line.tokens, strict=False):
            html += [_between(code[end : token.start]), _spans(_token_class(token, before), token.text)]
            end = token.end
    html.append(_between(code[end:]))
    return [Markup(line) for line in "".join(html).split("\n")]


def _spans(kind: str | None, text: str) -> str:
    """Return a piece of code as HTML. Each of its lines has a class of the style sheet."""
    lines = html_escape(text, quote=False).split("\n")
    return "\n".join(f'<span class="{kind}">{line}</span>' if kind and line else line for line in lines)


def _between(text: str) -> str:
    """Return what is between two tokens as HTML: blanks, line ends and comments."""
    return _COMMENT.sub(lambda comment: _spans("c", comment[0]), text)


def _token_class(token: Token, before: Token | None) -> str | None:
    """Return the class of a token. `before` is the token before it in its line."""
    if token.kind != "name":
        return {"string": "s", "number": "m"}.get(token.kind)
    if token.text in _BASED:
        return "b"
    if token.text in kwlist or (token.text in _BLOCKS and before is None):
        return "k"
    if before is not None and before.text in ("def", "class"):
        return "f"
    return "b" if token.text in _BUILTINS and not (before and before.text == ".") else None


class DiffLine(NamedTuple):
    """A line of a comparison: its number before and after, None where it is absent. A gap has `skipped` equal lines."""

    kind: str
    old: int | None
    new: int | None
    text: Any = ""
    skipped: int = 0


def compare(old: str, new: str, around: int = 3) -> list[DiffLine]:
    """Return the changed lines with `around` lines beside each change; an empty list when nothing changed."""
    before, after = highlight(old), highlight(new)
    matcher = SequenceMatcher(None, split_lines(old), split_lines(new), autojunk=False)
    rows: list[DiffLine] = []
    end = 0  # of the lines that are in `rows` or skipped
    for group in matcher.get_grouped_opcodes(around):
        if all(tag == "equal" for tag, *_ in group):
            return []
        if (skipped := group[0][1] - end) > 0:
            rows.append(DiffLine("gap", None, None, skipped=skipped))
        for tag, i, i_end, j, j_end in group:
            if tag == "equal":
                rows += [DiffLine("same", i + n + 1, j + n + 1, before[i + n]) for n in range(i_end - i)]
            else:
                rows += [DiffLine("removed", n + 1, None, before[n]) for n in range(i, i_end)]
                rows += [DiffLine("added", None, n + 1, after[n]) for n in range(j, j_end)]
        end = group[-1][2]
    if rows and (skipped := len(before) - end) > 0:
        rows.append(DiffLine("gap", None, None, skipped=skipped))
    return rows

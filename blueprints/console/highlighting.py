"""A flow's code as HTML with colours, and a comparison of two codes line by line."""

import builtins
import re
from collections.abc import Iterator
from difflib import SequenceMatcher
from html import escape as html_escape
from keyword import kwlist
from typing import Any, NamedTuple

from markupsafe import Markup, escape

MAX_LENGTH = 200_000  # characters; longer code is shown without colours

# docs/flows.md, The language.
_BLOCKS = ("loop", "until")
_BASED = {"say", "talk", "ask", "summarize", "extract", "done", "transfer", "end_call", "send_sms", "click_ivr"}
_BASED |= {"send_image", "state", "variables", "integrations", "api", "requests"}
_BUILTINS = {name for name in dir(builtins) if name.islower() and not name.startswith("_")}
# The groups are named after the classes in the style sheet. A text that is never closed ends with its line or the code.
_TOKEN = re.compile(
    r"""(?P<c>\#[^\n]*)
    |(?P<s>[rbuf]{0,2}(?:
        \"{3}(?:\\.|[^\\])*?(?:\"{3}|\Z)|'{3}(?:\\.|[^\\])*?(?:'{3}|\Z)
        |"(?:\\.|[^"\\\n])*"?|'(?:\\.|[^'\\\n])*'?))
    |(?P<m>\d[\w.]*)
    |(?P<name>[^\W\d]\w*)""",
    re.VERBOSE | re.DOTALL | re.IGNORECASE,
)


def with_newlines(text: str) -> str:
    r"""Return the text with `\n` at the ends of its lines. Browsers send forms with `\r\n`."""
    return text.replace("\r\n", "\n").replace("\r", "\n")


def split_lines(code: str) -> list[str]:
    """Return the lines of the code, with any line endings."""
    return with_newlines(code).removesuffix("\n").split("\n")


def highlight(code: str) -> list[Markup]:
    """Return the lines of the code as HTML."""
    code = "\n".join(split_lines(code))
    if len(code) > MAX_LENGTH:
        return [escape(line) for line in code.split("\n")]
    html = []
    for kind, text in _tokens(code):
        open_tag, close_tag = (f'<span class="{kind}">', "</span>") if kind else ("", "")
        lines = html_escape(text, quote=False).split("\n")
        html.append("\n".join(f"{open_tag}{line}{close_tag}" if line else "" for line in lines))
    return [Markup(line) for line in "".join(html).split("\n")]


def _tokens(code: str) -> Iterator[tuple[str | None, str]]:
    """Yield the code in pieces, each with its class."""
    end, previous = 0, "\n"
    for match in _TOKEN.finditer(code):
        between, text, kind = code[end : match.start()], match[0], match.lastgroup
        yield None, between
        yield _name_class(text, previous + between) if kind == "name" else kind, text
        end, previous = match.end(), text
    yield None, code[end:]


def _name_class(name: str, before: str) -> str | None:
    """Return the class of a name. `before` is the token before it and all that is between the two."""
    if name in _BASED:
        return "b"
    if name in kwlist or (name in _BLOCKS and not before.rpartition("\n")[2].strip() and "\n" in before):
        return "k"
    if before.split() in (["def"], ["class"]):
        return "f"
    return "b" if name in _BUILTINS and not before.endswith(".") else None


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


def editor_names() -> dict[str, list[str]]:
    """Return the names that the editor colours while one types."""
    return {"keywords": list(kwlist), "blocks": list(_BLOCKS), "based": sorted(_BASED), "builtins": sorted(_BUILTINS)}

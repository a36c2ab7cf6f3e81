"""A flow's code as HTML with colours, and a comparison of two codes line by line."""

import builtins
import re
from collections.abc import Iterator, Sequence
from difflib import SequenceMatcher
from functools import lru_cache
from html import escape as html_escape
from keyword import kwlist
from typing import Any, NamedTuple

from markupsafe import Markup, escape

from dryline.flow.language.errors import BasedSyntaxError
from dryline.flow.language.tokens import Token, logical_lines

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


def highlight(code: str) -> Sequence[Markup]:
    """Return the lines of the code as HTML. Code that is very long or has errors has no colours."""
    code = "\n".join(split_lines(code))
    coloured = _highlight_tokens(code) if len(code) <= MAX_LENGTH else None
    return coloured or [escape(line) for line in code.split("\n")]


@lru_cache(maxsize=16)  # the calls of one deployment have the same code
def _highlight_tokens(code: str) -> tuple[Markup, ...] | None:
    """Return the lines of the code as HTML with colours, or None if it has errors."""
    try:
        lines = logical_lines(code)
    except BasedSyntaxError:
        return None

    html, end = [], 0
    for line in lines:
        for before, token in zip([None, *line.tokens], line.tokens, strict=False):
            html.append(_html_between_tokens(code[end : token.start]))
            html.append(_coloured_html(_token_class(token, before), token.text))
            end = token.end
    html.append(_html_between_tokens(code[end:]))
    return tuple(Markup(line) for line in "".join(html).split("\n"))


def _coloured_html(kind: str | None, text: str) -> str:
    """Return a piece of code as HTML. Each of its lines has a class of the style sheet."""
    lines = html_escape(text, quote=False).split("\n")
    return "\n".join(f"<i class={kind}>{line}</i>" if kind and line else line for line in lines)


def _html_between_tokens(text: str) -> str:
    """Return what is between two tokens as HTML: blanks, line ends and comments."""
    return _COMMENT.sub(lambda comment: _coloured_html("c", comment[0]), text)


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
    """A line of a comparison: its number before and after, None where it is absent. A gap has the equal lines.

    A `note` is the only line, and says why the texts are not compared.
    """

    kind: str
    old: int | None
    new: int | None
    text: Any = ""
    equal: Sequence[Markup] = ()


_WORD = re.compile(r"\w+|\s+|[^\w\s]")
_LIKE = 0.5  # of the words of two lines, for one to be a change of the other
MAX_COMPARED_LINES = 5_000  # of both texts together; comparing them takes a second or two
MAX_COMPARED_LENGTH = 2 * MAX_LENGTH
_TOO_LONG = (
    f"The two texts have more than {MAX_COMPARED_LINES:,} lines or {MAX_COMPARED_LENGTH:,} characters together. "
    "They are too long to be compared here."
)


def diff_lines(old: str, new: str, around: int = 3) -> list[DiffLine]:
    """Return the changed lines with `around` lines beside each change; an empty list when nothing changed.

    Texts beyond the bounds give a note.
    """
    if old == new:
        return []
    old_lines, new_lines = split_lines(old), split_lines(new)
    if len(old_lines) + len(new_lines) > MAX_COMPARED_LINES or len(old) + len(new) > MAX_COMPARED_LENGTH:
        return [DiffLine("note", None, None, _TOO_LONG)]
    before, after = highlight(old), highlight(new)
    # Its `autojunk` leaves out lines that are repeated often. Without it a long text of such lines takes minutes.
    matcher = SequenceMatcher(None, old_lines, new_lines)
    rows: list[DiffLine] = []
    end = 0  # of the lines that are in `rows`
    for group in matcher.get_grouped_opcodes(around):
        if all(tag == "equal" for tag, *_ in group):
            return []
        _, group_start, *_ = group[0]
        rows += _gap_lines(before[end:group_start])
        for tag, old_start, old_end, new_start, new_end in group:
            if tag == "equal":
                numbers = zip(range(old_start, old_end), range(new_start, new_end), strict=True)
                rows += [DiffLine("same", i + 1, j + 1, before[i]) for i, j in numbers]
                continue
            for old_index, new_index in _pair_lines(old_lines[old_start:old_end], new_lines[new_start:new_end]):
                i = None if old_index is None else old_start + old_index
                j = None if new_index is None else new_start + new_index
                old_text = None if i is None else old_lines[i]
                new_text = None if j is None else new_lines[j]
                if i is not None:
                    rows.append(DiffLine("removed", i + 1, None, _with_marks(before[i], old_text, new_text)))
                if j is not None:
                    rows.append(DiffLine("added", None, j + 1, _with_marks(after[j], new_text, old_text)))
        _, _, end, _, _ = group[-1]

    if not rows:
        return []
    return rows + _gap_lines(before[end:])


def _gap_lines(lines: Sequence[Markup]) -> list[DiffLine]:
    return [DiffLine("gap", None, None, equal=lines)] if lines else []


def _pair_lines(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[int | None, int | None]]:
    """Pair the lines of a changed part that are alike, by their indexes. The others are paired with None."""
    words = [set(re.findall(r"\w+", line)) for line in new]
    start = 0
    for index, line in enumerate(old):
        words_of_line = set(re.findall(r"\w+", line))
        likeness = []
        for other in words[start:]:
            number_of_words = len(words_of_line) + len(other)
            likeness.append(2 * len(words_of_line & other) / (number_of_words or 1))
        best = max(range(len(likeness)), key=likeness.__getitem__, default=None)
        if best is None or likeness[best] < _LIKE:
            yield index, None
            continue
        yield from ((None, start + before) for before in range(best))
        yield index, start + best
        start += best + 1
    yield from ((None, rest) for rest in range(start, len(new)))


def _with_marks(html: Markup, text: str | None, other: str | None) -> Markup:
    """Return a line without colours, with marks around the words that the other has not; `html` if there is none."""
    if text is None or other is None:
        return html
    words, other_words = _WORD.findall(text), _WORD.findall(other)
    start = _count_common_words(words, other_words)
    end = len(words) - _count_common_words(words[start:][::-1], other_words[start:][::-1])
    other_end = len(other_words) - (len(words) - end)
    known = {*other_words[start:other_end]}
    parts = [html_escape(word, quote=False) for word in words]
    for index in range(start, end):
        if words[index] not in known:
            parts[index] = f"<mark>{parts[index]}</mark>"
    return Markup("".join(parts).replace("</mark><mark>", ""))


def _count_common_words(words: Sequence[str], others: Sequence[str]) -> int:
    """Return the number of words with which both begin."""
    pairs = zip(words, others, strict=False)
    for index, (word, other) in enumerate(pairs):
        if word != other:
            return index
    return min(len(words), len(others))


def editor_names() -> dict[str, list[str]]:
    """Return the names that the editor colours while one types."""
    return {"keywords": list(kwlist), "blocks": list(_BLOCKS), "based": sorted(_BASED), "builtins": sorted(_BUILTINS)}

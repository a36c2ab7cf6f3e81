"""A flow's code with colours: Python's, and those of what Based adds. Imported when code is first shown."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from markupsafe import Markup, escape
from pygments.lexers.python import PythonLexer
from pygments.token import Comment, Keyword, Name, Number, String

# docs/flows.md, The language.
BLOCKS = ("loop", "until")
NAMES = {"say", "talk", "ask", "summarize", "extract", "done", "transfer", "end_call", "send_sms", "click_ivr"}
NAMES |= {"send_image", "state", "variables", "integrations", "api", "requests"}
# Of each kind of token, the class in the style sheet.
CLASSES = ((Keyword, "k"), (String, "s"), (Comment, "c"), (Number, "m"), (Name.Builtin, "b"), (Name.Function, "f"))
LONGEST = 200_000  # characters; longer code is shown without colours


def texts(code: str) -> list[str]:
    """Each line of the code, whatever ends it."""
    return code.replace("\r\n", "\n").replace("\r", "\n").removesuffix("\n").split("\n")


def lines(code: str) -> list[Markup]:
    """Each line of the code, as HTML."""
    code = "\n".join(texts(code))
    if len(code) > LONGEST:
        return [escape(line) for line in code.split("\n")]
    found = [Markup("")]
    for kind, tokens in groupby(_tokens(code), itemgetter(0)):
        for index, part in enumerate("".join(text for _, text in tokens).split("\n")):
            if index:
                found.append(Markup(""))
            if part:
                found[-1] += Markup('<span class="{}">{}</span>').format(kind, part) if kind else escape(part)
    return found


def _tokens(code: str) -> Iterator[tuple[str | None, str]]:
    """The tokens, each with its class."""
    begins = True  # whether nothing but space stands before it in its line
    for kind, text in PythonLexer(stripnl=False, ensurenl=False).get_tokens(code):
        if begins and text in BLOCKS:
            yield "k", text
        elif kind in Name and text in NAMES:
            yield "b", text
        else:
            yield next((name for group, name in CLASSES if kind in group), None), text
        begins = text.endswith("\n") or (begins and not text.strip())


class Compared(NamedTuple):
    """A line of a comparison: its numbers before and after, None where it is not there. `skipped` lines are no news."""

    kind: str
    old: int | None
    new: int | None
    text: Any = ""
    skipped: int = 0


def compare(old: str, new: str, around: int = 3) -> list[Compared]:
    """What changed from one code to the other, with `around` lines beside each change; empty where nothing did."""
    before, after = lines(old), lines(new)
    matcher = SequenceMatcher(None, texts(old), texts(new), autojunk=False)
    found: list[Compared] = []
    told = 0
    for group in matcher.get_grouped_opcodes(around):
        if all(tag == "equal" for tag, *_ in group):
            return []
        if (skipped := group[0][1] - told) > 0:
            found.append(Compared("gap", None, None, skipped=skipped))
        for tag, i, i_end, j, j_end in group:
            if tag == "equal":
                found += [Compared("same", i + n + 1, j + n + 1, before[i + n]) for n in range(i_end - i)]
            else:
                found += [Compared("removed", n + 1, None, before[n]) for n in range(i, i_end)]
                found += [Compared("added", None, n + 1, after[n]) for n in range(j, j_end)]
        told = group[-1][2]
    if found and (skipped := len(before) - told) > 0:
        found.append(Compared("gap", None, None, skipped=skipped))
    return found

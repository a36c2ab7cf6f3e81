"""Translates Based into the Python that the sandbox runs.

    loop:                                      while True:
        r = talk("Greet.", True)                   r = _based_talk(0, ["asks the price"], "Greet.", True)
    until "asks the price":                        _based_index, _based_arguments = _based_took(0)
        say("Ten.")                                if _based_index == 0:
        return "ten"                                   say("Ten.")
                                                       _based_note = (("ten"),); continue
                                                       break

The rules are contract/based.md's section 1. Only the starts of logical lines are indented further, so that long strings
and continued lines keep their text; and all that is put in knows where in the source it belongs (rewriting.py).
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from itertools import pairwise
from keyword import iskeyword

from dryline.engine.calls_rewriting import CallRewriting, calls
from dryline.engine.errors import BasedSyntaxError
from dryline.engine.program import Condition, Loop
from dryline.engine.rewriting import Part, Places, Rewriting
from dryline.engine.statements import Statement, own_statements, parts
from dryline.engine.tokens import LogicalLine, Token


@dataclass(frozen=True, slots=True)
class _Around:
    """What a statement stands in. `owner` is where a `return` goes back to; `flag` marks the outermost Python loop that
    a `return` has to leave first; `extras` is by how much, and where, the statement's lines are indented further."""

    loop: Loop | None = None
    until: Condition | None = None
    owner: str = ""  # until, body, or empty outside of loops
    in_def: bool = False
    repeats: int = 0
    flag: str = ""
    extras: tuple[tuple[int, str], ...] = ()

    def indent(self, own: str, left: str) -> str:
        """A line's indentation, without what stands left of the whole code."""
        for column, text in sorted(self.extras, reverse=True):
            own = own[:column] + text + own[column:]
        return own[len(left) :]


class Translation:
    """One source on its way. `loops` and `warnings` (offset and sentence) fill as it is translated."""

    def __init__(self, source: str, places: Places, lines: list[LogicalLine]) -> None:
        self.edits = Rewriting(source)
        self.loops: list[Loop] = []
        self.warnings: list[tuple[int, str]] = []
        self.calls = CallRewriting(self.edits, places, lines)
        self._places = places
        self._left = lines[0].indent if lines else ""  # what the whole source is indented by
        self._flags = 0

    def translate(self, block: list[Statement]) -> None:
        """Raises BasedSyntaxError."""
        self._block(block, _Around())

    def _block(self, block: list[Statement], around: _Around) -> None:
        tails: dict[int, str] = {}  # what has to stand behind a statement, by its index
        for index, statement in enumerate(block):
            has_else = index + 1 < len(block) and block[index + 1].line.tokens[0].text == "else"
            if statement.kind == "loop":
                self._loop(statement, around)
                if has_else:
                    self.warnings.append((block[index + 1].start, "A loop has no else: this one is never run."))
            elif statement.kind == "until":
                raise BasedSyntaxError(
                    statement.start, f"This until has no loop before it{self._parted(block[:index])}."
                )
            elif statement.kind == "repeat" and around.owner and not around.in_def and _goes_back(statement):
                tails[index + has_else] = self._left_by_return(statement, around)
            else:
                self._python(statement, around)
            if index in tails:
                self.edits.insert(statement.row_end, tails[index])

    def _parted(self, before: list[Statement]) -> str:
        """What stands where the loop of an until would, behind those `before`; empty where nothing tells."""
        loops = [index for index, statement in enumerate(before) if statement.kind == "loop"]
        if loops:
            return f": line {self._places.line(before[loops[-1] + 1].start)} stands between them"
        meant = bool(before) and before[-1].line.tokens[0].text.lower() == "loop"
        return ": a loop's header is `loop:`" if meant else ""

    def _indent(self, statement: Statement, around: _Around, before: str = "") -> str:
        """Give the statement's line its indentation, and the line `before` it. Returns the indentation."""
        own = around.indent(statement.line.indent, self._left)
        line_before = f"{own}{before}\n" if before else ""
        self.edits.replace(statement.line.row_start, statement.start, line_before + own)
        return own

    def _python(self, statement: Statement, around: _Around, before: str = "") -> str:
        own = self._indent(statement, around, before)
        inner = around
        if statement.kind == "def":
            inner = replace(around, in_def=True)
        elif statement.kind == "repeat":
            inner = replace(around, repeats=around.repeats + 1)
        self.calls.rewrite(statement.line.tokens, inner.in_def)
        begin = 0 if statement.colon is None else statement.colon + 1
        for part in parts(statement.line.tokens[begin:]):
            self.calls.rewrite_statement(part)
            self._going_back(part, inner, statement)
        self._block(statement.body, inner)
        return own

    def _left_by_return(self, statement: Statement, around: _Around) -> str:
        """A Python loop with a `return` that has to leave it first. Returns what goes behind the loop."""
        if around.repeats:
            return f"\n{self._python(statement, around)}if {around.flag}: break"
        flag = f"_based_back{self._flags}"
        self._flags += 1
        own = self._python(statement, replace(around, flag=flag), f"{flag} = False")
        return f"\n{own}if {flag}: continue"

    def _going_back(self, part: list[Token], around: _Around, statement: Statement) -> None:
        """A `return`, `continue` or `done()` that means the loop of the talk."""
        if not part or around.in_def or not around.owner:
            return
        word, rest = part[0], part[1:]
        tail = f"{around.flag} = True; break" if around.repeats else "continue"
        if word.text == "return":
            if statement.line.comment and around.owner == "until":
                self.warnings.append((word.start, "The vendor's converter trips over a comment behind return."))
            if rest:
                self.edits.replace(word.start, rest[0].start, "_based_note = ((")
                self.edits.insert(rest[-1].end, f"),); {tail}")
            else:
                self.edits.replace(word.start, word.end, f"_based_note = (None,); {tail}")
        elif word.text == "continue" and not rest and not around.repeats:
            self.edits.replace(word.start, word.end, "_based_note = (None,); continue")
        elif around.owner == "until" and _is_done(part):
            self.edits.insert(part[-1].end, f"; _based_note = (None,); {tail}")

    def _loop(self, statement: Statement, around: _Around) -> None:
        if around.in_def:
            raise BasedSyntaxError(
                statement.start, "A loop cannot stand in a function, only at the top level or in a block."
            )
        talk = _last_talk(statement)
        loop = Loop(len(self.loops), self._places.line(statement.start), self._places.line(talk.start))
        loop.outermost = around.loop is None
        if around.loop:
            (around.until or around.loop).inner.append(loop)
        self.loops.append(loop)
        self._indent(statement, around)
        self.edits.replace(statement.start, statement.line.tokens[1].end, "while True:")
        self.calls.talks[talk.start] = [f"{loop.index}, [", *self._conditions(statement, loop), "], "]
        inside = replace(around, loop=loop, until=None, owner="body", repeats=0, flag="")
        self._block(statement.body, inside)
        own, deeper = statement.line.indent, statement.body[0].line.indent
        for index, until in enumerate(statement.untils):
            extras = around.extras
            if until.line.indent == own:
                extras = (*extras, (len(own), deeper[len(own) :]))
            condition = loop.conditions[index]
            self._until(until, index, replace(inside, until=condition, owner="until", extras=extras))
        self._remark(statement, loop)

    def _conditions(self, statement: Statement, loop: Loop) -> list[Part]:
        """Note the conditions of a loop. Returns them as members of a list in the translated code."""
        listed: list[Part] = []
        for until in statement.untils:
            tokens, name = until.condition()
            self._doubt(tokens)
            start, end = tokens[0].start, tokens[-1].end
            source = self.edits.source[start:end]
            text = fixed_text(tokens, source)
            leaves = not ends_by_going_back(until)
            loop.conditions.append(
                Condition(text or source, self._places.line(until.start), name, text is not None, leaves, loop)
            )
            check = f"_based_condition({loop.index}, " if text is None else "("
            listed += [check, (start, end), "), "]
        return listed

    def _doubt(self, condition: list[Token]) -> None:
        """Raises BasedSyntaxError for a text without quotes; warns of texts that Python takes for one alone."""
        for before, token in pairwise(condition):
            if before.kind == token.kind == "name" and not iskeyword(before.text) and not iskeyword(token.text):
                raise BasedSyntaxError(condition[0].start, "A condition that is a text stands in quotes.")
        for before, token, after in zip(condition, condition[1:], condition[2:], strict=False):
            if token.text in ("and", "or") and before.kind == after.kind == "string":
                taken = "first" if token.text == "or" else "second"
                told = f"Of two texts with `{token.text}` between them Python takes the {taken} alone: write one text."
                self.warnings.append((token.start, told))

    def _until(self, until: Statement, index: int, around: _Around) -> None:
        assert until.colon is not None and around.loop is not None
        took = f"_based_index, _based_arguments = _based_took({around.loop.index})" if index == 0 else ""
        self._indent(until, around, took)
        condition, name = until.condition()
        self.calls.rewrite(condition, in_def=False)
        bound = f" and [{name} := _based_arguments]" if name else ""
        word = "if" if index == 0 else "elif"
        self.edits.replace(until.start, until.line.tokens[until.colon].start, f"{word} _based_index == {index}{bound}")
        inline = until.inline()
        if not inline:
            self._block(until.body, around)
            self.edits.insert(until.row_end, f"\n{around.indent(until.body[0].line.indent, self._left)}break")
            return
        self.calls.rewrite(inline, in_def=False)
        for part in parts(inline):
            self.calls.rewrite_statement(part)
            self._going_back(part, around, until)
        self.edits.insert(inline[-1].end, "; break")

    def _remark(self, statement: Statement, loop: Loop) -> None:
        if not loop.conditions:
            self.warnings.append((statement.start, "This loop has no until: it never ends."))
        elif not any(condition.leaves for condition in loop.conditions):
            self.warnings.append((statement.start, "Each until of this loop goes back to it: nothing leads out."))
        seen: set[str] = set()
        for until, condition in zip(statement.untils, loop.conditions, strict=True):
            if not condition.text.strip("\"' "):
                self.warnings.append((until.start, "This condition is empty: nothing that is said can meet it."))
            if condition.text in seen:
                self.warnings.append((until.start, f"This loop has the condition {condition.text!r} twice."))
            seen.add(condition.text)


def _goes_back(statement: Statement) -> bool:
    """Whether a `return` or `done()` in the statement means a loop outside of it."""
    for inner in (statement, *own_statements(statement.body)):
        if inner.kind in ("def", "loop"):
            continue
        begin = 0 if inner.colon is None else inner.colon + 1
        for part in parts(inner.line.tokens[begin:]):
            if part and (part[0].text == "return" or _is_done(part)):
                return True
    return False


def ends_by_going_back(until: Statement) -> bool:
    """Whether an until's block always ends by going back to its loop, or by waiting for the user."""
    last = list(parts(until.inline() if not until.body else until.body[-1].line.tokens))[-1]
    return bool(last) and (last[0].text in ("return", "continue") or _is_done(last))


def fixed_text(tokens: list[Token], source: str) -> str | None:
    """The text of a condition that is one plain string; None for what is known only as the flow runs."""
    if len(tokens) != 1 or tokens[0].kind != "string":
        return None
    quote = 3 if source[-3:] in ('"""', "'''") else 1
    prefix, _, _ = source.partition(source[-1])
    if set(prefix.lower()) & {"f", "b"}:
        return None
    return source[len(prefix) + quote : -quote]


def _is_done(part: list[Token]) -> bool:
    texts = [token.text for token in part]
    return texts in (["done", "(", ")"], ["await", "done", "(", ")"])


def _last_talk(loop: Statement) -> Token:
    found = None
    for statement in own_statements(loop.body):
        tokens = statement.line.tokens
        if statement.kind not in ("def", "loop"):
            found = next((token for index, token in enumerate(tokens) if calls("talk", tokens, index)), None) or found
    if found is None:
        raise BasedSyntaxError(loop.start, "This loop has no talk: nothing could ever meet a condition.")
    return found

"""Translation of Based into the Python that the sandbox runs.

    loop:                                      while True:
        r = talk("Greet.", True)                   r = _based_talk(0, ["asks the price"], "Greet.", True)
    until "asks the price":                        if _based_took(0) == 0:
        say("Ten.")                                    say("Ten.")
        return "ten"                                   _based_note = (("ten"),); continue
                                                   if _based_index is not None: break

The rules are those of section 1 of contract/based.md. Only the starts of logical lines are indented anew, so that
strings and continuation lines keep their text. The source map covers inserted code, too.
"""

import re
from dataclasses import dataclass, replace
from functools import cache, lru_cache
from itertools import pairwise
from keyword import iskeyword
from pathlib import Path

from dryline.flow.language.calls_rewriting import CallRewriting, is_call_of
from dryline.flow.language.errors import BasedSyntaxError, CodeRefused, Finding
from dryline.flow.language.program import Condition, Loop, Program
from dryline.flow.language.source_map import Part, PositionIndex, Rewriting
from dryline.flow.language.statements import Statement, own_statements, statement_tree
from dryline.flow.language.tokens import LogicalLine, Token, logical_lines
from dryline.storage.files import read

MAX_CODE = 200_000  # characters, ten times the longest known flow; translating it takes one to three seconds
MAX_LINE = 10_000  # characters: a prompt may be one long text; some expressions take the square of a line
_MOST_CACHED = 32  # programs
_LONGEST_CACHED = 32_000  # characters of code; a program can take 90 times as many bytes

_NO_TEXT = re.compile("[\\0\ud800-\udfff]")
_PLAIN = re.compile(r"""[rRuU]?("{3}|'{3}|"|')(?P<text>.*)\1""", re.DOTALL)


@dataclass(frozen=True, slots=True)
class _Context:
    """The blocks around a statement.

    `owner` is the kind of block that a `return` goes back from, and `repeats` the number of Python loops in it.
    """

    loop: Loop | None = None
    until: Condition | None = None
    owner: str = ""  # until, body, or empty outside of loops
    in_def: bool = False
    repeats: int = 0
    depth: int = 0  # of the blocks in the translated code

    @property
    def indent(self) -> str:
        """The indentation of a line."""
        return " " * self.depth


class Translation:
    """The translation of one source. It collects `loops`, and `warnings` with offset and sentence."""

    def __init__(self, source: str, positions: PositionIndex, lines: list[LogicalLine]) -> None:
        self.edits = Rewriting(source)
        self.loops: list[Loop] = []
        self.warnings: list[tuple[int, str]] = []
        self.calls = CallRewriting(self.edits, positions, lines)
        self._positions = positions

    def translate(self, block: list[Statement], context: _Context) -> None:
        """Translate the statements of a block. Raises BasedSyntaxError."""
        tails: dict[int, str] = {}  # the code to insert behind a statement, by its index
        for index, statement in enumerate(block):
            if statement.kind == "loop":
                self._translate_loop(statement, context)
            elif statement.kind == "until":
                raise BasedSyntaxError(statement.start, "This until has no loop before it.")
            else:
                self._translate_python(statement, context)
            if statement.kind == "repeat" and context.owner and not context.in_def and _has_return_to_loop(statement):
                # A `return` has to leave each Python loop first.
                leave = "break" if context.repeats else "_based_back = False; continue"
                has_else = index + 1 < len(block) and block[index + 1].line.tokens[0].text == "else"
                tails[index + has_else] = f"\n{context.indent}if _based_back: {leave}"
            if index in tails:
                self.edits.insert(statement.row_end, tails[index])

    def _indent_anew(self, statement: Statement, context: _Context) -> None:
        self.edits.replace(statement.line.row_start, statement.start, context.indent)

    def _translate_python(self, statement: Statement, context: _Context) -> None:
        self._indent_anew(statement, context)
        inner = replace(context, depth=context.depth + 1)
        if statement.kind == "def":
            inner = replace(inner, in_def=True)
        elif statement.kind == "repeat":
            inner = replace(inner, repeats=context.repeats + 1)
        self.calls.rewrite(statement.line.tokens, inner.in_def)
        self._rewrite_simple_statements(statement, inner)
        self.translate(statement.body, inner)

    def _rewrite_simple_statements(self, statement: Statement, context: _Context) -> None:
        for part in statement.simple_statements():
            self.calls.rewrite_import(part)
            if context.owner and not context.in_def:
                self._translate_return(part, context)

    def _translate_return(self, part: list[Token], context: _Context) -> None:
        """Translate a `return`, `continue` or `done()` that goes back to the loop of the talk."""
        word, rest = part[0], part[1:]
        tail = "_based_back = True; break" if context.repeats else "continue"
        if word.text == "return" and rest:
            self.edits.replace(word.start, rest[0].start, "_based_note = ((")
            self.edits.insert(rest[-1].end, f"),); {tail}")
        elif word.text == "return" or (word.text == "continue" and not rest and not context.repeats):
            self.edits.replace(word.start, word.end, f"_based_note = (None,); {tail}")
        elif context.owner == "until" and _is_done(part):
            self.edits.insert(part[-1].end, f"; _based_note = (None,); {tail}")

    def _translate_loop(self, statement: Statement, context: _Context) -> None:
        if context.in_def:
            raise BasedSyntaxError(
                statement.start, "A loop cannot stand in a function, only at the top level or in a block."
            )
        talk = _last_talk(statement)
        loop = Loop(len(self.loops), self._positions.line(statement.start), self._positions.line(talk.start))
        loop.outermost = context.loop is None
        if context.loop:
            (context.until or context.loop).inner.append(loop)
        self.loops.append(loop)
        self._indent_anew(statement, context)
        self.edits.replace(statement.start, statement.line.tokens[1].end, "while True:")
        self.calls.talks[talk.start] = [f"{loop.index}, [", *self._add_conditions(statement, loop), "], "]
        inside = _Context(loop, owner="body", depth=context.depth + 1)
        self.translate(statement.body, inside)
        for index, until in enumerate(statement.untils):
            self._translate_until(until, index, replace(inside, until=loop.conditions[index], owner="until"))
        if statement.untils:
            self.edits.insert(statement.row_end, f"\n{inside.indent}if _based_index is not None: break")
        if not loop.conditions:
            self.warnings.append((statement.start, "This loop has no until: it never ends."))
        elif not any(condition.leaves for condition in loop.conditions):
            self.warnings.append((statement.start, "Each until of this loop goes back to it: nothing leads out."))

    def _add_conditions(self, statement: Statement, loop: Loop) -> list[Part]:
        """Add the conditions of a loop, and return them as members of a list in the translated code."""
        listed: list[Part] = []
        for until in statement.untils:
            tokens, _ = until.condition()
            self._check_condition(tokens)
            start, end = tokens[0].start, tokens[-1].end
            source = self.edits.source[start:end]
            text = _fixed_text(tokens, source)
            if (text or source) in [each.text for each in loop.conditions]:
                self.warnings.append((until.start, f"This loop has the condition {source} twice."))
            line = self._positions.line(until.start)
            leaves = not _ends_by_return(until)
            loop.conditions.append(Condition(text or source, line, text is not None, leaves, loop))
            check = f"_based_condition({loop.index}, " if text is None else "("
            listed += [check, (start, end), "), "]
        return listed

    def _check_condition(self, condition: list[Token]) -> None:
        """Refuse a text without quotes, and warn of an `and` or `or` that drops a text. Raises BasedSyntaxError."""
        for before, token in pairwise(condition):
            if before.kind == token.kind == "name" and not iskeyword(before.text) and not iskeyword(token.text):
                raise BasedSyntaxError(condition[0].start, "A condition that is a text stands in quotes.")
            if before.kind == "string" and token.text in ("and", "or"):
                self.warnings.append((token.start, f"Python takes only one of two texts with `{token.text}` between."))

    def _translate_until(self, until: Statement, index: int, context: _Context) -> None:
        assert until.colon is not None and context.loop is not None
        self._indent_anew(until, context)
        condition, name = until.condition()
        took = f"elif _based_index == {index}" if index else f"if _based_took({context.loop.index}) == 0"
        bound = f" and [{name} := _based_arguments]" if name else ""
        self.edits.replace(until.start, until.line.tokens[until.colon].start, took + bound)
        self.calls.rewrite(condition, in_def=False)
        self.calls.rewrite(until.line.tokens[until.colon + 1 :], in_def=False)
        self._rewrite_simple_statements(until, context)
        self.translate(until.body, replace(context, depth=context.depth + 1))


def _has_return_to_loop(statement: Statement) -> bool:
    """Return whether the statement has a `return` or `done()` that goes back to a loop around it."""
    parts = [part for each in own_statements([statement]) for part in each.simple_statements()]
    return any(part[0].text == "return" or _is_done(part) for part in parts)


def _ends_by_return(until: Statement) -> bool:
    """Return whether an until's block always ends by going back to its loop, or by waiting for the user."""
    last_statement = until.body[-1] if until.body else until
    parts = list(last_statement.simple_statements())
    if not parts:
        return False
    last = parts[-1]
    return last[0].text in ("return", "continue") or _is_done(last)


def _fixed_text(tokens: list[Token], source: str) -> str | None:
    """Return the text of a condition that is one plain string; None for any other expression."""
    if len(tokens) != 1 or tokens[0].kind != "string":
        return None
    match = _PLAIN.fullmatch(source)
    return match["text"] if match else None


def _is_done(part: list[Token]) -> bool:
    texts = [token.text for token in part]
    return texts in (["done", "(", ")"], ["await", "done", "(", ")"])


def _last_talk(loop: Statement) -> Token:
    """Return the first talk of the last line of a loop that has one. Raises BasedSyntaxError if none has."""
    first_of_line: list[Token] = []
    for statement in own_statements(loop.body):
        tokens = statement.line.tokens
        talks = [token for index, token in enumerate(tokens) if is_call_of("talk", tokens, index)]
        first_of_line += talks[:1]
    if not first_of_line:
        raise BasedSyntaxError(loop.start, "This loop has no talk: nothing could ever meet a condition.")
    return first_of_line[-1]


def translate(code: str, file: str = "flow.based") -> Program:
    """Return the program of a flow's code. Raises CodeRefused for errors in Based; Engine.check() finds all errors."""
    return _cached_program(code, file) if len(code) <= _LONGEST_CACHED else _program_of_code(code, file)


@lru_cache(maxsize=_MOST_CACHED)
def _cached_program(code: str, file: str) -> Program:
    return _program_of_code(code, file)


def _program_of_code(code: str, file: str) -> Program:
    source = code.replace("\r\n", "\n").replace("\r", "\n")
    positions = PositionIndex(source)
    try:
        _require_bounded(source, positions)
        return _program_of_source(source, file, positions)
    except BasedSyntaxError as fault:
        raise CodeRefused([Finding(file, *positions.position(fault.offset), fault.sentence)]) from None


def _require_bounded(source: str, positions: PositionIndex) -> None:
    """Raise BasedSyntaxError for code or a line of it that is too long."""
    if len(source) > MAX_CODE:
        raise BasedSyntaxError(0, f"The code is longer than {MAX_CODE:,} characters.")
    long_line = positions.first_longer_than(MAX_LINE)
    if long_line is not None:
        sentence = f"This line is longer than {MAX_LINE:,} characters. Break it: a text in three quotes can have lines."
        raise BasedSyntaxError(positions.offset(long_line, MAX_LINE + 1), sentence)


def _program_of_source(source: str, file: str, positions: PositionIndex) -> Program:
    if wrong := _NO_TEXT.search(source):
        raise BasedSyntaxError(wrong.start(), "A NUL character or a lone surrogate cannot stand in code.")
    lines = logical_lines(source)
    translation = Translation(source, positions, lines)
    translation.translate(statement_tree(lines), _Context())
    names = translation.calls.names
    if translation.loops:
        names = names | {"loop"}
    rewritten = translation.edits.render(_prelude(names))
    warnings = [
        Finding(file, *positions.position(offset), sentence, "warning")
        for offset, sentence in sorted(translation.warnings)
    ]
    imports = [(statement, positions.position(offset)) for statement, offset in translation.calls.imports]
    return Program(source, file, rewritten, translation.loops, warnings, imports)


def _prelude(names: set[str]) -> str:
    """Return the parts of Based that have to be Python objects in the sandbox, those that code with these names needs.

    prelude.txt has them in pieces, each below the names that need it, because each costs time at the start of a run and
    space in every dump. Functions there take `*args`, and the host reports missing arguments, because only it knows the
    line. A flow can rebind names of Python, so the pieces bind those that they need. Functions that are not defined
    there are host functions (host_functions.py).
    """
    return "".join(code for users, code in _pieces_of_prelude() if users & names)


@cache
def _pieces_of_prelude() -> list[tuple[set[str], str]]:
    text = read(Path(__file__).with_name("prelude.txt")).decode()
    text = re.sub(r"^#(?!!).*\n", "", text, flags=re.MULTILINE)
    pieces = [piece.partition("\n") for piece in text.split("#! ")[1:]]
    return [(set(names.split()), f"{code.strip()}\n") for names, _, code in pieces]

"""The members of `variables` and `state` that a flow needs, and those of them that nothing sets.

A flow needs a member if it reads it by a subscript, as in `variables["desk"]`. Code that also sets the member, or asks
whether it is there (`.get`, `in`), can do without. Nothing is run, and names that are computed are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from itertools import islice
from typing import Literal, NamedTuple

from dryline.flow.language.errors import BasedSyntaxError, Finding
from dryline.flow.language.program import Program
from dryline.flow.language.statements import Statement, statement_tree
from dryline.flow.language.tokens import Token, logical_lines

# Members that each conversation may have in `state`.
_OF_EVERY_STATE = ("Caller", "variables")
_PLAIN_TEXT = re.compile(r"""[rRuU]?("{3}|'{3}|"|')(?P<text>[^\\]*)\1""", re.DOTALL)
_MOST_TARGETS = 100  # tokens of the targets of one assignment that are looked at
_MOST_REPORTED = 50  # findings
_MOST_COMPARED = 1_000  # names that a hint is chosen from
_LONGEST_CACHED = 32_000  # characters of code
_LONGEST_NAMED = 100  # characters of a member in a message


@dataclass(frozen=True, slots=True)
class FlowContext:
    """The names that a flow can read when a conversation begins.

    `variables` are the names of the flow's own. `parameters` has the names of those of each of its deployments, by the
    deployment's name, and `columns` the names in the rows of its campaigns.
    """

    variables: Collection[str]
    parameters: Mapping[str, Collection[str]] = field(default_factory=dict)
    columns: Collection[str] = ()


@dataclass(frozen=True, slots=True)
class MemberRead:
    """A read of a member by a subscript. `is_caught` says whether it is in a `try` block, where it may fail."""

    member: str
    offset: int
    is_caught: bool


class MemberUse:
    """The use that code makes of one of its dicts, by its lines and whether each is in a `try` block."""

    def __init__(self, lines: Iterable[tuple[list[Token], bool]], name: str) -> None:
        self.name = name
        self._reads: dict[str, MemberRead] = {}
        self._optional: set[str] = set()  # members that the code sets or asks for
        self._is_changed_elsewhere = False  # by code whose members are not known
        for line, is_caught in lines:
            self._read_line(line, is_caught)

    @property
    def needed(self) -> list[MemberRead]:
        """The first read of each member that the code needs."""
        if self._is_changed_elsewhere:
            return []
        return [read for member, read in self._reads.items() if member not in self._optional]

    def _read_line(self, tokens: Sequence[Token], is_caught: bool) -> None:
        for index, token in enumerate(tokens):
            for inner in token.fields:
                self._read_line(inner, is_caught)
            if token.kind == "name" and token.text == self.name and _text_at(tokens, index - 1) != ".":
                self._read_use(tokens, index, is_caught)

    def _read_use(self, tokens: Sequence[Token], index: int, is_caught: bool) -> None:
        """Note what the code does with the dict, whose name is the token at this index."""
        if _text_at(tokens, index - 1) == "in":
            is_negated = _text_at(tokens, index - 2) == "not"
            self._note_optional(tokens[index - (3 if is_negated else 2)])
        following = [token.text for token in tokens[index + 1 : index + 5]]
        match following:
            case ["[", _, "]", *_]:
                self._read_subscript(tokens, index, is_caught)
            case [".", "get" | "setdefault" | "pop", "(", _]:  # a missing member does not break these
                self._note_optional(tokens[index + 4])
            case [".", "update", *_] | ["=" | "|=" | ":=", *_]:
                self._is_changed_elsewhere = True
            case _ if _is_bound_anew(tokens, index):
                self._is_changed_elsewhere = True

    def _read_subscript(self, tokens: Sequence[Token], index: int, is_caught: bool) -> None:
        name, key = tokens[index], tokens[index + 2]
        if (member := _plain_text(key)) is None:
            return
        if name.depth == 0 and _is_assigned(tokens, index + 4):
            self._note_optional(key)
        self._reads.setdefault(member, MemberRead(member, name.start, is_caught))

    def _note_optional(self, key: Token) -> None:
        if (member := _plain_text(key)) is not None:
            self._optional.add(member)


def _text_at(tokens: Sequence[Token], index: int) -> str:
    """Return the text of a token, and nothing outside the line."""
    return tokens[index].text if 0 <= index < len(tokens) else ""


def _is_assigned(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a subscript is a target of an assignment: at the index behind it is `= 1`, or `, other = 1, 2`."""
    if _text_at(tokens, index) != ",":
        return _text_at(tokens, index) == "="
    for token in tokens[index : index + _MOST_TARGETS]:
        if token.text in (";", ":"):
            return False
        if token.text == "=":
            return True
    return False


def _is_bound_anew(tokens: Sequence[Token], index: int) -> bool:
    """Return whether the name is one that a loop, an `as` or a function's parameter binds anew."""
    if tokens[0].text in ("def", "async"):
        return True
    return _text_at(tokens, index - 1) in ("for", "as", "import", "global")


def _plain_text(token: Token) -> str | None:
    """Return the text of a plain string; None of any other token."""
    match = _PLAIN_TEXT.fullmatch(token.text) if token.kind == "string" else None
    return match["text"] if match else None


def _lines_in_and_out_of_try(source: str) -> Iterator[tuple[list[Token], bool]]:
    """Yield the logical lines of a source, each with whether it is in a `try` block."""
    waiting: list[tuple[Statement, bool]] = [(statement, False) for statement in reversed(_statement_tree(source))]
    while waiting:
        statement, is_caught = waiting.pop()
        yield statement.line.tokens, is_caught
        is_inner_caught = is_caught or statement.line.tokens[0].text == "try"
        waiting += [(inner, is_inner_caught) for inner in reversed([*statement.body, *statement.untils])]


def _statement_tree(source: str) -> list[Statement]:
    try:
        return statement_tree(logical_lines(source))
    except BasedSyntaxError:  # of a program that was never translated
        return []


class Needs(NamedTuple):
    """The first reads of the members that code needs of its two dicts."""

    variables: Sequence[MemberRead]
    state: Sequence[MemberRead]


def needs_of(source: str) -> Needs:
    """Return the members that a source needs."""
    return _cached_needs(source) if len(source) <= _LONGEST_CACHED else _find_needs(source)


@lru_cache(maxsize=32)
def _cached_needs(source: str) -> Needs:
    return _find_needs(source)


def _find_needs(source: str) -> Needs:
    lines = list(_lines_in_and_out_of_try(source))
    return Needs(MemberUse(lines, "variables").needed, MemberUse(lines, "state").needed)


def find_missing_variables(program: Program, context: FlowContext) -> list[Finding]:
    """Return findings about variables that the flow needs and nothing sets.

    A missing one is an error where no deployment sets it. It is a warning while the flow is not deployed, where some
    deployments set it, and in a `try` block.
    """
    findings: list[Finding] = []
    for read in needs_of(program.source).variables:
        if read.member in context.variables or len(findings) == _MOST_REPORTED:
            continue
        lacking = [name for name, parameters in context.parameters.items() if read.member not in parameters]
        if context.parameters and not lacking:
            continue
        is_lacking_everywhere = bool(context.parameters) and len(lacking) == len(context.parameters)
        is_error = is_lacking_everywhere and not read.is_caught

        sentence = f"The flow has no variable {_quoted_name(read.member)}"
        if not context.parameters:
            sentence += "; a parameter of its deployment has to set it."
        elif is_lacking_everywhere:
            sentence += ", and its deployments have no parameter of this name."
        else:
            sentence += f", and {_names_with_verb(lacking)} no parameter of this name."
        sentence += _spelling_hint(read.member, context.variables)
        findings.append(_finding_at_read(program, read, sentence, "error" if is_error else "warning"))
    return findings


def find_missing_state(program: Program, columns: Collection[str]) -> list[Finding]:
    """Return warnings about members of `state` that the flow needs and no campaign's row has."""
    known = {*columns, *_OF_EVERY_STATE}
    missing = [read for read in needs_of(program.source).state if read.member not in known]
    findings: list[Finding] = []
    for read in missing[:_MOST_REPORTED]:
        sentence = f"Nothing known sets {_quoted_name(read.member)} of state; the row of a campaign has to."
        sentence += _spelling_hint(read.member, known)
        findings.append(_finding_at_read(program, read, sentence, "warning"))
    return findings


def reads_state(program: Program) -> bool:
    """Return whether the flow needs a member of `state` that not every conversation has."""
    return any(read.member not in _OF_EVERY_STATE for read in needs_of(program.source).state)


def _finding_at_read(
    program: Program, read: MemberRead, sentence: str, severity: Literal["error", "warning"]
) -> Finding:
    position = program.positions.position(read.offset)
    return Finding(program.file, *position, sentence, severity)


def _quoted_name(member: str) -> str:
    return repr(member[:_LONGEST_NAMED])


def _names_with_verb(names: Sequence[str]) -> str:
    """Return the first names with a verb: `Day line has`, `Day line and Night line have`, `… and 3 more have`."""
    shown = list(names[:2])
    if len(names) > len(shown):
        shown.append(f"{len(names) - len(shown)} more")
    verb = "has" if len(shown) == 1 else "have"
    return f"{' and '.join(shown)} {verb}"


def _spelling_hint(member: str, known: Iterable[str]) -> str:
    names = [name for name in islice(known, _MOST_COMPARED) if len(name) <= _LONGEST_NAMED]
    near = get_close_matches(member[:_LONGEST_NAMED], names, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""

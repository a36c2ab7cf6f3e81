"""The members of `variables` and `state` that a flow needs, and those of them that nothing sets.

A flow needs a member if it reads it by a subscript, as in `variables["desk"]`. Code that also sets the member, or asks
whether it is there (`.get`, `in`), can do without. Nothing is run, and names that are computed are not looked at.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from itertools import islice

from dryline.flow.language.errors import BasedSyntaxError, Finding
from dryline.flow.language.program import Program
from dryline.flow.language.statements import Statement, tree
from dryline.flow.language.tokens import Token, logical_lines

# Members that each conversation may have in `state`.
_OF_EVERY_STATE = ("Caller", "variables")
_PLAIN_TEXT = re.compile(r"""[rRuU]?("{3}|'{3}|"|')(?P<text>[^\\]*)\1""", re.DOTALL)
_MOST_TARGETS = 100  # tokens of the targets of one assignment that are looked at
_MOST_REPORTED = 50  # findings
_MOST_COMPARED = 1_000  # names that a hint is chosen from
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
    """The use that a program makes of one of its dicts."""

    def __init__(self, program: Program, name: str) -> None:
        self.name = name
        self._reads: dict[str, MemberRead] = {}
        self._optional: set[str] = set()  # members that the code sets or asks for
        self._is_changed_elsewhere = False  # by code whose members are not known
        for line, is_caught in _lines(program.source):
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
            case _ if _is_bound(tokens, index):
                self._is_changed_elsewhere = True

    def _read_subscript(self, tokens: Sequence[Token], index: int, is_caught: bool) -> None:
        name, key = tokens[index], tokens[index + 2]
        if (member := _text_of(key)) is None:
            return
        if name.depth == 0 and _is_assigned(tokens, index + 4):
            self._note_optional(key)
        self._reads.setdefault(member, MemberRead(member, name.start, is_caught))

    def _note_optional(self, key: Token) -> None:
        if (member := _text_of(key)) is not None:
            self._optional.add(member)


def _text_at(tokens: Sequence[Token], index: int) -> str:
    """Return the text of a token, and nothing outside the line."""
    return tokens[index].text if 0 <= index < len(tokens) else ""


def _is_assigned(tokens: Sequence[Token], index: int) -> bool:
    """Return whether a subscript is a target of an assignment: at the index behind it is `= 1`, or `, other = 1, 2`."""
    if _text_at(tokens, index) == ",":
        few_targets = tokens[index : index + _MOST_TARGETS]
        ends = (position for position, token in enumerate(few_targets) if token.text in (";", ":"))
        return "=" in (token.text for token in few_targets[: next(ends, _MOST_TARGETS)])
    return _text_at(tokens, index) == "="


def _is_bound(tokens: Sequence[Token], index: int) -> bool:
    """Return whether the name is one that a loop, an `as` or a function's parameter binds anew."""
    if tokens[0].text in ("def", "async"):
        return True
    return _text_at(tokens, index - 1) in ("for", "as", "import", "global")


def _text_of(token: Token) -> str | None:
    """Return the text of a plain string; None of any other token."""
    match = _PLAIN_TEXT.fullmatch(token.text) if token.kind == "string" else None
    return match["text"] if match else None


def _lines(source: str) -> Iterator[tuple[list[Token], bool]]:
    """Yield the logical lines of a source, each with whether it is in a `try` block."""
    waiting: list[tuple[Statement, bool]] = [(statement, False) for statement in reversed(_statements(source))]
    while waiting:
        statement, is_caught = waiting.pop()
        yield statement.line.tokens, is_caught
        is_inner_caught = is_caught or statement.line.tokens[0].text == "try"
        waiting += [(inner, is_inner_caught) for inner in reversed([*statement.body, *statement.untils])]


def _statements(source: str) -> list[Statement]:
    try:
        return tree(logical_lines(source))
    except BasedSyntaxError:  # of a program that was never translated
        return []


def find_missing_variables(program: Program, context: FlowContext) -> list[Finding]:
    """Return findings about variables that the flow needs and nothing sets.

    A missing one is an error where no deployment sets it. It is a warning while the flow is not deployed, where some
    deployments set it, and in a `try` block.
    """
    findings: list[Finding] = []
    for read in MemberUse(program, "variables").needed:
        if read.member in context.variables or len(findings) == _MOST_REPORTED:
            continue
        lacking = [name for name, parameters in context.parameters.items() if read.member not in parameters]
        if context.parameters and not lacking:
            continue
        is_certain = bool(context.parameters) and len(lacking) == len(context.parameters) and not read.is_caught
        sentence = f"The flow has no variable {_named(read.member)}"
        if not context.parameters:
            sentence += "; a parameter of its deployment has to set it."
        elif len(lacking) == len(context.parameters):
            sentence += ", and its deployments have no parameter of this name."
        else:
            sentence += f", and {_listed(lacking)} no parameter of this name."
        sentence += _hint(read.member, context.variables)
        findings.append(_finding(program, read, sentence, "error" if is_certain else "warning"))
    return findings


def find_missing_state(program: Program, columns: Collection[str]) -> list[Finding]:
    """Return warnings about members of `state` that the flow needs and no campaign's row has."""
    known = {*columns, *_OF_EVERY_STATE}
    missing = [read for read in MemberUse(program, "state").needed if read.member not in known]
    return [
        _finding(
            program,
            read,
            f"Nothing known sets {_named(read.member)} of state; the row of a campaign has to."
            + _hint(read.member, known),
            "warning",
        )
        for read in missing[:_MOST_REPORTED]
    ]


def reads_state(program: Program) -> bool:
    """Return whether the flow needs a member of `state` that not every conversation has."""
    return any(read.member not in _OF_EVERY_STATE for read in MemberUse(program, "state").needed)


def _finding(program: Program, read: MemberRead, sentence: str, severity: str) -> Finding:
    place = program.places.place(read.offset)
    return Finding(program.file, *place, sentence, "error" if severity == "error" else "warning")


def _named(member: str) -> str:
    return repr(member[:_LONGEST_NAMED])


def _listed(names: Sequence[str]) -> str:
    """Return the first names with a verb: `Day line has`, `Day line and Night line have`, `… and 3 more have`."""
    shown = list(names[:2]) + ([f"{len(names) - 2} more"] if len(names) > 2 else [])
    return f"{' and '.join(shown)} {'has' if len(shown) == 1 else 'have'}"


def _hint(member: str, known: Iterable[str]) -> str:
    names = [name for name in islice(known, _MOST_COMPARED) if len(name) <= _LONGEST_NAMED]
    near = get_close_matches(member[:_LONGEST_NAMED], names, n=1)
    return f" Did you mean {near[0]!r}?" if near else ""

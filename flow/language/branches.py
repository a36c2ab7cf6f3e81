"""Routes through a flow, read from the tree of its translated code. Nothing is run."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import lru_cache

from dryline.flow.language.language_model import ForeseenQuestion
from dryline.flow.language.lookahead import Lookahead
from dryline.flow.language.program import Condition, Program
from dryline.flow.language.tokens import logical_lines

_MOST_CACHED = 16  # maps of programs
_DEEPEST_WAY = 20  # conditions that lead to each other by what their blocks set
_OUTCOMES = ("transferred", "failed", "completed")  # a condition that leads to several of them has the first
_ENDING_CALLS = {  # functions that end a call, with its outcome; a `raise` ends it as failed
    "transfer": "transferred",
    "transfer_call": "transferred",
    "end_call": "completed",
    "hangup": "completed",
    "end": "completed",
}
_UNTIL = {"_based_took", "_based_index"}  # the `if` that an until becomes compares one of them with a number
_ESCAPE = re.compile(r"(\\[\\'\"\n])|\\.")  # the group has those without which a text would end elsewhere


@dataclass(frozen=True, slots=True, eq=False)
class Guard:
    """An `if` that is no until: the names in its test, and the texts with which it compares them."""

    names: frozenset[str]
    texts: frozenset[str]


Around = tuple[Condition | Guard, ...]  # the conditions and guards in whose blocks something stands, outermost first


@dataclass(frozen=True, slots=True)
class Assignment:
    """An assignment in the block of a condition. `is_open` says that the value may be anything: it was asked for."""

    number: int  # in the order of the code
    texts: frozenset[str]
    is_open: bool
    condition: Condition

    def has_one_of(self, texts: Iterable[str]) -> bool:
        """Return whether its value has one of the texts, or a longer one with it."""
        return any(text in condition_text for text in texts for condition_text in self.texts)


class FlowMap:
    """The conditions of a program, the way to each, and how a call ends at it.

    `endings` has the conditions at which a call ends, by its outcome. `transfers` is whether any statement transfers.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._conditions = {condition.line: condition for condition in program.conditions}
        self._loops = {loop.line for loop in program.loops}
        # By the lines of loops and conditions. What stands around a condition includes itself.
        self._around: dict[int, Around] = dict.fromkeys(self._loops, ())
        self._around |= {line: (condition,) for line, condition in self._conditions.items()}
        self._assignments: dict[str, list[Assignment]] = {}  # by the name that is assigned to
        self._assignment_count = 0
        self._assigned_names: dict[int, str] = {}  # by line
        self._checked_names: set[str] = set()  # names and members of which the code asks whether they are missing
        self._ends: dict[str, list[Around]] = {outcome: [] for outcome in _OUTCOMES}
        statements = _statements_of(program)
        self._read_nodes(statements)
        self._lookahead = Lookahead(program, statements)
        self._conditions_by_guard: dict[Guard, list[Condition]] = {}  # once they were looked for
        self.transfers = bool(self._ends["transferred"])
        self.endings = {outcome: self._conditions_leading_to(ends) for outcome, ends in self._ends.items()}

    def route_to(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return the conditions to take, in their order, with those that lead to them."""
        route: list[Condition] = []
        for condition in conditions:
            leading_there = self._conditions_on_way_to(condition.loop.line)
            new = [each for each in leading_there if each not in route]
            route += [*new, condition]
        return route

    def outcome_of(self, condition: Condition) -> str:
        """Return how a call ends that takes a condition: `transferred`, `failed`, or else `completed`."""
        return next((outcome for outcome, each in self.endings.items() if condition in each), "completed")

    def conditions_that_continue(self, conditions: Sequence[Condition]) -> list[Condition]:
        """Return those of the conditions that lead out of their loop, and not to the end of the call."""
        ending = {condition for each in self.endings.values() for condition in each}
        return [each for each in conditions if each.leaves and each not in ending]

    def conditions_around(self, number: int) -> list[Condition]:
        """Return the conditions around that of a line, outermost first, and itself."""
        return _conditions_in(self._around[number])

    def texts_for(self, number: int) -> set[str]:
        """Return the texts in the `if` statements around the loop of a line."""
        return {text for block in self._around[number] if isinstance(block, Guard) for text in block.texts}

    def may_be_missing(self, name: str, line: int | None) -> bool:
        """Return whether the code asks if a member of an answer, or else what a line assigns, is missing: `not day`."""
        name = name or self._assigned_names.get(line or 0, "")
        return name != "" and name in self._checked_names

    def questions_behind(self, condition: Condition, *, is_opening: bool) -> Sequence[ForeseenQuestion]:
        """Return the questions about the talk that the code behind a condition asks, as the lookahead finds them."""
        return self._lookahead.questions_behind(condition, is_opening=is_opening)

    def _read_nodes(self, statements: Iterable[ast.stmt]) -> None:
        """Note what each node says about calls, in the order of the code. Nested code takes no recursion."""
        waiting: list[tuple[ast.AST, Around]] = [(statement, ()) for statement in statements]
        waiting.reverse()
        while waiting:
            node, around = waiting.pop()
            parts: list[tuple[ast.AST, Around]]
            if isinstance(node, ast.If):
                block = (*around, self._read_if(node, around))
                parts = [(node.test, around)]
                parts += [(statement, block) for statement in node.body]
                parts += [(statement, around) for statement in node.orelse]
            else:
                self._read_node(node, around)
                parts = [(part, around) for part in ast.iter_child_nodes(node)]
            waiting += reversed(parts)

    def _read_if(self, node: ast.If, around: Around) -> Condition | Guard:
        """Return the condition of an until, or a guard for any other `if`."""
        if not _is_until(node.test):
            return Guard(frozenset(_names_in(node.test)), frozenset(_texts_in(node.test)))
        condition = self._conditions[self._line_of(node)]
        self._around[condition.line] = (*around, condition)
        return condition

    def _read_node(self, node: ast.AST, around: Around) -> None:
        match node:
            case ast.While():
                line = self._line_of(node)
                if line in self._loops:
                    self._around[line] = around
            case ast.Call(func=ast.Name(id=name)) if name in _ENDING_CALLS:
                self._ends[_ENDING_CALLS[name]].append(around)
            case ast.Raise():
                self._ends["failed"].append(around)
            case ast.Assign():
                self._read_assignment(node.targets, node.value, around)
                self._assigned_names[self._line_of(node)] = _last_assigned_name(node.targets[0])
            case ast.AugAssign() | ast.NamedExpr() | ast.AnnAssign(value=ast.expr()):
                self._read_assignment([node.target], node.value, around)
            case ast.UnaryOp(op=ast.Not()):
                self._checked_names.add(_member_name(node.operand))
            case ast.Compare(ops=[ast.Is()], comparators=[ast.Constant(value=None)]):
                self._checked_names.add(_member_name(node.left))
            case ast.BoolOp(op=ast.Or()):
                self._checked_names |= {_member_name(value) for value in node.values[:-1]}

    def _read_assignment(self, targets: Sequence[ast.expr], value: ast.expr | None, around: Around) -> None:
        """Note an assignment in the block of a condition."""
        conditions = _conditions_in(around)
        if value is None or not conditions:
            return
        self._assignment_count += 1
        texts, is_open = frozenset(_texts_in(value)), _can_be_anything(value)
        assignment = Assignment(self._assignment_count, texts, is_open, conditions[-1])
        for name in {name for target in targets for name in _names_in(target)}:
            self._assignments.setdefault(name, []).append(assignment)

    def _line_of(self, node: ast.stmt) -> int:
        position = self.program.position_of_node(node)
        return position.line if position else 0

    def _conditions_on_way_to(self, number: int, passed: set[Guard] | None = None, depth: int = 0) -> list[Condition]:
        """Return the conditions around a loop, and for each guard around it one whose block sets what it asks for.

        `passed` has each guard that was looked at, so that none is followed twice.
        """
        passed = set() if passed is None else passed
        way: list[Condition] = []
        for block in self._around[number]:
            if isinstance(block, Condition):
                way.append(block)
            elif block not in passed and depth < _DEEPEST_WAY:
                setting = self._conditions_that_set(block)
                if setting and {*setting}.isdisjoint(way):
                    passed.add(block)
                    first = (self.conditions_that_continue(setting) or setting)[0]
                    way = [*self._conditions_on_way_to(first.loop.line, passed, depth + 1), first, *way]
        return list(dict.fromkeys(way))

    def _conditions_leading_to(self, ends: Iterable[Around]) -> list[Condition]:
        """Return the conditions in whose blocks calls end, or else those whose blocks lead there."""
        conditions: dict[Condition, None] = {}  # a dict as an ordered set
        for around in ends:
            inner = _conditions_in(around)[-1:]
            if inner:
                conditions[inner[0]] = None
                continue
            for guard in around:
                if isinstance(guard, Guard):
                    conditions |= dict.fromkeys(self._conditions_that_set(guard))
        return list(conditions)

    def _conditions_that_set(self, guard: Guard) -> list[Condition]:
        """Return the conditions whose blocks assign what a guard tests for, in the order of the code.

        For `if wish == "person"` these have `wish = "person"`. For a guard that compares with no text, they assign
        a value that is not known before the run.
        """
        if guard not in self._conditions_by_guard:
            texts = guard.texts - {""}
            fitting: dict[int, Condition] = {}
            for name in guard.names:
                for assignment in self._assignments.get(name, ()):
                    fits = assignment.has_one_of(texts) if texts else assignment.is_open
                    if fits:
                        fitting[assignment.number] = assignment.condition
            in_order = [fitting[number] for number in sorted(fitting)]
            self._conditions_by_guard[guard] = list(dict.fromkeys(in_order))
        return self._conditions_by_guard[guard]


@lru_cache(maxsize=_MOST_CACHED)
def flow_map_of(program: Program) -> FlowMap:
    """Return the map of a program, which is read once."""
    return FlowMap(program)


def _statements_of(program: Program) -> list[ast.stmt]:
    """Return the statements of the flow in its translated code, without those of the prelude."""
    statements = _parsed_statements(program.code) or _parsed_statements(_with_f_strings_blanked(program.code))
    return [statement for statement in statements if program.position_of_node(statement)]


def _parsed_statements(code: str) -> list[ast.stmt]:
    """Return the statements of code. They are none if this Python cannot parse what the sandbox can."""
    try:
        return ast.parse(_ESCAPE.sub(lambda match: match[1] or "__", code)).body  # Python warns of unknown escapes
    except (SyntaxError, RecursionError, MemoryError):
        return []


def _with_f_strings_blanked(code: str) -> str:
    """Return the code with a plain text in the place of each f-string: before 3.12, Python reads fewer of them.

    The text is as long as the f-string and has its line ends, since positions are found by them.
    """
    tokens = [token for line in logical_lines(code) for token in line.tokens]
    f_strings = [token for token in tokens if token.fields]
    quotes = '"""'  # also of an f-string in single quotes, which has at least six characters: f"{a}"
    parts = []
    end = 0
    for token in f_strings:
        blank = re.sub(r"[^\n]", "_", token.text[len(quotes) : -len(quotes)])
        parts += [code[end : token.start], f"{quotes}{blank}{quotes}"]
        end = token.end
    return "".join([*parts, code[end:]])


def _conditions_in(around: Around) -> list[Condition]:
    return [block for block in around if isinstance(block, Condition)]


def _is_until(test: ast.expr) -> bool:
    """Return whether the test of an `if` is that of an until: `_based_index == 1`, perhaps `and` a tool's arguments."""
    compared = test.values[0] if isinstance(test, ast.BoolOp) else test
    is_equality = isinstance(compared, ast.Compare) and isinstance(compared.ops[0], ast.Eq)
    return is_equality and not _UNTIL.isdisjoint(_names_in(compared))


def _names_in(node: ast.AST) -> Iterator[str]:
    return (part.id for part in ast.walk(node) if isinstance(part, ast.Name))


def _texts_in(node: ast.AST) -> Iterator[str]:
    parts = (part.value for part in ast.walk(node) if isinstance(part, ast.Constant))
    return (value for value in parts if isinstance(value, str))


def _can_be_anything(value: ast.expr) -> bool:
    """Return whether a value may be anything: True, a list or a member of something, an answer."""
    return any(
        isinstance(part, (ast.List, ast.ListComp, ast.Subscript))
        or (isinstance(part, ast.Constant) and part.value is True)
        or (isinstance(part, ast.Name) and part.id == "_based_ask")
        for part in ast.walk(value)
    )


def _last_assigned_name(target: ast.expr) -> str:
    """Return the name to which a statement assigns, the last of several; empty for a member."""
    last = target.elts[-1] if isinstance(target, ast.Tuple) else target
    return last.id if isinstance(last, ast.Name) else ""


def _member_name(node: ast.expr) -> str:
    """Return `day` for `day`, `visit.day`, `visit["day"]` and `visit.get("day")`; empty for other expressions."""
    match node:
        case ast.Name(id=name) | ast.Attribute(attr=name):
            return name
        case ast.Subscript(slice=ast.Constant(value=str(name))):
            return name
        case ast.Call(func=ast.Attribute(attr="get"), args=[ast.Constant(value=str(name)), *_]):
            return name
    return ""

"""A walk through the tree of a flow's translated code, from a condition to the next talk.

It follows the code with those values of names that the code itself tells; all others are UNKNOWN. Of an `if` whose test
is not known both blocks are followed.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from dryline.flow.language.calls_rewriting import ENDINGS
from dryline.flow.language.code_tree import has_talk, is_based_loop, names_assigned_in
from dryline.flow.language.known_values import (
    TALK,
    UNKNOWN,
    Names,
    Perhaps,
    member_of,
    merged_names,
    plain_value,
    result_of_comparison,
    result_of_method,
    truth_of,
)
from dryline.flow.language.language_model import ForeseenQuestion

if TYPE_CHECKING:
    from dryline.flow.language.lookahead import Lookahead

_MOST_STEPS = 5_000  # statements on the ways behind one condition
_DEEPEST_CALL = 5  # functions of the flow that call each other


class _End(Exception):
    """The way ends here: at a talk, at the end of the call, or by leaving the block."""


@dataclass
class CodeWalk:
    """One walk from a condition to the next talk, which collects `questions` by their lines."""

    code: Lookahead
    questions: dict[int, ForeseenQuestion] = field(default_factory=dict)
    names: Names = field(default_factory=dict)
    steps: int = 0
    is_certain: bool = True  # whether all ways come by here
    calls: list[str] = field(default_factory=list)  # functions of the flow that are being followed
    repeated: set[ast.stmt] = field(default_factory=set)  # loops of Python that were followed to their beginning

    def follow(self, until: ast.If, *, is_opening: bool) -> None:
        """Follow the code of a condition, and what comes behind its loop."""
        self._learn_names_before(until, is_opening=is_opening)
        self.questions.clear()
        self.steps, self.is_certain = 0, True
        if self._follow_block(until.body):
            self._follow_code_behind(self.code.loop_around(until))

    def _learn_names_before(self, until: ast.If, *, is_opening: bool) -> None:
        """Learn what the code sets before a condition: in each block around it, the statements before."""
        around: list[ast.stmt] = []
        statement: ast.AST | None = until
        while isinstance(statement, ast.stmt):
            around.append(statement)
            statement = self.code.blocks[statement][0]
        for inner in reversed(around):
            _, block, index = self.code.blocks[inner]
            for before in block[:index]:
                if has_talk(before) and isinstance(before, ast.Assign):
                    self._bind_all(before.targets, TALK)
                elif not self._follow_block([before]):  # a loop with talks, in which anything can be set
                    self.names |= dict.fromkeys(names_assigned_in(before), UNKNOWN)
            if not is_opening:
                self.names |= dict.fromkeys(self.code.names_set_in_earlier_rounds(inner), UNKNOWN)

    def _follow_code_behind(self, statement: ast.stmt) -> None:
        """Follow the code behind a statement, to the end of the blocks around it."""
        parent, block, index = self.code.blocks[statement]
        if not self._follow_block(block[index + 1 :]):
            return
        if isinstance(parent, (ast.While, ast.For)) and not is_based_loop(parent):
            is_repeated = None if isinstance(parent, ast.For) else truth_of(self._value(parent.test))
            if is_repeated is not False and parent not in self.repeated:
                self.repeated.add(parent)
                self._follow_block(parent.body)
            if is_repeated:
                return
        if isinstance(parent, ast.If) and self.code.is_until(parent):
            self._follow_code_behind(self.code.loop_around(parent))
        elif isinstance(parent, ast.stmt):
            self._follow_code_behind(parent)

    # Statements.

    def _follow_block(self, block: Iterable[ast.stmt]) -> bool:
        """Follow the statements of a block; return whether the code behind it is reached."""
        try:
            for statement in block:
                self._follow_statement(statement)
        except _End:
            return False
        return True

    def _follow_statement(self, statement: ast.stmt) -> None:
        """Follow a statement. Raises _End."""
        self.steps += 1
        if self.steps > _MOST_STEPS:
            raise _End
        match statement:
            case ast.Assign():
                self._bind_all(statement.targets, self._value(statement.value))
            case ast.AnnAssign(value=ast.expr() as value):
                self._bind(statement.target, self._value(value))
            case ast.AugAssign():
                self._value(statement.value)
                self._bind(statement.target, UNKNOWN)
            case ast.Expr():
                self._value(statement.value)
            case ast.If():
                self._follow_if(statement)
            case ast.While() | ast.For() | ast.AsyncFor():
                self._follow_loop(statement)
            case ast.Try():
                self._follow_alternatives([statement.body, *(handler.body for handler in statement.handlers)])
                self._follow_all([*statement.orelse, *statement.finalbody])
            case ast.With() | ast.AsyncWith():
                self._follow_all(statement.body)
            case ast.Match():
                self._value(statement.subject)
                self._follow_alternatives([*(case.body for case in statement.cases), []])
            case ast.Return() | ast.Raise():
                self._note_questions_in(statement)
                raise _End
            case ast.Continue() | ast.Break():
                raise _End

    def _follow_all(self, block: Iterable[ast.stmt]) -> None:
        for statement in block:
            self._follow_statement(statement)

    def _follow_if(self, statement: ast.If) -> None:
        is_true = truth_of(self._value(statement.test))
        if is_true is None:
            self._follow_alternatives([statement.body, statement.orelse])
        else:
            self._follow_all(statement.body if is_true else statement.orelse)

    def _follow_alternatives(self, blocks: Sequence[Sequence[ast.stmt]]) -> None:
        """Follow several blocks of which one is run. Raises _End if none leads further."""
        before, was_certain = self.names, self.is_certain
        ends: list[Names] = []
        for block in blocks:
            self.names, self.is_certain = dict(before), False
            if self._follow_block(block):
                ends.append(self.names)
        if not ends:
            raise _End
        self.names = merged_names(ends)
        self.is_certain = was_certain and len(ends) == len(blocks)

    def _follow_loop(self, loop: ast.While | ast.For | ast.AsyncFor) -> None:
        if is_based_loop(loop):
            self._follow_all(loop.body)  # to its talk
            return
        if isinstance(loop, ast.While):
            is_true = truth_of(self._value(loop.test))
        else:
            self._value(loop.iter)
            self._bind(loop.target, UNKNOWN)
            is_true = None
        if is_true is not False:
            self._follow_alternatives([loop.body, []])
        self._follow_all(loop.orelse)

    def _bind_all(self, targets: Iterable[ast.expr], value: Any) -> None:
        for target in targets:
            self._bind(target, value)

    def _bind(self, target: ast.expr, value: Any) -> None:
        match target:
            case ast.Name(id=name):
                self.names[name] = value
            case ast.Tuple(elts=parts) | ast.List(elts=parts):
                is_known = isinstance(value, list) and len(value) == len(parts)
                values = value if is_known else [UNKNOWN] * len(parts)
                for part, part_value in zip(parts, values, strict=True):
                    self._bind(part, part_value)
            case ast.Subscript(value=ast.Name(id=name), slice=ast.Constant(value=str(key))):
                members = self.names.get(name)
                if isinstance(members, dict):
                    self.names[name] = {**members, key: value}

    # Expressions.

    def _value(self, node: ast.expr) -> Any:
        """Return the value of an expression, and note the questions in it. Raises _End at a talk."""
        match node:
            case ast.Constant():
                return node.value
            case ast.Name(id=name):
                return self.names.get(name, self.code.constants.get(name, UNKNOWN))
            case ast.Tuple() | ast.List():
                return [self._value(each) for each in node.elts]
            case ast.Dict():
                return self._object_value(node)
            case ast.BoolOp():
                return self._and_or_value(node)
            case ast.UnaryOp(op=ast.Not()):
                is_true = truth_of(self._value(node.operand))
                return UNKNOWN if is_true is None else not is_true
            case ast.Compare():
                return self._comparison_value(node)
            case ast.IfExp():
                return self._if_else_value(node)
            case ast.NamedExpr():
                value = self._value(node.value)
                self._bind(node.target, value)
                return value
            case ast.Subscript():
                return member_of(self._value(node.value), self._value(node.slice))
            case ast.Call():
                return self._call_value(node)
        self._note_questions_in(node)
        return UNKNOWN

    def _note_questions_in(self, node: ast.AST) -> None:
        """Note the questions in the parts of an expression."""
        for part in ast.iter_child_nodes(node):
            if isinstance(part, ast.expr):
                self._value(part)
            elif not isinstance(part, (ast.arguments, ast.expr_context)):
                self._note_questions_in(part)

    def _object_value(self, node: ast.Dict) -> Any:
        members: dict[Any, Any] = {}
        for key, value in zip(node.keys, node.values, strict=True):
            name = UNKNOWN if key is None else self._value(key)
            member = self._value(value)
            if key is None and isinstance(member, dict):  # `**other`
                members |= member
            elif isinstance(name, str):
                members[name] = member
        return members

    def _and_or_value(self, node: ast.BoolOp) -> Any:
        """Return the value of `and` and `or`: that of the first part that decides the result.

        Behind a part that is not known the others are still read, for their questions. The result is then known only
        if it is a truth value.
        """
        decides = isinstance(node.op, ast.Or)
        result: Any = None
        is_known = True
        for part in node.values:
            value = self._value(part)
            is_true = truth_of(value)
            if is_true is decides:
                if is_known:
                    return value
                return decides if isinstance(value, bool) else UNKNOWN
            is_known = is_known and is_true is not None
            result = value
        return result if is_known else UNKNOWN

    def _comparison_value(self, node: ast.Compare) -> Any:
        values = [self._value(each) for each in (node.left, *node.comparators)]
        if len(values) != 2:  # such as `1 < size < 9`
            return UNKNOWN
        return result_of_comparison(node.ops[0], *values)

    def _if_else_value(self, node: ast.IfExp) -> Any:
        is_true = truth_of(self._value(node.test))
        if is_true is not None:
            return self._value(node.body if is_true else node.orelse)
        was_certain, self.is_certain = self.is_certain, False
        values = [self._value(node.body), self._value(node.orelse)]
        self.is_certain = was_certain
        return values[0] if values[0] == values[1] else UNKNOWN

    def _call_value(self, node: ast.Call) -> Any:
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "_based_talk":
            return self._talk_value(node)
        if name == "_based_ask":
            return self._note_question(node)
        arguments = [self._value(each) for each in node.args]
        named = {each.arg: self._value(each.value) for each in node.keywords}
        if name in ENDINGS:
            raise _End
        if name == "str" and len(arguments) == 1:
            return arguments[0] if arguments[0] is TALK else UNKNOWN
        if name in self.code.functions:
            return self._follow_function(self.code.functions[name], arguments, named)
        if isinstance(node.func, ast.Attribute):
            return result_of_method(self._value(node.func.value), node.func.attr, arguments)
        return UNKNOWN

    def _talk_value(self, node: ast.Call) -> Any:
        """Return the result of a talk outside of a loop. Raises _End at one that waits for the user."""
        if isinstance(node.args[0], ast.Constant):
            raise _End
        return TALK

    def _note_question(self, node: ast.Call) -> Any:
        """Note a question, if it is about a talk and its shape is known."""
        values = [self._value(each) for each in node.args]
        about = values[0] if values else UNKNOWN
        arguments: dict[str | None, Any] = dict(zip(("question", "example", "schema"), values[1:], strict=False))
        arguments |= {each.arg: self._value(each.value) for each in node.keywords}
        question, example = arguments.get("question"), arguments.get("example")

        is_of_talk = about is TALK or (about is UNKNOWN and isinstance(node.args[0], ast.Name))
        line = self.code.line_of(node)
        if is_of_talk and line not in self.questions:
            members = example if isinstance(example, dict) else {}
            uncertain = frozenset(name for name, value in members.items() if isinstance(value, Perhaps))
            self.questions[line] = ForeseenQuestion(
                line,
                question if isinstance(question, str) else "",
                plain_value(example),
                plain_value(arguments.get("schema")),
                uncertain,
                self.is_certain,
            )
        return UNKNOWN

    def _follow_function(
        self, function: ast.FunctionDef | ast.AsyncFunctionDef, arguments: list[Any], named: dict[str | None, Any]
    ) -> Any:
        """Follow a function of the flow, which may ask about a talk that it is passed."""
        if function.name in self.calls or len(self.calls) == _DEEPEST_CALL:
            return UNKNOWN
        outside, self.names = self.names, dict(self.names)
        self.calls.append(function.name)
        parameters = [each.arg for each in (*function.args.posonlyargs, *function.args.args)]
        only_named = [each.arg for each in function.args.kwonlyargs]
        self.names |= dict.fromkeys([*parameters, *only_named], UNKNOWN)
        self.names |= dict(zip(parameters, arguments, strict=False))
        self.names |= {name: value for name, value in named.items() if name is not None}
        self._follow_block(function.body)
        self.calls.pop()
        self.names = outside
        return UNKNOWN

"""Routes through a flow, read from the nesting of its code. Nothing is run."""

import re
from collections.abc import Iterable, Iterator

from dryline.flow.language.program import Condition, Loop, Program

_TRANSFER = r"\b(?:transfer|transfer_call)\s*\("
_DEF = re.compile(r"\s*def\s+(\w+)")
_RAISE = r"^\s*raise\b"
_END = r"\b(?:end_call|hangup|end)\s*\("
# Parts of an `if`: the texts that it compares with, the values that are missing, and the names that are true.
_COMPARED = re.compile(r"""(?:==|\bin\b)\s*[(\[{]?\s*((?:["'][^"']*["'][,\s]*)+)""")
_MISSING = re.compile(r"\bnot (\w+)")
_TRUE = re.compile(r"\b(?:if|and|or)\s+(\w+)\s*(?=:|\band\b|\bor\b)")


def paths(program: Program) -> Iterator[tuple[Condition, ...]]:
    """Yield the path to each condition, in the order of the code: outermost first, itself last."""

    def below(loops: list[Loop], before: tuple[Condition, ...]) -> Iterator[tuple[Condition, ...]]:
        for loop in loops:
            yield from below(loop.inner, before)
            for condition in loop.conditions:
                yield (*before, condition)
                yield from below(condition.inner, (*before, condition))

    yield from below([loop for loop in program.loops if loop.outermost], ())


class FlowMap:
    """The conditions of a program with the blocks they have, the way to each, and how a call ends at it.

    `transfers` says whether the code transfers calls anywhere.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self.path_to = {path[-1]: path for path in paths(program)}
        self._lines = [re.sub(r"""(?:^|\s)#[^"']*$""", "", line) for line in program.source.split("\n")]
        self._blocks = {condition: self._block(condition.line) for condition in program.conditions}
        functions = {line: self._block(number) for number, line in enumerate(self._lines, 1) if _DEF.match(line)}
        self._in_functions = {number for block in functions.values() for number in block}
        # The functions that transfer, and those of the code that call them.
        names = [_DEF.match(line) for line, block in functions.items() if re.search(_TRANSFER, self._join(block))]
        transfer = "|".join([_TRANSFER, *(rf"\b{name[1]}\s*\(" for name in names if name)])
        self.transfers = bool(self._matching(transfer))
        self._leading = {"transferred": self._leading_to(transfer), "failed": self._leading_to(_RAISE)}

    def route_to(self, conditions: Iterable[Condition]) -> tuple[Condition, ...]:
        """Return the conditions to take, in their order, with those whose blocks they stand in."""
        route: list[Condition] = []
        for condition in conditions:
            route += [*(outer for outer in self.path_to[condition][:-1] if outer not in route), condition]
        return tuple(route)

    def outcome_of(self, condition: Condition) -> str:
        """Return how a call ends that takes a condition: `transferred`, `failed`, or else `completed`."""
        return next((outcome for outcome, each in self._leading.items() if condition in each), "completed")

    def ways_to(self, loop: Loop, conditions: list[Condition]) -> list[Condition]:
        """Return those of the conditions after which the code may come to a loop; all if it does not say."""
        final = [self._owner(number) for number in self._matching(_END)]
        final += [condition for leading in self._leading.values() for condition in leading]
        open_ways = [each for each in conditions if each.leaves and each not in final] or conditions
        return self._fitting(loop.line, open_ways) or open_ways

    def texts_for(self, number: int) -> set[str]:
        """Return the texts with which the `if` statements around a line compare."""
        compared = _COMPARED.findall(self._guards(number))
        return {text for each in compared for text in re.findall(r"""["']([^"']*)["']""", each)}

    def is_checked(self, name: str) -> bool:
        """Return whether the code asks if a value is missing: `if not day`, `day is None`, `answer["day"] or …`."""
        name = re.escape(name)
        checks = rf"\bnot {name}\b|\b{name} is None\b|\b{name}(?:[\"'][\])])? or\b|\bor {name}$"
        return re.search(checks, self.program.source, re.MULTILINE) is not None

    def assigned_at(self, line: int | None) -> str:
        """Return the name that a line assigns to; empty if it assigns to none."""
        match = re.match(r"\s*(?:\w+, )*(\w+) = ", self._lines[line - 1]) if line else None
        return match[1] if match else ""

    def _leading_to(self, pattern: str) -> list[Condition]:
        """Return the conditions in whose blocks a statement stands, or after which the code comes to it."""
        conditions: list[Condition] = []
        for number in self._matching(pattern):
            owner = self._owner(number)
            conditions += [owner] if owner else self._fitting(number, self.program.conditions, own=True)
        return conditions

    def _fitting(self, number: int, conditions: list[Condition], *, own: bool = False) -> list[Condition]:
        """Return the conditions whose blocks set what the `if` statements around a line ask for.

        With `own`, the lines of the conditions in a block do not belong to it.
        """
        guards = self._guards(number)
        sets = [rf"""=.*["']{re.escape(text)}["']""" for text in self.texts_for(number)]
        sets += [rf"\b{name} = True\b" for name in _TRUE.findall(guards)]
        sets += [rf"\b{name}\b[^=\n]*=.*(?:\[|\bask\()" for name in _MISSING.findall(guards)]
        fitting = []
        for condition in conditions if sets else []:
            block = [each for each in self._blocks[condition] if not own or self._owner(each) is condition]
            if re.search("|".join(sets), self._join(block)):
                fitting.append(condition)
        return fitting

    def _guards(self, number: int) -> str:
        """Return the `if` and `elif` lines around a line."""
        guards, margin = [], _indent(self._lines[number - 1])
        for line in reversed(self._lines[: number - 1]):
            if line.strip() and _indent(line) < margin:
                margin = _indent(line)
                guards += [line] if re.match(r"\s*(?:if|elif)\b", line) else []
        return "\n".join(guards)

    def _owner(self, number: int) -> Condition | None:
        """Return the innermost condition in whose block a line stands."""
        around = [condition for condition, block in self._blocks.items() if number in block]
        return max(around, key=lambda condition: condition.line, default=None)

    def _matching(self, pattern: str) -> list[int]:
        """Return the numbers of the lines outside of functions that match."""
        lines = enumerate(self._lines, 1)
        return [number for number, line in lines if number not in self._in_functions and re.search(pattern, line)]

    def _join(self, numbers: Iterable[int]) -> str:
        return "\n".join(self._lines[number - 1] for number in numbers)

    def _block(self, start: int) -> range:
        """Return the numbers of a statement's line and of the lines below it that stand further to the right."""
        end = start
        for number, line in enumerate(self._lines[start:], start + 1):
            if line.strip() and _indent(line) <= _indent(self._lines[start - 1]):
                break
            end = number
        return range(start, end + 1)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())

"""Routes through a flow, read from the nesting of its code. Nothing is run."""

import re
from collections.abc import Iterable, Sequence

from dryline.flow.language.program import Condition, Program

_DEEPEST_WAY = 20  # conditions that lead to each other by what their blocks set
_ENDS = {  # what ends a call, by its outcome
    "transferred": r"\b(?:transfer|transfer_call)\s*\(",
    "failed": r"^\s*raise\b",
    "completed": r"\b(?:end_call|hangup|end)\s*\(",
}
_COMMENT = re.compile(r"(?:^|\s)#")
_IF = re.compile(r"\s*(?:if|elif)\b")
_TEXT = re.compile(r"""["']([^"']*)["']""")
_EQUALS = re.compile("(?<![=!<>])=(?!=)")
_ANY_VALUE = re.compile(r"\bTrue\b|\[|\bask\(")
_NAME = re.compile(r"\b(?!(?:if|elif|and|or|not|in|is|None|True|False)\b)[A-Za-z_]\w*")


class FlowMap:
    """The conditions of a program, the way to each, and how a call ends at it.

    `endings` has the conditions at which a call ends, by its outcome. `transfers` is whether any statement transfers.
    """

    def __init__(self, program: Program) -> None:
        self.program = program
        self._lines = [_without_comment(line) for line in program.source.split("\n")]
        self._headers = self._read_headers()
        self._assigned = self._read_assignments()
        self._settings: dict[int, list[Condition]] = {}  # by the line of an `if`, once it was looked for
        self._conditions = {condition.line: condition for condition in program.conditions}
        self.transfers = bool(self._matching(_ENDS["transferred"]))
        self.endings = {outcome: self._leading_to(pattern) for outcome, pattern in _ENDS.items()}

    def route_to(self, conditions: Iterable[Condition]) -> list[Condition]:
        """Return the conditions to take, in their order, with those that lead to them."""
        route: list[Condition] = []
        for condition in conditions:
            route += [*(each for each in self._way_to(condition.loop.line) if each not in route), condition]
        return route

    def outcome_of(self, condition: Condition) -> str:
        """Return how a call ends that takes a condition: `transferred`, `failed`, or else `completed`."""
        return next((outcome for outcome, each in self.endings.items() if condition in each), "completed")

    def going_on(self, conditions: Sequence[Condition]) -> list[Condition]:
        """Return those of the conditions that lead out of their loop, and not to the end of the call."""
        ending = {condition for each in self.endings.values() for condition in each}
        return [each for each in conditions if each.leaves and each not in ending]

    def conditions_around(self, number: int) -> list[Condition]:
        """Return the conditions in whose blocks a line stands, outermost first, and that of the line itself."""
        return [self._conditions[header] for header in self._headers[number] if header in self._conditions]

    def texts_for(self, number: int) -> set[str]:
        """Return the texts in the `if` statements around a line."""
        guards = (self._lines[header - 1] for header in self._headers[number])
        return {text for guard in guards if _IF.match(guard) for text in _TEXT.findall(guard)}

    def may_be_missing(self, name: str, line: int | None) -> bool:
        """Return whether the code asks if a member of an answer, or else what a line assigns, is missing: `not day`."""
        assigned = re.match(r"\s*(?:\w+, )*(\w+) = ", self._lines[line - 1]) if line and not name else None
        name = re.escape(assigned[1] if assigned else name)
        checks = rf"\bnot {name}\b|\b{name} is None\b|\b{name}(?:[\"'][\])])? or\b|\bor {name}$"
        return bool(name) and re.search(checks, self.program.source, re.MULTILINE) is not None

    def _read_headers(self) -> dict[int, tuple[int, ...]]:
        """Return for each line the numbers of those in whose blocks it stands, outermost first, and its own."""
        headers: dict[int, tuple[int, ...]] = {}
        above: list[tuple[int, int]] = []  # indentation and number
        for number, line in enumerate(self._lines, 1):
            if line.strip():
                indent = len(line) - len(line.lstrip())
                above = [*(each for each in above if each[0] < indent), (indent, number)]
            headers[number] = tuple(header for _, header in above)
        return headers

    def _read_assignments(self) -> dict[str, dict[int, int]]:
        """Return for each name the lines that assign to it, with the offset behind the equals sign."""
        assigned: dict[str, dict[int, int]] = {}
        for number, line in enumerate(self._lines, 1):
            start = 0
            for equals in _EQUALS.finditer(line):
                for name in _NAME.findall(line[start : equals.start()]):
                    assigned.setdefault(name, {}).setdefault(number, equals.end())
                start = equals.end()
        return assigned

    def _way_to(self, number: int, passed: set[int] | None = None, depth: int = 0) -> list[Condition]:
        """Return the conditions around a line, and for each `if` around it one whose block sets what it asks for.

        `passed` has the lines of each `if` that was looked at, so that none is followed twice.
        """
        passed = set() if passed is None else passed
        way: list[Condition] = []
        for header in self._headers[number]:
            if header in self._conditions:
                way.append(self._conditions[header])
            elif header not in passed and depth < _DEEPEST_WAY:
                setting = self._setting(header)
                if setting and {*setting}.isdisjoint(way):
                    passed.add(header)
                    first = (self.going_on(setting) or setting)[0]
                    way = [*self._way_to(first.loop.line, passed, depth + 1), first, *way]
        return list(dict.fromkeys(way))

    def _leading_to(self, pattern: str) -> list[Condition]:
        """Return the conditions in whose blocks a statement stands, or else those whose blocks lead to it."""
        conditions: dict[Condition, None] = {}  # a dict as an ordered set
        for number in self._matching(pattern):
            around = self.conditions_around(number)[-1:]
            if around:
                conditions[around[0]] = None
                continue
            for header in self._headers[number]:
                conditions |= dict.fromkeys(self._setting(header))
        return list(conditions)

    def _setting(self, header: int) -> list[Condition]:
        """Return the conditions whose blocks have `wish = "person"` for an `if wish == "person"`, or else any value."""
        if header not in self._settings:
            self._settings[header] = self._find_setting(self._lines[header - 1])
        return self._settings[header]

    def _find_setting(self, guard: str) -> list[Condition]:
        if not _IF.match(guard):
            return []
        names = {*_NAME.findall(_TEXT.sub("", guard))}
        values = {*filter(None, _TEXT.findall(guard))}
        numbers = {
            number
            for name in names
            for number, offset in self._assigned.get(name, {}).items()
            if self._has_value(number, offset, values)
        }
        return list(dict.fromkeys(each for number in sorted(numbers) for each in self.conditions_around(number)[-1:]))

    def _has_value(self, number: int, offset: int, values: set[str]) -> bool:
        """Return whether one of the values, or any value if there is none, stands in a line from an offset on."""
        line = self._lines[number - 1]
        if not values:
            return _ANY_VALUE.search(line, offset) is not None
        return any(line.find(value, offset) >= 0 for value in values)

    def _matching(self, pattern: str) -> list[int]:
        return [number for number, line in enumerate(self._lines, 1) if re.search(pattern, line)]


def _without_comment(line: str) -> str:
    """Return a line without its comment, which begins behind the last quotation mark."""
    comment = _COMMENT.search(line, max(line.rfind('"'), line.rfind("'")) + 1)
    return line[: comment.start()] if comment else line

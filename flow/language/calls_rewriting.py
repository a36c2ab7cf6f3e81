"""Rewriting of calls that the sandbox cannot run, or for which it cannot report the line.

They are `X.ask(…)`, `talk(…)`, `send_sms(…)`, `integrations.app.action(…)`, `requests`, `await` before functions that
are no coroutines in the sandbox, and `raise` with other arguments than a text.
"""

import ast
from itertools import pairwise
from keyword import iskeyword

from dryline.flow.language.errors import BasedSyntaxError
from dryline.flow.language.source_map import Part, PositionIndex, Rewriting
from dryline.flow.language.tokens import LogicalLine, Token

RESERVED = "_based_"  # the start of names in the prelude: a flow that has one is refused
ENDINGS = {"transfer", "transfer_call", "end_call", "hangup", "end", "done"}  # they end a turn or the run
BUILT_INS = ENDINGS | {"say", "talk", "extract", "print", "send_sms", "click_ivr", "send_image"}
METHODS = ("ask", "summarize", "to_json")  # of any value
_OBJECTS = {"api", "integrations", "requests"}
_LONGEST = 300  # parts of an expression; the sandbox reads no more of them either
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")


class CallRewriting:
    """A rewriter that adds to `edits`. `names` are the names in the code, `talks` the first arguments of each talk."""

    def __init__(self, edits: Rewriting, positions: PositionIndex, lines: list[LogicalLine]) -> None:
        self.names: set[str] = set()
        self.imports: list[tuple[str, int]] = []  # statements with their offsets
        self.talks: dict[int, list[Part]] = {}
        self._edits = edits
        self._positions = positions
        self._requests_names = {"requests"}
        self._defined_names = _names_defined_in(lines)  # these are not rewritten, nor are methods that the flow defines
        defined = {token.text for line in lines for before, token in pairwise(line.tokens) if before.text == "def"}
        self._methods = {method for method in METHODS if method not in defined}

    def rewrite(self, tokens: list[Token], in_def: bool) -> None:
        """Rewrite the calls among the tokens. Raises BasedSyntaxError."""
        pairs = _matching_brackets(tokens)
        for index, token in enumerate(tokens):
            for field in token.fields:
                self.rewrite(field, in_def)
            if token.kind != "name":
                continue
            if token.text.startswith(RESERVED):
                raise BasedSyntaxError(token.start, f"Names that begin with {RESERVED} are the engine's own.")
            self.names.add(token.text)

            before = tokens[index - 1].text if index else ""
            if token.text in self._methods and before == "." and index > 1 and is_call_of(token.text, tokens, index):
                self._rewrite_method_call(tokens, index, pairs)
            elif token.text in self._defined_names or before in (".", "def"):
                continue
            elif token.text in self._requests_names | _OBJECTS or is_call_of(token.text, tokens, index):
                self._rewrite_function_call(tokens, index, pairs, in_def)

    def _rewrite_function_call(self, tokens: list[Token], index: int, pairs: dict[int, int], in_def: bool) -> None:
        """Rewrite a call of a function, or of a member of an object."""
        token, line = tokens[index], self._positions.line(tokens[index].start)
        if token.text in BUILT_INS | _OBJECTS:
            self._remove_await(tokens, index)
        words = [each.text for each in tokens[index : index + 6]]
        if token.text == "talk":
            if in_def:
                sentence = "A talk cannot stand in a function, only at the top level or in a block."
                raise BasedSyntaxError(token.start, sentence)
            arguments = self.talks.get(token.start) or [f"-{line}, None, "]
            self._edits.replace(token.start, tokens[index + 1].end, "_based_talk(", *arguments)
        elif token.text == "send_sms":
            self._edits.insert(token.start, "_based_Result(")
            self._edits.insert(tokens[pairs[index + 1]].end, ")")
        elif token.text in ENDINGS:
            # Pass the flow's `state`, which it may have bound anew. In a function that name can be a parameter.
            close = pairs[index + 1]
            self.names.add("_based_global_state")
            comma = "" if tokens[close - 1].text in ("(", ",") else ", "
            self._edits.insert(tokens[close].start, f"{comma}_based_state=_based_global_state()")
        elif token.text == "integrations" and words[1::2] == [".", ".", "("]:
            call = f'_based_Result(_based_integrate("{words[2]}", "{words[4]}", '
            self._edits.replace(token.start, tokens[index + 5].end, call)
            self._edits.insert(tokens[pairs[index + 5]].end, ")")
        elif token.text == "api" and words[1:4:2] == [".", "("]:
            self._edits.replace(token.start, tokens[index + 3].end, f'_based_api("{words[2]}", ')
        elif token.text in self._requests_names and words[1:4:2] == [".", "("] and words[2].islower():
            self._edits.insert(token.end, f".at({line})")
        elif index and tokens[index - 1].text == "raise":
            # Turn the arguments of an exception into a text: the sandbox's exceptions hold one text or nothing.
            *raised, close_token = tokens[index + 2 : pairs[index + 1] + 1]
            if any(each.kind != "string" for each in raised):
                self.names.add("_based_message")
                self._edits.insert(raised[0].start, "_based_message(")
                self._edits.insert(close_token.start, ")")

    def _rewrite_method_call(self, tokens: list[Token], index: int, pairs: dict[int, int]) -> None:
        begin = primary_start(tokens, index - 1, pairs)
        self._remove_await(tokens, begin)
        self._edits.insert(tokens[begin].start, f"_based_{tokens[index].text}(")
        self._edits.replace(tokens[index - 1].start, tokens[index + 1].end, ", ")

    def _remove_await(self, tokens: list[Token], begin: int) -> None:
        if begin and tokens[begin - 1].text == "await":
            self._edits.replace(tokens[begin - 1].start, tokens[begin].start)

    def rewrite_import(self, part: list[Token]) -> None:
        """Rewrite imports of `requests`, which is an object of the prelude, and note those of the sandbox's modules."""
        if part[0].text not in ("import", "from"):
            return
        source = " ".join(token.text for token in part)
        try:
            (statement,) = ast.parse(source).body
        except SyntaxError:  # the sandbox reports it
            return
        if not isinstance(statement, ast.Import | ast.ImportFrom):
            return
        module = (statement.module or "") if isinstance(statement, ast.ImportFrom) else ""
        assignments, others = [], []
        for alias in statement.names:
            if module in ("requests", "requests.exceptions"):
                assignments.append(f"{alias.asname or alias.name} = _based_requests.{alias.name}")
            elif not module and alias.name.partition(".")[0] == "requests":
                self._requests_names.add(alias.asname or "requests")
                assignments.append(f"{alias.asname or 'requests'} = _based_requests")
            else:
                others.append(alias)
        if others:
            statement.names = others
            self.imports.append((ast.unparse(statement), part[0].start))
        if assignments:
            other_imports = [self.imports[-1][0]] if others else []
            self._edits.replace(part[0].start, part[-1].end, "; ".join(other_imports + assignments))


def is_call_of(name: str, tokens: list[Token], index: int) -> bool:
    """Return whether the token is a call of this name."""
    if tokens[index].text != name or index + 1 >= len(tokens) or tokens[index + 1].text != "(":
        return False
    return index == 0 or tokens[index - 1].text not in (".", "def") or name in METHODS


def primary_start(tokens: list[Token], dot: int, pairs: dict[int, int]) -> int:
    """Return the first token of the expression before a dot, with its calls, subscripts and attributes.

    Raises BasedSyntaxError.
    """
    index = dot - 1
    for _ in range(_LONGEST):
        kind = tokens[index].kind
        if kind == "op" and tokens[index].text in _CLOSE:
            index = pairs[index]
        before = tokens[index - 1] if index else None
        if before is None:
            return index
        is_trailer = tokens[index].text in ("(", "[") and (before.text in _CLOSE or before.kind in ("string", "name"))
        if kind == "name" and before.text == ".":
            index -= 2
        elif (kind == "op" and is_trailer and not iskeyword(before.text)) or kind == before.kind == "string":
            index -= 1
        else:
            return index
    sentence = "The expression before this dot is too long. Assign a part of it to a name."
    raise BasedSyntaxError(tokens[dot].start, sentence)


def _matching_brackets(tokens: list[Token]) -> dict[int, int]:
    """Return the indices of matching brackets, in both directions."""
    pairs: dict[int, int] = {}
    waiting: list[int] = []
    for index, token in enumerate(tokens):
        if token.kind != "op":
            continue
        if token.text in _OPEN:
            waiting.append(index)
        elif token.text in _CLOSE and waiting:
            opening = waiting.pop()
            pairs[opening], pairs[index] = index, opening
    return pairs


def _names_defined_in(lines: list[LogicalLine]) -> set[str]:
    """Return the names that the flow defines, without the methods of its classes."""
    names = set()
    class_indent: str | None = None
    for line in lines:
        if class_indent is not None and len(line.indent) > len(class_indent):
            continue
        class_indent = line.indent if line.tokens[0].text == "class" else None
        for before, token in pairwise(line.tokens):
            if before.text in ("def", "class"):
                names.add(token.text)
            elif token.text == "=" and before is line.tokens[0]:
                names.add(before.text)
    return names

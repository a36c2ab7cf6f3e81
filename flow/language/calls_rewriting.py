"""Rewriting of calls that the sandbox cannot run, or for which it cannot report the line.

Of Based: `X.ask(…)`, `talk(…)`, `send_sms(…)`, `integrations.app.action(…)`, `requests`, and `await` before functions
that are no coroutines in the sandbox. Of Python: `next(… for …)`, `raise` with other arguments than a text, `del x[…]`.
"""

import builtins
from itertools import pairwise
from keyword import iskeyword

from dryline.flow.language.errors import BasedSyntaxError
from dryline.flow.language.prelude import METHODS, REQUESTS_MEMBERS, RESERVED
from dryline.flow.language.source_map import Part, Places, Rewriting
from dryline.flow.language.tokens import LogicalLine, Token

ENDINGS = {"transfer", "transfer_call", "end_call", "hangup", "end", "done"}  # they end a turn or the run
BUILT_INS = ENDINGS | {"say", "talk", "extract", "print", "send_sms", "click_ivr", "send_image"}
_EXCEPTIONS = {name for name, it in vars(builtins).items() if isinstance(it, type) and issubclass(it, BaseException)}
_LONGEST = 300  # parts of an expression; the sandbox reads no more of them either
_OPEN, _CLOSE = ("(", "[", "{"), (")", "]", "}")


class CallRewriting:
    """A rewriter that adds to `edits`. `names` are the names in the code, `talks` the first arguments of each talk."""

    def __init__(self, edits: Rewriting, places: Places, lines: list[LogicalLine]) -> None:
        self.names: set[str] = set()
        self.imports: list[tuple[str, str, int]] = []  # a module, a name of it or none, and the offset
        self.talks: dict[int, list[Part]] = {}
        self._edits = edits
        self._places = places
        self.unknown: list[tuple[str, int]] = []  # members that `requests` of the prelude lacks, with offset
        self._requests_names = {"requests"} if _imports_requests(lines) else set[str]()
        self._requests_functions: dict[str, str] = {}  # `from requests import post as send` has "send": "post"
        self._own = _own_names(lines)  # names that the flow defines itself are not rewritten

    def rewrite(self, tokens: list[Token], in_def: bool) -> None:
        """Rewrite the calls among the tokens. Raises BasedSyntaxError."""
        pairs = _pairs(tokens)
        for index, token in enumerate(tokens):
            for field in token.fields:
                self.rewrite(field, in_def)
            if token.kind != "name":
                continue
            if token.text.startswith(RESERVED):
                raise BasedSyntaxError(token.start, f"Names that begin with {RESERVED} are the engine's own.")
            self.names.add(token.text)
            if token.text == "await":
                self._await(tokens, index, pairs)
            elif token.text in METHODS:
                self._method(tokens, index, pairs)
            elif token.text not in self._own and (index == 0 or tokens[index - 1].text not in (".", "def")):
                self._name(tokens, index, pairs, in_def)

    def _name(self, tokens: list[Token], index: int, pairs: dict[int, int], in_def: bool) -> None:
        token = tokens[index]
        line = self._places.line(token.start)
        if calls(token.text, tokens, index):
            bracket = tokens[index + 1]
            if member := self._requests_functions.get(token.text):
                self._edits.replace(token.start, token.end, f"_based_requests.at({line}).{member}")
            elif token.text == "talk":
                if in_def:
                    raise BasedSyntaxError(
                        token.start, "A talk cannot stand in a function, only at the top level or in a block."
                    )
                arguments = self.talks.get(token.start) or [f"-{line}, None, "]
                self._edits.replace(token.start, bracket.end, "_based_talk(", *arguments)
            elif token.text == "send_sms":
                self._edits.replace(token.start, bracket.end, f"_based_send_sms({line}, ")
            elif token.text in ENDINGS:
                self._with_state(tokens, pairs[index + 1], in_def)
            elif token.text == "next":
                self._next(tokens, index + 2, pairs)
            elif token.text in _EXCEPTIONS and index and tokens[index - 1].text == "raise":
                self._raise(tokens, index + 1, pairs[index + 1])
        elif token.text == "integrations" and [each.kind for each in tokens[index + 1 : index + 6 : 2]] == ["op"] * 3:
            app, action, bracket = tokens[index + 2], tokens[index + 4], tokens[index + 5]
            if bracket.text == "(":
                call = f'_based_integration({line}, "{app.text}", "{action.text}", '
                self._edits.replace(token.start, bracket.end, call)
        elif token.text == "api" and [each.text for each in tokens[index + 1 : index + 4 : 2]] == [".", "("]:
            self._edits.replace(token.start, tokens[index + 3].end, f'_based_api({line}, "{tokens[index + 2].text}", ')
        elif token.text in self._requests_names and [each.text for each in tokens[index + 1 : index + 2]] == ["."]:
            self._requests_member(tokens, index)

    def _requests_member(self, tokens: list[Token], index: int) -> None:
        """Pass the line to a function of `requests`, and note a member that the stand-in for `requests` lacks."""
        token, member = tokens[index], tokens[index + 2].text if index + 2 < len(tokens) else ""
        if member not in REQUESTS_MEMBERS:
            self.unknown.append((f"{token.text}.{member}", token.start))
        elif calls(member, tokens[index + 2 :], 0):
            self._edits.insert(token.end, f".at({self._places.line(token.start)})")

    def _with_state(self, tokens: list[Token], close: int, in_def: bool) -> None:
        """Pass the flow's `state`, which it may have bound anew. In a function that name can be a parameter."""
        comma = "" if tokens[close - 1].text in ("(", ",") else ", "
        if in_def:
            self.names.add("_based_global_state")
        self._edits.insert(tokens[close].start, f"{comma}_based_state={'_based_global_state()' if in_def else 'state'}")

    def _next(self, tokens: list[Token], at: int, pairs: dict[int, int]) -> None:
        """Wrap a generator expression in `iter`, because the sandbox makes a list of it."""
        close, bare = pairs[at - 1], tokens[at].text != "("
        inner = range(at, close) if bare else range(at + 1, pairs[at])
        if not bare and tokens[pairs[at] + 1].text not in (",", ")"):
            return
        closing = 0  # the end of the brackets that contain no `for` of this generator
        for index in inner:
            if index >= closing and tokens[index].text == "for":
                self._edits.insert(tokens[at].start, "iter(" if bare else "iter")
                self._edits.insert(tokens[close].start, ")" if bare else "")
                return
            if index >= closing and tokens[index].text in _OPEN:
                closing = pairs[index]

    def _raise(self, tokens: list[Token], opening: int, close: int) -> None:
        """Turn the arguments of an exception into a text, because the sandbox's exceptions hold one text or nothing."""
        if any(token.kind != "string" for token in tokens[opening + 1 : close]):
            self.names.add("_based_message")
            self._edits.insert(tokens[opening + 1].start, "_based_message(")
            self._edits.insert(tokens[close].start, ")")

    def _method(self, tokens: list[Token], index: int, pairs: dict[int, int]) -> None:
        if index < 2 or tokens[index - 1].text != "." or not calls(tokens[index].text, tokens, index):
            return
        begin = primary_start(tokens, index - 1, pairs)
        line = self._places.line(tokens[index].start)
        self._edits.insert(tokens[begin].start, f"_based_{tokens[index].text}({line}, ")
        self._edits.replace(tokens[index - 1].start, tokens[index + 1].end, ", ")

    def _await(self, tokens: list[Token], index: int, pairs: dict[int, int]) -> None:
        """Remove an `await` before a call that is no coroutine in the sandbox."""
        end = _primary_end(tokens, index + 1, pairs)
        if end is None or tokens[end].text != ")":
            return
        callee = tokens[index + 1 : pairs[end]]
        names = [token.text for token in callee]
        at_once = len(names) == 1 and names[0] in BUILT_INS and names[0] not in self._own
        if (
            at_once
            or (names[-2:-1] == ["."] and names[-1] in METHODS)
            or names[0] in ("integrations", "api", "requests")
        ):
            self._edits.replace(tokens[index].start, tokens[index + 1].start)

    def rewrite_statement(self, part: list[Token]) -> None:
        """Rewrite an import or a `del`. Other statements are kept."""
        self._import(part)
        if len(part) > 3 and part[0].text == "del" and part[-1].text == "]":
            self._delete(part)

    def _delete(self, part: list[Token]) -> None:
        """Rewrite `del` of one member of a dict or list as `pop`. The sandbox reports other kinds of `del`."""
        pairs = _pairs(part)
        opening = pairs[len(part) - 1]
        inside = [token.text for token in part[opening + 1 : -1]]
        if primary_start(part, opening, pairs) == 1 and ":" not in inside:
            self._edits.replace(part[0].start, part[1].start)
            self._edits.replace(part[opening].start, part[opening].end, ".pop((")
            self._edits.replace(part[-1].start, part[-1].end, "))")

    def _import(self, part: list[Token]) -> None:
        """Rewrite an import of `requests`, which is an object of the prelude. Other modules are the sandbox's."""
        texts = [token.text for token in part]
        if texts[:1] == ["import"]:
            for clause, start in zip(_split(texts[1:]), _starts(part), strict=False):
                self.imports.append((clause[0] if clause else "", "", start))
        elif texts[:1] == ["from"] and "import" in texts:
            self.imports.append((texts[1], "", part[1].start))
            module = "".join(texts[1 : texts.index("import")])
            bare = [token for token in part if token.text not in ("(", ")")]
            for start in _starts(bare):
                name = next(token.text for token in bare if token.start == start)
                self.imports.append((module, name, start))
        if texts[:1] == ["import"] and "requests" in texts:
            clauses = [_ImportClause(clause) for clause in _split(texts[1:])]
            others = [" ".join(clause.words).replace(" . ", ".") for clause in clauses if clause.module != "requests"]
            bound = [clause.name for clause in clauses if clause.module == "requests"]
            new = [f"import {', '.join(others)}"] if others else []
            self._requests_names.update(bound)
            new += [f"{name} = _based_requests" for name in bound]
            self._edits.replace(part[0].start, part[-1].end, "; ".join(new))
        elif texts[:2] == ["from", "requests"] and "import" in texts:
            at = texts.index("import")
            module = "_based_requests" if at == 2 else f"_based_requests.{texts[at - 1]}"
            clauses = [
                _ImportClause(clause) for clause in _split([text for text in texts[at + 1 :] if text not in "()"])
            ]
            new = [f"{clause.name} = {module}.{clause.module}" for clause in clauses if clause.words]
            if at == 2:  # its exceptions and classes are no functions
                functions = {clause.name: clause.module for clause in clauses if clause.module.islower()}
                self._requests_functions.update(functions)
            self._edits.replace(part[0].start, part[-1].end, "; ".join(new))


class _ImportClause:
    def __init__(self, words: list[str]) -> None:
        self.words = words
        self.module = words[0] if words else ""
        self.name = words[-1] if "as" in words else self.module


def _starts(part: list[Token]) -> list[int]:
    """Return the offsets of the clauses of an import."""
    return [after.start for before, after in pairwise(part) if before.text in ("import", ",")]


def _split(texts: list[str]) -> list[list[str]]:
    clauses: list[list[str]] = [[]]
    for text in texts:
        if text == ",":
            clauses.append([])
        else:
            clauses[-1].append(text)
    return clauses


def calls(name: str, tokens: list[Token], index: int) -> bool:
    """Return whether the token is a call of this name."""
    if tokens[index].text != name or index + 1 >= len(tokens) or tokens[index + 1].text != "(":
        return False
    return index == 0 or tokens[index - 1].text not in (".", "def") or name in METHODS


def primary_start(tokens: list[Token], dot: int, pairs: dict[int, int]) -> int:
    """Return the first token of the expression before a dot, with its calls, subscripts and attributes.

    Raises BasedSyntaxError.
    """
    at = dot - 1
    for _ in range(_LONGEST):
        token = tokens[at]
        if token.text in _CLOSE and token.kind == "op":
            opening = pairs[at]
            before = tokens[opening - 1] if opening else None
            trails = before is not None and (
                before.kind == "string"
                or before.text in _CLOSE
                or (before.kind == "name" and not iskeyword(before.text))
            )
            if not trails or token.text == "}":
                return opening
            at = opening - 1
        elif at and tokens[at - 1].text == "." and token.kind == "name":
            at -= 2
        elif at and token.kind == "string" and tokens[at - 1].kind == "string":
            at -= 1
        else:
            return at
        if at < 0:
            return 0
    raise BasedSyntaxError(
        tokens[dot].start, "The expression before this dot is too long. Assign a part of it to a name."
    )


def _primary_end(tokens: list[Token], at: int, pairs: dict[int, int]) -> int | None:
    if at >= len(tokens):
        return None
    end = pairs.get(at, at)
    while end + 1 < len(tokens):
        if tokens[end + 1].text in ("(", "["):
            end = pairs[end + 1]
        elif tokens[end + 1].text == "." and end + 2 < len(tokens):
            end += 2
        else:
            break
    return end


def _pairs(tokens: list[Token]) -> dict[int, int]:
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


def _imports_requests(lines: list[LogicalLine]) -> bool:
    texts = ([token.text for token in line.tokens] for line in lines)
    return any("import" in words and "requests" in words for words in texts)


def _own_names(lines: list[LogicalLine]) -> set[str]:
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
    return names - {"api", "requests"}

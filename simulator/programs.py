"""What a flow's code tells without being run: its first words, whom it transfers to, where it can break.

Only what stands there in so many words is found; variables are looked up, all else is passed over.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

_QUOTED = r"""(f?)(?:"([^"\n]*)"|'([^'\n]*)')"""
_VARIABLE = r"""variables\[["'](\w+)["']\]|(\w+)"""
_SAY = re.compile(rf"^(?:await )?say\({_QUOTED}", re.MULTILINE)
_LOOP = re.compile(r"^loop:", re.MULTILINE)
_TRANSFER = re.compile(rf"""\btransfer(?:_call)?\((?:["'](\+\d+)["']|{_VARIABLE})""")
_REQUEST = re.compile(rf"\b((?:requests|api)\.(?:get|post|put|patch|delete)(?:_req)?)\((?:url=)?{_QUOTED}")
_ASKED = re.compile(r"\b(\w+) = \w+\.ask\(")
_MEMBER = re.compile(r"""\b(\w+)\[["'](\w+)["']\]""")
_SLOT = re.compile(r"{([^{}]*)}")
_NUMBER = re.compile(r"\+[1-9]\d{6,14}")
LOST_MODEL = "Connection to the language model was closed before the first token"


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that goes wrong in a running flow, at a line of its code (None without code).

    `told` is the traceback of a run that was made; else it is told as Python would.
    """

    type: str
    message: str
    function: str
    line: int | None
    source: str
    told: str | None = None

    @property
    def traceback(self) -> str:
        """As Python would print it."""
        if self.told is not None:
            return self.told
        head = f'Traceback (most recent call last):\n  File "main.based", line {self.line}, in <flow>\n'
        return f"{head}    {self.source}\n{self.type}: {self.message}"


@dataclass(frozen=True, slots=True)
class Program:
    """`opening` is what the flow says before anything else, `faults` what can go wrong in it: at least one."""

    opening: str | None
    transfers_to: str | None
    faults: tuple[Fault, ...]


def read_program(code: str | None, variables: Mapping[str, Any]) -> Program:
    """What the code tells, with these variables."""
    code = code or ""
    return Program(_opening(code, variables), _transfers_to(code, variables), _faults(code.splitlines(), variables))


def _opening(code: str, variables: Mapping[str, Any]) -> str | None:
    said, loop = _SAY.search(code), _LOOP.search(code)
    if said is None or (loop and loop.start() < said.start()):
        return None
    text, whole = _filled(said[1], said[2] or said[3] or "", variables)
    return text if whole and text else None


def _transfers_to(code: str, variables: Mapping[str, Any]) -> str | None:
    for number, quoted, bare in _TRANSFER.findall(code):
        found = number or str(variables.get(quoted or bare))
        if _NUMBER.fullmatch(found):
            return found
    return None


def _faults(lines: list[str], variables: Mapping[str, Any]) -> tuple[Fault, ...]:
    found = []
    asked: set[str] = set()
    talks = 1
    guarded = 0  # how far a line in the present `try` is indented; 0 outside of one
    for number, source in enumerate(lines, 1):
        indent = len(source) - len(source.lstrip())
        if source.strip() and indent < guarded:
            guarded = 0
        if source.strip() == "try:":
            guarded = guarded or indent + 1
        request = _REQUEST.search(source)
        if request and not guarded:
            address, _ = _filled(request[2], request[3] or request[4] or "", variables)
            for kind, message in _unreachable(address):
                found.append(Fault(kind, message, request[1], number, source.strip()))
        for name, member in _MEMBER.findall(source):
            if name in asked:  # what `ask` gave lacks a member, as shows where it is first used
                asked.remove(name)
                found.append(Fault("KeyError", f"'{member}'", "ask", number, source.strip()))
        asked.update(_ASKED.findall(source))
        if "talk(" in source:
            talks = number
    at, source = (talks, lines[talks - 1].strip()) if lines else (None, "")
    return (*found, Fault("LlmConnectionError", LOST_MODEL, "talk", at, source))


def _unreachable(address: str) -> tuple[tuple[str, str], ...]:
    """What `requests` raises where the address does not answer: type and message."""
    try:
        parts = urlsplit(address)
        pool = f"HTTPSConnectionPool(host='{parts.hostname}', port={parts.port or 443})"
    except ValueError:  # no address at all
        return ()
    cause = f"Failed to resolve '{parts.hostname}' ([Errno -3] Temporary failure in name resolution)"
    refused = f'{pool}: Max retries exceeded with url: {parts.path or "/"} (Caused by NameResolutionError("{cause}"))'
    return ("ConnectionError", refused), ("ReadTimeout", f"{pool}: Read timed out. (read timeout=10)")


def _filled(prefix: str, text: str, variables: Mapping[str, Any]) -> tuple[str, bool]:
    """The text of a string literal with its variables, up to the first that is not known; and whether it is whole."""
    if not prefix:
        return text, True
    found, end = "", 0
    for slot in _SLOT.finditer(text):
        name = re.fullmatch(_VARIABLE, slot[1])
        value = variables.get(name[1] or name[2]) if name else None
        found += text[end : slot.start()]
        if value is None:
            return found, False
        found += str(value)
        end = slot.end()
    return found + text[end:], True

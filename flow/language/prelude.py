"""Python code before a translated flow in the sandbox: the parts of Based that have to be Python objects there.

prelude.txt has it in pieces, each below the names that need it. Each flow gets only its pieces, because each costs time
at the start of a run and space in every dump. Functions take `*args`, and the host reports missing arguments, because
only it knows the line. Names that begin with `_based_` are reserved: a flow that has one is refused. A flow can rebind
names of Python, so the pieces bind those that they need. Functions that are not defined there are host functions
(host_functions.py).
"""

import re
from functools import cache
from pathlib import Path

from dryline.storage.files import read

RESERVED = "_based_"
_COMMENT = re.compile(r"^#(?!!).*\n", re.MULTILINE)


def prelude(names: set[str]) -> str:
    """Return the pieces that code with these names needs."""
    return "".join(code for users, code in _pieces() if users & names)


@cache
def _pieces() -> list[tuple[set[str], str]]:
    text = read(Path(__file__).with_suffix(".txt")).decode()
    pieces = [piece.partition("\n") for piece in _COMMENT.sub("", text).split("#! ")[1:]]
    return [(set(names.split()), f"{code.strip()}\n") for names, _, code in pieces]

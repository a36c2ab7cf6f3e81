"""Translation of a flow's code into a program."""

import re
from functools import lru_cache

from dryline.flow.language.errors import BasedSyntaxError, CodeRefused, Finding
from dryline.flow.language.prelude import prelude
from dryline.flow.language.program import Program
from dryline.flow.language.python_code import Translation
from dryline.flow.language.source_map import Places
from dryline.flow.language.statements import tree
from dryline.flow.language.tokens import logical_lines

MAX_CODE = 200_000  # characters, ten times the longest known flow; translating it takes one to two seconds

_NO_TEXT = re.compile("[\\0\ud800-\udfff]")


@lru_cache(maxsize=256)
def translate(code: str, file: str = "flow.based") -> Program:
    """Return the program of a flow's code. Raises CodeRefused for errors in Based; Engine.check() finds all errors."""
    source = code.replace("\r\n", "\n").replace("\r", "\n")
    if len(source) > MAX_CODE:
        raise CodeRefused([Finding(file, 1, 1, f"The code is longer than {MAX_CODE:,} characters.")])
    places = Places(source)
    try:
        return _translate(source, file, places)
    except BasedSyntaxError as fault:
        raise CodeRefused([Finding(file, *places.place(fault.offset), fault.sentence)]) from None


def _translate(source: str, file: str, places: Places) -> Program:
    if wrong := _NO_TEXT.search(source):
        raise BasedSyntaxError(wrong.start(), "A NUL character or a lone surrogate cannot stand in code.")
    lines = logical_lines(source)
    translation = Translation(source, places, lines)
    translation.translate(tree(lines))
    names = translation.calls.names
    rewritten = translation.edits.render(prelude(names | {"loop"} if translation.loops else names))
    warnings = [
        Finding(file, *places.place(offset), sentence, "warning") for offset, sentence in sorted(translation.warnings)
    ]
    return Program(source, file, rewritten, translation.loops, warnings, translation.calls.imports)

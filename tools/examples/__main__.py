"""Writes web/examples.json: `python -m dryline.tools.examples`."""

from __future__ import annotations

from dryline.tools.examples.areas import walk_through
from dryline.tools.examples.walk import Walk, text
from dryline.web.openapi import EXAMPLES

if __name__ == "__main__":
    with Walk() as walk:
        walk_through(walk)
        EXAMPLES.write_bytes(text(walk))

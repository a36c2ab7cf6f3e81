"""Rows of the demo world, found by the members of rows, because the ids change when the file is made again."""

import json
from functools import cache
from pathlib import Path

import dryline.data


@cache
def _demo():
    return json.loads((Path(dryline.data.__file__).parent / "demo.json").read_text())


def demo_row(collection, **where):
    """Return the first row with these members."""
    return next(row for row in _demo()[collection] if where.items() <= row.items())


def demo_id(collection, **where):
    """Return the id of the first row with these members."""
    return demo_row(collection, **where)["id"]


def longest_demo_row(collection):
    """Return the row whose text is the longest."""
    return max(_demo()[collection], key=lambda row: len(json.dumps(row)))

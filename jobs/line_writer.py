"""A process that writes lines of an export's file, beside others: `python -m dryline.jobs.line_writer`.

It tells 0 when it is there. Its orders come as lines of JSON. First the addresses of the database and of the file: it
opens both, has one view of the data from then on, and tells 0 again. Then a `Making`; and arrays of row numbers, whose
lines it makes, and tells how long they are. A number is where in the file those lines go that it has told of first. At
the end of its orders all is written, which a last 0 tells.

It imports next to nothing (csv_lines.py), so that it is there within some 40 ms.
"""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
import sys
from collections import deque
from collections.abc import Iterator
from typing import IO, Any

from dryline.jobs.csv_lines import CsvLines, Making


def main() -> None:
    """Follow the orders. Ends with an exception when something fails: whoever gives them writes the file again."""
    orders = map(json.loads, sys.stdin.buffer)
    _tell(0)
    database, part = next(orders)
    with contextlib.closing(sqlite3.connect(database, uri=True, isolation_level=None)) as db, open(part, "r+b") as file:
        db.text_factory = bytes
        db.execute("BEGIN")
        db.execute("PRAGMA user_version").fetchone()  # BEGIN alone looks at nothing yet
        _tell(0)
        _write(orders, db, file)
    _tell(0)


def _write(orders: Iterator[Any], db: sqlite3.Connection, file: IO[bytes]) -> None:
    made: deque[list[bytes]] = deque()
    for order in orders:
        if isinstance(order, dict):
            lines = CsvLines(Making(**order), db)
        elif isinstance(order, list):
            made.append(lines.numbered(order))
            _tell(sum(map(len, made[-1])))
        else:
            file.seek(order)
            file.writelines(made.popleft())


def _tell(number: int) -> None:
    os.write(sys.stdout.fileno(), b"%d\n" % number)


if __name__ == "__main__":
    main()

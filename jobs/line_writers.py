"""Processes that write the lines of one file side by side (line_writer.py).

Threads would not do: SQLite has one lock for the memory of all of a process, and Python another for all else.
"""

from __future__ import annotations

import json
import os
import sys
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from itertools import cycle
from pathlib import Path
from typing import IO, Any

from dryline.jobs.csv_lines import Making

_AT_MOST = 4
_AHEAD = 2  # orders that a writer has before it is told where the first one's lines go


class Gone(Exception):
    """A writer has ended, whatever the reason."""


@contextmanager
def line_writers(count: int) -> Iterator[LineWriters]:
    """Some processes, which end with the block. Raises Gone."""
    writers: list[_Writer] = []
    try:
        for _ in range(count):
            writers.append(_Writer())
        for writer in writers:  # so that nobody waits for that in `begin`
            writer.told()
        yield LineWriters(writers)
    finally:
        for writer in writers:
            writer.end()


class LineWriters:
    """Processes at work. Each method may raise Gone."""

    def __init__(self, writers: list[_Writer]) -> None:
        self._writers = writers

    def begin(self, database: Path, part: Path) -> None:
        """Let them open the file, and have their view of the data from now on. Nobody may write meanwhile."""
        for writer in self._writers:
            writer.tell([f"{database.absolute().as_uri()}?mode=ro", str(part)])
        for writer in self._writers:
            writer.told()

    def write(self, making: Making, batches: Iterable[list[int]], at: int) -> tuple[int, int]:
        """Write the lines of rows, given by their numbers, into the file from byte `at` on.

        Returns how many they are, and where they end.
        """
        for writer in self._writers:
            writer.tell(making._asdict())
        count, waiting = 0, deque[_Writer]()
        for numbers, writer in zip(batches, cycle(self._writers), strict=False):
            if len(waiting) == _AHEAD * len(self._writers):
                at = waiting.popleft().place(at)
            writer.tell(numbers)
            waiting.append(writer)
            count += len(numbers)
        for writer in waiting:
            at = writer.place(at)
        return count, at

    def finish(self) -> None:
        """Wait until all is written."""
        for writer in self._writers:
            writer.finish()


class _Writer:
    """One process."""

    def __init__(self) -> None:
        import subprocess  # imported late: a start does not need it

        command = [sys.executable, "-P", "-m", "dryline.jobs.line_writer"]
        try:
            # In a session of its own, so that Ctrl-C is the server's, which ends its writers as it ends.
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
            )
        except OSError as error:
            raise Gone(str(error)) from None
        self._orders, self._answers = _there(self._process.stdin), _there(self._process.stdout)

    def tell(self, order: Any) -> None:
        """Give it an order."""
        try:
            self._orders.write(json.dumps(order).encode() + b"\n")
            self._orders.flush()
        except OSError as error:
            raise Gone(str(error)) from None

    def told(self) -> int:
        """What it answers to the order that has waited longest."""
        answer = self._answers.readline()
        if not answer:
            raise Gone("no answer")
        return int(answer)

    def place(self, at: int) -> int:
        """Let the lines that it has made first be written from byte `at` on. Returns where they end."""
        length = self.told()
        self.tell(at)
        return at + length

    def finish(self) -> None:
        """Wait until all is written that it was told to."""
        with suppress(OSError):
            self._orders.close()
        self.told()  # its exit takes longer

    def end(self) -> None:
        """End it now."""
        self._process.kill()
        with suppress(OSError):  # what it was to be told and has not read
            self._orders.close()
        self._answers.close()
        self._process.wait()


def _there(pipe: IO[bytes] | None) -> IO[bytes]:
    assert pipe is not None
    return pipe


def processors() -> int:
    """How many writers are of use."""
    count = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    return min(count, _AT_MOST)

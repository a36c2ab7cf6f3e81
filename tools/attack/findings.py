"""The findings of an attack, each kind counted, with one example."""

from __future__ import annotations

import sys
import threading

EXAMPLE_LENGTH = 600


class Findings:
    """The findings of all threads, by kind and where."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._counts: dict[tuple[str, str], int] = {}
        self._examples: dict[tuple[str, str], str] = {}

    def add(self, kind: str, where: str, example: object = "") -> None:
        """Add a finding, and print the first one of its kind and where."""
        with self._lock:
            is_new = (kind, where) not in self._counts
            self._counts[kind, where] = self._counts.get((kind, where), 0) + 1
            if is_new:
                self._examples[kind, where] = str(example)[:EXAMPLE_LENGTH]
        if is_new:
            print(f"  found: {kind}: {where}: {str(example)[:EXAMPLE_LENGTH]}", file=sys.stderr, flush=True)

    def report(self) -> int:
        """Print all findings with their counts, and return the number of kinds and places."""
        for (kind, where), count in sorted(self._counts.items()):
            print(f"{kind}: {where} ({count} times)\n    {self._examples[kind, where]}")
        print(f"{len(self._counts)} findings" if self._counts else "Nothing was found.")
        return len(self._counts)

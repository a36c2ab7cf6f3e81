"""Paths with `*` in them, as fault rules and questions to the request record name them."""

from __future__ import annotations


class PathPattern:
    """A path in which `*` stands for any text, slashes too.

    It goes over a path once, however many `*` it has: a regular expression would go back and try again.
    """

    def __init__(self, pattern: str) -> None:
        parts = pattern.split("*")
        self._exact = pattern if len(parts) == 1 else None
        self._start, self._inner, self._end = parts[0], parts[1:-1], parts[-1]

    def matches(self, path: str) -> bool:
        """Whether it fits `path` as a whole."""
        if self._exact is not None:
            return path == self._exact
        at, end = len(self._start), len(path) - len(self._end)
        if at > end or not path.startswith(self._start) or not path.endswith(self._end):
            return False
        for part in self._inner:
            at = path.find(part, at, end)
            if at < 0:
                return False
            at += len(part)
        return True

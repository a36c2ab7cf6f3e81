"""Paths with `*` or `{…}`, in fault rules and searches of the request log."""

import re
from collections.abc import Callable
from urllib.parse import unquote


def normal_path(path: str) -> str:
    """Return a path without doubled slashes and without a slash at its end, which lead to the same operation."""
    if "//" in path or path.endswith("/"):
        path = re.sub("/{2,}", "/", path)
        return path.rstrip("/") or "/"
    return path


def path_pattern(path: str) -> re.Pattern[str]:
    """Return a pattern for whole normal paths (`fullmatch`).

    Each `*` or `{…}` of `path` matches any text, slashes included. Its other text may be percent-encoded.
    """
    return _compile(path, lambda text: f"(?:{re.escape(text)}|{re.escape(unquote(text))})")


def route_pattern(path: str) -> Callable[[str], bool]:
    """Return a test whether a route, such as `/api/workers/<id>`, answers any of the paths that `path` matches."""
    pattern = _compile(path, _in_a_route)
    return lambda route: pattern.fullmatch(re.sub("<path:[^>]*>", "<>>", route)) is not None


def _compile(path: str, expression: Callable[[str], str]) -> re.Pattern[str]:
    """Return a pattern whose `*` match any text. The texts between are matched by `expression`.

    The groups are atomic, so that matching does not backtrack from one `*` to another.
    """
    start, *others = map(expression, re.split(r"\*|{[^{}/]*}", normal_path(path)))
    inner = "".join(f"(?>.*?{part})" for part in others[:-1])
    end = f".*{others[-1]}" if others else ""
    return re.compile(start + inner + end, re.DOTALL)


def _in_a_route(text: str) -> str:
    """Return an expression for a text that stands in a route, or within what a parameter of it takes.

    A parameter is `<…>`, and `<>>` if it takes slashes as well.
    """
    parts = [f"(?:{re.escape(part)}|<[^>]*>+|(?<=>))" if part else "" for part in text.split("/")]
    return "(?:/|(?<=>>))".join(parts)

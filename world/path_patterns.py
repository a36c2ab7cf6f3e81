"""Patterns of paths, in fault rules and searches of the request log.

In a pattern, `{name}` stands for one segment or a part of one, and `*` for any text, slashes included. A recorded path
has `%2F` for a slash within an id, which separates nothing.
"""

import re
from collections.abc import Callable, Iterator
from pathlib import PurePosixPath
from urllib.parse import unquote

# The slash of an id, in a recorded path.
ENCODED_SLASH = "%2F"

_WILDCARD = re.compile(r"(\*|{[^{}/]*})")
# Needless, and the only pattern whose matching takes a time that grows with the square of a path's length.
_NAME_AFTER_STAR = re.compile(r"\*[^/]*{[^{}/]*}")

# An id, with its percent-encoded characters left out. It may be a telephone number.
_ID = re.compile(r"\+?[\w.~ -]*")
_ENCODED_CHARACTER = re.compile("%[0-9A-Fa-f]{2}")
# A placeholder in the notation of another tool, percent-encoded: `{id}`, `<id>`, `[object Object]`, `:id`, `$id`.
_ENCODED_PLACEHOLDER = re.compile("%7B.*%7D|%3C.*%3E|%5B.*%5D|%3A.*|%24.*", re.IGNORECASE)
# Texts of a variable without a value, in several languages.
_NO_VALUE = {"nan", "nil", "none", "null", "undefined"}

# In a route that is matched: a parameter, and one that takes slashes as well.
_PARAMETER, _PATH_PARAMETER = "\0", "\1"
_PARAMETERS = f"[{_PARAMETER}{_PATH_PARAMETER}]"


def normal_path(path: str) -> str:
    """Return a path without doubled slashes and without a slash at its end, which lead to the same operation."""
    if "//" in path or path.endswith("/"):
        path = re.sub("/{2,}", "/", path)
        return path.rstrip("/") or "/"
    return path


def path_pattern(path: str) -> re.Pattern[str]:
    """Return what matches the recorded paths of a pattern (`fullmatch`). Its text may be percent-encoded."""
    return _compile(normal_path(path), _recorded_path_expression, segment="[^/]+?")


def text_pattern(text: str) -> re.Pattern[str]:
    """Return what matches the texts of a pattern (`fullmatch`) in which only `*` has a meaning."""
    start, *parts = map(re.escape, text.split("*"))
    middle = "".join(f"(?>.*?{part})" for part in parts[:-1])  # atomic, as in `_compile`
    end = f".*{parts[-1]}" if parts else ""
    return re.compile(start + middle + end, re.DOTALL)


def route_pattern(path: str, *, any_id: bool = False) -> Callable[[str], bool]:
    """Return a test whether a route, such as `/api/workers/<id>`, answers any of the paths of a pattern.

    A parameter of the route takes what an id can be: `:id` and `None` in a pattern are mistakes, and no client sends
    them. With `any_id` it takes any text, as the server does.
    """
    path = path.rstrip("/") or "/"
    segment = f"(?:[^/]+?|(?<={_PARAMETERS}))"
    pattern = _compile(path, lambda text: _route_expression(text, any_id), segment)

    def answers(route: str) -> bool:
        route = re.sub("<path:[^>]*>", _PATH_PARAMETER, route)
        return pattern.fullmatch(re.sub("<[^>]*>", _PARAMETER, route)) is not None

    return answers


def has_name_after_star(path: str) -> bool:
    """Return whether a `{name}` of a pattern follows a `*` in the same segment."""
    return _NAME_AFTER_STAR.search(path) is not None


def segments_that_are_no_ids(path: str) -> Iterator[str]:
    """Yield the segments of a pattern that no id can have, such as `:id`."""
    for segment in path.split("/"):
        if segment and not all(_may_be_of_an_id(text) for text in _WILDCARD.split(segment)[::2] if text):
            yield segment


def _compile(path: str, expression: Callable[[str], str], segment: str) -> re.Pattern[str]:
    """Return the compiled pattern of a path, whose `{name}` match `segment`. Other text is matched by `expression`.

    Groups are atomic, so that matching does not backtrack from one wildcard to another: what ends first after a `*`
    leaves the most text for the next one, and so it is with `{name}`.
    """
    start, *parts = _WILDCARD.split(path)
    wildcards, texts = parts[::2], [expression(text) for text in parts[1::2]]
    stars_left = wildcards.count("*")

    pattern = expression(start)
    is_in_group = False
    for position, (wildcard, text) in enumerate(zip(wildcards, texts, strict=True)):
        if wildcard != "*":
            is_last = position == len(wildcards) - 1
            pattern += segment + text if is_last else f"(?>{segment}{text})"
            continue

        if is_in_group:
            pattern += ")"
        stars_left -= 1
        is_in_group = stars_left > 0
        pattern += f"(?>.*?{text}" if is_in_group else f".*{text}"

    return re.compile(pattern, re.DOTALL)


def _recorded_path_expression(text: str) -> str:
    """Return an expression for a text of a pattern, as it stands or percent-encoded."""
    decoded = unquote(re.sub("%2f", "%252F", text, flags=re.IGNORECASE))
    return f"(?:{re.escape(text)}|{re.escape(decoded)})"


def _route_expression(text: str, any_id: bool) -> str:
    """Return an expression for a text that stands in a route, or within what a parameter of it takes."""
    expressions = []
    follows_nothing = False  # behind a doubled slash: an id is missing, so that the next segment is none
    for position, part in enumerate(text.split("/")):
        if position and not follows_nothing:
            expressions.append(f"(?:/|(?<={_PATH_PARAMETER}))")
        if part:
            alternatives = [re.escape(part)]
            if any_id or (_may_be_of_an_id(part) and not follows_nothing):
                suffix = re.escape(PurePosixPath(part).suffix)  # of a route such as /recordings/<id>.wav
                alternatives += [f"{_PARAMETERS}(?:{suffix})?", f"(?<={_PARAMETERS})"]
            expressions.append(f"(?:{'|'.join(alternatives)})")
        follows_nothing = not part and position > 0
    return "".join(expressions)


def _may_be_of_an_id(text: str) -> bool:
    """Return whether an id can contain a text. Most of what is no id is a wildcard in the notation of another tool."""
    if _ENCODED_PLACEHOLDER.fullmatch(text) or text.lower() in _NO_VALUE:
        return False
    has_letter_or_digit = any(character.isalnum() for character in text)
    return has_letter_or_digit and _ID.fullmatch(_ENCODED_CHARACTER.sub("", text)) is not None

"""Paths with `*`, in fault rules and searches of the request log."""

import re


def path_pattern(path: str) -> re.Pattern[str]:
    """Return a pattern for whole paths (`fullmatch`) in which each `*` of `path` matches any text, slashes included.

    The groups are atomic, so that matching does not backtrack from one `*` to another.
    """
    start, *others = map(re.escape, path.split("*"))
    inner = "".join(f"(?>.*?{part})" for part in others[:-1])
    end = f".*{others[-1]}" if others else ""
    return re.compile(start + inner + end, re.DOTALL)


def overlaps(pattern: str, route: str) -> bool:
    """Return whether any path matches both a pattern and a route such as `/api/workers/<id>`."""
    left_steps, right_steps = _route_steps(pattern.replace("*", "<path:*>")), _route_steps(route)
    # The pairs of positions in both that some beginning of a path leads to.
    reached, waiting = set(), [(0, 0)]
    while waiting:
        place = one, other = waiting.pop()
        if place in reached:
            continue
        reached.add(place)
        if place == (len(left_steps), len(right_steps)):
            return True
        left = left_steps[one] if one < len(left_steps) else None
        right = right_steps[other] if other < len(right_steps) else None
        if left in _ANY_LENGTH:
            waiting.append((one + 1, other))
        if right in _ANY_LENGTH:
            waiting.append((one, other + 1))
        if left and right and _shared(left, right):
            waiting.append((one + (left not in _ANY_LENGTH), other + (right not in _ANY_LENGTH)))
    return False


# Steps of a route beside single letters: any letters; any but the slash; one letter but the slash.
_ALL, _SOME, _ONE = "all", "some", "one"
_ANY_LENGTH = (_ALL, _SOME)


def _route_steps(route: str) -> list[str]:
    """Split a route into its letters, with `_ALL`, `_ONE` and `_SOME` for the parameters."""
    steps: list[str] = []
    for part in re.split("(<[^>]*>)", route):
        if part.startswith("<path:"):
            steps.append(_ALL)
        elif part.startswith("<"):
            steps += [_ONE, _SOME]
        else:
            steps += part
    return steps


def _shared(left: str, right: str) -> bool:
    """Return whether one letter matches both steps."""
    if left == _ALL or right == _ALL:
        return True
    if left in (_ONE, _SOME) or right in (_ONE, _SOME):
        return "/" not in (left, right)
    return left == right

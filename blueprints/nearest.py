"""Which operation somebody may have meant who asked for a path that there is not."""

from __future__ import annotations

import re
from collections.abc import Iterable

from werkzeug.routing import Rule

from dryline.schemas.base import camel

# How alike two paths must be: 1 is the same words in any order.
_ALIKE = 0.6


def nearest(rules: Iterable[Rule], path: str) -> str | None:
    """The path, as the document writes it, of the operation that has most of a path's words; None where none has many.

    Order and notation do not count: `/custom-webhooks` is `/customWebhooks`. A word is a step of a path that is no id;
    one that no path has is read as the one that is nearest to it.
    """
    from difflib import SequenceMatcher, get_close_matches  # only a slip needs it

    paths = {rule.rule for rule in rules}
    if path.rstrip("/") in paths:
        return None
    words = {known: _words(known) for known in paths}
    vocabulary = {word for known in words.values() for word in known}
    asked: list[str] = []
    for step in _steps(path):
        near = [step] if step in vocabulary else get_close_matches(step, vocabulary, n=1, cutoff=0.75)
        asked += near
    if not asked:
        return None
    # Who leaves out what the API's paths begin with has one step less.
    steps = len(_steps(path)) + (_steps(path)[0] not in {word for known in words.values() for word in known[:1]})

    def likeness(known: str) -> tuple[float, int, float]:
        shared = len(set(asked) & set(words[known]) - {"api"})
        both = len(set(asked) - {"api"}) + len(set(words[known]) - {"api"})
        order = SequenceMatcher(None, asked, words[known]).ratio()
        return 2 * shared / both if both else 0, -abs(len(_steps(known)) - steps), order

    best = max(sorted(paths), key=likeness)
    return _documented(best) if likeness(best)[0] >= _ALIKE else None


def _documented(path: str) -> str:
    """A rule's path with its ids in braces."""
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda id: f"{{{camel(id[1])}}}", path)


def _steps(path: str) -> list[str]:
    """A path's steps as they are compared."""
    return [step.lower().replace("-", "").replace("_", "") for step in path.split("/") if step]


def _words(path: str) -> list[str]:
    """The steps of a rule that are no ids."""
    return [step for step in _steps(path) if "<" not in step]

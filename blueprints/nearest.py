"""Suggestions for paths that do not exist."""

import re
from collections.abc import Iterable

from werkzeug.routing import Rule

from dryline.schemas.base import camel

# Longer paths get no suggestion: comparing thousands of words takes seconds. The longest known path has 120 characters.
MAX_LENGTH = 300
# The least similarity of a suggestion: 1 means the same words in any order.
MIN_SIMILARITY = 0.6


def nearest_path(rules: Iterable[Rule], path: str) -> str | None:
    """Return the known path that shares most words with `path`, as the OpenAPI document writes it.

    None if no path is similar enough. A word is a segment that is not an id. Order and notation do not count:
    `/custom-webhooks` is `/customWebhooks`. An unknown word is read as the known word that is spelled most like it.
    """
    from difflib import SequenceMatcher, get_close_matches  # imported here because only a wrong path needs it

    known_paths = {rule.rule for rule in rules}
    if len(path) > MAX_LENGTH or path.rstrip("/") in known_paths:
        return None
    words_of = {known: _words(known) for known in known_paths}
    vocabulary = {word for words in words_of.values() for word in words}
    segments = _segments(path)
    words: list[str] = []
    for segment in segments:
        words += [segment] if segment in vocabulary else get_close_matches(segment, vocabulary, n=1, cutoff=0.75)
    if not words:
        return None
    # A path without the first segment of all known ones (`/api`) is compared as if it had it.
    length = len(segments) + (segments[0] not in {first for known in words_of.values() for first in known[:1]})

    def similarity(known: str) -> tuple[float, int, float]:
        own, others = set(words) - {"api"}, set(words_of[known]) - {"api"}
        total = len(own) + len(others)
        order = SequenceMatcher(None, words, words_of[known]).ratio()
        return 2 * len(own & others) / total if total else 0, -abs(len(_segments(known)) - length), order

    best = max(sorted(known_paths), key=similarity)
    return _documented(best) if similarity(best)[0] >= MIN_SIMILARITY else None


def _documented(rule: str) -> str:
    """Return a rule's path with its ids in braces."""
    return re.sub(r"<(?:\w+:)?(\w+)>", lambda id: f"{{{camel(id[1])}}}", rule)


def _segments(path: str) -> list[str]:
    return [segment.lower().replace("-", "").replace("_", "") for segment in path.split("/") if segment]


def _words(rule: str) -> list[str]:
    return [segment for segment in _segments(rule) if "<" not in segment]

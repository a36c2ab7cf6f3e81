"""Whether a text says no to something."""

from __future__ import annotations

import re

_WORD = re.compile(r"\w+")
_LONGEST = 20_000
_DENIALS = {
    *(
        "no",
        "nope",
        "not",
        "never",
        "cannot",
        "without",
        "decline",
        "declines",
        "refuse",
        "refuses",
        "reject",
        "rejects",
    ),
    *("disagree", "disagrees"),
}


def words(text: str) -> list[str]:
    """Return the words of a text in lower case."""
    return _WORD.findall(text[-_LONGEST:].lower().replace("n't", " not").replace("n\u2019t", " not"))


def is_denial(text: str) -> bool:
    return not _DENIALS.isdisjoint(words(text))

"""Phrases of callers, as data: what they say for each intent, and the ways in which they give a value.

The simulator speaks from the files in `en/`, one for each subject. `tools/understanding/intents/` has the conditions
that each intent meets; the built-in model is trained by them. `docs/contributing.md` tells how to add an intent.
"""

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from dryline.storage.files import matching, read_json

SLOT = re.compile(r"\{([a-z]+)(?::[a-z_]+)?\}")


@dataclass(frozen=True, slots=True)
class Intent:
    """Something that a caller may want, and how callers say it; `opens` are first sentences of a call."""

    name: str
    says: tuple[str, ...]
    opens: tuple[str, ...] = ()


@cache
def load() -> dict[str, Intent]:
    """Return the intents by name, read at the first call."""
    intents: dict[str, Intent] = {}
    for path in matching(Path(__file__).parent / "en", "*.json"):
        for name, texts in read_json(path).items():
            intents[name] = Intent(name, **{member: tuple(each) for member, each in texts.items()})
    return intents

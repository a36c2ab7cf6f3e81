"""Phrases of callers, as data: what they say for each intent, and the ways in which they give a value.

The simulator speaks from these files. `en/`, `de/` and `es/` hold a file a subject. `tools/understanding/intents/` has
the conditions that each intent meets; the built-in model is trained by them. `docs/contributing.md` tells how to add an
intent.
"""

import re
import threading
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any

import orjson

from dryline.storage.files import matching, read

LANGUAGES = ("en", "de", "es")
SLOT = re.compile(r"\{([a-z]+)(?::[a-z_]+)?\}")
_FOLDER = Path(__file__).parent
_LOADING = threading.Lock()


class InvalidPhrases(ValueError):
    """A phrase file that breaks the format. The message names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Intent:
    """Something that a caller may want, and how callers say it; `opens` are first sentences of a call."""

    name: str
    subject: str
    says: tuple[str, ...]
    opens: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bank:
    """The phrases of a language."""

    language: str
    intents: dict[str, Intent]


def load(language: str = "en") -> Bank:
    """Return the phrases of a language, read at the first call. Raises InvalidPhrases."""
    with _LOADING:
        return _load(language)


@lru_cache(maxsize=len(LANGUAGES))
def _load(language: str) -> Bank:
    if language not in LANGUAGES:
        raise InvalidPhrases(f"There are no phrases in {language!r}. Languages: {', '.join(LANGUAGES)}.")
    folder = _FOLDER / language
    intents: dict[str, Intent] = {}
    for path in matching(folder, "*.json"):
        for name, entry in _read(path).items():
            if name in intents:
                raise InvalidPhrases(f"{path.name}: {name!r} is in {intents[name].subject}.json as well.")
            intents[name] = _intent(name, path.stem, entry)
    return Bank(language, intents)


@lru_cache(maxsize=1)
def ordinary_words() -> frozenset[str]:
    """Return the words in small letters that the English phrases are made of; hardly any of them is a name."""
    intents = load().intents.values()
    text = "\n".join(phrase for intent in intents for phrase in (*intent.says, *intent.opens))
    return frozenset(word for word in re.split(r"[^A-Za-z']+", text) if word.islower())


def _read(path: Path) -> dict[str, Any]:
    try:
        content = orjson.loads(read(path))
    except orjson.JSONDecodeError as error:
        raise InvalidPhrases(f"{path.name} is not JSON: {error}.") from None
    if not isinstance(content, dict):
        raise InvalidPhrases(f"{path.name} is not a JSON object.")
    return content


def _intent(name: str, subject: str, entry: Any) -> Intent:
    where = f"{subject}.json, {name}"
    if not isinstance(entry, dict):
        raise InvalidPhrases(f"{where}: an intent is a JSON object.")
    unknown = set(entry) - _MEMBERS
    if unknown:
        raise InvalidPhrases(f"{where}: unknown member {', '.join(sorted(unknown))}.")
    if not entry.get("says"):
        raise InvalidPhrases(f"{where}: says is missing or empty.")
    for member, texts in entry.items():
        if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
            raise InvalidPhrases(f"{where}: {member} is not a list of texts.")
    return Intent(name, subject, **{member: tuple(texts) for member, texts in entry.items()})


_MEMBERS = {"says", "opens"}

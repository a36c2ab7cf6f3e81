"""Phrases of callers, as data: their intents, the words they use, and the ways in which they give a value.

The simulator speaks from these files, the engine understands by them. `en/`, `de/` and `es/` hold a file a subject;
`words.json` and `values.json` hold words and the frames of values, `synonyms.json` what callers say for the words of
conditions. `docs/contributing.md` tells how to add an intent.
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
_OTHER_FILES = {"words.json", "synonyms.json", "values.json"}
_LOADING = threading.Lock()


class InvalidPhrases(ValueError):
    """A phrase file that breaks the format. The message names the file and the entry."""


@dataclass(frozen=True, slots=True)
class Intent:
    """Something that a caller may want, and how callers say it.

    `conditions` are ways in which the author of a flow words it. `says` holds all sentences that mean it; those of
    `hears` are understood, but simulated callers do not say them, since few calls suit them. `also` names intents
    whose conditions this one satisfies too. A yes to one of `yes_to`, or a no to one of `no_to`, means this intent.
    `cues` are short sequences of words that mean it whatever else is said ("how much is").
    """

    name: str
    subject: str
    conditions: tuple[str, ...]
    says: tuple[str, ...]
    opens: tuple[str, ...] = ()
    hears: tuple[str, ...] = ()
    also: tuple[str, ...] = ()
    yes_to: tuple[str, ...] = ()
    no_to: tuple[str, ...] = ()
    cues: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Bank:
    """The phrases of a language. `words` is the content of `words.json`, empty where there is none."""

    language: str
    intents: dict[str, Intent]
    words: dict[str, Any]


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
        if path.name in _OTHER_FILES:
            continue
        for name, entry in _read(path).items():
            if name in intents:
                raise InvalidPhrases(f"{path.name}: {name!r} is in {intents[name].subject}.json as well.")
            intents[name] = _intent(name, path.stem, entry)
    return Bank(language, intents, _read(folder / "words.json"))


def load_synonyms() -> dict[str, list[str]]:
    """Return what callers say for the words of English conditions. Raises InvalidPhrases."""
    return _read(_FOLDER / "en" / "synonyms.json")


@lru_cache(maxsize=1)
def ordinary_words() -> frozenset[str]:
    """Return the words in small letters that the English phrases are made of; hardly any of them is a name."""
    intents = load().intents.values()
    text = "\n".join(phrase for intent in intents for phrase in (*intent.says, *intent.opens, *intent.conditions))
    return frozenset(word for word in re.split(r"[^A-Za-z']+", text) if word.islower())


def _read(path: Path) -> dict[str, Any]:
    if not path.exists():
        return {}
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
    for member in ("conditions", "says"):
        if not entry.get(member):
            raise InvalidPhrases(f"{where}: {member} is missing or empty.")
    for member, texts in entry.items():
        if not isinstance(texts, list) or not all(isinstance(text, str) and text.strip() for text in texts):
            raise InvalidPhrases(f"{where}: {member} is not a list of texts.")
    members = {member: tuple(texts) for member, texts in entry.items()}
    return Intent(name, subject, **{**members, "says": members["says"] + members.get("hears", ())})


_MEMBERS = {"conditions", "says", "opens", "hears", "also", "yes_to", "no_to", "cues"}

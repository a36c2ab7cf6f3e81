"""The texts that the encoder is trained with: what callers say for each intent, and how authors word its condition.

`intents/` has, for each intent of the phrases, the wordings of its condition (`conditions`), sentences that mean it and
that simulated callers do not say (`hears`), the agent's questions to which a yes means it (`yes_to`), and the intents
whose conditions it meets as well (`also`). `synonyms.json` has what callers say for words of conditions, and
`gloss.json` the English word for German and Spanish ones.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from dryline.flow.model.encoder import features, without_subject
from dryline.flow.phrases import LANGUAGES, load

FOLDER = Path(__file__).parent


@dataclass(slots=True)
class Topic:
    """An intent, or a word with its synonyms: the features of what is said, and of what that means."""

    name: str
    said: list[list[str]] = field(default_factory=list)
    meant: list[list[str]] = field(default_factory=list)
    also: set[str] = field(default_factory=set)


def read_intents() -> list[Topic]:
    """Return the intents of all languages, those of the same name as one."""
    topics: dict[str, Topic] = {}
    for language in LANGUAGES:
        phrases = load(language)
        for path in sorted((FOLDER / "intents" / language).glob("*.json")):
            for name, entry in _read(path).items():
                topic = topics.setdefault(name, Topic(name))
                phrase = phrases[name]
                said = (*phrase.says, *entry.get("hears", ()), *phrase.opens, *entry.get("yes_to", ()))
                topic.said += [features(text, language) for text in said]
                topic.meant += [features(without_subject(text), language) for text in entry["conditions"]]
                topic.also |= {*entry.get("also", ())}
    return list(topics.values())


def read_synonyms() -> list[Topic]:
    """Return words of conditions with what callers say for them, and foreign words with the English one."""
    synonyms = _read(FOLDER / "synonyms.json").items()
    topics = [Topic(word, [features(said) for said in each], [features(word)]) for word, each in synonyms]
    for language, words in _read(FOLDER / "gloss.json").items():
        for word, english in words.items():
            topics.append(Topic(word, [features(word, language)], [features(english)]))
    return [topic for topic in topics if any(topic.said) and all(topic.meant)]


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = orjson.loads(path.read_bytes())
    return content

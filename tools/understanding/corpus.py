"""The texts that the encoder is trained with: what callers say for each intent, and how authors word its condition.

`intents/` has, for each intent of the phrases, the wordings of its condition (`conditions`), sentences that mean it and
that simulated callers do not say (`hears`), the agent's questions to which a yes means it (`yes_to`), and the intents
whose conditions it meets as well (`also`). `synonyms.json` has what callers say for words of conditions.
"""

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import orjson

from dryline.flow.model.encoder import features, without_subject
from dryline.flow.phrases import load

FOLDER = Path(__file__).parent


@dataclass(slots=True)
class Topic:
    """An intent, or a word with its synonyms: the features of what is said, and of what that means."""

    name: str
    said: list[list[str]] = field(default_factory=list)
    meant: list[list[str]] = field(default_factory=list)
    also: set[str] = field(default_factory=set)


def read_intents() -> list[Topic]:
    """Return the intents of the phrases."""
    topics: list[Topic] = []
    phrases = load()
    for path in sorted((FOLDER / "intents" / "en").glob("*.json")):
        for name, entry in _read(path).items():
            phrase = phrases[name]
            said = (*phrase.says, *entry.get("hears", ()), *phrase.opens, *entry.get("yes_to", ()))
            meant = (without_subject(text) for text in entry["conditions"])
            topic = Topic(name, [*map(features, said)], [*map(features, meant)], {*entry.get("also", ())})
            topics.append(topic)
    return topics


def read_synonyms() -> list[Topic]:
    """Return words of conditions with what callers say for them."""
    synonyms = _read(FOLDER / "synonyms.json").items()
    topics = [Topic(word, [features(said) for said in each], [features(word)]) for word, each in synonyms]
    return [topic for topic in topics if any(topic.said) and all(topic.meant)]


def _read(path: Path) -> dict[str, Any]:
    content: dict[str, Any] = orjson.loads(path.read_bytes())
    return content

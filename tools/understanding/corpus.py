"""The texts that the encoder is trained with: what callers say for each intent, and how authors word its condition."""

from dataclasses import dataclass, field

from dryline.flow.model.encoder import features, without_subject
from dryline.phrases import LANGUAGES, load, load_synonyms


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
        for intent in load(language).intents.values():
            topic = topics.setdefault(intent.name, Topic(intent.name))
            said = (*intent.says, *intent.opens, *intent.yes_to)
            topic.said += [features(text, language) for text in said]
            topic.meant += [features(without_subject(text), language) for text in intent.conditions]
            topic.also |= {*intent.also}
    return list(topics.values())


def read_synonyms() -> list[Topic]:
    """Return words of conditions with what callers say for them, and foreign words with the English one."""
    topics = [
        Topic(word, [features(said) for said in synonyms], [features(word)])
        for word, synonyms in load_synonyms().items()
    ]
    for language in LANGUAGES[1:]:
        for word, english in load(language).words["gloss"].items():
            topics.append(Topic(word, [features(word, language)], [features(english)]))
    return [topic for topic in topics if any(topic.said) and all(topic.meant)]

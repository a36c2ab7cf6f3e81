"""One of several values: by its name, by words that mean it, by its place, or by what was meant."""

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import find_offered_time
from dryline.flow.model.answers.turns import Utterance, deflects
from dryline.flow.model.kinds import class_of, form, label_of, read_values
from dryline.flow.model.understanding import Context, understand

_NEGATIONS = (["no"], ["not"], ["isn't"], ["can't"])


@lru_cache(maxsize=2048)
def _pattern(phrase: str) -> re.Pattern[str]:
    stem = re.escape(phrase.casefold()).replace(r"\ ", r"[\s-]+").replace(r"\-", r"[\s-]?")
    ending = r"(?:s|es|'s|ed|e|en|n)?" if len(phrase) > 3 else ""
    return re.compile(rf"(?<![\w'-]){stem}{ending}(?![\w'])")


def find_choice_of(slot: Slot, utterance: Utterance) -> Any:
    """Return the one of a slot's choices that an utterance names or means."""
    choices = slot.choices or []
    texts = [str(choice) for choice in choices]
    at = find_offered_time(utterance.digits, texts)
    if at is None:
        at = find_choice(utterance.text, texts)
    if at is None and not deflects(utterance.text, utterance.language):
        at = meant([f"caller asks about {label_of(text)}" for text in texts], utterance)
    return None if at is None else choices[at]


def meant(conditions: list[str], utterance: Utterance) -> int | None:
    """Return the place of the condition that an utterance meets, where no word of it decides; None if none clearly."""
    return understand(conditions, utterance.text, Context(utterance.question, "")).index


def find_choice(text: str, choices: Sequence[str]) -> int | None:
    """Return the place of the choice that a text names, by its own words, else by words that mean it, else by place."""
    folded = form("degree").sub("not ", text.casefold().replace("\u2019", "'"))
    own, meanings = [], []
    for choice in choices:
        phrases = [label_of(choice), *read_values()["synonyms"].get(label_of(choice), ())]
        own.append([choice.casefold(), *(each for each in phrases if each.split()[:1] in _NEGATIONS)])
        meanings.append(phrases)
    at = _farthest(folded, own)
    at = _farthest(folded, meanings) if at is None else at
    return _by_place(folded, choices) if at is None else at


def _farthest(text: str, phrases: Sequence[Sequence[str]]) -> int | None:
    """Return the choice that was named; of several the longest if it contains the others, else the last one."""
    named = []
    for index, its in enumerate(phrases):
        matches = [(match.start(), len(phrase)) for phrase in its for match in _pattern(phrase).finditer(text)]
        named += [(*max(matches), index)] if matches else []
    if not named:
        return None
    start, length, longest = max(named, key=itemgetter(1))
    is_around_all = all(start <= at < start + length for at, _, _ in named)
    return longest if is_around_all else max(named)[2]


def _by_place(text: str, choices: Sequence[str]) -> int | None:
    """Return the choice that "the second one", "the last one" or "the morning" mean."""
    for word, at in read_values()["places_of_choices"].items():
        is_named = re.search(rf"\bthe {word}\b|\b{word} (?:one|option)\b|^\W*{word}(?:,? please)?\W*$", text)
        if is_named and at < len(choices):
            return int(at % len(choices))
    half = "am" if "morning" in text else "pm" if "afternoon" in text else None
    times = [at for at, each in enumerate(choices) if half and re.fullmatch(rf"[\d:]+ ?{half}", each.casefold())]
    return times[0] if len(times) == 1 else None


def find_of_class(text: str, example: str) -> str | None:
    """Return a value of the class of the example: another color for `red`. The longest name that was said counts."""
    named = find_all_of_class([text], example)
    return max(reversed(named), key=len) if named else None


def find_all_of_class(parts: Sequence[str], example: str) -> list[str]:
    """Return the values of the class of an example in the newest part of an utterance that has any, in their order."""
    names = sorted(class_of(example), key=len, reverse=True)
    either = re.compile("|".join(_pattern(name).pattern for name in names) or "(?!)")
    for part in parts:
        said = [match[0] for match in either.finditer(part.casefold())]
        named = [next(name for name in names if _pattern(name).fullmatch(text)) for text in said]
        if named:
            return list(dict.fromkeys(_cased(name, example) for name in named))
    return []


def _cased(member: str, example: str) -> str:
    if example.islower():
        return member.lower()
    return member[:1].upper() + member[1:] if example[:1].isupper() else member

"""One of several values: by its name, by words that mean it, by its place, or by what was meant."""

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Any

from dryline.flow.model.answers.meaning import nearest
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import find_offered_time
from dryline.flow.model.answers.turns import Utterance, without_degree
from dryline.flow.model.kinds import class_of, label_of, read_values

_HALVES = (("morning", "am"), ("afternoon", "pm"), ("evening", "pm"))
_OFFERS = re.compile(r"[^:.?!]{2,120}\bor\b [^.?!]{2,60}")
_OFFER_END = re.compile(r",|\bor\b|\bhave\b|\blike\b|\bfor\b|\bprefer\b|\bwant\b|\boffer you\b")


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
    if at is not None:
        return choices[at]
    named = find_choice(utterance.text, choices)
    if named is not None or utterance.deflects:
        return named
    meant = nearest(utterance, [label_of(text) for text in texts])
    return None if meant is None else choices[meant]


def find_choice(text: str, choices: Sequence[Any]) -> Any | None:
    """Return the choice that a text names, by its own words, else by words that mean it; None if none or several."""
    folded = without_degree(text.casefold().replace("\u2019", "'"))
    synonyms = read_values()["synonyms"]
    meanings = [[label_of(str(choice)), *synonyms.get(label_of(str(choice)), ())] for choice in choices]
    denied = [
        [phrase for phrase in phrases if phrase.split()[:1] in (["no"], ["not"], ["isn't"], ["can't"])]
        for phrases in meanings
    ]
    rounds = (denied, [[str(choice).casefold()] for choice in choices], meanings)
    for phrases in rounds:
        if (best := _farthest(folded, phrases)) is not None:
            return choices[best]
    return _by_place(folded, choices)


def _farthest(text: str, phrases: Sequence[Sequence[str]]) -> int | None:
    """Return the choice that was named; of several the longest if it contains the others, else the last one."""
    places: dict[int, tuple[int, int]] = {}
    for index, its in enumerate(phrases):
        matches = [(match.start(), len(phrase)) for phrase in its for match in _pattern(phrase).finditer(text)]
        if matches:
            places[index] = max(matches)
    if not places:
        return None
    longest = max(places, key=lambda index: places[index][1])
    start, length = places[longest]
    if all(start <= at < start + length for at, _ in places.values()):
        return longest
    return max(places, key=lambda index: places[index][0])


def _by_place(text: str, choices: Sequence[Any]) -> Any | None:
    """Return the choice that "the second one", "the last one" or "the morning" mean, or a misspelled one."""
    words = [("last|latter|later", len(choices) - 1), ("former|earlier", 0), *(("middle", 1) for _ in choices[2:3])]
    words = [*((word, at - 1) for word, at in read_values()["ordinals"].items() if at <= len(choices)), *words]
    for word, at in words:
        if re.search(rf"\bthe (?:{word})\b|\b(?:{word}) (?:one|option)\b|^\W*(?:{word})(?:,? please)?\W*$", text):
            return choices[at]
    for word, half in _HALVES:
        if re.search(rf"\b{word}\b", text):
            times = [each for each in choices if re.fullmatch(rf"[\d:]+ ?{half}", str(each).casefold())]
            return times[0] if len(times) == 1 else None
    return None


def options_of(question: str) -> list[str]:
    """Return the options that a question names: "Cash or card?" has two."""
    offers = _OFFERS.findall(question.lower())
    pieces = _OFFER_END.split(offers[-1]) if offers else []
    options = [re.sub(r"^(?:an?|the|your|by|in|at|on)\s+", "", piece.strip()) for piece in pieces]
    options = [option for option in options if 0 < len(option.split()) <= 3]
    return options if len(options) > 1 else []


def find_of_class(text: str, example: str) -> str | None:
    """Return a value of the class of the example: another color for `red`. The longest name that was said counts."""
    named = find_all_of_class([text], example)
    return max(reversed(named), key=len) if named else None


def find_all_of_class(parts: Sequence[str], example: str) -> list[str]:
    """Return the values of the class of an example in the newest part of an utterance that has any, in their order."""
    for part in parts:
        folded = part.casefold()
        matches = {
            match.span(): name for name in class_of(example) for match in _pattern(name.casefold()).finditer(folded)
        }
        longest = [
            (start, name)
            for (start, end), name in matches.items()
            if not any(at <= start and end <= stop and stop - at > end - start for at, stop in matches)
        ]
        if longest:
            return list(dict.fromkeys(_cased(name, example) for _, name in sorted(longest)))
    return []


def _cased(member: str, example: str) -> str:
    if example.islower():
        return member.lower()
    return member[:1].upper() + member[1:] if example[:1].isupper() else member

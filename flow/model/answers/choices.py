"""Yes and no, and one of several values: by its name, by words that mean it, by its place, or by what was meant."""

import re
from collections.abc import Sequence
from functools import lru_cache
from operator import itemgetter
from typing import Any

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import find_offered_time
from dryline.flow.model.answers.turns import Utterance, deflects
from dryline.flow.model.kinds import class_of, form, label_of, pattern_of, read_values
from dryline.flow.model.number_words import read_bounds, said_number
from dryline.flow.model.understanding import Context, understand

_ASKING_BACK = re.compile(r"(?:(?<=[,.;!])|^)[^,.;!?]*\?\s*$")
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


def find_yes_no(slot: Slot, utterances: Sequence[Utterance]) -> bool | None:
    """Return the answer to a yes-or-no question, the newest one that is about the key or answers the agent."""
    beside = [_stems(label_of(key)) for key in slot.members if key != slot.key]
    is_one_of_several = any(_stems(slot.question) & each for each in beside)
    question = f"{label_of(slot.key)} {'' if is_one_of_several else slot.question}"
    topic, bounds = _stems(question), read_bounds(question)
    for utterance in utterances:
        is_yes = pattern_of("no_as_yes").search(utterance.text)
        said = utterance.text if is_yes else _ASKING_BACK.sub("", utterance.text)
        about_topic = bool(_stems(said) & topic)
        is_answer = not utterance.question or bool(_stems(utterance.question) & topic) or len(utterances) == 1
        part = _clause_about(said, topic, is_one_of_several) if about_topic else said
        if bounds and (about_topic or is_answer) and (number := said_number(part)) is not None:
            return bounds[0] <= number <= bounds[1]
        answer = _yes_or_no(part, utterance.language)
        if about_topic:
            return answer is not False
        if answer is None and is_answer and not is_one_of_several and len(utterances) == 1:
            index = meant(["caller agrees", "caller declines"], utterance)  # "count me in"
            answer = None if index is None else index == 0
        if answer is not None and (len(said.split()) <= 6 or (is_answer and not is_one_of_several)):
            return answer
    return None


def _yes_or_no(text: str, language: str) -> bool | None:
    """Return whether a text says yes or no; None if it says neither."""
    if pattern_of("undecided").search(text):
        return None
    rest, positive = pattern_of("no_as_yes").subn(" ", text)
    if pattern_of("polite_no").search(rest):
        return False
    sides = {
        side: [pattern_of(side), *([pattern_of(side, language)] if language != "en" else [])] for side in ("yes", "no")
    }
    if any(pattern.search(rest) for pattern in sides["no"]):
        return form("first_yes").match(rest) is not None
    assent = any(_is_assent(match) for pattern in sides["yes"] for match in pattern.finditer(rest))
    return True if assent or positive else None


def _is_assent(match: re.Match[str]) -> bool:
    """Return whether a word such as "right" or "please" agrees: at the begin of a clause, or as its end."""
    before, behind = match.string[: match.start()], match.string[match.end() :]
    if re.match(r"(?:i|we|they|it) ", match[0], re.IGNORECASE):
        return form("ends_assent").match(behind) is not None
    if match[0].lower() not in read_values()["loose_yes"]:
        return True
    return not re.search(r"[^\s,.;!?-]\s*$", form("opens_clause").sub("", before)) or not re.match(r"\s*\w", behind)


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that tell what it is about."""
    words = {*re.findall(r"\w{4,}", text.lower())} - {*read_values()["no_topics"]}
    return frozenset(re.sub(r"(?:ance|ed|ing|es|s|e)$", "", word)[:8] for word in words)


def _clause_about(text: str, topic: frozenset[str], is_short: bool) -> str:
    """Return the sentence that mentions the topic, with a bare yes or no before it."""
    clauses = re.split(r"(?<=[.;!?])\s+|\bbut\b" + (r"|,\s|\band\b" if is_short else ""), text)
    named = [index for index, clause in enumerate(clauses) if _stems(clause) & topic]
    if not named:
        return text
    start = named[0]
    while start > 0 and len(clauses[start - 1].split()) <= (1 if is_short else 2):
        start -= 1
    return " ".join(clauses[start : named[-1] + 1])

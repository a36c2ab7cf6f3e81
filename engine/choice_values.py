"""One of several values, and yes or no, as people say them."""

import re
from collections.abc import Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

from dryline.engine.spoken_turns import Utterance, without_degree
from dryline.phrases.number_bounds import read_bounds, said_number
from dryline.phrases.value_kinds import LANGUAGES, class_of, label_of, read_values

_REFUSED = re.compile(r"\b(?:not|anything but|without) (?:(?:by|on|at|in) )?(?:the |a |an )?\w+")
_UNDECIDED = re.compile(
    r"\b(?:not (?:so |really |too |quite )?sure|don['\u2019]?t know|no idea|it depends|can['\u2019]?t (?:say|decide)|"
    r"have to (?:check|think|ask)|let me (?:check|think|ask)|undecided)\b",
    re.IGNORECASE,
)
_ASKS_FOR_EXISTENCE = re.compile(r"^(?:do|does) \w+ (?:\w+ )?have\b|^(?:is|are) there\b|^can\b", re.IGNORECASE)
_EXISTS = re.compile(
    r"\W*(?:well,? |oh,? )?(?:there's|there is|there are|(?:i|we)(?:'ve got| have))"
    r" (?:an?|some|plenty|lots|enough|one|two|three|four|several)\b(?! (?:question|problem|query))"
)
_ASKING_BACK = re.compile(r"(?:(?<=[,.;!])|^)[^,.;!?]*\?\s*$")


@lru_cache(maxsize=1024)
def _pattern(phrase: str) -> re.Pattern[str]:
    stem = re.escape(phrase.casefold()).replace(r"\ ", r"[\s-]+").replace(r"\-", r"[\s-]?")
    ending = r"(?:s|es|'s|ed)?" if len(phrase) > 3 else ""
    return re.compile(rf"(?<![\w'-]){stem}{ending}(?![\w'])")


def find_choice(text: str, choices: Sequence[Any]) -> Any | None:
    """Return the choice that a text names, by its own words, else by words that mean it; None if none or several."""
    folded = without_degree(text.casefold().replace("\u2019", "'"))
    if (refused := _REFUSED.search(folded)) and len(choices) == 2:
        named = [choice for choice in choices if _pattern(str(choice)).search(refused[0])]
        rest = folded.replace(refused[0], " ")
        if len(named) == 1 and not any(_pattern(str(choice)).search(rest) for choice in choices):
            return next(choice for choice in choices if choice != named[0])
    if len(choices) > 2:
        names = [_pattern(str(choice)) for choice in choices]
        folded = _REFUSED.sub(lambda said: " " if any(name.search(said[0]) for name in names) else said[0], folded)
    synonyms = read_values()["synonyms"]
    denied = [
        phrase
        for choice in choices
        for phrase in _meanings(choice, synonyms)
        if phrase.split()[0] in ("no", "not", "isn't", "can't")
    ]
    named = [phrase for phrase in denied if _pattern(phrase).search(folded)]
    if not named:
        places = {index: _last_place(folded, str(choice)) for index, choice in enumerate(choices)}
        if (best := _farthest(places, choices)) is not None:
            return choices[best]
    places = {}
    for index, choice in enumerate(choices):
        for phrase in _meanings(choice, synonyms):
            if (not named or phrase in named) and (place := _last_place(folded, phrase)) is not None:
                places[index] = max(place, places.get(index) or place)
    if (best := _farthest(places, choices)) is not None:
        return choices[best]
    for index, word in enumerate(islice(read_values()["ordinals"], len(choices))):
        if re.search(rf"\bthe {word}\b|\b{word} (?:one|option)\b|^\W*{word}(?:,? please)?\W*$", folded):
            return choices[index]
    if re.search(r"\bthe (?:last|latter|later)\b|\b(?:last|latter|later) (?:one|option)\b", folded):
        return choices[-1]
    if len(choices) == 3 and re.search(r"\bthe middle\b", folded):
        return choices[1]
    if re.search(r"\bthe (?:former|earlier)\b|\bearlier (?:one|option)\b", folded):
        return choices[0]
    return _of_half_day(folded, choices) or _misspelled(folded, choices)


def _of_half_day(text: str, choices: Sequence[Any]) -> Any | None:
    """Return the one choice that is a time of the half of the day that a text names."""
    for word, half in (("morning", "am"), ("afternoon", "pm"), ("evening", "pm")):
        if re.search(rf"\b{word}\b", text):
            times = [each for each in choices if re.fullmatch(rf"[\d:]+ ?{half}", str(each).casefold())]
            return times[0] if len(times) == 1 else None
    return None


def _meanings(choice: Any, synonyms: dict[str, list[str]]) -> list[str]:
    """Return the words that mean a choice; of one of several words, those of its words as well."""
    folded = re.sub(r"[_-]", " ", str(choice).casefold())
    own = [folded] if folded != str(choice).casefold() else []
    return own + synonyms.get(folded, [])


def _last_place(text: str, phrase: str) -> tuple[int, int] | None:
    matches = list(_pattern(phrase).finditer(text))
    return (matches[-1].start(), len(phrase)) if matches else None


def _farthest(places: dict[int, tuple[int, int] | None], choices: Sequence[Any]) -> int | None:
    """Return the choice that was named; of several the longest if it contains the others, else the last one."""
    named = {index: place for index, place in places.items() if place is not None}
    if not named:
        return None
    longest = max(named, key=lambda index: named[index][1])
    start, length = named[longest]
    if all(start <= at < start + length for at, _ in named.values()):
        return longest
    return max(named, key=lambda index: named[index][0])


def _misspelled(text: str, choices: Sequence[Any]) -> Any | None:
    """Return the choice that differs from a long word by one letter."""
    words = [word for word in re.findall(r"\w+", text) if len(word) > 5]
    near = [choice for choice in choices if any(_is_near(word, str(choice).casefold()) for word in words)]
    return near[0] if len(near) == 1 else None


def _is_near(word: str, other: str) -> bool:
    if word[:4] == other[:4] and len(other) > 5 and abs(len(word) - len(other)) <= 3:
        return True
    if len(word) != len(other):
        return False
    return sum(a != b for a, b in zip(word, other, strict=True)) <= 1


def find_of_class(text: str, example: str) -> str | None:
    """Return a value of the class of the example: another color for `red`. The longest name that was said counts."""
    folded = text.casefold()
    places = {member: place for member in class_of(example) if (place := _last_place(folded, member)) is not None}
    if not places:
        return None
    member = max(places, key=lambda name: (places[name][1], name.casefold() in folded, places[name][0]))
    literal = [name for name in places if name.casefold() in folded and places[name][0] == places[member][0]]
    return _cased(max(literal, key=len, default=member), example)


def find_all_of_class(parts: Sequence[str], example: str) -> list[str]:
    """Return the values of the class of an example in the newest part of an utterance that has any, in their order."""
    for part in parts:
        members = [(place, name) for name in class_of(example) if (place := _last_place(part.casefold(), name))]
        longest = [
            (start, name)
            for (start, length), name in members
            if not any(at <= start < at + other and other > length for (at, other), _ in members)
        ]
        if longest:
            return [_cased(name, example) for _, name in sorted(longest)]
    return []


def _cased(member: str, example: str) -> str:
    if example.islower():
        return member.lower()
    return member[:1].upper() + member[1:] if example[:1].isupper() else member


@lru_cache(maxsize=len(LANGUAGES))
def _answers(language: str) -> tuple[re.Pattern[str], re.Pattern[str]]:
    languages = {"en", language}
    words = {
        side: sorted({each for name in languages for each in read_values(name)[side]}, key=len, reverse=True)
        for side in ("yes", "no")
    }
    yes, no = ("|".join(re.escape(each).replace("'", "['\u2019]") for each in words[side]) for side in ("yes", "no"))
    return re.compile(rf"\b(?:{yes})\b", re.IGNORECASE), re.compile(rf"\b(?:{no})\b", re.IGNORECASE)


_POSITIVE_NO = re.compile(
    r"\bwhy not\b|\bno hay problema\b|\bkein problem\b|"
    r"\bno (?:problem|worries|objections?|doubt)\b|\bi don['\u2019]?t see why not\b|"
    r"\bwouldn['\u2019]?t say no\b|"
    r"\bdon['\u2019]?t mind\b|\bnot (?:a problem|bad)\b|\bcan['\u2019]?t wait\b|"
    r"\bno,? (?:that['\u2019]?s|it['\u2019]?s) (?:fine|right|correct|ok|okay|perfect|all right)\b",
    re.IGNORECASE,
)
_ENDS_ASSENT = re.compile(  # "I have", "I did it", "I do have one", but not "I have a question"
    r"\s*(?:$|[,.;!]|(?:it|one|that|them|some|mine|so|have|already|just|indeed|in|last|once|two|three|both)\b)", re.I
)
_LOOSE_YES = {"right", "great", "perfect", "fine", "please", "true", "correct", "sure", "totally", "exactly", "ok"}
_LOOSE_YES |= {"okay"}
_OPENS = re.compile(r"(?:^|(?<=[,.;!?]))\s*(?:(?:oh|well|um|uh|and|so|yes|that's|that is)\s*)+$", re.IGNORECASE)
_POLITE_NO = re.compile(r"\bi['\u2019]?m (?:good|fine|all set|okay)\b|\bi['\u2019]?ll pass\b", re.IGNORECASE)


def _is_assent(match: re.Match[str]) -> bool:
    """Return whether a word such as "right" or "please" agrees: at the begin of a clause, or as its end."""
    before, behind = match.string[: match.start()], match.string[match.end() :]
    if re.match(r"(?:i|we|they|it) ", match[0], re.IGNORECASE):
        return _ENDS_ASSENT.match(behind) is not None
    if match[0].lower() not in _LOOSE_YES:
        return True
    return not re.search(r"[^\s,.;!?-]\s*$", _OPENS.sub("", before)) or not re.match(r"\s*\w", behind)


def yes_or_no(text: str, language: str) -> bool | None:
    """Return whether a text says yes or no; None if it says neither."""
    yes, no = _answers(language)
    if _UNDECIDED.search(text):
        return None
    rest, positive = _POSITIVE_NO.subn(" ", text)
    if _POLITE_NO.search(rest):
        return False
    denial, assent = no.search(rest), next((each for each in yes.finditer(rest) if _is_assent(each)), None)
    if (
        denial
        and assent
        and re.match(
            r"\W*(?:um |uh |well,? |oh,? )*"
            r"(?:yes|yeah|yep|yup|sure|ja|s\u00ed|(?:absolutely|of course|(?:i|we) (?:did|do|have|am|are))(?! not))\b",
            rest,
            re.I,
        )
    ):
        return True
    if denial:
        return False
    return True if assent or positive else None


def find_yes_no(utterances: Sequence[Utterance], key: str, question: str, siblings: Sequence[str] = ()) -> bool | None:
    """Return the answer to a yes-or-no question, the newest one that is about the key or answers the agent."""
    language = utterances[0].language if utterances else "en"
    topic = _topic(key, question, language)
    others = [_topic(sibling, "", language) for sibling in siblings if sibling != key]
    is_one_of_several = any(_mentions(question, other) for other in others)
    topic = _topic(key, "", language) if is_one_of_several else topic
    for utterance in utterances:
        said = utterance.text if _POSITIVE_NO.search(utterance.text) else _ASKING_BACK.sub("", utterance.text)
        about_topic = _mentions(said, topic)
        answers = not utterance.question or _mentions(utterance.question, topic) or len(utterances) == 1
        short = len(said.split()) <= 6
        part = said if not about_topic else _clause_about(said, topic, is_one_of_several)
        fact = _fact(part, key, "" if is_one_of_several else question) if about_topic or answers else None
        if fact is not None:
            return fact
        answer = yes_or_no(part, language)
        if about_topic:
            if answer is not None:
                return answer
            return True
        elif answer is not None and (short or (answers and not is_one_of_several)):
            return answer
    return None


@lru_cache(maxsize=256)
def _topic(key: str, question: str, language: str) -> frozenset[str]:
    common = {"want", "have", "does", "they", "with", "this", "that", "like", "wants", "needs", "need", "complete"}
    common |= {"user", "caller", "customer", "would", "there", "their", "them", "from", "your"}
    words = set(label_of(key).split()) | set(re.findall(r"\w+", question.lower()))
    agreement = {*read_values(language)["kinds"]["yes_no"]["keys"], "confirm", "agree", "accept"}
    return frozenset(_stem(word) for word in words - common - agreement if len(word) > 3)


def _fact(text: str, key: str, question: str) -> bool | None:
    """Return what a fact says to a question: "we rent" is a no to "Do they own their home?"."""
    if (bounds := read_bounds(question)) and (number := said_number(text)) is not None:
        return bounds[0] <= number <= bounds[1]
    words = {*label_of(key).split(), *re.findall(r"\w+", question.lower())}
    folded = text.casefold().replace("\u2019", "'")
    for fact in read_values()["facts"]:
        if words & {*fact["topics"]}:
            places = {
                side: max((at for each in fact[side] if (at := folded.rfind(each)) >= 0), default=-1)
                for side in ("yes", "no")
            }
            if places["yes"] != places["no"]:
                return places["yes"] > places["no"]
    return True if _ASKS_FOR_EXISTENCE.search(question) and _EXISTS.match(folded) else None


def _stem(word: str) -> str:
    return re.sub(r"(?:ance|ed|ing|es|s|e)$", "", word)[:8]


def _mentions(text: str, topic: frozenset[str]) -> bool:
    return any(_stem(word) in topic for word in re.findall(r"\w+", text.lower()))


def _clause_about(text: str, topic: frozenset[str], is_short: bool) -> str:
    """Return the sentence that mentions the topic, with a bare yes or no before it."""
    clauses = re.split(r"(?<=[.;!?])\s+|\bbut\b" + (r"|,\s|\band\b" if is_short else ""), text)
    named = [index for index, clause in enumerate(clauses) if _mentions(clause, topic)]
    if not named:
        return text
    start = named[0]
    while start > 0 and len(clauses[start - 1].split()) <= (1 if is_short else 2):
        start -= 1
    return " ".join(clauses[start : named[-1] + 1])

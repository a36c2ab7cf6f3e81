"""Utterances of simulated callers: for a condition that they meet, and for values that they give.

The words come from the phrase bank. A condition of no known intent is turned into the first person.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache
from math import log
from random import Random
from typing import NamedTuple

from dryline.phrases import SLOT, Intent, load

_PEOPLE = (
    "user|caller|customer|patient|client|person|lead|contact|guest|prospect|player|driver|member|tenant|visitor|buyer|"
    "student|carrier|employee|owner|donor|candidate|shopper|borrower|resident|subscriber|traveller|traveler|parent"
)
_SUBJECT = re.compile(
    rf"^(?:if |when |once |that )*(?:(?:the |a )?(?:{_PEOPLE})|they|somebody|someone)\s+(?P<rest>.+)$",
    re.IGNORECASE | re.DOTALL,
)
_GIVES = re.compile(
    r"^(?:(?:has|have) )?(?:giv|nam|provid|tell|told|stat|choos|chose|pick|select|specif|mention|describ|shar|spell"
    r"|enter|suggest|explain|answer)\w*\b"
    r"|^says? (?:what|which|when|where|how)\b",
    re.IGNORECASE,
)
_CLOSES = re.compile(
    r"\b(?:nothing else|no more|no further|no other|done|finished|goodbye|bye|that is all|hangs? up"
    r"|end the (?:call|chat))\b",
    re.IGNORECASE,
)
_OF_USER = re.compile(rf"\b(?:(?:the |a )?(?:{_PEOPLE})(?P<owns>['\u2019]s)|the (?:{_PEOPLE}))\b", re.IGNORECASE)
_VERBS = {
    "wants": "want", "wishes": "wish", "needs": "need", "has": "have", "is": "am", "isn't": "am not", "was": "was",
    "asks": "would like to ask", "says": "would say", "agrees": "agree", "declines": "would rather not",
    "confirms": "confirm", "likes": "like", "does": "do", "doesn't": "don't", "requests": "would like",
    "mentions": "should mention", "reports": "have to report", "cannot": "can't", "can": "can", "would": "would",
    "thinks": "think", "understands": "understand", "accepts": "accept", "refuses": "don't want to",
}  # fmt: skip
_PAST = {
    "wants": "wanted", "needs": "needed", "has": "had", "is": "was", "says": "said", "thinks": "thought",
    "cannot": "could not", "can": "could", "would": "would", "will": "would", "does": "did", "doesn't": "did not",
    "gives": "gave", "sees": "saw", "understands": "understood", "forgot": "forgot", "gets": "got", "knows": "knew",
    "goes": "went", "comes": "came", "pays": "paid", "tells": "told", "feels": "felt", "declines": "declined",
    "agrees": "agreed", "confirms": "confirmed", "chooses": "chose", "picks": "picked", "wishes": "wished",
}  # fmt: skip
_PRONOUNS = {
    "their": "my", "theirs": "mine", "them": "me", "they": "I", "his": "my", "her": "my", "themselves": "myself",
}  # fmt: skip
_STOPWORDS = """
a an the to of on in at with about is are be that this it its their they them he she his her and or if how there who
"""
_ENOUGH = 0.5  # of two conditions' words, for them to have one intent
_IN_ANY_TRADE = 0.04  # what an intent of any trade has before one of a certain trade
_RARE = 6.0  # the weight of a word that no condition of the bank has
_HESITATIONS = ("Uh, ", "Um, ", "Well, ", "So, ", "Let me see... ", "Okay, ", "Right, ", "Hm, ")
_GREETINGS = ("Hi, ", "Hello, ", "Good morning, ", "Hi there, ", "Hey, ")


class Utterance(NamedTuple):
    """Words of a caller, and the names of the slots whose values are in them."""

    text: str
    slots: frozenset[str]


def utter(condition: str, slots: Mapping[str, str], random: Random, *, opening: bool, avoid: set[str]) -> Utterance:
    """Return words of somebody who meets the condition, with values of `slots` in them.

    `opening` asks for the first words of a conversation. Phrases in `avoid` are not used again while there are others;
    the chosen one is added.
    """
    intent = intent_of(_one_alternative(condition, random))
    if intent is None:
        return Utterance(_in_first_person(condition), frozenset())
    phrases = [phrase for phrase in _phrases(intent, opening=opening) if slots_of(phrase) <= slots.keys()]
    fresh = [phrase for phrase in phrases if phrase not in avoid] or phrases
    if not fresh:
        return Utterance(_in_first_person(condition), frozenset())
    phrase = random.choice(fresh)
    avoid.add(phrase)
    text = SLOT.sub(lambda slot: slots[slot[1]], phrase)
    if opening and phrase not in intent.opens and random.random() < 0.6:
        text = random.choice(_GREETINGS) + _lower_first(text)
    return Utterance(capitalized(text), slots_of(phrase))


def hesitate(text: str, random: Random) -> str:
    """Return the words as somebody says them who thinks for a moment."""
    return random.choice(_HESITATIONS) + _lower_first(text)


def gives_value(condition: str) -> bool:
    """Return whether a condition is met by giving a value, such as "caller names a day"."""
    return bool(_GIVES.search(_predicate(condition)))


def closes(condition: str) -> bool:
    """Return whether a condition ends a conversation that has come to its end, such as "caller needs nothing else"."""
    intent = intent_of(condition)
    return bool(_CLOSES.search(condition)) or (intent is not None and intent.name in ("goodbye", "finish_order"))


def slots_of(phrase: str) -> frozenset[str]:
    """Return the names of the slots in a phrase."""
    return frozenset(SLOT.findall(phrase))


@lru_cache(maxsize=2_000)
def intent_of(condition: str) -> Intent | None:
    """Return the intent whose conditions are worded most like this one; None where none is close."""
    weights, intents = _weights(), load().intents
    words = _content(_predicate(condition))
    best, best_score = None, _ENOUGH
    for name, wordings in _wordings().items():
        bonus = _IN_ANY_TRADE if intents[name].subject in ("general", "answers") else 0.0
        for wording in wordings:
            common = sum(weights.get(word, _RARE) for word in words & wording)
            score = common / (sum(weights.get(word, _RARE) for word in words | wording) or 1.0) + bonus
            if score > best_score:
                best, best_score = name, score
    return intents[best] if best else None


@lru_cache(maxsize=1)
def _wordings() -> dict[str, list[frozenset[str]]]:
    intents = load().intents
    return {name: [_content(_predicate(text)) for text in intent.conditions] for name, intent in intents.items()}


@lru_cache(maxsize=1)
def _weights() -> dict[str, float]:
    """Return how much each word of the conditions tells about an intent: the rarer, the more."""
    wordings = _wordings().values()
    count = Counter(word for texts in wordings for word in frozenset[str]().union(*texts))
    weights = {word: log(len(wordings) / number) + 0.2 for word, number in count.items()}
    return weights | dict.fromkeys(("want", "ask", "say", "has", "hav", "for", "would", "lik"), 0.5)


def _phrases(intent: Intent, *, opening: bool) -> tuple[str, ...]:
    return (*intent.opens, *intent.says) if opening else intent.says


def _predicate(condition: str) -> str:
    match = _SUBJECT.match(" ".join(condition.split()).rstrip("."))
    return match["rest"] if match else condition


def _content(text: str) -> frozenset[str]:
    """Return the stems of the words that carry the meaning of a condition."""
    words = (word for word in re.findall(r"[a-z]+", text.lower().replace("n't", " not")) if word not in _stopwords())
    return frozenset(_stem(word) for word in words)


@lru_cache(maxsize=1)
def _stopwords() -> frozenset[str]:
    return frozenset(_STOPWORDS.split())


def _stem(word: str) -> str:
    for suffix in ("ations", "ation", "ings", "ing", "ies", "ied", "ed", "es", "s", "e", "y"):
        if word.endswith(suffix) and len(word) - len(suffix) >= 3:
            return word[: -len(suffix)]
    return word


def _one_alternative(condition: str, random: Random) -> str:
    """Return one of the alternatives of a condition, such as "asks about the address" of "hours or the address"."""
    if intent_of(condition) is not None:
        return condition
    predicate = _predicate(condition)
    match = re.fullmatch(r"(?P<verb>\w+(?: (?:about|for|to))?) (?P<options>.+ or .+)", predicate)
    if match is None:
        return condition
    options = re.split(r",? or |, ", match["options"])
    return f"caller {match['verb']} {random.choice(options)}"


def _in_first_person(condition: str) -> str:
    condition = " ".join(condition.split()).rstrip(".")
    match = _SUBJECT.match(condition)
    if match is None:
        text = _OF_USER.sub(lambda user: "my" if user["owns"] else "me", condition)
        return f"{capitalized(text)}."
    words: list[str] = []
    previous = "they"
    for word in _OF_USER.sub(lambda user: "my" if user["owns"] else "me", match["rest"]).split():
        lower = word.lower()
        verb = _VERBS.get(lower) if previous in ("they", "and", "or", "but", "who") else None
        if previous == "they":
            verb = "am" if lower == "are" else verb or (word if words else base(word))
        words.append(verb or _PRONOUNS.get(lower, word))
        previous = lower
    return f"I {' '.join(words)}."


def past_tense(condition: str) -> str:
    """Return what somebody did for whom the condition held, such as "wanted to book an appointment"."""
    predicate = _predicate(condition).rstrip(".")
    verb, _, rest = predicate.partition(" ")
    past = _PAST.get(verb.lower())
    if past is None and _SUBJECT.match(condition) and verb.endswith("s") and verb.isalpha():
        root = base(verb)
        past = root + ("d" if root.endswith("e") else "ed")
    return f"{past} {rest}".strip() if past else f"met the condition {predicate!r}"


def base(verb: str) -> str:
    """Return a verb in the third person as it stands behind "I"."""
    if verb.endswith("ies"):
        return verb[:-3] + "y"
    if verb.endswith(("sses", "shes", "ches", "xes", "goes")):
        return verb[:-2]
    return verb[:-1] if verb.endswith("s") and not verb.endswith("ss") else verb


def capitalized(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]


def _lower_first(text: str) -> str:
    first = text.split(maxsplit=1)[0] if text else ""
    return (
        text if first in ("I", "I'm", "I'd", "I've", "I'll") or not first[1:].islower() else text[:1].lower() + text[1:]
    )

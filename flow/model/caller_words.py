"""The words of simulated callers: for the conditions that they meet, and for the values that they give.

`callers.json` has the words to turn a condition into the first person, and the roles of conditions.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import cache, lru_cache
from heapq import nlargest
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from dryline.flow.model import encoder
from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.number import MONEY, RATING, unit_of
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.filling import made_up
from dryline.flow.model.kinds import CHOICE, CODE, DATE, EMAIL, NAME, NUMBER, PHONE, TIME, WORDS, YES_NO, kind_of
from dryline.flow.model.understanding import read_condition
from dryline.flow.phrases import SLOT, Intent, load
from dryline.storage.files import read_json

_OF_OTHER = re.compile(
    r"neighbou?r|doctor|dentist|agent|manager|company|colleague|boss|friend|pet\b|animal|product|other|transfer|department"
)
_SAYS_OWN_NAME = re.compile(r"I'm |My name|This is")
_SAYS_AS_ANSWER = re.compile(
    r"^(?:Sure|Well|At|On|About|For|Around|How about|Could we|I'd (?:go for|prefer|say)|That)\b|, please\.$"
    r"|works|would be|is fine"
    r"|^[\w-]+(?: [\w-]+)?\.$"
)
_FEW_WORDS = 3
_ANY_DAY = ("", "day", "date", "when", "weekday")
_OF_STATES = ("reason", "condition", "problem", "issue", "cause", "state", "status")  # ends of members' names
UNUSUAL_ROLES = ("closing", "else", "small talk")  # of conditions that no call is about
_ROLES = {  # of conditions, by their words
    "machine": re.compile(r"voice ?mail|answering machine", re.IGNORECASE),
    "answer": re.compile(r"^f[\"'](?:the )?\w+ \{\w+\}[\"']$"),
    "closing": re.compile(
        r"\b(?:nothing else|no more|no further|no other|done|finished|goodbye|bye|that is all|hangs? up"
        r"|end the (?:call|chat))\b",
        re.IGNORECASE,
    ),
}
_REFERS_BACK = re.compile(
    r"^(?:yes|yeah|yep|no|nope|okay|sure|actually|and|so|then|never mind|forget|neither|let's|let me|not|right"
    r"|alright|he|she"
    r"|they)\b|\b(?:that|it|its|them|those|these|then|there|instead|after all|otherwise|one of|else)\b",
    re.IGNORECASE,
)
_BY_PHONE = re.compile(
    r"\b(?:call(?:ed|ing)? (?:about|because|to|you|for)|(?:hang|pick) up|on hold|operator|speaking|hear(?:ing)? you"
    r"|(?:put|patch) me through|connect me|transfer me|on the (?:line|phone))\b",
    re.IGNORECASE,
)
_MOST_LIKELY = 3  # intents of a text that are looked at
_ATTEMPTS = 20  # to find a value that the agent has not named, such as another day


@cache
def words() -> dict[str, Any]:
    """Return the content of callers.json."""
    return read_json(Path(__file__).with_name("callers.json"))


def utter(condition: str, facts: Mapping[str, str], random: Random, avoid: set[str], **options: Any) -> str:
    """Return words of somebody who meets the condition, and add them to `avoid`: a phrase, else the first person.

    `facts` are what is known about the caller, such as the name. Words in `avoid` are used again only if there are no
    others. `options` are those of `_phrases`.
    """
    phrases = _phrases(condition, facts, **options) or [_in_first_person(condition)]
    text = random.choice([phrase for phrase in phrases if phrase not in avoid] or phrases)
    avoid.add(text)
    said = SLOT.sub(lambda slot: facts[slot[1]], text)
    return f"{said[:1].upper()}{said[1:]}{'' if said.endswith(('.', '!', '?')) else '.'}"


def _phrases(
    condition: str, facts: Mapping[str, str], *, menu: tuple[str, ...] = (), opening: bool = False, typed: bool = False
) -> list[str]:
    """Return the phrases of the intent that a condition means. `menu` holds all open conditions.

    No call begins (`opening`) with words that refer to what was said before, and in a chat (`typed`) nobody speaks of
    the phone. Of two values of a kind, a caller knows one.
    """
    intent = intent_of(condition, menu)
    if intent is None:
        return []
    known = []
    for phrase in (*intent.opens, *intent.says) if opening else intent.says:
        slots = SLOT.findall(phrase)
        is_known = facts.keys() >= set(slots) and len(set(slots)) == len(slots) and ":other}" not in phrase
        if is_known and not (typed and _BY_PHONE.search(phrase)):
            known.append(phrase)
    return [phrase for phrase in known if not (opening and _REFERS_BACK.search(phrase))] or known


@lru_cache(maxsize=2_000)
def intent_of(condition: str, menu: tuple[str, ...] = ()) -> Intent | None:
    """Return the intent that a condition, or its first alternative, means; None for none.

    It is the most probable one, of those that no other condition of the menu means more, and to which the text is as
    near as the intent's own phrases are on average.
    """
    intents = load()
    others = [_near_intents(each) for each in menu if each != condition]
    meant: list[tuple[float, str]] = []
    for text in (condition, *encoder.alternatives(condition)[:1]):
        near = _near_intents(text)
        candidates = [name for name in near if name in intents]
        for other in others:
            candidates = [name for name in candidates if other[name] < near[name]]
        likely = nlargest(_MOST_LIKELY, candidates, key=near.__getitem__)
        meant += [(near[name], name) for name in likely if near[name] >= _usual_nearness(name)]
    return intents[max(meant)[1]] if meant else None


@cache
def _usual_nearness(intent: str) -> float:
    """Return how near the phrases of an intent are to it on average."""
    phrases = [encoder.vector(phrase) for phrase in load()[intent].says]
    near = encoder.load().near_intents([*map(fmean, zip(*phrases, strict=True))], by_mean=True)
    return near[encoder.load().intents.index(intent)]


def _near_intents(condition: str) -> dict[str, float]:
    return encoder.near_intents(encoder.without_subject(condition), by_mean=True)


@lru_cache(maxsize=2_000)
def role_of(condition: str) -> str:
    """Return what a condition is to a caller.

    The roles are `machine` (a voicemail), `answer` (to the question just asked), `closing` (the end of a conversation),
    `missed` (a wrong number), `small talk` (a greeting, or a question about the agent), `else` (met if no other one
    is), `value` (met by giving a value, as "caller names a day"), and `matter` for all others.
    """
    near = _near_intents(condition)
    intent = max(near, key=near.__getitem__)
    for role, pattern in _ROLES.items():
        if pattern.search(condition) or intent in words()["intents of roles"].get(role, ()):
            return role
    for role in ("missed", "small talk"):
        if intent in words()["intents of roles"][role]:
            return role
    reading = read_condition(condition)
    if reading.is_catch_all:
        return "else"
    return "matter" if reading.gives is None else "value"


def kinds_of_values(condition: str) -> set[ValueKind]:
    """Return the kinds of the values that meet a condition: a date for "caller names a day", else none."""
    if role_of(condition) != "value":
        return set()
    return {kind_of(slot) for slot in read_condition(condition).slots}


def predicate(condition: str) -> str:
    """Return a condition without the person whom it is about: "the caller wants …" is "wants …"."""
    return encoder.without_subject(" ".join(condition.split()).rstrip("."))


def first_clause(condition: str) -> str:
    """Return the predicate of a condition up to its first comma or colon."""
    return re.split("[,:]", predicate(condition))[0]


def _in_first_person(condition: str) -> str:
    text = encoder.OF_USER.sub(lambda user: "my" if user[1] else "me", first_clause(condition))
    if predicate(condition) == " ".join(condition.split()).rstrip("."):  # it is not about the caller
        return text
    verbs, pronouns = words()["first person"], words()["pronouns"]
    verb, _, rest = text.partition(" ")
    with_y = re.sub("ies$", "y", verb)
    without_s = re.sub(r"(?<=ss|sh|ch|go|.x)es$|(?<!s)s$", "", with_y)
    verb = verbs.get(verb.lower(), without_s)

    rest = re.sub(r"\b(they|and|or|but|who) (\S+)", lambda part: f"{part[1]} {verbs.get(part[2], part[2])}", rest)
    rest = re.sub(r"\w+", lambda word: pronouns.get(word[0].lower(), word[0]), rest)
    return f"I {verb} {rest}".rstrip()


def choose_value(
    slot: Slot,
    random: Random,
    now: datetime,
    *,
    facts: Mapping[str, str],
    said: str,
    heard: str,
    question: str,
    phrase: str = "",
) -> Any:
    """Return the value that a caller has for a slot: of what the agent's `question` offers, else their own, else any.

    `facts` are what is known about the caller. `said` and `heard` are all words of the caller and of the agent. The
    value is said behind the `phrase`, which may narrow it, as "next week" does.
    """
    if offers := _offered_in(question, slot, now):
        return random.choice(offers)
    named = named_in(said, slot, now) if slot.choices else None
    if named:
        return named
    if kind_of(slot) is NUMBER and unit_of(slot) == RATING:  # most callers are content
        return max(made_up(slot, random, now) for _ in range(6))
    if fact := _fact_about_caller(slot, facts):
        return fact
    context = replace(slot, agent=question, now=now)
    values = [made_up(context, random, now) for _ in range(_ATTEMPTS)]
    if kind_of(slot) is DATE and phrase:
        values = [each for each in values if DATE.read(f"{phrase} {DATE.say(each)}", context) == each] or values
    return next((each for each in values if str(each) not in heard), values[0])


def _offered_in(question: str, slot: Slot, now: datetime) -> list[Any]:
    """Return the choices that the agent's question names, or for a day or a time several of them."""
    kind = kind_of(slot)
    if kind not in (DATE, TIME):
        return [choice for choice in slot.choices if str(choice) in question]
    offers = kind.read_all(question, replace(slot, now=now))
    return offers if len(offers) > 1 else []


def named_in(said: str, slot: Slot, now: datetime) -> Any:
    """Return the choice of a slot that was said, or for a day the only one; None for none or two."""
    if kind_of(slot) is DATE:
        named = DATE.read_all(said, replace(slot, now=now))
    else:
        named = [each for each in slot.choices if re.search(rf"\b{re.escape(str(each))}s?\b", said, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


def _fact_about_caller(slot: Slot, facts: Mapping[str, str]) -> str | None:
    """Return the caller's name, or the part of it, number or address that a slot asks for; None for another value."""
    kind, label = kind_of(slot), slot.label
    if _OF_OTHER.search(f"{label} {slot.question}"):
        return None
    if kind is NAME:
        if "first" in label:
            return facts.get("first")
        if "last" in label or "surname" in label:
            return facts.get("last")
        return facts.get("name")
    return facts.get(kind.name) if kind in (PHONE, EMAIL) else None


def give_value(value: Any, slot: Slot, random: Random, avoid: set[str], *, is_asked: bool = True) -> str:
    """Return a sentence that gives a value, and add it to `avoid`. One that only answers needs a question."""
    sentences = sentences_with_value(value, slot)
    if kind_of(slot) is NAME and _OF_OTHER.search(f"{slot.label} {slot.question}"):
        sentences = [each for each in sentences if not _SAYS_OWN_NAME.match(each)]
    if not is_asked:
        sentences = _unasked_sentences(value, slot, sentences)
    sentence = random.choice([each for each in sentences if each not in avoid] or sentences)
    avoid.add(sentence)
    return sentence


def _unasked_sentences(value: Any, slot: Slot, sentences: list[str]) -> list[str]:
    """Return sentences with a value that nobody has asked for, which say what it is."""
    written, label, kind = _written(value, slot), slot.label, kind_of(slot)
    if kind is CODE and label:
        name = label if label.endswith(("number", "code", "id")) else f"{label} number"
        return [f"The {name} is {written}."]
    if kind is NUMBER and label:
        noun = label.rpartition(" ")[2]
        if noun.endswith("s"):
            return [f"For {written}." if value == 1 else f"For {written} {noun}."]
        return [f"The {label} is {written}."]
    if kind is DATE:
        if DATE.is_past(slot):
            return [f"It was {written}."]
        return [f"That's for {written}." if label in _ANY_DAY else f"The {label} is {written}."]
    if kind is CHOICE and label.endswith(_OF_STATES):
        return [f"{written[:1].upper()}{written[1:]}."]
    about = f"It's about {'the ' if written[:1].islower() else ''}{written}."
    return [each for each in sentences if not _SAYS_AS_ANSWER.search(each)] or [about]


def sentences_with_value(value: Any, slot: Slot) -> list[str]:
    """Return a caller's answers to a question for a value: sentences, and the bare value; `[""]` for nothing.

    Each member of an object has a sentence of its own, a list has one: "tacos and horchata".
    """
    if isinstance(value, dict):
        members = (sentences_with_value(each, Slot(each, name)) for name, each in value.items())
        return [" ".join(filter(None, each)) for each in zip(*members, strict=False)]
    if value is None or value in ("", []):
        return [""]
    if isinstance(value, bool):
        return [*(words()["yes"] if value else words()["no"])]
    text = _written(value, slot)
    frames = dict.fromkeys(("{value}.", *_frames_of(text, slot)))
    filled = (frame.format(value=text).replace("..", ".") for frame in frames)
    return [each if "@" in each.split()[0] else each[:1].upper() + each[1:] for each in filled]


def _frames_of(text: str, slot: Slot) -> Sequence[str]:
    """Return sentences with `{value}` in place of a value, which is written as the text."""
    kind, label = kind_of(slot), slot.label
    if kind is NAME and ("first" in label or "last" in label):
        return (f"My {'first' if 'first' in label else 'last'} name is {{value}}.",)
    if kind is WORDS and len(text.split()) > _FEW_WORDS:  # a clause, which "it's" does not take
        return ()
    if kind is DATE and DATE.is_past(slot):
        return ("It was {value}.", "That was {value}.", "I think it was {value}.")
    if kind is NUMBER and label.endswith("s") and "$" not in text:
        return (*kind.sentences, f"{{value}} {label.rpartition(' ')[2]}.")
    return kind.sentences


def _written(value: Any, slot: Slot) -> str:
    """Return a value as a transcript has it: "$35,000", "December 21", "4:30 PM", "555-867-5309"."""
    if isinstance(value, list):
        things = (" ".join(map(str, each.values())) if isinstance(each, dict) else str(each) for each in value)
        return " and ".join(things)
    kind = kind_of(slot)
    if kind is NUMBER and isinstance(value, (int, float)):
        said = kind.say(value)
        return f"${said}" if unit_of(slot) == MONEY else said
    return kind.say(value) if kind not in (YES_NO, CODE) else str(value)

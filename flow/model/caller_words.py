"""The words of simulated callers: for the conditions that they meet, and for the values that they give.

`callers.json` has the words to turn a condition into the first person, and the roles of conditions.
"""

import re
from collections.abc import Mapping
from datetime import date, datetime
from functools import cache, lru_cache
from heapq import nlargest
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from dryline.flow.model import encoder, kinds
from dryline.flow.model.answers.filling import made_up
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import SpokenTime, format_time
from dryline.flow.model.kinds import form, label_of, read_values, variant_of
from dryline.flow.model.understanding import read_condition
from dryline.flow.phrases import SLOT, Intent, load
from dryline.storage.files import read_json

_ISO_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](.+))?")
_CLOCK = re.compile(r"([01]\d|2[0-3]):(\d{2})(?::\d{2})?Z?")
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
        if is_known and not (typed and re.search(words()["by phone"], phrase)):
            known.append(phrase)
    return [phrase for phrase in known if not (opening and re.search(words()["refers back"], phrase))] or known


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
        own = (name for name in near if name in intents and all(other[name] < near[name] for other in others))
        likely = nlargest(_MOST_LIKELY, own, key=near.__getitem__)
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
    """Return what a condition is to a caller: a role of `callers.json`, else `else`, `value`, or `matter`.

    Those of `callers.json` are `machine` (a voicemail), `answer` (to the question just asked), `closing` (the end of a
    conversation) and `missed` (a wrong number). `else` is met if no other condition is, `value` by giving a value, as
    for "caller names a day".
    """
    near = _near_intents(condition)
    intent = max(near, key=near.__getitem__)
    for role, each in words()["roles"].items():
        if intent in each["intents"] or re.search(each["words"], condition):
            return role
    reading = read_condition(condition)
    return "else" if reading.is_catch_all else "matter" if reading.gives is None else "value"


def predicate(condition: str) -> str:
    """Return a condition without the person whom it is about: "the caller wants …" is "wants …"."""
    return encoder.without_subject(" ".join(condition.split()).rstrip("."))


def first_clause(condition: str) -> str:
    """Return the predicate of a condition up to its first comma or colon."""
    return re.split("[,:]", predicate(condition))[0]


def _in_first_person(condition: str) -> str:
    of_user = encoder.pattern(r"(?i)\bthe <people>(['\u2019]s\b)?")
    text = of_user.sub(lambda user: "my" if user[1] else "me", first_clause(condition))
    if predicate(condition) == " ".join(condition.split()).rstrip("."):  # it is not about the caller
        return text
    verbs, pronouns = words()["first person"], words()["pronouns"]
    verb, _, rest = text.partition(" ")
    base = re.sub(r"(?<=ss|sh|ch|go|.x)es$|(?<!s)s$", "", re.sub("ies$", "y", verb))
    rest = re.sub(r"\b(they|and|or|but|who) (\S+)", lambda part: f"{part[1]} {verbs.get(part[2], part[2])}", rest)
    rest = re.sub(r"\w+", lambda word: pronouns.get(word[0].lower(), word[0]), rest)
    return f"I {verbs.get(verb.lower(), base)} {rest}".rstrip()


def choose_value(
    slot: Slot, random: Random, now: datetime, *, facts: Mapping[str, str], said: str, heard: str, question: str
) -> Any:
    """Return the value that a caller has for a slot: of what the agent's `question` offers, else their own, else any.

    `facts` are what is known about the caller. `said` and `heard` are all words of the caller and of the agent.
    """
    if offers := [choice for choice in slot.choices or () if str(choice) in question]:
        return random.choice(offers)
    if slot.kind == "rating":  # most callers are content
        return max(made_up(slot, random, now)[0] for _ in range(6))
    if named := named_in(said, slot):
        return named
    fact = facts.get((slot.kind == "name" and variant_of("name", slot.key)) or slot.kind)
    if fact and _is_own(slot):
        return fact
    values = [made_up(slot, random, now)[0] for _ in range(_ATTEMPTS)]
    return next((each for each in values if str(each) not in heard), values[0])


def named_in(said: str, slot: Slot) -> Any:
    """Return the choice of a slot, or the value of the kind of its example, that was said; None for none or two."""
    options = slot.choices or kinds.class_of(slot.example_text)
    named = [each for each in options if re.search(rf"\b{re.escape(str(each))}s?\b", said, re.IGNORECASE)]
    return named[0] if len(named) == 1 and slot.kind != "date" else None


def _is_own(slot: Slot) -> bool:
    """Return whether a slot is the caller's own name, number or address, and not that of a neighbour or a pet."""
    is_own = slot.kind in ("name", "phone", "email") and kinds.is_of_user(slot.key, slot.question)
    is_other_name = "name" in slot.key and not kinds.names_speaker(slot.key)
    return is_own and not is_other_name and not form("of_other").search(f"{slot.key} {slot.question}")


def give_value(value: Any, slot: Slot, random: Random, avoid: set[str], *, is_asked: bool = True) -> str:
    """Return a sentence that gives a value, and add it to `avoid`. One that only answers needs a question."""
    sentences = sentences_with_value(value, slot.key, slot.question)
    if slot.kind == "name" and not _is_own(slot):
        sentences = [each for each in sentences if not form("says_own_name").search(each)]
    if not is_asked:
        about = f"It's about {'the ' if str(value)[:1].islower() else ''}{written(value, slot.kind)}."
        fitting = [each for each in sentences if not form("says_as_answer").search(each)]
        sentences = fitting or [about]
    sentence = random.choice([each for each in sentences if each not in avoid] or sentences)
    avoid.add(sentence)
    return sentence


def sentences_with_value(value: Any, key: str = "", question: str = "") -> list[str]:
    """Return a caller's answers to a question for a value: sentences, and the bare value; `[""]` for nothing.

    `key` is the member's name in the example of an `ask`, `question` its question or the agent's. Each member of an
    object has a sentence of its own, a list has one: "tacos and horchata".
    """
    if isinstance(value, dict):
        members = (sentences_with_value(each, name) for name, each in value.items())
        return [" ".join(filter(None, each)) for each in zip(*members, strict=False)]
    if value is None or value in ("", []):
        return [""]
    words = read_values()
    if isinstance(value, bool):
        return [*words["yes_says" if value else "no_says"]]
    kind, noun = kinds.kind_of(key, value, question), label_of(key).rpartition(" ")[2]
    kind = "item" if isinstance(value, list) else "code" if kind == "choice" and str(value).isdigit() else kind
    text = written(value, kind)
    frames = (words["kinds"].get(kind) or {}).get("says") or ()
    if part := variant_of("name", key) if kind == "name" else None:
        frames = (f"My {part} name is {{value}}.",)
    if kind == "reason" and (len(text.split()) > 3 or "'" in text):  # a clause, which "it's about" does not take
        frames = ()
    needs_article = not text[:1].isupper() and " " not in text[:4] and not text.endswith("s")
    article = ("an " if text[:1] in "aeiou" else "a ") if needs_article else ""
    places = {"value": text, "a_value": f"{article}{text}", "noun": noun if noun.endswith("s") else ""}
    filled = (frame.format(**places) for frame in ("{value}.", *(each for each in frames if "of us" not in each)))
    filled = (re.sub(r" +([.,?])|\.(?=\.)", r"\1", each) for each in filled)
    return [each if re.match(r"\S+@", each) else each[:1].upper() + each[1:] for each in filled]


def written(value: Any, kind: str) -> str:
    """Return a value as a transcript has it: "$35,000", "December 21", "4:30 PM", "555-867-5309"."""
    if isinstance(value, list):
        things = (" ".join(map(str, each.values())) if isinstance(each, dict) else str(each) for each in value)
        return " and ".join(things)
    text = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    if kind == "money" and isinstance(value, (int, float)):
        return f"${value:,.2f}" if value % 1 else f"${value:,.0f}"
    if re.fullmatch(r"\+1\d{10}", text):
        return f"{text[2:5]}-{text[5:8]}-{text[8:]}"
    if match := _CLOCK.fullmatch(text) if kind == "time" else None:
        return format_time(SpokenTime(0, 0, text, int(match[1]), int(match[2])), "2 PM")
    if match := _ISO_DATE.fullmatch(text):
        day = date.fromisoformat(match[1])
        year = f", {day.year}" if kind == "birth" else ""
        at = f" at {written(match[2], 'time')}" if match[2] else ""
        return f"{day:%B} {day.day}{year}{at}"
    return text

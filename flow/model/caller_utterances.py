"""Utterances of simulated callers for the conditions that they meet, and what kind of condition each is.

The words come from the phrases. A condition of no known intent is turned into the first person. `callers.json` has the
words for that, and the intents that matter to how callers choose.
"""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from statistics import fmean
from typing import Any

from dryline.flow.model import encoder
from dryline.flow.model.kinds import language_of
from dryline.flow.model.understanding import read_condition
from dryline.flow.phrases import SLOT, Intent, load
from dryline.storage.files import read_json


@cache
def words() -> dict[str, Any]:
    """Return the content of callers.json."""
    return read_json(Path(__file__).with_name("callers.json"))


def utter(
    condition: str,
    facts: Mapping[str, str],
    random: Random,
    *,
    opening: bool,
    avoid: set[str],
    menu: tuple[str, ...] = (),
    typed: bool = False,
) -> str:
    """Return words of somebody who meets the condition: a phrase of the intent that it means, else the first person.

    `menu` holds all open conditions, `facts` what is known about the caller, such as the name. `opening` asks for the
    first words of a conversation. Phrases in `avoid` are used again only if there are no others; the chosen one is
    added. In a chat (`typed`) nobody speaks of the call.
    """
    intent = intent_of(condition, menu)
    phrases = [each for each in _phrases(intent, opening=opening) if _fits(each, facts, typed=typed)]
    if intent is None or not phrases:
        text = _in_first_person(condition)
        text = f"As I said: {text}" if text in avoid else text
        avoid.add(text)
        return text
    phrase = random.choice([phrase for phrase in phrases if phrase not in avoid] or phrases)
    avoid.add(phrase)
    text = capitalized(SLOT.sub(lambda slot: facts[slot[1]], phrase))
    text = text if text.endswith((".", "!", "?")) else f"{text}."
    is_plain = phrase not in intent.opens and not re.match(words()["greeted"], text)
    if opening and is_plain and language_of_menu(menu or (condition,)) == "en":
        text = random.choice(["", *words()["greetings"]]) + text
    return text


def _phrases(intent: Intent | None, *, opening: bool) -> list[str]:
    """Return the phrases of an intent. No call begins with words that refer to what was said before."""
    if intent is None or not opening:
        return [*intent.says] if intent else []
    first = [*intent.opens, *(phrase for phrase in intent.says if not re.search(words()["refers back"], phrase))]
    return first or [*intent.says]


def _fits(phrase: str, facts: Mapping[str, str], *, typed: bool) -> bool:
    """Return whether a caller with these facts can say a phrase; of two values of a kind they know one."""
    slots = SLOT.findall(phrase)
    is_known = facts.keys() >= set(slots) and len(set(slots)) == len(slots) and ":other}" not in phrase
    return is_known and not (typed and re.search(words()["by phone"], phrase))


def gives_value(condition: str) -> bool:
    """Return whether a condition is met by giving a value, such as "caller names a day"."""
    return read_condition(condition, language_of_menu((condition,))).gives is not None


def closes(condition: str) -> bool:
    """Return whether a condition ends a conversation that has come to its end, such as "caller needs nothing else"."""
    return bool(re.search(words()["closes"], condition)) or is_of_group(condition, "closing intents")


def is_rare(condition: str) -> bool:
    """Return whether few call for a condition: it closes a conversation, or says that no other condition is met."""
    return closes(condition) or read_condition(condition, "en").is_catch_all


def meets_machine(condition: str) -> bool:
    """Return whether a condition is met by a voicemail or an answering machine."""
    return bool(re.search(words()["machine"], condition))


def is_of_group(condition: str, group: str) -> bool:
    """Return whether a condition most probably means one of the intents that `callers.json` lists under a name."""
    near = _near_intents(condition, language_of_menu((condition,)))
    return max(near, key=near.__getitem__) in words()[group]


@lru_cache(maxsize=2_000)
def intent_of(condition: str, menu: tuple[str, ...] = ()) -> Intent | None:
    """Return the intent that a condition means, one that no other condition of its menu means more; None for none.

    It is the most probable one, if the condition is as near to it as the intent's own phrases are on average.
    """
    language = language_of_menu(menu or (condition,))
    intents = load(language)
    near = _near_intents(condition, language)
    others = [_near_intents(each, language) for each in menu if each != condition]
    own = [name for name in near if name in intents and all(other[name] < near[name] for other in others)]
    name = max(own, key=near.__getitem__, default="")
    if not name:
        return None
    phrases = [encoder.vector(phrase, language) for phrase in intents[name].says]
    nearness = encoder.load().near_intents([*map(fmean, zip(*phrases, strict=True))], by_mean=True)
    return intents[name] if near[name] >= nearness[encoder.load().intents.index(name)] else None


@lru_cache(maxsize=2_000)
def _near_intents(text: str, language: str) -> dict[str, float]:
    return encoder.near_intents(encoder.without_subject(text), language, by_mean=True)


@lru_cache(maxsize=2_000)
def language_of_menu(menu: tuple[str, ...]) -> str:
    """Return the language of the conditions of a menu."""
    return language_of(" ".join(menu))


def predicate(condition: str) -> str:
    """Return a condition without the person whom it is about: "the caller wants …" is "wants …"."""
    return encoder.without_subject(" ".join(condition.split()).rstrip("."))


def _in_first_person(condition: str) -> str:
    does = predicate(condition)
    of_user = encoder.pattern(r"(?i)\bthe <people>(['\u2019]s\b)?")
    text = of_user.sub(lambda user: "my" if user[1] else "me", does)
    if does == " ".join(condition.split()).rstrip("."):  # it is not about the caller
        return f"{capitalized(text)}."
    verbs, pronouns = words()["first person"], words()["pronouns"]
    verb, *others = text.split()
    rest = re.sub(
        r"\b(they|and|or|but|who) (\S+)", lambda part: f"{part[1]} {verbs.get(part[2], part[2])}", " ".join(others)
    )
    said = [verbs.get(verb.lower()) or _base(verb), *(pronouns.get(word.lower(), word) for word in rest.split())]
    return f"I {' '.join(said)}."


def _base(verb: str) -> str:
    """Return a verb in the third person as it stands behind "I"."""
    return re.sub(r"(?<=ss|sh|ch|go|.x)es$|(?<!s)s$", "", re.sub("ies$", "y", verb))


def capitalized(text: str) -> str:
    """Return a text that begins with a capital letter."""
    return text[:1].upper() + text[1:]

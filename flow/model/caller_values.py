"""Values of a simulated caller: how they are chosen, and the sentences in which they are given."""

import re
from collections.abc import Mapping
from datetime import datetime
from random import Random
from typing import Any

from dryline.flow.model.answers.made_up import made_up
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.spoken import sentence_with_value, written
from dryline.flow.model.kinds import class_of, is_of_user, label_of, names_speaker, part_of_name

_OFFERS = (
    re.compile(r"\b\d{1,2}(?::\d{2})? ?[AP]M\b"),
    re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"),
)
_NO_WORDS = ("date", "time", "datetime", "birth", "past", "name", "code", "phone", "email")  # kinds of values
_OWN = ("name", "phone", "email", "address")  # kinds of values that no call is about
_OTHERS = re.compile(
    r"neighbou?r|doctor|dentist|agent|manager|company|colleague|boss|friend|pet\b|animal|product|other", re.IGNORECASE
)
# A question for what the caller would like. To other questions nobody answers "The printer, please."
_WISH = re.compile(r"\b(?:would|shall|prefer|like|want|may|can|could)\b[^.?!]*\?$", re.IGNORECASE)
_NUMBER = re.compile(r"\b(?:(?!is\b|the\b)\w+ )?(?:number|code|id)\b", re.IGNORECASE)
_ANSWERS_ONLY = r"^Yes,|^Sure,|works for me|would be better|^Could we|^How about|^I'd (?:go for|prefer)"
_ATTEMPTS = 20  # to find a value or a sentence that was not used before


def choose_value(
    slot: Slot, random: Random, now: datetime, *, facts: Mapping[str, Any], said: str, heard: str, question: str
) -> Any:
    """Return the value that a caller has for a slot: of what the agent's `question` offers, else their own, else any.

    `facts` are what is known about the caller. `said` and `heard` are all words of the caller and of the agent.
    """
    if offers := _offered(slot, question):
        return random.choice(offers)
    if slot.kind == "rating":  # most callers are content
        return max(made_up(slot, random, now)[0] for _ in range(6))
    if named := _named_in(said, slot):
        return named
    if _is_own(slot):
        fact = facts.get((slot.kind == "name" and part_of_name(slot.key)) or slot.kind)
        if isinstance(fact, str) and fact:
            return fact
    for _ in range(_ATTEMPTS):
        value = made_up(slot, random, now)[0]
        if slot.kind != "date" or str(value) not in heard:  # another day than the agent has named
            break
    return value


def give_value(
    value: Any,
    slot: Slot,
    question: str,
    random: Random,
    avoid: set[str],
    *,
    is_asked: bool,
    language: str = "en",
) -> str:
    """Return a sentence that gives a value, and add it to `avoid`. One that nobody asked for is not said bare."""
    if slot.kind == "code" and not is_asked and language == "en":
        name = label_of(slot.key) or (match[0] if (match := _NUMBER.search(slot.question)) else "number")
        return f"My {name} is {written(value, slot.kind)}."
    article = re.search(rf"\b(an?|the) {re.escape(str(value))}\b", question)
    if isinstance(value, str) and article:
        value = f"{article[1]} {value}"
    unfit = _unfit(slot, is_asked=is_asked, is_wish=is_asked and bool(_WISH.search(question)))
    for _ in range(_ATTEMPTS):
        sentence = sentence_with_value(value, slot.key, slot.question, random=random, language=language)
        if sentence not in avoid and not unfit.search(sentence) and (is_asked or sentence.count(" ") > 1):
            break
    else:
        if language == "en" and not is_asked and slot.kind not in _OWN:
            sentence = _about(value, has_article=article is not None)
    avoid.add(sentence)
    return sentence


def _about(value: Any, *, has_article: bool) -> str:
    """Return a sentence for a value that nobody asked for, and that no phrase suits."""
    if not isinstance(value, str):
        return f"That would be {value}."
    is_thing = not has_article and value[:1].islower() and not value.endswith("s")
    return f"It's about {('an ' if value[0] in 'aeiou' else 'a ') if is_thing else ''}{value}."


def _unfit(slot: Slot, *, is_asked: bool, is_wish: bool) -> re.Pattern[str]:
    """Return a pattern of the sentences that do not fit: as an answer, or as words that nobody asked for."""
    patterns = ["^Yes,"] if is_asked else [_ANSWERS_ONLY]
    if slot.choices and not is_wish:
        patterns += ["^I'd (?:go for|prefer)", r", please\.$"]
    if not _NUMBER.search(f"{slot.key} {slot.question}"):
        patterns += ["^I have it here", "^The number is"]
    if slot.kind == "name" and not _is_own(slot):
        patterns += ["^I'm ", "^My name", "^This is", "is my name"]
    return re.compile("|".join(patterns))


def _offered(slot: Slot, question: str) -> list[Any]:
    """Return the choices that the agent has just named, or the days or times, if the choices are such."""
    if slot.choices is None or any(str(choice) in question for choice in slot.choices):
        return [choice for choice in slot.choices or () if str(choice) in question]
    form = next((form for form in _OFFERS if all(form.fullmatch(str(choice)) for choice in slot.choices)), None)
    return form.findall(question) if form else []


def _named_in(text: str, slot: Slot) -> str | None:
    """Return the choice of a slot, or the value like its example, that a text names; None if it names none or two."""
    if slot.kind in _NO_WORDS:
        return None
    options = slot.choices or (class_of(slot.example_text) if isinstance(slot.example, str) else ())
    named = [
        option
        for option in options
        if isinstance(option, str) and re.search(rf"\b{re.escape(option)}s?\b", text, re.IGNORECASE)
    ]
    return named[0] if len(named) == 1 else None


def _is_own(slot: Slot) -> bool:
    """Return whether a slot is the caller's own name, number or address, and not that of a neighbour or a pet."""
    if slot.kind not in ("name", "phone", "email") or not is_of_user(slot.key, slot.question):
        return False
    is_other_name = slot.key and not names_speaker(slot.key) and "name" in slot.key
    return not is_other_name and not _OTHERS.search(f"{slot.key} {slot.question}")

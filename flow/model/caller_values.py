"""Values of a simulated caller: how they are chosen, and the sentences in which they are given."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from random import Random
from typing import Any

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.table import made_up
from dryline.flow.model.answers.times import SpokenTime, format_time
from dryline.flow.model.kinds import (
    class_of,
    form,
    is_of_user,
    kind_of,
    label_of,
    names_speaker,
    part_of_name,
    read_values,
)

_OFFERS = (
    re.compile(r"\b\d{1,2}(?::\d{2})? ?[AP]M\b"),
    re.compile(r"\b(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day\b"),
)
_NO_WORDS = ("date", "time", "datetime", "birth", "past", "name", "code", "phone", "email")  # kinds of values
_OWN = ("name", "phone", "email", "address")  # kinds of values that no call is about
_ANSWERS_ONLY = r"^Yes,|^Sure,|works for me|would be better|^Could we|^How about|^I'd (?:go for|prefer)"
_ISO_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](.+))?")
_CLOCK = re.compile(r"([01]\d|2[0-3]):(\d{2})(?::\d{2})?Z?")
_BARE_SHARE = 0.4  # of answers that are the value alone
_NOUNS = {"guests": "people", "party": "people", "size": "people", "quantity": "", "qty": ""}
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
        name = label_of(slot.key) or (match[0] if (match := form("number_or_code").search(slot.question)) else "number")
        return f"My {name} is {written(value, slot.kind)}."
    article = re.search(rf"\b(an?|the) {re.escape(str(value))}\b", question)
    if isinstance(value, str) and article:
        value = f"{article[1]} {value}"
    unfit = _unfit(slot, is_asked=is_asked, is_wish=is_asked and bool(form("wish_of_caller").search(question)))
    for _ in range(_ATTEMPTS):
        sentence = sentence_with_value(value, slot.key, slot.question, random=random, language=language)
        if sentence not in avoid and not unfit.search(sentence) and (is_asked or sentence.count(" ") > 1):
            break
    else:
        if language == "en" and not is_asked and slot.kind not in _OWN:  # that no phrase suits
            is_text = isinstance(value, str)
            sentence = f"It's about {value if article else _with_article(value)}." if is_text else f"It's {value}."
    avoid.add(sentence)
    return sentence


def sentence_with_value(value: Any, key: str = "", question: str = "", *, random: Random, language: str = "en") -> str:
    """Return a caller's answer to a question for a value: a sentence, or the bare value; `""` for nothing.

    `key` is the member's name in the example of an `ask`, `question` its question or the agent's. Each member of an
    object has a sentence of its own, a list has one: "tacos and horchata".
    """
    if isinstance(value, dict):
        said = (sentence_with_value(each, name, random=random, language=language) for name, each in value.items())
        return " ".join(filter(None, said))
    if value is None or value in ("", []):
        return ""
    if isinstance(value, bool):
        return str(random.choice(read_values(language)["yes_says" if value else "no_says"]))
    kind = "item" if isinstance(value, list) else kind_of(key, value, question)
    if value == 1 and kind == "count" and _noun_of(key) == "people":
        return "Just me."
    kind = "code" if kind == "choice" and str(value).isdigit() else kind  # "which room" asks for its number
    text = written(value, kind)
    frames = (read_values(language)["kinds"].get(kind) or read_values()["kinds"].get(kind) or {}).get("says") or ()
    if part := part_of_name(key) if kind == "name" else None:
        frames = (f"My {part} name is {{value}}.", "{value}.")
    is_clause = kind == "reason" and (len(text.split()) > 3 or "'" in text)  # which "it's about" does not take
    if not frames or is_clause or random.random() < _BARE_SHARE:
        return _capital(f"{text}.")
    noun = _noun_of(key)
    frame = random.choice([frame for frame in frames if "of us" not in frame or noun == "people"])
    filled = frame.format(value=text, a_value=_with_article(text), noun=noun)
    return _capital(re.sub(r" +([.,?])", r"\1", re.sub(r"\.\.$", ".", filled)))


def _noun_of(key: str) -> str:
    """Return what a count of a key counts."""
    noun = label_of(key).split()[-1] if key else "people"
    return _NOUNS.get(noun, noun)


def _with_article(text: str) -> str:
    needs_article = text and not text[0].isupper() and " " not in text[:4] and not text.endswith("s")
    return f"{'an' if text[:1] in 'aeiou' else 'a'} {text}" if needs_article else text


def written(value: Any, kind: str) -> str:
    """Return a value as a transcript has it: "$35,000", "December 21", "4:30 PM", "555-867-5309"."""
    if isinstance(value, list):
        return " and ".join(
            " ".join(map(str, each.values())) if isinstance(each, dict) else str(each) for each in value
        )
    text = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    if kind == "money" and isinstance(value, (int, float)):
        return f"${value:,.2f}" if value % 1 else f"${value:,.0f}"
    if re.fullmatch(r"\+1\d{10}", text):
        return f"{text[2:5]}-{text[5:8]}-{text[8:]}"
    if kind == "time":
        return _clock(text)
    if match := _ISO_DATE.fullmatch(text):
        day = date.fromisoformat(match[1])
        year = f", {day.year}" if kind == "birth" else ""
        return f"{day:%B} {day.day}{year}{f' at {_clock(match[2])}' if match[2] else ''}"
    return text


def _clock(text: str) -> str:
    match = _CLOCK.fullmatch(text)
    return format_time(SpokenTime(0, 0, text, int(match[1]), int(match[2])), "2 PM") if match else text


def _capital(text: str) -> str:
    """Return a sentence with a capital letter; an e-mail address stays as it is."""
    return text if re.match(r"\S+@", text) else text[:1].upper() + text[1:]


def _unfit(slot: Slot, *, is_asked: bool, is_wish: bool) -> re.Pattern[str]:
    """Return a pattern of the sentences that do not fit: as an answer, or as words that nobody asked for."""
    patterns = ["^Yes,"] if is_asked else [_ANSWERS_ONLY]
    if slot.choices and not is_wish:
        patterns += ["^I'd (?:go for|prefer)", r", please\.$"]
    if not form("number_or_code").search(f"{slot.key} {slot.question}"):
        patterns += ["^I have it here", "^The number is"]
    if slot.kind == "name" and not _is_own(slot):
        patterns += ["^I'm ", "^My name", "^This is", "is my name"]
    return re.compile("|".join(patterns))


def _offered(slot: Slot, question: str) -> list[Any]:
    """Return the choices that the agent has just named, or the days or times, if the choices are such."""
    if slot.choices is None or any(str(choice) in question for choice in slot.choices):
        return [choice for choice in slot.choices or () if str(choice) in question]
    like = next((like for like in _OFFERS if all(like.fullmatch(str(choice)) for choice in slot.choices)), None)
    return like.findall(question) if like else []


def _named_in(text: str, slot: Slot) -> str | None:
    """Return the choice of a slot, or the value like its example, that a text names; None if it names none or two."""
    if slot.kind in _NO_WORDS:
        return None
    options = [option for option in slot.choices or class_of(slot.example_text) if isinstance(option, str)]
    named = [option for option in options if re.search(rf"\b{re.escape(option)}s?\b", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


def _is_own(slot: Slot) -> bool:
    """Return whether a slot is the caller's own name, number or address, and not that of a neighbour or a pet."""
    if slot.kind not in ("name", "phone", "email") or not is_of_user(slot.key, slot.question):
        return False
    is_other_name = slot.key and not names_speaker(slot.key) and "name" in slot.key
    return not is_other_name and not form("of_other").search(f"{slot.key} {slot.question}")

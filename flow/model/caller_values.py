"""Values of a simulated caller: how they are chosen, and the sentences in which they are given."""

import re
from collections.abc import Mapping
from datetime import date, datetime
from random import Random
from typing import Any

from dryline.flow.model import kinds
from dryline.flow.model.answers.filling import made_up
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.times import SpokenTime, format_time
from dryline.flow.model.kinds import form, label_of, read_values, variant_of

_NO_WORDS = ("date", "time", "datetime", "birth", "past", "name", "code", "phone", "email")  # kinds of values
_OWN = ("name", "phone", "email", "address")  # kinds of values that no call is about
_ISO_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](.+))?")
_CLOCK = re.compile(r"([01]\d|2[0-3]):(\d{2})(?::\d{2})?Z?")
_BARE_SHARE = 0.4  # of answers that are the value alone
_NOUNS = {"": "people", "guests": "people", "party": "people", "size": "people", "quantity": "", "qty": "", "count": ""}
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
    if named := named_in(said, slot):
        return named
    fact = facts.get((slot.kind == "name" and variant_of("name", slot.key)) or slot.kind)
    if isinstance(fact, str) and fact and _is_own(slot):
        return fact
    for _ in range(_ATTEMPTS):
        value = made_up(slot, random, now)[0]
        if slot.kind != "date" or str(value) not in heard:  # another day than the agent has named
            break
    return value


def give_value(
    value: Any, slot: Slot, question: str, random: Random, avoid: set[str], *, is_asked: bool, language: str = "en"
) -> str:
    """Return a sentence that gives a value, and add it to `avoid`. One that nobody asked for is not said bare."""
    if slot.kind == "code" and not is_asked and language == "en":
        number = form("number_or_code").search(slot.question)
        return f"My {label_of(slot.key) or (number[0] if number else 'number')} is {written(value, slot.kind)}."
    article = re.search(rf"\b(an?|the) {re.escape(str(value))}\b", question)
    if isinstance(value, str) and article:
        value = f"{article[1]} {value}"
    for _ in range(_ATTEMPTS):
        sentence = sentence_with_value(value, slot.key, slot.question, random=random, language=language)
        if sentence not in avoid and _fits(sentence, slot, question, is_asked=is_asked):
            break
    else:
        if language == "en" and not is_asked and slot.kind not in _OWN:  # that no phrase suits
            is_text = isinstance(value, str)
            sentence = f"It's about {value if article else _with_article(value)}." if is_text else f"It's {value}."
    avoid.add(sentence)
    return sentence


def _fits(sentence: str, slot: Slot, question: str, *, is_asked: bool) -> bool:
    """Return whether a sentence fits: as an answer to the question, or as words that nobody asked for."""
    if not is_asked and (sentence.count(" ") < 2 or form("says_as_answer").search(sentence)):
        return False
    is_wish = is_asked and form("wish_of_caller").search(question)
    if slot.choices and not is_wish and form("says_wish").search(sentence):
        return False
    return slot.kind != "name" or _is_own(slot) or not form("says_own_name").search(sentence)


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
    words = read_values(language)
    if isinstance(value, bool):
        return str(random.choice(words["yes_says" if value else "no_says"]))
    kind, noun = kinds.kind_of(key, value, question), label_of(key).rpartition(" ")[2]
    noun = _NOUNS.get(noun, noun)
    if value == 1 and kind == "count" and noun == "people":
        return "Just me."
    kind = "item" if isinstance(value, list) else "code" if kind == "choice" and str(value).isdigit() else kind
    text = written(value, kind)
    frames = (words["kinds"].get(kind) or read_values()["kinds"].get(kind) or {}).get("says") or ("{value}.",)
    if part := variant_of("name", key) if kind == "name" else None:
        frames = (f"My {part} name is {{value}}.", "{value}.")
    is_clause = kind == "reason" and (len(text.split()) > 3 or "'" in text)  # which "it's about" does not take
    frame = random.choice([frame for frame in frames if "of us" not in frame or noun == "people"])
    frame = "{value}." if is_clause or random.random() < _BARE_SHARE else frame
    filled = re.sub(r" +([.,?])|\.(?=\.)", r"\1", frame.format(value=text, a_value=_with_article(text), noun=noun))
    return filled if re.match(r"\S+@", filled) else filled[:1].upper() + filled[1:]


def _with_article(text: str) -> str:
    needs_article = text and not text[0].isupper() and " " not in text[:4] and not text.endswith("s")
    return f"{'an' if text[:1] in 'aeiou' else 'a'} {text}" if needs_article else text


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


def _offered(slot: Slot, question: str) -> list[Any]:
    """Return the choices that the agent has just named, or the days or times, if the choices are such."""
    named = [choice for choice in slot.choices or () if str(choice) in question]
    for name in ("offered_time", "offered_day"):
        if slot.choices and not named and all(form(name).fullmatch(str(choice)) for choice in slot.choices):
            return form(name).findall(question)
    return named


def named_in(text: str, slot: Slot) -> str | None:
    """Return the choice of a slot, or the value like its example, that a text names; None if it names none or two."""
    options = () if slot.kind in _NO_WORDS else slot.choices or kinds.class_of(slot.example_text)
    options = [option for option in options if isinstance(option, str)]
    named = [option for option in options if re.search(rf"\b{re.escape(option)}s?\b", text, re.IGNORECASE)]
    return named[0] if len(named) == 1 else None


def _is_own(slot: Slot) -> bool:
    """Return whether a slot is the caller's own name, number or address, and not that of a neighbour or a pet."""
    if slot.kind not in ("name", "phone", "email") or not kinds.is_of_user(slot.key, slot.question):
        return False
    is_other_name = "name" in slot.key and not kinds.names_speaker(slot.key)
    return not is_other_name and not form("of_other").search(f"{slot.key} {slot.question}")

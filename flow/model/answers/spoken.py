"""Values as callers give them: `sentence_with_value` returns a sentence, `written` the value as a transcript has it."""

import re
from collections.abc import Iterator
from datetime import date
from random import Random
from typing import Any, NamedTuple

from dryline.flow.model.answers.times import SpokenTime, format_time
from dryline.flow.model.kinds import kind_of, label_of, part_of_name, read_values

_ISO_DATE = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[T ](.+))?")
_BARE_SHARE = 0.4  # of answers that are the value alone


class _Manner(NamedTuple):
    """The manner in which values are given: the choice among phrases, and the language."""

    random: Random
    language: str


def sentence_with_value(value: Any, key: str = "", question: str = "", *, random: Random, language: str = "en") -> str:
    """Return a caller's answer to a question for a value: a sentence, or the bare value; `""` for nothing.

    `key` is the member's name in the example of an `ask`, `question` its question or the agent's. Each member of an
    object has a sentence of its own, a list has one: "tacos and horchata".
    """
    return " ".join(_sentences(value, key, question, _Manner(random, language)))


def _sentences(value: Any, key: str, question: str, manner: _Manner) -> Iterator[str]:
    if isinstance(value, dict):
        for name, member in value.items():
            yield from _sentences(member, name, "", manner)
    elif isinstance(value, list):
        things = [" ".join(map(str, each.values())) if isinstance(each, dict) else str(each) for each in value]
        if things:
            yield _framed(" and ".join(things), "item", key, manner)
    elif isinstance(value, bool):
        yield manner.random.choice(read_values(manner.language)["yes_says" if value else "no_says"])
    elif value is not None and value != "":
        kind = kind_of(key, value, question)
        kind = "code" if kind == "choice" and str(value).isdigit() else kind  # "which room" asks for its number
        yield _framed(written(value, kind), kind, key, manner, value)


def _framed(text: str, kind: str, key: str, manner: _Manner, value: Any = None) -> str:
    kinds = read_values(manner.language)["kinds"]
    frames = (kinds.get(kind) or read_values()["kinds"].get(kind) or {}).get("says") or ()
    if part := part_of_name(key) if kind == "name" else None:
        frames = (f"My {part} name is {{value}}.", "{value}.")
    is_clause = kind == "reason" and (len(text.split()) > 3 or "'" in text)  # which "it's about" does not take
    if not frames or is_clause or manner.random.random() < _BARE_SHARE:
        return f"{_capital(text)}."
    noun = label_of(key).split()[-1] if key else "people"
    noun = {"guests": "people", "party": "people", "size": "people", "quantity": "", "qty": ""}.get(noun, noun)
    if kind == "count" and noun == "people" and value == 1:
        return "Just me."
    needs_article = text and not text[0].isupper() and " " not in text[:4] and not text.endswith("s")
    with_article = f"{'an' if text[:1] in 'aeiou' else 'a'} {text}" if needs_article else text
    frame = manner.random.choice([frame for frame in frames if "of us" not in frame or noun == "people"])
    filled = frame.replace("{a_value}", with_article).replace("{value}", text).replace("{noun}", noun)
    return _capital(re.sub(r" +([.,?])", r"\1", re.sub(r"\.\.$", ".", filled)))


def written(value: Any, kind: str) -> str:
    """Return a value as a transcript has it: "$35,000", "December 21", "4:30 PM", "555-867-5309"."""
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
    match = re.fullmatch(r"([01]\d|2[0-3]):(\d{2})(?::\d{2})?Z?", text)
    return format_time(SpokenTime(0, 0, text, int(match[1]), int(match[2])), "2 PM", "") if match else text


def _capital(text: str) -> str:
    """Return a sentence with a capital letter; an e-mail address stays as it is."""
    return text if re.match(r"\S+@", text) else text[:1].upper() + text[1:]

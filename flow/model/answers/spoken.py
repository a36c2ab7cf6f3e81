"""Values as callers give them: `sentence_with_value` returns a sentence, `speak` the value as it is read aloud."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from dryline.flow.model.answers.number_words import digits_in_words, in_words, ordinal_in_words, year_in_words
from dryline.flow.model.kinds import kind_of, label_of, part_of_name, read_values

_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_MONTH_DAY = re.compile(r"([A-Z][a-z]+) (\d{1,2})(?:, (\d{4}))?")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])?\.?m?\.?", re.IGNORECASE)
_STARTS_WITH_EMAIL = re.compile(r"\S+@|[a-z]+ (?:dot|underscore|dash|at) \w+ (?:dot|at) ")
_BARE_SHARE = 0.4  # of answers that are the value alone
_FRAMED = ("choice", "service", "item", "reason", "date", "time", "name", "email", "phone", "zip", "address", "birth")
_TOGETHER = (  # kinds that are said in one sentence: their order, what is between them, and the kind of its frames
    (("street", "city", "state", "zip"), ", ", "address"),
    (("date", "time"), " at ", "date"),
    (("year", "make", "model"), " ", "make"),
)
_SYMBOLS = {"@": " at ", ".": " dot ", "_": " underscore ", "-": " dash ", "+": " plus "}


class _Manner(NamedTuple):
    """The manner in which values are given: the choice among phrases, the language, and typed or spoken."""

    random: Random
    language: str
    typed: bool


def sentence_with_value(
    value: Any, key: str = "", question: str = "", *, random: Random, language: str = "en", typed: bool = False
) -> str:
    """Return a caller's answer to a question for a value: a sentence, or the bare value; `""` for nothing.

    `key` is the member's name in the example of an `ask`, `question` its question or the agent's. Objects and lists are
    said in one go: "three burritos and one horchata", "Thursday at half past nine". `typed` is for a chat.
    """
    return " ".join(_sentences(value, key, question, _Manner(random, language, typed), ()))


def _sentences(value: Any, key: str, question: str, manner: _Manner, siblings: tuple[str, ...]) -> Iterator[str]:
    if isinstance(value, dict):
        yield from _members({name: each for name, each in value.items() if each is not None and each != ""}, manner)
    elif isinstance(value, list):
        things = [thing for member in value if (thing := _thing(member))]
        listed = " and ".join(filter(None, (", ".join(things[:-1]), *things[-1:])))
        if listed:
            yield _framed(listed, "item" if isinstance(value[0], dict) else kind_of(key, value[0]), key, manner)
    elif isinstance(value, bool):
        yield manner.random.choice(read_values(manner.language)["yes_says" if value else "no_says"])
    elif value is not None and value != "":
        kind = kind_of(key, value, question, siblings=siblings)
        kind = "code" if kind == "choice" and str(value).isdigit() else kind  # "which room" asks for its number
        yield _framed(_spoken(value, kind, manner), kind, key, manner, value)


def _members(members: dict[str, Any], manner: _Manner) -> Iterator[str]:
    """Say the members of an object, those in one sentence that belong together, so that each is clear."""
    kinds = {key: kind_of(key, member, siblings=tuple(members)) for key, member in members.items()}
    if "item" in kinds.values() and "quantity" in members:
        yield _framed(_thing(members), "item", "item", manner)
        return
    rest = dict(members)
    for group, separator, kind in _TOGETHER:
        keys = sorted((key for key in members if kinds[key] in group), key=lambda key: group.index(kinds[key]))
        if len(keys) > 1 and len({kinds[key] for key in keys}) == len(keys):
            yield _framed(separator.join(_spoken(rest.pop(key), kinds[key], manner) for key in keys), kind, "", manner)
    for key, member in rest.items():
        label = re.sub(r"^(?:is|has|was|wants|needs) ", "", label_of(key))
        if isinstance(member, bool) and len(members) > 1:
            yield f"And {label}, {'yes' if member else 'no'}."
        elif isinstance(member, (dict, list, bool)) or len(members) < 2:
            yield from _sentences(member, key, "", manner, ())
        elif kinds[key] in _FRAMED and part_of_name(key) is None:
            yield _framed(_spoken(member, kinds[key], manner), kinds[key], key, manner, member)
        elif kinds[key] == "count":
            yield f"{_capital(_spoken(member, 'count', manner))} {label.removesuffix('s') if member == 1 else label}."
        else:
            yield f"The {label} is {_spoken(member, kinds[key], manner)}."


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


def _spoken(value: Any, kind: str, manner: _Manner) -> str:
    return speak(value, kind, manner.random, manner.language, typed=manner.typed)


def speak(value: Any, kind: str, random: Random, language: str = "en", *, typed: bool = False) -> str:
    """Return a value as it is read aloud: "thirty five thousand", "deb dot klein at outlook dot com".

    With `typed`, return it as it is written in a chat: "35000", "deb.klein@outlook.com".
    """
    text = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    is_english, in_full = language == "en", random.random() < 0.7
    if kind in ("date", "birth", "past", "datetime") and is_english:
        return _date(text, random, with_year=kind == "birth", typed=typed)
    if typed:
        return f"{text[2:5]}-{text[5:8]}-{text[8:]}" if re.fullmatch(r"\+1\d{10}", text) else text
    if kind == "time" and is_english:
        return _time(text, random)
    if kind == "year" and text.isdigit() and is_english:
        return year_in_words(int(text)) if in_full else text
    if kind == "money" and is_english and (amount := re.fullmatch(r"\$?(\d[\d,]*)(?:\.(\d\d?))?", text)):
        dollars, cents = int(amount[1].replace(",", "")), int((amount[2] or "0").ljust(2, "0"))
        in_cents = f" and {in_words(cents)} cents" if cents else ""
        return f"{in_words(dollars)} dollars{in_cents}" if in_full else f"${dollars:,}{f'.{cents:02}' if cents else ''}"
    if kind == "phone":
        digits = re.sub(r"\D", "", text).removeprefix("1" if text.startswith("+1") else "-")
        grouped = " ".join(filter(None, (digits[:3], digits[3:6], digits[6:]) if len(digits) == 10 else (digits,)))
        return digits_in_words(grouped, language) if in_full else grouped
    if kind in ("zip", "code", "address", "street"):
        return digits_in_words(text, language).replace(",", "") if text.isdigit() and in_full else text
    if kind == "email" and is_english and in_full:
        return "".join(_SYMBOLS.get(character, character) for character in text)
    return in_words(int(text), language) if re.fullmatch(r"\d{1,6}", text) and in_full else text


def _date(text: str, random: Random, *, with_year: bool, typed: bool) -> str:
    months = [month.capitalize() for month in read_values()["months"]]
    if match := _MONTH_DAY.fullmatch(text):
        return text if typed else f"{match[1]} {ordinal_in_words(int(match[2]))}{' ' + match[3] if match[3] else ''}"
    match = _ISO_DATE.match(text) or _SLASHED.fullmatch(text)
    if match is None:
        return text
    first, second, third = (int(part) for part in match.groups())
    year, month, day = (first, second, third) if first > 31 else (third, first, second)
    if not 1 <= month <= 12 or not 1 <= day <= 31:
        return text
    time = text[match.end() :].lstrip("T ")
    if typed:
        return f"{months[month - 1]} {day}{f', {year}' if with_year else ''}{f' at {time}' if time else ''}"
    ways = f"{months[month - 1]} {ordinal_in_words(day)}", f"the {ordinal_in_words(day)} of {months[month - 1]}"
    spoken = ways[random.random() < 0.3]
    return spoken + (f" {year_in_words(year)}" if with_year else "") + (f" at {_time(time, random)}" if time else "")


def _time(text: str, random: Random) -> str:
    match = _CLOCK.fullmatch(text.strip())
    if not match or int(match[1]) > 23:
        return text
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3]:
        hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
    if (hour, minute) == (12, 0):
        return "noon"
    name = in_words(hour % 12 or 12)
    half = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    words = {0: name, 30: f"half past {name}", 15: f"quarter past {name}"}
    exact = f"{name} {'oh ' if 0 < minute < 10 else ''}{in_words(minute)}"
    spoken = words[minute] if minute in words and (not minute or random.random() < 0.25) else exact
    return f"{spoken} {random.choice((half, 'AM' if hour < 12 else 'PM'))}"


def _thing(member: Any) -> str:
    """Return an item as it is ordered: "two large pizzas", "a horchata"."""
    if not isinstance(member, dict):
        return str(member)
    quantity = next((member[key] for key in ("quantity", "qty", "count") if key in member), None)
    texts = sorted(
        (key for key, each in member.items() if isinstance(each, str) and each), key=lambda key: "name" not in key
    )
    count = in_words(quantity) if isinstance(quantity, int) and not isinstance(quantity, bool) else ""
    return " ".join(filter(None, (count, str(member.get("size") or ""), *(str(member[key]) for key in texts[:1]))))


def _capital(text: str) -> str:
    """Return a sentence with a capital letter; an e-mail address, typed or spoken, stays as it is."""
    return text if _STARTS_WITH_EMAIL.match(text) else text[:1].upper() + text[1:]

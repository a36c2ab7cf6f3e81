"""Values as callers give them: `sentence_with_value` returns a sentence, `speak` the value as it is read aloud."""

import re
from collections.abc import Iterator
from random import Random
from typing import Any, NamedTuple

from dryline.phrases.spoken_numbers import digits_in_words, in_words, ordinal_in_words, year_in_words
from dryline.phrases.value_kinds import kind_of, label_of, part_of_name, read_values

_ISO_DATE = re.compile(r"(\d{4})-(\d{2})-(\d{2})")
_SLASHED = re.compile(r"(\d{1,2})/(\d{1,2})/(\d{4})")
_MONTH_DAY = re.compile(r"([A-Z][a-z]+) (\d{1,2})(?:, (\d{4}))?")
_CLOCK = re.compile(r"(\d{1,2})(?::(\d{2}))?(?::\d{2})?\s*([ap])?\.?m?\.?", re.IGNORECASE)
_STARTS_WITH_EMAIL = re.compile(r"\S+@|[a-z]+ (?:dot|underscore|dash|at) \w+ (?:dot|at) ")
_BARE_SHARE = 0.4  # of answers that are the value alone
_ONE_SENTENCE = ({"street", "city", "state", "zip"}, {"date", "time"})
_PLAIN = ("choice", "service", "item", "reason", "date", "time")
_OWN = ("name", "email", "phone", "zip", "address", "birth")


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
        yield from _members(value, question, manner)
    elif isinstance(value, list):
        if value:
            things = [_thing(member) for member in value]
            listed = _listed([thing for thing in things if thing])
            yield _framed(listed, "item" if isinstance(value[0], dict) else kind_of(key, value[0]), key, manner)
    elif isinstance(value, bool):
        yield manner.random.choice(read_values(manner.language)["yes_says" if value else "no_says"])
    elif value is not None and value != "":
        kind = kind_of(key, value, question, siblings=siblings)
        kind = "code" if kind == "choice" and str(value).isdigit() else kind  # "which room" asks for its number
        yield _framed(_speak_or_write(value, kind, manner), kind, key, manner, value)


def _members(value: dict[str, Any], question: str, manner: _Manner) -> Iterator[str]:
    members = {key: member for key, member in value.items() if member is not None and member != ""}
    kinds = {key: kind_of(key, member, "", siblings=tuple(value)) for key, member in members.items()}
    if "item" in kinds.values() and "quantity" in members:
        yield _framed(_thing(members), "item", "item", manner)
        return
    rest = dict(members)
    for group in _ONE_SENTENCE:
        keys = [key for key in members if kinds[key] in group]
        if len(keys) > 1 and len({kinds[key] for key in keys}) == len(keys):
            separator = " at " if "time" in group else ", "
            order = sorted(keys, key=lambda key: list(_PLACES).index(kinds[key]))
            text = separator.join(_speak_or_write(members[key], kinds[key], manner) for key in order)
            yield _framed(text, "address" if "zip" in group else "date", "", manner)
            rest = {key: member for key, member in rest.items() if key not in keys}
    for together, join in ((_VEHICLE, _vehicle), (["count", "count"], _counts)):
        keys = [key for key in rest if kinds[key] in together]
        if len(keys) == len(together) == len({kinds[key] for key in keys}) + (join is _counts):
            yield _framed(join({key: rest.pop(key) for key in keys}, manner.language), "", "", manner)
    names = [key for key in rest if kinds[key] == "name" and part_of_name(key)]
    if len(names) == 2:
        full = " ".join(str(rest.pop(key)) for key in sorted(names, key=lambda key: part_of_name(key) == "last"))
        yield _framed(full, "name", "name", manner)
    for key, member in rest.items():
        several = len(members) > 1
        yield from _say_member(key, member, kinds[key], question, manner, tuple(value), several=several)


def _vehicle(members: dict[str, Any], language: str) -> str:
    return f"It's a {' '.join(map(str, members.values()))}"


def _counts(members: dict[str, Any], language: str) -> str:
    """Return "two adults and one child"."""
    return " and ".join(
        f"{in_words(number, language) if isinstance(number, int) else number} {_noun(key, number)}"
        for key, number in members.items()
    )


def _noun(key: str, number: Any) -> str:
    label = label_of(key)
    if number != 1:
        return label
    return {"children": "child", "kids": "kid", "people": "person"}.get(label, label.removesuffix("s"))


_VEHICLE = ["year", "make", "model"]
_PLACES = ("date", "time", "street", "city", "state", "zip")


def _say_member(
    key: str,
    member: Any,
    kind: str,
    question: str,
    manner: _Manner,
    siblings: tuple[str, ...],
    *,
    several: bool,
) -> Iterator[str]:
    """Say one of several members, so that it is clear which one it is."""
    if isinstance(member, (dict, list, bool)) or not several:
        if isinstance(member, bool) and several:
            label = re.sub(r"^(?:is|has|was|wants|needs) ", "", label_of(key))
            yield f"And {label}, {'yes' if member else 'no'}."
        else:
            yield from _sentences(member, key, "" if several else question, manner, siblings)
    elif (kind in _OWN or kind in _PLAIN) and part_of_name(key) is None:
        yield _framed(_speak_or_write(member, kind, manner), kind, key, manner, member, bare=kind in _PLAIN)
    elif kind == "count":
        yield f"{_capital(_counts({key: member}, manner.language))}."
    else:
        yield f"The {label_of(key)} is {_speak_or_write(member, kind, manner)}."


def _framed(
    text: str,
    kind: str,
    key: str,
    manner: _Manner,
    value: Any = None,
    *,
    bare: bool = True,
) -> str:
    kinds = read_values(manner.language)["kinds"]
    frames = (kinds.get(kind) or read_values()["kinds"].get(kind) or {}).get("says") or ()
    if part := part_of_name(key) if kind == "name" else None:
        frames = (f"My {part} name is {{value}}.", "{value}.")
    is_clause = kind == "reason" and (len(text.split()) > 3 or "'" in text)  # which "it's about" does not take
    if not frames or is_clause or (bare and manner.random.random() < _BARE_SHARE):
        return f"{_capital(text)}."
    noun = label_of(key).split()[-1] if key else "people"
    noun = {"guests": "people", "party": "people", "size": "people", "quantity": "", "qty": ""}.get(noun, noun)
    if kind == "count" and noun == "people" and value == 1:
        return "Just me."
    frame = manner.random.choice([frame for frame in frames if "of us" not in frame or noun == "people"])
    filled = frame.replace("{a_value}", _with_article(text)).replace("{value}", text).replace("{noun}", noun)
    return _capital(re.sub(r" +([.,?])", r"\1", re.sub(r"\.\.$", ".", filled)))


def _speak_or_write(value: Any, kind: str, manner: _Manner) -> str:
    return speak(value, kind, manner.random, manner.language, typed=manner.typed)


def speak(value: Any, kind: str, random: Random, language: str = "en", *, typed: bool = False) -> str:
    """Return a value as it is read aloud: "thirty five thousand", "deb dot klein at outlook dot com".

    With `typed`, return it as it is written in a chat: "35000", "deb.klein@outlook.com".
    """
    text = str(value).removesuffix(".0") if isinstance(value, float) else str(value)
    if typed:
        return _written(text, kind)
    if kind in ("date", "birth", "past", "datetime") and language == "en":
        return _date(text, random, with_year=kind == "birth")
    if kind == "time" and language == "en":
        return _time(text, random)
    if kind == "year" and text.isdigit() and language == "en":
        return year_in_words(int(text)) if random.random() < 0.6 else text
    if kind == "money":
        return _money(text, random, language)
    if kind == "phone":
        return _phone(text, random, language)
    if kind in ("zip", "code") and text.isdigit() and random.random() < 0.6:
        return digits_in_words(text, language).replace(",", "")
    if kind == "email" and language == "en" and random.random() < 0.6:
        return _email(text)
    if re.fullmatch(r"\d{1,6}", text) and kind not in ("zip", "code", "address", "street"):
        return in_words(int(text), language) if random.random() < 0.7 else text
    return text


def _written(text: str, kind: str) -> str:
    if kind in ("date", "birth", "past", "datetime") and (match := _ISO_DATE.fullmatch(text)):
        day = f"{read_values()['months'][int(match[2]) - 1].capitalize()} {int(match[3])}"
        return f"{day}, {match[1]}" if kind == "birth" else day
    if kind == "phone" and re.fullmatch(r"\+1\d{10}", text):
        return f"{text[2:5]}-{text[5:8]}-{text[8:]}"
    return text


def _email(text: str) -> str:
    names = {"@": " at ", ".": " dot ", "_": " underscore ", "-": " dash ", "+": " plus "}
    return "".join(names.get(character, character) for character in text)


def _phone(text: str, random: Random, language: str) -> str:
    digits = re.sub(r"\D", "", text)
    national = digits[1:] if text.startswith("+1") and len(digits) == 11 else digits
    groups = [national]
    if language == "en" and len(national) == 10:
        groups = [national[:3], national[3:6], national[6:]]
    elif len(national) == 7:
        groups = [national[:3], national[3:]]
    return digits_in_words(" ".join(groups), language) if random.random() < 0.7 else " ".join(groups)


def _money(text: str, random: Random, language: str) -> str:
    sum_, _, cents = text.lstrip("$").replace(",", "").partition(".")
    if not sum_.isdigit() or not (not cents or cents.isdigit()) or language != "en":
        return text
    cents = cents.ljust(2, "0")[:2] if cents.strip("0") else ""
    if random.random() < 0.3:
        return f"${int(sum_):,}{'.' + cents if cents else ''}"
    return f"{in_words(int(sum_))} dollars{f' and {in_words(int(cents))} cents' if cents else ''}"


def _date(text: str, random: Random, *, with_year: bool) -> str:
    months = [month.capitalize() for month in read_values()["months"]]
    if match := _ISO_DATE.match(text) or _SLASHED.fullmatch(text):
        first, second, third = (int(part) for part in match.groups())
        year, month, day = (first, second, third) if first > 31 else (third, first, second)
        if not 1 <= month <= 12 or not 1 <= day <= 31:
            return text
        spoken = f"{months[month - 1]} {ordinal_in_words(day)}"
        if random.random() < 0.3:
            spoken = f"the {ordinal_in_words(day)} of {months[month - 1]}"
        time = text[match.end() :].lstrip("T ")
        return (
            spoken + (f" {year_in_words(year)}" if with_year else "") + (f" at {_time(time, random)}" if time else "")
        )
    if match := _MONTH_DAY.fullmatch(text):
        return f"{match[1]} {ordinal_in_words(int(match[2]))}{' ' + match[3] if match[3] else ''}"
    return text


def _time(text: str, random: Random) -> str:
    match = _CLOCK.fullmatch(text.strip())
    if not match or int(match[1]) > 23:
        return text
    hour, minute = int(match[1]), int(match[2] or 0)
    if match[3]:
        hour = hour % 12 + (12 if match[3].lower() == "p" else 0)
    name = in_words(hour % 12 or 12)
    half = "AM" if hour < 12 else "PM"
    part = "in the morning" if hour < 12 else "in the afternoon" if hour < 18 else "in the evening"
    if hour == 12:
        part = "" if minute else "noon"
    if minute == 0:
        return "noon" if hour == 12 else f"{name} {random.choice((part, half))}"
    following = in_words(hour % 12 + 1)
    words = {30: f"half past {name}", 15: f"quarter past {name}", 45: f"quarter to {following}"}
    if minute in words and random.random() < 0.25:
        return f"{words[minute]} {part}".strip()
    exact = f"{name} {'oh ' if minute < 10 else ''}{in_words(minute)}"
    return f"{exact} {random.choice((part, half))}".strip()


def _thing(member: Any) -> str:
    """Return an item as it is ordered: "two large pizzas", "a horchata"."""
    if not isinstance(member, dict):
        return str(member)
    quantity = next((member[key] for key in ("quantity", "qty", "count") if key in member), None)
    name = next((str(each) for key, each in member.items() if isinstance(each, str) and "name" in key.lower()), "")
    name = name or next((str(each) for each in member.values() if isinstance(each, str)), "")
    size = str(member.get("size") or "")
    count = in_words(quantity) if isinstance(quantity, int) and not isinstance(quantity, bool) else ""
    return " ".join(filter(None, (count, size, name)))


def _listed(things: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(things[:-1]), things[-1] if things else "")))


def _with_article(text: str) -> str:
    if not text or text[0].isupper() or " " in text[:4] or text.endswith("s"):
        return text
    return f"{'an' if text[0] in 'aeiou' else 'a'} {text}"


def _capital(text: str) -> str:
    """Return a sentence with a capital letter; an e-mail address, typed or spoken, stays as it is."""
    return text if _STARTS_WITH_EMAIL.match(text) else text[:1].upper() + text[1:]

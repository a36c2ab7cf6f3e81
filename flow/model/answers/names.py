"""Names of people as they give them."""

import re
from functools import lru_cache
from itertools import islice

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance, deflects, without_openings
from dryline.flow.model.kinds import form, names_speaker, read_values, variant_of

_MOST_WORDS = 4  # of a name, without its particles
_LONGEST = 100  # characters of a name
_SPELLED = re.compile(r"(?<![\w'])(?:[^\W\d_](?:[\s,.-]{1,4}|$)){3,}(?!')", re.IGNORECASE)  # "T-O-R-R-E-S"
_SAID_TWICE = re.compile(r"\b(\w[\w'-]+)[,.]\s+(?=\w[\w'-]+ \1\b)", re.IGNORECASE)  # "Brown, Alice Brown"
_TITLE = re.compile(r"\b(mr|mrs|ms|dr|st)\.(?=\s)", re.IGNORECASE)
_ENDINGS = ("", "s", ("ed", "es", "ly"), "ing")  # by their length


def find_name(slot: Slot, utterance: Utterance) -> str | None:
    """Return the person's name that a slot asks for, or the part of it."""
    question = utterance.question or slot.question
    part, asked_part = variant_of("name", slot.key), variant_of("name", utterance.question)
    words = set(re.findall(r"\w+", utterance.question.lower()))
    if part is not None and asked_part not in (None, part) and not {"first", "last"} <= words:
        return None
    of_other = not names_speaker(slot.key)
    is_answered = bool(slot.is_asked_for(utterance) or words & {*read_values()["asks_for_names"]})
    name = _full_name(utterance.text, utterance.language, is_answered=is_answered, of_other=of_other)
    if part is None or name is None:
        return name
    first, *others = name.split()
    if part == "last" and (others or variant_of("name", question) != "last"):
        return " ".join(others) or None
    return first if part == "first" else name


def _full_name(text: str, language: str, *, is_answered: bool, of_other: bool) -> str | None:
    """Return the name in a text. `is_answered` says that the agent had asked for one, `of_other` for another's."""
    text = _TITLE.sub(r"\1", text.replace("\u2019", "'"))
    text = _SAID_TWICE.sub("", _SPELLED.sub("", text)).strip(" ,")
    if introduced := _introduced_names(text, is_answered=is_answered):
        return next((name for name in introduced if " " in name), introduced[0])
    start = form("name_and_more").match(text) or form("for_name").search(text)
    first_name = _read_name(start[1], is_checked=True) if start else None
    if first_name and " " in first_name:
        return first_name
    closed = form("closes_name").sub("", text)
    if not is_answered and closed == text:
        return None
    if not deflects(closed, language):
        bare = without_openings(closed, language, *(("lead_ins",) if of_other else ()))
        first = next((piece.strip() for piece in form("ends_name").split(bare) if piece.strip()), "")
        if name := _read_name(first, is_checked=True, is_whole=not first[:1].isupper()):
            return name
    others = form("two_names").findall(text) if of_other else []  # "from Olga Petrova"
    return _read_name(others[0], is_checked=True) if len(others) == 1 else None


def _introduced_names(text: str, *, is_answered: bool) -> list[str]:
    """Return each name behind words such as "my name is": surely, possibly, or in answer to a question for one."""
    names = []
    for head in ("introduces", "may_introduce", *(("introduces_answer",) if is_answered else ())):
        for match in islice(form(head).finditer(text), 5):
            behind = text[match.end() : match.end() + 2 * _LONGEST]
            is_whole = head == "introduces_answer" and not behind[:1].isupper()
            name = _read_name(behind, is_checked=head != "introduces", is_whole=is_whole)
            is_sure = head == "introduces" or is_answered or not behind.islower()
            if name and (is_sure or (" " in name and head == "may_introduce")):
                names.append(name)
        if names:
            break
    return names


@lru_cache(maxsize=1)
def no_names() -> frozenset[str]:
    """Return the words that end a name."""
    table = read_values()
    words = {*table["no_names"], *table["marks"], *table["weekdays"], *table["months"], *table["numbers"]}
    return frozenset(words - {"may", "april", "june", "august"})


@lru_cache(maxsize=4096)
def _is_ordinary(word: str) -> bool:
    """Return whether a word, or what it is derived from, is one that hardly any name begins with."""
    stems = [word[: len(word) - cut] for cut in range(4) if word.endswith(_ENDINGS[cut])]
    return any(stem in no_names() or f" {stem} " in read_values()["ordinary_words"] for stem in stems)


def _read_name(text: str, *, is_checked: bool = False, is_whole: bool = False) -> str | None:
    """Return the name that a text begins with, with capitals; None if its first word can be none.

    `is_checked` refuses ordinary words, `is_whole` a name that does not go on to the end of the clause.
    """
    clause = re.split(r"[,;:!?]|(?<!\b[A-Z])\.(?=\s|$)", text[:_LONGEST].strip(" ,"), maxsplit=1)[0]
    titles, particles = read_values()["titles"], read_values()["name_particles"]
    said = [word for at, word in enumerate(clause.split()) if at or word.casefold() not in titles]
    words: list[str] = []
    for at, word in enumerate(said):
        if word.endswith("'s"):
            return None  # of whom somebody speaks
        is_particle = bool(words) and word.casefold() in particles
        in_capitals = len(said[at : at + 2]) > 1 and all(each[0].isupper() for each in said[at : at + 2])
        is_ordinary = is_checked and not is_particle and not in_capitals and _is_ordinary(word.casefold())
        ends = _ends_name(word, words) or (is_ordinary and (not words or at + 1 < len(said)))
        if ends or sum(each not in particles for each in words) == _MOST_WORDS:
            if is_whole:
                return None
            break
        words.append(word)
    while len(words) > 1 and words[-1] in particles:
        words.pop()
    joined = " ".join(words).rstrip(".")
    return (titled(joined) if joined.islower() else joined) or None


def _ends_name(word: str, before: list[str]) -> bool:
    """Return whether a word cannot go on a name: "is", "I'd", a number, "calling", small letters after capitals."""
    folded = word.strip(".").casefold()
    if before and folded in read_values()["name_particles"]:
        return False
    is_small = word.islower() and bool(before) and before[0][0].isupper()
    is_verb = word.islower() and folded.endswith("ing") and len(folded) > 4
    return folded in no_names() or is_small or is_verb or re.search(r"\d|^\w+'(?:d|ll|ve|re|m|t)$", folded) is not None


def titled(name: str) -> str:
    """Return a name with a capital at the start of each word but its particles."""
    particles = read_values()["name_particles"]
    return " ".join(
        word if word in particles and at else re.sub(r"^\w|(?<=['-])(?!s\b)\w", lambda match: match[0].upper(), word)
        for at, word in enumerate(name.split(" "))
    )

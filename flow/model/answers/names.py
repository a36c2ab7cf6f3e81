"""Names of people as they give them."""

import re
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import islice

from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.texts import find_labelled
from dryline.flow.model.answers.turns import (
    Utterance,
    deflects,
    without_fillers,
    without_lead_in,
)
from dryline.flow.model.kinds import (
    in_all_languages,
    kind_of_question,
    names_speaker,
    part_of_name,
    read_values,
)

WORD = r"[A-Z\u00c0-\u00de][\w'\u2019-]*\.?"
_MOST_WORDS = 4  # of a name, without its particles
_LONGEST = 100  # characters of a name
_INTRODUCES = (
    r"(?:my|the|his|her|their)?\s*(?:full\s+)?name(?:'s| is| was|:)(?: going to be)?|name of|"
    r"(?:calls?|called) (?:me|him|her|it)|(?<=s )(?:called|named)|"
    r"(?:i|he|she) goe?s? by|(?:you(?:'re| are) )?(?:speaking|talking) (?:with|to)"
)
_MAY_INTRODUCE = r"this is|i am|i'm|here is|hier ist|ich bin|soy|habla|under(?: the name)?(?: of)?|ask for"
_INTRODUCES_ANSWER = r"it's|he's|she's|it is|it was|that's|that is|that was|is|try|maybe"
_SPELLED = re.compile(r"(?<![\w'])(?:[^\W\d_](?:[\s,.-]{1,4}|$)){3,}(?!')", re.IGNORECASE)
_SAID_TWICE = re.compile(r"\b(\w[\w'-]+)[,.]\s+(?=\w[\w'-]+ \1\b)", re.IGNORECASE)  # "Brown, Alice Brown"
_CLOSES = re.compile(r"\s+(?:is my name|speaking|here|is the name|am apparat|mein name|al habla)\b.*", re.IGNORECASE)
_ENDINGS = ("", "s", ("ed", "es", "ly"), "ing")  # by their length


@dataclass(frozen=True, slots=True)
class NameQuestion:
    """A question for a name. `part` is `first` or `last`, None for all of it.

    `is_answered` says that the agent had asked for a name, `asks_part_alone` for nothing but its part. `of_other` says
    that it is not the speaker's.
    """

    language: str = "en"
    part: str | None = None
    is_answered: bool = False
    asks_part_alone: bool = False
    of_other: bool = False


def find_name_of(slot: Slot, utterance: Utterance) -> str | None:
    """Return the name that a slot asks for."""
    part, question_text = part_of_name(slot.key), utterance.question or slot.question
    asked_part, words = part_of_name(utterance.question), set(re.findall(r"\w+", utterance.question.lower()))
    if part is not None and asked_part not in (None, part) and not {"first", "last"} <= words:
        return None
    asked_kind = kind_of_question(f"{utterance.question} {slot.question}" if not utterance.question else question_text)
    of_other = not names_speaker(slot.key)
    is_answered = asked_kind == "name" or (asked_kind is None and slot.is_named_in(question_text))
    is_answered = is_answered or bool(words & {*read_values()["asks_for_names"]})
    question = NameQuestion(
        utterance.language,
        part,
        is_answered=is_answered or (of_other and slot.is_asked_for(utterance)),
        asks_part_alone=part is not None and part_of_name(question_text) == part,
        of_other=of_other,
    )
    labelled = re.split(r" and\b", find_labelled(utterance.text, slot.key) or "")[0]
    name = find_name(labelled, replace(question, is_answered=True)) if labelled else None
    name = name or find_name(utterance.text, question)
    return name


def find_name(text: str, question: NameQuestion) -> str | None:
    """Return a person's name, or a part of it."""
    text = re.sub(r"\b(mr|mrs|ms|dr|st)\.(?=\s)", r"\1", text.replace("\u2019", "'"), flags=re.IGNORECASE)
    full = _full_name(_SAID_TWICE.sub("", _SPELLED.sub("", text)).strip(" ,"), question)
    if not full:
        return None
    words = full.split()
    if question.part == "last" and (len(words) > 1 or not question.asks_part_alone):
        return " ".join(words[1:]) or None
    return words[0] if question.part == "first" else full


def _full_name(text: str, question: NameQuestion) -> str | None:
    if introduced := _introduced_names(text, question):
        return next((name for name in introduced if " " in name), introduced[0])
    start = re.match(rf"\W*({WORD} {WORD}[^,]*?)(?:,| and\b| (?:over )?(?:at|from|with)\b)", text)
    start = start or re.search(rf"\bfor ({WORD} {WORD}.*)", text)
    if start and " " in (name := _read_name(start[1], is_checked=True) or ""):
        return name
    closed = _CLOSES.sub("", text)
    if not question.is_answered and closed == text:
        return None
    bare = without_lead_in(closed, question.language) if question.of_other else closed
    others = re.findall(rf"(?<=[a-z,] ){WORD} {WORD}", text) if question.of_other else []  # "from Olga Petrova"
    other = _read_name(others[0], is_checked=True) if len(others) == 1 else None
    return _bare_name(bare, question.language) or other


@lru_cache(maxsize=4)
def _heads(language: str) -> tuple[re.Pattern[str], ...]:
    weak = ("soy", "ich bin", "hier ist", "habla", "auf")
    own = [re.escape(each) for each in read_values(language).get("names", ()) if each not in weak]
    sources = ("|".join([_INTRODUCES, *own]), _MAY_INTRODUCE, _INTRODUCES_ANSWER)
    return tuple(re.compile(rf"\b(?:{source})\s+", re.IGNORECASE) for source in sources)


def _introduced_names(text: str, question: NameQuestion) -> list[str]:
    """Return each name behind words such as "my name is"."""
    strong, weak, weakest = _heads(question.language)
    names = []
    for head in (strong, weak, weakest) if question.is_answered else (strong, weak):
        for match in islice(head.finditer(text), 5):
            behind = text[match.end() : match.end() + 2 * _LONGEST]
            is_whole = head is weakest and not behind[:1].isupper()
            name = _read_name(behind, is_checked=head is not strong, is_whole=is_whole)
            is_sure = head is strong or question.is_answered or not behind.islower()
            if name and (is_sure or (" " in name and head is weak)):
                names.append(name)
        if names:
            break
    return names


def _bare_name(text: str, language: str) -> str | None:
    """Return a name that is the whole answer: "Deborah Klein", "Klein, Deborah"."""
    if deflects(text, language):
        return None
    ends = r"(?<!\b[A-Z]\.)(?<=[.;!?])\s+|,?\s(?:and|but|that's)\s|,?\s(?:with(?:out)? an?)\s[^,]*"
    clauses = re.split(ends, without_fillers(text, language))
    pieces = [piece.strip() for clause in clauses for piece in clause.split(",") if piece.strip()]
    name = _read_name(pieces[0], is_checked=True, is_whole=not pieces[0][0].isupper()) if pieces else None
    if name is None or len(pieces) == 1:
        return name
    second = _read_name(pieces[1], is_checked=True, is_whole=True)
    if second and "," in clauses[0] and len(name.split()) == len(second.split()) == 1 and second != name:
        return f"{second} {name}"
    return second if second and name in second else name


@lru_cache(maxsize=1)
def no_names() -> frozenset[str]:
    """Return the words that end a name."""
    table = read_values()
    words = {*table["no_names"], *table["marks"], *table["weekdays"], *table["months"], *table["numbers"]}
    return frozenset(words - {"may", "april", "june", "august"})


@lru_cache(maxsize=1)
def _ordinary_words() -> frozenset[str]:
    return no_names() | {*str(read_values()["ordinary_words"]).split()}


def _is_ordinary(word: str) -> bool:
    """Return whether a word, or what it is derived from, is one that hardly any name begins with."""
    return any(word[: len(word) - cut] in _ordinary_words() for cut in range(4) if word.endswith(_ENDINGS[cut]))


def _read_name(text: str, *, is_checked: bool = False, is_whole: bool = False) -> str | None:
    """Return the name that a text begins with, with capitals; None if its first word can be none.

    `is_checked` refuses ordinary words, `is_whole` a name that does not go on to the end of the clause.
    """
    clause = re.split(r"[,;:!?]|(?<!\b[A-Z])\.(?=\s|$)", text[:_LONGEST].strip(" ,"), maxsplit=1)[0]
    titles, particles = in_all_languages("titles"), in_all_languages("name_particles")
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
    is_particle = folded in in_all_languages("name_particles") and bool(before)
    return (
        (folded in no_names() and not is_particle)
        or re.search(r"\d|^\w+'(?:d|ll|ve|re|m|t)$", folded) is not None
        or (word.islower() and folded.endswith("ing") and len(folded) > 4)
        or (word.islower() and not is_particle and bool(before) and before[0][0].isupper())
    )


def titled(name: str) -> str:
    """Return a name with a capital at the start of each word but its particles."""
    particles = in_all_languages("name_particles")
    return " ".join(
        word if word in particles and at else re.sub(r"^\w|(?<=['-])(?!s\b)\w", lambda match: match[0].upper(), word)
        for at, word in enumerate(name.split(" "))
    )

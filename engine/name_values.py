"""Names of people as they give them."""

import re
from dataclasses import dataclass
from difflib import SequenceMatcher
from functools import lru_cache
from itertools import islice

from dryline.engine.spoken_turns import deflects, without_fillers, without_lead_in, without_spelling_words
from dryline.phrases import ordinary_words
from dryline.phrases.value_kinds import LANGUAGES, read_values, words_of_all_languages

WORD = r"[A-Z\u00c0-\u00de][\w'\u2019-]*\.?"
_MOST_WORDS = 4  # of a name, without its particles
_LONGEST = 100  # characters of a name
_INTRODUCES = (
    r"(?:my|the|his|her|their)?\s*(?:full\s+)?name(?:'s| is| was|:)(?: going to be)?|name of|"
    r"(?:calls?|called) (?:me|him|her|it)|(?<=s )(?:called|named)|"
    r"(?:i|he|she) goe?s? by|(?:you(?:'re| are) )?speaking (?:with|to)"
)
_MAY_INTRODUCE = r"this is|i am|i'm|here is|hier ist|ich bin|soy|habla|under(?: the name)?(?: of)?|ask for"
_INTRODUCES_ANSWER = r"it's|he's|she's|it is|it was|that's|that is|that was|is|try|maybe"
_CLOSES = re.compile(r"\s+(?:is my name|speaking|here|is the name|am apparat|mein name|al habla)\b.*", re.IGNORECASE)
_SPELLED = re.compile(r"(?<![\w'])(?:(?:double |triple )?[^\W\d_](?:[\s,.-]{1,4}|$)){3,}(?!')", re.IGNORECASE)
_BEFORE_SPELLED = re.compile(r"[,.\s]*\b(?:that's|that is|it's|spelled|spelt|spelling)[\s,.:]*$", re.IGNORECASE)
_INITIAL = re.compile(r"^\w|(?<=['-])(?!s\b)\w")
_LETTER = re.compile(r"(double |triple )?\b([^\W\d_])\b", re.IGNORECASE)
_SAID_TWICE = re.compile(r"\b(\w[\w'-]+)[,.]\s+(?=\w[\w'-]+ \1\b)", re.IGNORECASE)  # "Brown, Alice Brown"
_PART_HEADS = {
    "last": re.compile(r"\b(?:last|family|sur)\s?name(?:'s| is|:|,)?\s+(?:is\s+)?", re.IGNORECASE),
    "first": re.compile(r"\b(?:first|given)\s?name(?:'s| is|:|,)?\s+(?:is\s+)?", re.IGNORECASE),
}


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


def find_name(text: str, question: NameQuestion) -> str | None:
    """Return a person's name, or a part of it."""
    text = re.sub(r"\b(mr|mrs|ms|dr|st)\.(?=\s)", r"\1", text.replace("\u2019", "'"), flags=re.IGNORECASE)
    text = _SAID_TWICE.sub("", text)
    text, spelled = _without_spelling(without_spelling_words(text))
    parts = _labelled_parts(text)
    if question.part in parts:
        return _respelled(parts[question.part], spelled)
    full = _of_parts(text, parts, question) if question.is_answered or len(parts) == 2 else None
    full = full or _full_name(text, question)
    if full is None:
        return titled(spelled) if spelled and question.is_answered else None
    full = _respelled(full, spelled)
    words = full.split()
    if question.part == "last" and (len(words) > 1 or not question.asks_part_alone):
        return " ".join(words[1:]) or None
    return words[0] if question.part == "first" else full


def find_names(text: str, question: NameQuestion) -> list[str]:
    """Return the names of several people, in the order in which they were said."""
    names = (find_name(piece, question) for piece in re.split(r"[,;]\s*(?:and\s)?|\s(?:and|und|y)\s", text))
    return [name for name in names if name]


def _without_spelling(text: str) -> tuple[str, str]:
    """Return the text without a word that is spelled in it, and that word."""
    match = _SPELLED.search(text)
    if match is None:
        return text, ""
    letters = [
        letter.lower() * {"double ": 2, "triple ": 3}.get(times.lower(), 1)
        for times, letter in _LETTER.findall(match[0])
    ]
    start = max(0, match.start() - _LONGEST)
    before = text[:start] + _BEFORE_SPELLED.sub("", text[start : match.start()])
    return f"{before}, {text[match.end() :]}".strip(" ,"), "".join(letters)


def _respelled(name: str, spelled: str) -> str:
    """Return a name whose most similar word is replaced by the spelled one."""
    if not spelled:
        return name
    words = name.split()
    similarity = [SequenceMatcher(None, word.lower(), spelled).ratio() for word in words]
    best = similarity.index(max(similarity))
    if similarity[best] >= 0.5 and words[best].lower() != spelled:
        words[best] = titled(spelled)
    return " ".join(words)


def _labelled_parts(text: str) -> dict[str | None, str]:
    """Return what stands behind "first name" and "last name"."""
    parts: dict[str | None, str] = {}
    for part, head in _PART_HEADS.items():
        match = head.search(text)
        if match and (name := _read_name(re.split(r"\b(?:first|last) ?name\b", text[match.end() :])[0])):
            parts[part] = name
    return parts


def _of_parts(text: str, parts: dict[str | None, str], question: NameQuestion) -> str | None:
    """Return the name whose parts were labelled; the part without a label is the bare name before it."""
    if len(parts) == 2:
        return f"{parts['first']} {parts['last']}"
    for part, name in parts.items():
        other = _bare_name(_PART_HEADS[str(part)].split(text)[0].strip(" ,."), question.language)
        words = other.split()[:1] if other and name not in other else []
        return " ".join([name, *words] if part == "first" else [*words, name])
    return None


def _full_name(text: str, question: NameQuestion) -> str | None:
    if question.of_other and (name := _related_name(text)):
        return name
    introduced = [*_introduced_names(text, question)]
    if introduced:
        name, behind = next((each for each in introduced if " " in each[0]), introduced[0])
        return _repeated_in_full(name, behind)
    start = re.match(rf"\W*({WORD} {WORD}[^,]*?)(?:,| and\b| (?:over )?(?:at|from|with)\b)", text)
    if start and " " in (name := _read_name(start[1], is_checked=True) or ""):
        return name
    if (match := re.search(rf"\bfor ({WORD} {WORD}.*)", text)) and " " in (name := _read_name(match[1]) or ""):
        return name
    closed = _CLOSES.sub("", text)
    if question.is_answered or closed != text:
        bare = without_lead_in(closed, question.language) if question.of_other else closed
        others = re.findall(rf"(?<=[a-z,] ){WORD} {WORD}", text) if question.of_other else []  # "from Olga Petrova"
        return (
            _bare_name(bare, question.language)
            or (_related_name(text) if question.is_answered else None)
            or (_read_name(others[0], is_checked=True) if len(others) == 1 else None)
        )
    return None


@lru_cache(maxsize=len(LANGUAGES))
def _heads(language: str) -> tuple[re.Pattern[str], re.Pattern[str], re.Pattern[str]]:
    weak = ("soy", "ich bin", "hier ist", "habla", "auf")
    own = [re.escape(each) for each in read_values(language).get("names", ()) if each not in weak]
    return (
        re.compile(rf"\b(?:{'|'.join([_INTRODUCES, *own])})\s+", re.IGNORECASE),
        re.compile(rf"\b(?:{_MAY_INTRODUCE})\s+", re.IGNORECASE),
        re.compile(rf"\b(?:{_INTRODUCES_ANSWER})\s+", re.IGNORECASE),
    )


def _introduced_names(text: str, question: NameQuestion) -> list[tuple[str, str]]:
    """Return each name behind words such as "my name is", and the text behind it."""
    names = []
    strong, weak, weakest = _heads(question.language)
    for head in (strong, weak, weakest) if question.is_answered else (strong, weak):
        for match in islice(head.finditer(text), 5):
            behind = text[match.end() : match.end() + 2 * _LONGEST]
            is_whole = head is weakest and not behind[:1].isupper()
            name = _read_name(behind, is_checked=head is not strong, is_whole=is_whole)
            is_sure = head is strong or question.is_answered or not behind.islower()
            if name and (is_sure or (" " in name and head is weak)):
                names.append((name, behind[len(name) :]))
        if names:
            break
    return names


@lru_cache(maxsize=1)
def _relations() -> re.Pattern[str]:
    words = "|".join(read_values()["relations"])
    return re.compile(
        r"\b(?:mr|mrs|ms|miss|mister|dr|doctor|professor) |\b(?:called|named) |\b(?:an?|my|our|his|her|\w+'s) (?:\w+ )?"
        rf"(?:{words})(?:-in-law)?(?: of (?:mine|ours))?(?:'s name)?(?: is(?: called| named)?| did| made it)?,?\s+",
        re.IGNORECASE,
    )


def _related_name(text: str) -> str | None:
    """Return the name behind "my son" or "Dr. Patel's wife,"."""
    for match in islice(_relations().finditer(text), 5):
        if name := _read_name(text[match.end() :], is_checked=True):
            return name
    return None


def _bare_name(text: str, language: str) -> str | None:
    """Return a name that is the whole answer: "Deborah Klein", "O'Brien, Patrick O'Brien", "klein, deborah klein"."""
    if deflects(text, language):
        return None
    clauses = re.split(
        r"(?<!\b[A-Z]\.)(?<=[.;!?])\s+|,?\s(?:and|but|that's)\s|,?\s(?:with(?:out)? an?)\s[^,]*",
        without_fillers(text, language),
    )
    pieces = [piece.strip() for clause in clauses for piece in clause.split(",") if piece.strip()]
    if not pieces:
        return None
    name = _read_name(pieces[0], is_checked=True, is_whole=not pieces[0][0].isupper())
    if name is None or len(pieces) == 1:
        return name
    second = _read_name(pieces[1], is_checked=True, is_whole=True)
    if second and "," in clauses[0] and len(name.split()) == len(second.split()) == 1 and second != name:
        return f"{second} {name}"
    return _repeated_in_full(name, " , ".join(pieces[1:]))


def _repeated_in_full(name: str, behind: str) -> str:
    """Return the full name where a part of it was said before: "O'Brien, Patrick O'Brien"."""
    for piece in re.split(r"[,.;]\s*|\s(?:that's|it's)\s", behind):
        longer = _read_name(piece, is_checked=True) if piece else None
        if longer and " " in longer and {name.lower(), name.split()[-1].lower()} & {*longer.lower().split()}:
            return longer
    return name


@lru_cache(maxsize=1)
def no_names() -> frozenset[str]:
    """Return the words that end a name."""
    table = read_values()
    words = {*table["no_names"], *table["marks"], *table["weekdays"], *table["months"], *table["numbers"]}
    return frozenset(words - {"may", "april", "june", "august"})


@lru_cache(maxsize=1)
def _no_first_names() -> frozenset[str]:
    return no_names() | ordinary_words() - {*read_values()["ordinary_names"]}


def _read_name(text: str, *, is_checked: bool = False, is_whole: bool = False) -> str | None:
    """Return the name that a text begins with, with capitals; None if its first word can be none.

    `is_checked` refuses ordinary words, `is_whole` a name that does not go on to the end of the clause.
    """
    clause = re.split(r"[,;:!?]|(?<!\b[A-Z])\.(?=\s|$)", text[:_LONGEST].strip(" ,"), maxsplit=1)[0]
    titles, particles = words_of_all_languages("titles"), words_of_all_languages("name_particles")
    said = [word for at, word in enumerate(clause.split()) if at or word.casefold() not in titles]
    words: list[str] = []
    for at, word in enumerate(said):
        if word.endswith("'s"):
            return None  # of whom somebody speaks
        is_particle = bool(words) and word.casefold() in particles
        may_be_ordinary = is_checked and not is_particle and not _all_capitalized(said[at : at + 2])
        is_ordinary = may_be_ordinary and word.casefold() in _no_first_names()
        if (
            _ends_name(word, words)
            or (is_ordinary and (not words or at + 1 < len(said)))
            or sum(each not in particles for each in words) == _MOST_WORDS
        ):
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
    is_particle = folded in words_of_all_languages("name_particles") and bool(before)
    return (
        (folded in no_names() and not is_particle)
        or re.fullmatch(r"\w+'(?:d|ll|ve|re|m|t)", folded) is not None
        or any(each.isdigit() for each in word)
        or (word.islower() and folded.endswith("ing") and len(folded) > 4)
        or (word.islower() and not is_particle and bool(before) and before[0][0].isupper())
    )


def _all_capitalized(words: list[str]) -> bool:
    return len(words) > 1 and all(word[0].isupper() for word in words)


def titled(name: str) -> str:
    """Return a name with a capital at the start of each word but its particles."""
    particles = words_of_all_languages("name_particles")
    return " ".join(
        word if word in particles and at else _INITIAL.sub(lambda match: match[0].upper(), word)
        for at, word in enumerate(name.split(" "))
    )

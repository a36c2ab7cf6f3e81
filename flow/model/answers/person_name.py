"""Names of people."""

import re
from functools import cache, lru_cache
from pathlib import Path
from random import Random

from dryline.flow.model.answers.kind import ValueKind
from dryline.flow.model.answers.people import FIRST, made_up_name
from dryline.flow.model.answers.slots import Slot
from dryline.storage.files import read_json

_MOST_WORDS = 4  # of a name
_LONGEST = 80  # characters of a name
_TITLE = re.compile(r"\b(?:mr|mrs|ms|miss|mister|dr|doctor|professor|officer|captain|madam)\b\.? (?=\w)", re.IGNORECASE)
_PARTICLES = frozenset(("van", "von", "de", "der", "del", "la", "den", "di", "da", "dos", "bin", "al", "el", "st"))
# First names that examples of flows have, to know them from other texts with capitals.
_IN_EXAMPLES = (
    *("Jane", "John", "Ann", "Mary", "Alex", "Sam", "Bob", "Alice", "Jo", "James", "Peter", "Tom", "Sarah", "Emma"),
    *("Max", "Ada", "Rita", "Lena", "Kim", "Lee"),
    *FIRST,
)


class PersonName(ValueKind):
    """The name of a person: behind "my name is", "this is" or "I'm", before "speaking", or alone.

    A name of several words with capitals may stand alone in any turn; one in small letters or of one word only where
    the agent asked for it. Words that hardly any name has (`no_names.json`) end a name, or are none. Of a member such
    as `first_name` or `last_name` the value is that part.
    """

    name = "name"
    keys = (
        *("name", "full name", "who", "first name", "last name", "surname", "family name", "given name", "firstname"),
        *(
            "lastname",
            "fullname",
            "person",
            "patient",
            "guest",
            "customer",
            "client",
            "applicant",
            "tenant",
            "neighbour",
        ),
        *("neighbor", "first", "last"),
    )
    asked_by = (
        *(
            "name",
            "who is calling",
            "who am i speaking",
            "who am i talking",
            "who is this",
            "who's calling",
            "who are you",
        ),
        *("who", "are you called"),
    )
    question = "May I have your name, please?"
    sentences = ("My name is {value}.", "It's {value}.", "This is {value}.", "I'm {value}.")

    introduces = re.compile(
        r"\b(?:(?:full |first |last )?name(?:'s| is| was|:)|name of|(?:call|called) (?:me|him|her)|goes? by"
        r"|(?:speaking|talking) (?:with|to))[ ,]+",
        re.IGNORECASE,
    )
    may_introduce = re.compile(
        r"\b(?:this is|i am|i'm|here is|under(?: the name)?(?: of)?|ask for)[ ,]+", re.IGNORECASE
    )
    answers = re.compile(r"\b(?:it's|he's|she's|it is|it was|that's|that is|that was|for)[ ,]+", re.IGNORECASE)
    closes = re.compile(r"(?<![ ,])[ ,]{1,3}(?:is (?:my|the|his|her) name|speaking|here)\b", re.IGNORECASE)
    clause_end = re.compile(r"[,;:!?]|(?<!\b[A-Z])\.(?=\s|$)|\s(?:and|but|with|from|at)\s", re.IGNORECASE)
    opening = re.compile(
        r"^\W*(?:(?:yes|yeah|sure|well|um|uh|hi|hello|hey|okay|ok|of course|certainly|good (?:morning"
        r"|afternoon|evening)"
        r"|put it under|it's under|just)\b[ ,.!]*)+",
        re.IGNORECASE,
    )

    CASES = (
        ("My name is Tom Baker and I need a consultation", "Ada Park", "Tom Baker"),
        ("this is Ada Park, I'd like to move my appointment", "Jane Doe", "Ada Park"),
        ("Ada Park", "Jane Doe", "Ada Park"),
        ("yeah hi, kyle henson here", "Jane Doe", "Kyle Henson"),
        ("put it under Fitzgerald please", "Jane Doe", "Fitzgerald"),
        ("sure, it's O'Brien, Patrick O'Brien", "Jane", "Patrick O'Brien"),
        ("deborah klein", "Jane Doe", "Deborah Klein"),
        ("tom brown", "Jane Doe", "Tom Brown"),
        ("Dr. Maria van der Berg speaking", "Jane Doe", "Maria van der Berg"),
        ("I'm Olumide Adeyemi", "Jane Doe", "Olumide Adeyemi"),
        ("Jo Lee is my name", "Jane Doe", "Jo Lee"),
        ("Mr. Smith", "Jane Doe", "Smith"),
        ("Park, Ada Park", "Jane Doe", "Ada Park"),
        ("well my wife is Sue but the account is under Peter Novak", "Jane", "Peter Novak"),
        ("book me in for a cleaning on Monday at 8 am, name is Ada Park", "Jane Doe", "Ada Park"),
        ("the name is on the invoice", "Jane Doe", None),
        ("I'm calling about my order", "Jane Doe", None),
        ("I am angry", "Jane Doe", None),
        ("purple monkeys", "Jane Doe", None),
        ("this is about the bill", "Jane Doe", None),
        ("on Tuesday, please", "Jane Doe", None),
        ("I'd rather not say", "Jane Doe", None),
        ("my appointment is on Monday", "Jane Doe", None),
        ("it's broken", "Jane Doe", None),
        ("hello there", "Jane Doe", None),
    )

    def is_example(self, text: str) -> bool:
        first, *others = text.split() or [""]
        return first in _IN_EXAMPLES and len(others) == 1 and others[0][0].isupper() and others[0].isalpha()

    def read(self, said: str, context: Slot) -> str | None:
        text = _TITLE.sub("", said.replace("\u2019", "'"))
        name = self._introduced(text, context) or self._closed(text) or self._alone(text, context)
        if name is None:
            return None
        first, *others = name.split()
        if context.label.endswith(("last", "last name", "lastname", "surname", "family name")):
            return " ".join(others) or (first if context.is_asked else None)
        return first if context.label.endswith(("first", "first name", "firstname", "given name")) else name

    def make(self, random: Random, context: Slot) -> str:
        return made_up_name(random)

    def _introduced(self, text: str, context: Slot) -> str | None:
        """Return the name behind words that introduce one: with a last name, if one of them has it."""
        heads = [self.introduces, self.may_introduce, *([self.answers] if context.is_asked else [])]
        for head in heads:
            texts_behind = [text[match.end() : match.end() + _LONGEST] for match in head.finditer(text)]
            possible = [self._name_behind(head, behind, is_asked=context.is_asked) for behind in texts_behind]
            names = [name for name in possible if name is not None]
            if names:
                return next((name for name in names if " " in name), names[0])
        return None

    def _name_behind(self, head: re.Pattern[str], behind: str, *, is_asked: bool) -> str | None:
        """Return the name with which the text behind a head begins; None for none, or if it may be another word."""
        is_certain, has_capital = head is self.introduces, behind[:1].isupper()
        name = self._name_at_start(behind, is_whole=not is_certain and not has_capital)
        if name is None:
            return None
        if head is self.answers:
            name = self._in_full(behind, name)
        return name if is_certain or is_asked or has_capital or " " in name else None

    def _closed(self, text: str) -> str | None:
        """Return the name before words such as "speaking"."""
        match = self.closes.search(text)
        if match is None:
            return None
        before = text[max(0, match.start() - _LONGEST) : match.start()]
        clause = self.opening.sub("", self.clause_end.split(before)[-1])
        return self._name_at_start(clause, is_whole=True)

    def _alone(self, text: str, context: Slot) -> str | None:
        """Return the name that a text, or the first clause of an answer, consists of."""
        rest = self.opening.sub("", text[:_LONGEST])
        clauses = [clause.strip(" .") for clause in self.clause_end.split(rest) if clause and clause.strip(" .")]
        if not clauses:
            return None
        name = self._name_at_start(clauses[0], is_whole=True)
        if not name:
            return None
        words = clauses[0].split()
        is_only_name = len(clauses) == 1 and len(words) > 1 and all(word[0].isupper() for word in words)
        return self._in_full(rest, name) if context.is_asked or is_only_name else None

    def _in_full(self, behind: str, name: str) -> str:
        """Return the name in full where it is said again: "Patrick O'Brien" of "O'Brien, Patrick O'Brien"."""
        clauses = self.clause_end.split(behind)
        whole = self._name_at_start(clauses[1].strip(), is_whole=True) if len(clauses) > 1 and clauses[1] else None
        return whole if whole and whole.endswith(f" {name}") else name

    def _name_at_start(self, text: str, *, is_whole: bool) -> str | None:
        """Return the name that a text begins with; None if its first words can be none.

        `is_whole` refuses a name that does not go on to the end of its clause, as in "I'm angry about this".
        """
        words = self.clause_end.split(text.lstrip(" ,"), maxsplit=1)[0].split()
        name: list[str] = []
        for word in words:
            is_particle = bool(name) and word.casefold() in _PARTICLES
            is_last = bool(name) and len(words) == 2  # "tom brown": an ordinary word may be a last name
            is_in_small_letters = bool(name) and name[0][0].isupper() and word.islower()
            if not is_particle and (is_in_small_letters or _is_no_name(word, is_last=is_last)):
                if is_whole and word.casefold() not in ("please", "thanks"):
                    return None
                break
            name.append(word)
        while len(name) > 1 and name[-1].casefold() in _PARTICLES:
            name.pop()
        if not name or len(name) > _MOST_WORDS + 2:
            return None
        joined = " ".join(name).rstrip(".")
        return _titled(joined) if joined.islower() else joined


@lru_cache(maxsize=4096)
def _is_no_name(word: str, *, is_last: bool) -> bool:
    """Return whether a word is hardly ever part of a name: "calling", "I'd", "4th", ordinary words in small letters."""
    folded = word.strip(".").casefold()
    if not folded or re.search(r"\d|@|^\w+'(?:d|ll|ve|re|m|t|s)$", folded):
        return True
    if folded in _words("never") or (word.islower() and folded.endswith("ing") and len(folded) > 4):
        return True
    if word[0].isupper() or is_last:
        return False
    stems = {folded, folded.removesuffix("s"), folded.removesuffix("ed"), folded.removesuffix("es")}
    return not stems.isdisjoint(_words("ordinary"))


@cache
def _words(group: str) -> frozenset[str]:
    return frozenset(read_json(Path(__file__).with_name("no_names.json"))[group])


def _titled(name: str) -> str:
    """Return a name with capitals, but for its particles."""
    words = name.split(" ")
    return " ".join(
        word if word in _PARTICLES and index else re.sub(r"^\w|(?<=['-])\w", lambda match: match[0].upper(), word)
        for index, word in enumerate(words)
    )

"""How well what was said fits a condition: SQLite's full-text search ranks it (Porter stems, BM25).

BM25 weighs a word by how rare it is among the texts. A loop has too few conditions for that, so rows of ordinary words
stand beside them: `user`, `wants` and `please` weigh next to nothing, `asks` and `speaks` little. Which words mean the
same is a small table; it and those rows are the only language in here, and both are English.
"""

from __future__ import annotations

import re
import sqlite3
import threading
from functools import lru_cache

_WORD = re.compile(r"\w+")
_OR = re.compile(r"\bor\b|[,;/|]", re.IGNORECASE)
_MOST_WORDS, _LONGEST, _MOST_PARTS = 60, 2_000, 20
_ROWS, _BEHIND = 24, 1_000_000  # how many rows of ordinary words, and the number of the first
_WORTH = 1.5  # less comes of words such as "a" and "the" alone
_ONE_DENIES = 0.4  # what a likeness is worth when one side says no to what the other says
_SYNONYMS = """
yes yeah yep yup sure ok okay correct right absolutely definitely agree agrees confirm confirms accept accepts exactly
no nope not decline declines refuse refuses reject rejects disagree disagrees never cannot without
book booking appointment schedule scheduling reserve reservation visit slot
reschedule move postpone change different later
cancel cancellation abort call-off drop
speak talk chat
human agent representative person operator someone somebody staff manager real transfer specialist
price prices cost costs expensive much charge fee rate pricing quote
buy purchase order get take
bye goodbye finished done end hang leave nothing all
question ask asks wondering wonder know info information details
help support assistance problem issue trouble broken wrong fix error
interested interest like want sounds good great
uninterested not-interested pass
busy later callback time another driving meeting
name called
phone number telephone mobile cell
email mail e-mail address
hours open opening close closes closing
bill billing invoice payment pay charged refund
angry upset frustrated unhappy complaint complain complains terrible
thanks thank thankful
wrong mistaken
voicemail machine beep message
repeat again pardon sorry understand
emergency urgent immediately asap severe
deliver delivery ship shipping shipment arrive package parcel tracking track
technical computer internet login password account
sales product demo trial
hello hi hey greeting
"""
_EVERYWHERE = """
a an the this that these those it its of to for from in on at by with about and or but if when then so as than there
here i me my mine we us our you your he she him his her they them their who which what how
is are was were be been am do does did has have had can could will would shall should may might must let get got
user users caller callers customer customers person patient client guest they want wants wanting like likes please
"""
_OFTEN = """
need needs say says said ask asks asking tell tells give gives given provide provides provided speak speaks talk talks
know knows make makes made go goes come call calls calling have more some any all one other their conversation agent
"""


class Likeness:
    """Holds a full-text index for each thread that asks."""

    def __init__(self) -> None:
        self._of_thread = threading.local()

    def scores(self, said: str, texts: list[str], *, synonyms: bool = True) -> list[float]:
        """For each text how much of it was said, from 0 to 1, rare words counting most."""
        spoken = _query(said, synonyms=synonyms)
        if not spoken or not texts:
            return [0.0] * len(texts)
        denied = is_denial(said)
        best = [0.0] * len(texts)
        owners, alternatives = [], []
        for owner, text in enumerate(texts):
            for alternative in {text[:_LONGEST], *_OR.split(text[:_LONGEST])[:_MOST_PARTS]}:
                if _WORD.search(alternative):
                    owners.append(owner)
                    alternatives.append(alternative)
        for owner, alternative, score in zip(owners, alternatives, self._said_of(spoken, alternatives), strict=True):
            if is_denial(alternative) != denied:
                score *= _ONE_DENIES
            best[owner] = max(best[owner], score)
        return best

    def _said_of(self, spoken: str, texts: list[str]) -> list[float]:
        index = self._index()
        index.execute("SAVEPOINT asked")
        try:
            index.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(texts, 1))
            found = dict(_ranked(index, spoken))
            scores = []
            for rowid, text in enumerate(texts, 1):
                whole = dict(_ranked(index, _query(text), rowid)).get(rowid) if rowid in found else None
                scores.append(min(1.0, found[rowid] / whole) if whole and found[rowid] > _WORTH else 0.0)
            return scores
        finally:
            index.execute("ROLLBACK TO asked")
            index.execute("RELEASE asked")

    def _index(self) -> sqlite3.Connection:
        index: sqlite3.Connection | None = getattr(self._of_thread, "index", None)
        if index is None:
            index = self._of_thread.index = _Index(":memory:", isolation_level=None, check_same_thread=False)
            index.execute(
                "CREATE VIRTUAL TABLE texts USING fts5(text, tokenize='porter unicode61 remove_diacritics 2')"
            )
            rows = [_EVERYWHERE + (_OFTEN if row % 3 == 0 else "") for row in range(_ROWS)]
            index.executemany("INSERT INTO texts (rowid, text) VALUES (?, ?)", enumerate(rows, _BEHIND))
        return index


class _Index(sqlite3.Connection):
    """Closes with its thread."""

    def __del__(self) -> None:
        self.close()


def _ranked(index: sqlite3.Connection, query: str, rowid: int | None = None) -> list[tuple[int, float]]:
    where = "rowid = ?" if rowid else "rowid < ?"
    rows = index.execute(
        f"SELECT rowid, -bm25(texts) FROM texts WHERE texts MATCH ? AND {where}", (query, rowid or _BEHIND)
    )
    return rows.fetchall()


def words(text: str) -> list[str]:
    """Its words in lower case."""
    return _WORD.findall(text[-10 * _LONGEST :].lower().replace("n't", " not").replace("n\u2019t", " not"))


def is_denial(text: str) -> bool:
    """Whether it says no to something."""
    return any(word == "no" or "no" in _alike().get(word, ()) for word in words(text))


def is_assent(text: str) -> bool:
    """Whether it says yes, and little else."""
    spoken = words(text)
    return 0 < len(spoken) <= 4 and any(word == "yes" or "yes" in _alike().get(word, ()) for word in spoken)


def _query(text: str, *, synonyms: bool = False) -> str:
    asked = list(dict.fromkeys(words(text)))[:_MOST_WORDS]
    if synonyms:
        asked += [other for word in asked for other in _alike().get(word, ()) if other not in asked]
    return " OR ".join(f'"{word}"' for word in dict.fromkeys(asked))


@lru_cache(maxsize=1)
def _alike() -> dict[str, tuple[str, ...]]:
    alike: dict[str, tuple[str, ...]] = {}
    for line in _SYNONYMS.splitlines():
        group = tuple(word for entry in line.split() for word in words(entry))
        for word in group:
            alike[word] = alike.get(word, ()) + tuple(other for other in group if other != word)
    return alike

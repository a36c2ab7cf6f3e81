"""Texts as terms: word stems, pairs of neighbouring stems, and a token for each value such as a day or a number."""

import re
import unicodedata
from collections.abc import Iterable
from itertools import pairwise
from typing import Any

from dryline.phrases import SLOT, load, load_synonyms

MAX_LENGTH = 2_000
_MAX_CACHED = 20_000  # words of which the stems are cached
_NUMBERS = (
    *("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve", "thirteen"),
    *("fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen", "twenty", "thirty", "forty", "fifty"),
    *("sixty", "seventy", "eighty", "ninety", "hundred", "thousand"),
)
_WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = (
    *("january", "february", "march", "april", "june", "july", "august", "september", "october", "november"),
    "december",
)
_DAYS = (*_WEEKDAYS, "today", "tomorrow", "tonight", "weekend")
# A word that stands for any name or thing fits each of them.
_SLOT_TOKENS = {
    **dict.fromkeys(("product", "service", "problem", "reason", "item"), "_item"),
    **dict.fromkeys(("weekday", "day"), "_day"),
    **dict.fromkeys(("company", "name"), "_name"),
}
_TOKENS = {
    **dict.fromkeys(_NUMBERS, "_number"),
    **dict.fromkeys(_DAYS, "_day"),
    **dict.fromkeys(_MONTHS, "_month"),
    **dict.fromkeys(("noon", "midnight"), "_time"),
    **dict.fromkeys(("morning", "afternoon", "evening"), "_part"),
}
_NUMBER = r"\d+(?:[.,]\d+)*"
_ORDINAL = r"(?:\d{1,2}(?:st|nd|rd|th)|first|second|third)"
_MONTH = rf"(?:{'|'.join(_MONTHS)}|may)"
_AFTER_PREPOSITION = r"(?! (?:minutes?|hours?|days?|weeks?|months?|years?|people|persons?|percent|of|dollars?)\b)"
# A time holds a number and a date holds a month, so these come first.
_VALUES = [
    (re.compile(pattern), f" {token} ")
    for pattern, token in (
        (r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\b[\w. ]{1,30} at [\w ]{1,20} dot (?:com|org|net|edu|de|es)\b", "_email"),
        (r"\+?\d[\d ().-]{6,18}\d\b", "_phone"),
        (r"\d{4}-\d\d-\d\d|\b\d{1,2}/\d{1,2}(?:/\d{2,4})?\b", "_date"),
        (rf"[$€£] ?\d[\d.,]*k?|\b{_NUMBER} ?(?:dollars?|bucks|euros?|pounds|cents?|grand)\b", "_money"),
        (rf"\b(?:\d{{1,2}}:\d\d(?: ?[ap]\.?m\b\.?)?|{_NUMBER} ?(?:[ap]\.m\.?|[ap]m\b))", "_time"),
        (rf"\b(?:half|quarter|{_NUMBER}) (?:past|to|after) {_NUMBER}\b|\b{_NUMBER} o'?clock\b", "_time"),
        (rf"\b(?:at|around|after|before|until|till|by) {_NUMBER}\b{_AFTER_PREPOSITION}", "_time"),
        (rf"\b{_NUMBER} in the (?:morning|afternoon|evening)\b", "_time"),
        (rf"\b(?:the )?{_ORDINAL} (?:of )?{_MONTH}\b|\b{_MONTH} (?:the )?(?:{_ORDINAL}|\d{{1,2}}\b)", "_date"),
        (rf"\bthe {_ORDINAL}\b(?! (?:time|one|thing|part|person))|\b\d{{1,2}}(?:st|nd|rd|th)\b", "_date"),
        (r"\b(?:in|since|last|next|by) may\b", "_month"),
        (r"\b(?:next|this|last) (?:week|month)\b|\bin (?:a|two|three) (?:days?|weeks?)\b", "_day"),
        (r"\b(?=[a-z-]*\d)(?=[\d-]*[a-z])[a-z\d]{1,12}(?:-[a-z\d]+)*\b|\b\d{5,}\b", "_code"),
        (rf"\b{_NUMBER}\b", "_number"),
    )
]
_PART = re.compile(r"[a-zß_]+(?:'[a-z]+)*|\d[\d.,:]*")
_IS = {*("it", "that", "what", "where", "there", "how", "who", "when", "here", "he", "she"), "everything", "this"}
_SHORT = {"m": "am", "re": "are", "ll": "will", "ve": "have", "d": "would"}
_UNCHANGED = {
    *("evening", "morning", "during", "something", "anything", "nothing", "everything", "building", "ceiling"),
    *("wedding", "this", "his", "its", "yes", "bus", "gas", "news", "always", "perhaps", "address", "business"),
    *("process", "access", "less", "unless", "series", "species", "is", "as", "us", "was", "has", "does"),
}
_VOWELS = re.compile("[aeiouy]")


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a text, each with its punctuation."""
    return re.split(r"(?<=[.!?])\s+", text.strip())


class Vocabulary:
    """The words of a language: how they are shortened, their stems, their synonyms, and which of them are ordinary."""

    def __init__(self, language: str) -> None:
        words: dict[str, Any] = dict(load("en").words)
        if language != "en":  # its words are replaced by English ones first
            for key, value in load(language).words.items():
                known = words.get(key)
                words[key] = known | value if isinstance(known, dict) else [*known, *value] if known else value
        self._contractions: dict[str, str] = words.get("contractions", {})
        self._irregular: dict[str, str] = words.get("irregular", {})
        self._gloss = {plain(word): english for word, english in words.get("gloss", {}).items()}
        self._stems: dict[str, tuple[str, ...]] = {}
        self.ordinary = frozenset(self._stems_of(words.get("ordinary", [])))
        self.yes = frozenset(self._stems_of(words.get("yes", [])))
        self.no = frozenset(self._stems_of(words.get("no", [])))
        self.negations = frozenset(self._stems_of(words.get("negations", [])))
        self.requests = frozenset(self._stems_of(words.get("requests", [])))
        self.roles = frozenset(plain(role) for role in words.get("roles", []))
        self.idioms = {" ".join(self.stems(text)): meaning for text, meaning in words.get("idioms", {}).items()}
        self.synonyms: dict[str, tuple[str, ...]] = {}
        for word, alike in load_synonyms().items():
            for key in self.stems(word)[-1:]:
                others = dict.fromkeys(" ".join(self.stems(other)) for other in alike)
                self.synonyms[key] = (*self.synonyms.get(key, ()), *others)

    def stems(self, text: str) -> list[str]:
        """Return the stems of a text in their order, values and slots as tokens such as `_day`."""
        stems: list[str] = []
        cache = self._stems
        for token in _PART.findall(plain(text)):
            expanded = cache.get(token)
            if expanded is None:
                expanded = tuple(self._expand(token))
                if len(cache) < _MAX_CACHED:  # callers can say any number of words
                    cache[token] = expanded
            stems += expanded
        return stems

    def content(self, stems: Iterable[str]) -> list[str]:
        return [stem for stem in stems if stem not in self.ordinary]

    def _stems_of(self, words: Iterable[str]) -> Iterable[str]:
        return (stem for word in words for stem in self.stems(word))

    def _expand(self, token: str) -> Iterable[str]:
        if token[0] == "_":
            return [_SLOT_TOKENS.get(token[1:], token)]
        if token[0].isdigit():
            return ["_number"]
        longer = self._gloss.get(token) or self._contractions.get(token)
        if longer is not None:
            return [_TOKENS.get(word) or self.stem(word) for word in longer.split()]
        if "'" in token:
            return self._expand_shortened(token)
        return [_TOKENS.get(token) or self.stem(token)]

    def _expand_shortened(self, token: str) -> Iterable[str]:
        if token.endswith("n't"):
            return [*self._expand(token[:-3]), "not"]
        word, _, ending = token.partition("'")
        if ending in _SHORT:
            return [*self._expand(word), *self._expand(_SHORT[ending])]
        return [*self._expand(word), "be"] if ending == "s" and word in _IS else self._expand(word)

    def stem(self, word: str) -> str:
        """Return the word without its ending: `deliveries` and `delivered` have the stem of `deliver`."""
        word = self._irregular.get(word, word)
        if len(word) <= 3 or word in _UNCHANGED:
            return word
        word = self._irregular.get(singular := _singular(word), singular)
        for suffix, least in (("ation", 5), ("ment", 4), ("ness", 4), ("ly", 4), ("ing", 3), ("ed", 3)):
            base = word.removesuffix(suffix)
            if base != word and len(base) >= least and _VOWELS.search(base) and not word.endswith("eed"):
                word = base
                if suffix in ("ing", "ed") and base[-1] == base[-2] and base[-1] not in "lsz":
                    word = base[:-1]
                break
        word = self._irregular.get(word, word)
        if len(word) > 3 and word[-1] == "e":
            return word[:-1]
        return f"{word[:-1]}i" if len(word) > 3 and word[-1] == "y" and word[-2] not in "aeou" else word


def _singular(word: str) -> str:
    if word.endswith("ies") and len(word) > 4:
        return f"{word[:-3]}y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1] if word.endswith("s") and not word.endswith(("ss", "us", "is")) else word


def plain(text: str) -> str:
    """Return a text in lower case, without accents, with straight apostrophes, its slots as tokens."""
    text = text[-MAX_LENGTH:].replace("\u2019", "'").lower()
    if not text.isascii():
        text = unicodedata.normalize("NFKD", text)
        text = "".join(char for char in text if not unicodedata.combining(char))
    return SLOT.sub(r"_\1", text) if "{" in text else text


def with_value_tokens(text: str) -> str:
    """Return a text in which each value is replaced by the token of its kind: `half past nine` by `_time`."""
    for pattern, token in _VALUES:
        text = pattern.sub(token, text)
    return text


def terms(stems: list[str], ordinary: frozenset[str]) -> list[str]:
    """Return the terms to compare: stems that are not ordinary, and all pairs of neighbouring stems."""
    pairs = [f"{first} {second}" for first, second in pairwise(stems)]
    return [stem for stem in stems if stem not in ordinary] + pairs

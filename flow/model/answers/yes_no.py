"""Yes and no, as people say them, and facts that answer a question with either."""

import re
from collections.abc import Sequence
from functools import lru_cache

from dryline.flow.model.answers.meaning import meant_answer
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.bounds import read_bounds, said_number
from dryline.flow.model.kinds import LANGUAGES, alternatives, label_of, pattern_of, read_values

_ENDS_ASSENT = re.compile(  # "I have", "I did it", "I do have one", but not "I have a question"
    r"\s*(?:$|[,.;!]|(?:it|one|that|them|some|mine|so|have|already|just|indeed|in|last|once|two|three|both)\b)", re.I
)
_LOOSE_YES = {"right", "great", "perfect", "fine", "please", "true", "correct", "sure", "totally", "exactly", "ok"}
_LOOSE_YES |= {"okay", "richtig", "passt", "gut", "perfecto", "si"}
_OPENS = re.compile(r"(?:^|(?<=[,.;!?]))\s*(?:(?:oh|well|um|uh|and|so|yes|that's|that is)\s*)+$", re.IGNORECASE)
_FIRST_YES = re.compile(
    r"\W*(?:um |uh |well,? |oh,? )*(?:yes|yeah|yep|yup|sure|ja|s\u00ed|"
    r"(?:absolutely|of course|(?:i|we) (?:did|do|have|am|are))(?! not))\b",
    re.IGNORECASE,
)
_ASKING_BACK = re.compile(r"(?:(?<=[,.;!])|^)[^,.;!?]*\?\s*$")
_COMMON = {"want", "have", "does", "they", "with", "this", "that", "like", "wants", "needs", "need", "complete"}
_COMMON |= {"user", "caller", "customer", "would", "there", "their", "them", "from", "your"}


@lru_cache(maxsize=2 * len(LANGUAGES))
def _answers(side: str, language: str) -> re.Pattern[str]:
    words = "|".join(dict.fromkeys((alternatives(side, language), alternatives(side))))
    return re.compile(rf"\b(?:{words})\b", re.IGNORECASE)


def _is_assent(match: re.Match[str]) -> bool:
    """Return whether a word such as "right" or "please" agrees: at the begin of a clause, or as its end."""
    before, behind = match.string[: match.start()], match.string[match.end() :]
    if re.match(r"(?:i|we|they|it) ", match[0], re.IGNORECASE):
        return _ENDS_ASSENT.match(behind) is not None
    if match[0].lower() not in _LOOSE_YES:
        return True
    return not re.search(r"[^\s,.;!?-]\s*$", _OPENS.sub("", before)) or not re.match(r"\s*\w", behind)


def yes_or_no(text: str, language: str) -> bool | None:
    """Return whether a text says yes or no; None if it says neither."""
    if pattern_of("undecided").search(text):
        return None
    rest, positive = pattern_of("no_as_yes").subn(" ", text)
    if pattern_of("polite_no").search(rest):
        return False
    denial = _answers("no", language).search(rest)
    assent = next((each for each in _answers("yes", language).finditer(rest) if _is_assent(each)), None)
    if denial:
        return bool(assent and _FIRST_YES.match(rest))
    return True if assent or positive else None


def find_yes_no(utterances: Sequence[Utterance], key: str, question: str, siblings: Sequence[str] = ()) -> bool | None:
    """Return the answer to a yes-or-no question, the newest one that is about the key or answers the agent."""
    language = utterances[0].language if utterances else "en"
    is_one_of_several = any(_mentions(question, _topic(each, "", language)) for each in siblings if each != key)
    topic = _topic(key, "" if is_one_of_several else question, language)
    for utterance in utterances:
        is_yes = pattern_of("no_as_yes").search(utterance.text)
        said = utterance.text if is_yes else _ASKING_BACK.sub("", utterance.text)
        about_topic = _mentions(said, topic)
        answers = not utterance.question or _mentions(utterance.question, topic) or len(utterances) == 1
        part = _clause_about(said, topic, is_one_of_several) if about_topic else said
        if (about_topic or answers) and (fact := _fact(part, key, "" if is_one_of_several else question)) is not None:
            return fact
        answer = yes_or_no(part, utterance.language)
        if answer is None and not about_topic and answers and not is_one_of_several and len(utterances) == 1:
            answer = meant_answer(utterance)
        if about_topic:
            return answer is not False
        if answer is not None and (len(said.split()) <= 6 or (answers and not is_one_of_several)):
            return answer
    return None


@lru_cache(maxsize=256)
def _topic(key: str, question: str, language: str) -> frozenset[str]:
    words = {*label_of(key).split(), *re.findall(r"\w+", question.lower())}
    agreement = {*read_values(language)["kinds"]["yes_no"]["keys"], "confirm", "agree", "accept"}
    return frozenset(_stem(word) for word in words - _COMMON - agreement if len(word) > 3)


def _fact(text: str, key: str, question: str) -> bool | None:
    """Return what a fact says to a question: "we rent" is a no to "Do they own their home?"."""
    if (bounds := read_bounds(question)) and (number := said_number(text)) is not None:
        return bounds[0] <= number <= bounds[1]
    words = {*label_of(key).split(), *re.findall(r"\w+", question.lower())}
    folded = text.casefold().replace("\u2019", "'")
    for fact in read_values()["facts"]:
        yes, no = (max(folded.rfind(each) for each in fact[side]) for side in ("yes", "no"))
        if words & {*fact["topics"]} and yes != no:
            return bool(yes > no)
    return None


def _stem(word: str) -> str:
    return re.sub(r"(?:ance|ed|ing|es|s|e)$", "", word)[:8]


def _mentions(text: str, topic: frozenset[str]) -> bool:
    return any(_stem(word) in topic for word in re.findall(r"\w+", text.lower()))


def _clause_about(text: str, topic: frozenset[str], is_short: bool) -> str:
    """Return the sentence that mentions the topic, with a bare yes or no before it."""
    clauses = re.split(r"(?<=[.;!?])\s+|\bbut\b" + (r"|,\s|\band\b" if is_short else ""), text)
    named = [index for index, clause in enumerate(clauses) if _mentions(clause, topic)]
    start = named[0] if named else 0
    while start > 0 and len(clauses[start - 1].split()) <= (1 if is_short else 2):
        start -= 1
    return " ".join(clauses[start : named[-1] + 1]) if named else text

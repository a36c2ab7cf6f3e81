"""Yes and no, as people say them, and numbers that answer a question with either."""

import re
from collections.abc import Sequence
from functools import lru_cache

from dryline.flow.model.answers.choices import meant
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.bounds import read_bounds, said_number
from dryline.flow.model.kinds import form, label_of, pattern_of, read_values

_ASKING_BACK = re.compile(r"(?:(?<=[,.;!])|^)[^,.;!?]*\?\s*$")


def find_yes_no(slot: Slot, utterances: Sequence[Utterance]) -> bool | None:
    """Return the answer to a yes-or-no question, the newest one that is about the key or answers the agent."""
    beside = [_stems(label_of(key)) for key in slot.members if key != slot.key]
    is_one_of_several = any(_stems(slot.question) & each for each in beside)
    question = f"{label_of(slot.key)} {'' if is_one_of_several else slot.question}"
    topic, bounds = _stems(question), read_bounds(question)
    for utterance in utterances:
        is_yes = pattern_of("no_as_yes").search(utterance.text)
        said = utterance.text if is_yes else _ASKING_BACK.sub("", utterance.text)
        about_topic = bool(_stems(said) & topic)
        is_answer = not utterance.question or bool(_stems(utterance.question) & topic) or len(utterances) == 1
        part = _clause_about(said, topic, is_one_of_several) if about_topic else said
        if bounds and (about_topic or is_answer) and (number := said_number(part)) is not None:
            return bounds[0] <= number <= bounds[1]
        answer = _yes_or_no(part, utterance.language)
        if about_topic:
            return answer is not False
        if answer is None and is_answer and not is_one_of_several and len(utterances) == 1:
            index = meant(["caller agrees", "caller declines"], utterance)  # "count me in"
            answer = None if index is None else index == 0
        if answer is not None and (len(said.split()) <= 6 or (is_answer and not is_one_of_several)):
            return answer
    return None


def _yes_or_no(text: str, language: str) -> bool | None:
    """Return whether a text says yes or no; None if it says neither."""
    if pattern_of("undecided").search(text):
        return None
    rest, positive = pattern_of("no_as_yes").subn(" ", text)
    if pattern_of("polite_no").search(rest):
        return False
    sides = {
        side: [pattern_of(side), *([pattern_of(side, language)] if language != "en" else [])] for side in ("yes", "no")
    }
    if any(pattern.search(rest) for pattern in sides["no"]):
        return form("first_yes").match(rest) is not None
    assent = any(_is_assent(match) for pattern in sides["yes"] for match in pattern.finditer(rest))
    return True if assent or positive else None


def _is_assent(match: re.Match[str]) -> bool:
    """Return whether a word such as "right" or "please" agrees: at the begin of a clause, or as its end."""
    before, behind = match.string[: match.start()], match.string[match.end() :]
    if re.match(r"(?:i|we|they|it) ", match[0], re.IGNORECASE):
        return form("ends_assent").match(behind) is not None
    if match[0].lower() not in read_values()["loose_yes"]:
        return True
    return not re.search(r"[^\s,.;!?-]\s*$", form("opens_clause").sub("", before)) or not re.match(r"\s*\w", behind)


@lru_cache(maxsize=512)
def _stems(text: str) -> frozenset[str]:
    """Return the stems of the words of a text that tell what it is about."""
    words = {*re.findall(r"\w{4,}", text.lower())} - {*read_values()["no_topics"]}
    return frozenset(re.sub(r"(?:ance|ed|ing|es|s|e)$", "", word)[:8] for word in words)


def _clause_about(text: str, topic: frozenset[str], is_short: bool) -> str:
    """Return the sentence that mentions the topic, with a bare yes or no before it."""
    clauses = re.split(r"(?<=[.;!?])\s+|\bbut\b" + (r"|,\s|\band\b" if is_short else ""), text)
    named = [index for index, clause in enumerate(clauses) if _stems(clause) & topic]
    if not named:
        return text
    start = named[0]
    while start > 0 and len(clauses[start - 1].split()) <= (1 if is_short else 2):
        start -= 1
    return " ".join(clauses[start : named[-1] + 1])

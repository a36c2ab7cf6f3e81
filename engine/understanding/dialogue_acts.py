"""Dialogue acts of an utterance, clause by clause: yes and no, questions, requests, denials."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from dryline.engine.understanding.lexicon import lexicon
from dryline.engine.understanding.words import Vocabulary, plain, with_value_tokens
from dryline.flow.model.answers.number_words import to_digits
from dryline.flow.model.kinds import read_values

_CLAUSES, _STEMS, _LONGEST_ANSWER = 8, 80, 8
_CLAUSE_END = re.compile(
    r"([?])|[.;!]+(?!\d)|,(?!\d)| - |\b(?:because|although|though|while)\b"
    r"|\b(but|however|instead|actually|pero|aber|sondern)\b"
    r"|\band (?=(?:i|we|can|could|do|my|it|what|how|please|then|yes|no)\b)"
)
_QUESTION = re.compile(
    r"^(?:and |so |but |well |oh |okay |hi |hello |hey )*(?:what|when|where|who|why|how|which|whose|is|are|do|does|did"
    r"|has|have you|was|were|will|am i|can (?:i|you|we) (?:find|see|tell)|any"
    r"|wann|wo|was|wie|warum|wer|cuando|donde|que|como|cual|cuanto)\b"
)
_REQUEST = re.compile(
    r"\b(?:can|could|may|might|would|will) (?:i|we|you|somebody|someone|anybody|it)\b|\bi (?:wonder|was wonder)"
)
_OPEN_QUESTION = re.compile(r"(?:and |so |but |well |okay )*(?:what|when|where|who|why|which|how(?! about))\b")
# "No, we rent" is spoken like "no surveys": what follows tells whether it is an answer.
_AFTER_NO = {
    *(
        "i",
        "we",
        "it",
        "that",
        "thank",
        "not",
        "you",
        "he",
        "she",
        "they",
        "the",
        "my",
        "be",
        "this",
        "_day",
        "pleas",
        "bye",
        "goodby",
    ),
}
_SHIFTS = {"but", "however", "instead", "actually", "pero", "aber", "sondern"}


@dataclass(frozen=True, slots=True)
class Clause:
    """A part of an utterance. `weight` is lower where a later clause begins with "but"."""

    stems: tuple[str, ...]
    is_question: bool
    is_request: bool
    is_negated: bool
    yes: bool
    no: bool
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class ParsedUtterance:
    """An utterance of a caller with its dialogue acts. `rest` is the text besides a yes or a no."""

    text: str
    whole: Clause
    clauses: tuple[Clause, ...]
    yes: float
    no: float
    rest: tuple[Clause, ...]
    is_courtesy: bool  # nothing but "thank you very much" or "oh, well"


@dataclass(frozen=True, slots=True)
class _Answers:
    """Sequences of stems that answer a question by themselves."""

    yes: frozenset[tuple[str, ...]]
    no: frozenset[tuple[str, ...]]
    fillers: frozenset[tuple[str, ...]]
    harmless: frozenset[tuple[str, ...]]  # hold a negation that denies nothing


@lru_cache(maxsize=3)
def _answers(language: str) -> _Answers:
    vocabulary = lexicon(language).vocabulary
    values = read_values(language)
    idioms = vocabulary.idioms

    def sequences(texts: Iterable[str]) -> frozenset[tuple[str, ...]]:
        return frozenset(tuple(vocabulary.stems(text)) for text in texts)

    single = vocabulary.negations
    negative = [
        text for text in values.get("no", []) if text not in ("not", "never", "without", "nothing", "false", "skip")
    ]
    return _Answers(
        yes=sequences([*values.get("yes", []), *(text for text, meaning in idioms.items() if meaning == "yes")]),
        no=sequences([*negative, *(text for text, meaning in idioms.items() if meaning == "no")]),
        fillers=sequences(
            [*values.get("fillers", []), "very much", "so much", "a lot", "sir", "that", "it", "is", "i", "please"]
        ),
        harmless=sequences(text for text, meaning in idioms.items() if meaning != "no" and single & set(text.split())),
    )


def read_utterance(text: str, language: str) -> ParsedUtterance:
    """Return an utterance with its clauses and what they do."""
    vocabulary = lexicon(language).vocabulary
    lower = with_value_tokens(to_digits(plain(text), language))
    start, shifted_at = 0, 0
    clauses: list[Clause] = []
    for end in [*_CLAUSE_END.finditer(lower), None]:
        piece = lower[start : end.start() if end else len(lower)]
        stems = vocabulary.stems(piece)[:_STEMS]
        if stems:
            clauses.append(_clause(stems, piece, bool(end and end[1]), language))
        if end is not None:
            start = end.end()
            if end[2] in _SHIFTS and clauses:
                shifted_at = len(clauses)
    clauses = clauses[:_CLAUSES]
    clauses = [
        _with_weight(clause, 0.7) if index < shifted_at and len(clauses) > shifted_at else clause
        for index, clause in enumerate(clauses)
    ]
    all_stems = vocabulary.stems(lower)[:_STEMS]
    whole = _clause(all_stems, lower, lower.rstrip().endswith("?"), language)
    yes, no, rest = _answer(clauses, vocabulary)
    is_courtesy = not (yes or no) and not _without(all_stems, _answers(language).fillers)
    return ParsedUtterance(text, whole, tuple(clauses), yes, no, tuple(rest), is_courtesy)


def is_bare_yes(text: str, language: str) -> bool:
    """Return whether a text is a yes and nothing else."""
    utterance = read_utterance(text, language)
    return utterance.yes > utterance.no and not utterance.rest


def is_bare_no(text: str, language: str) -> bool:
    """Return whether a text is a no and nothing else."""
    utterance = read_utterance(text, language)
    return utterance.no > utterance.yes and not utterance.rest


def is_bare_value(text: str, language: str) -> bool:
    """Return whether a text is a number, a date or the like, and says nothing about it."""
    stems = read_utterance(text, language).whole.stems
    left = _without(list(stems), _answers(language).fillers)
    return bool(left) and all(stem.startswith("_") for stem in left)


def _clause(stems: list[str], text: str, ends_as_question: bool, language: str) -> Clause:
    answers = _answers(language)
    vocabulary = lexicon(language).vocabulary
    is_request = bool(_REQUEST.search(text)) and not _OPEN_QUESTION.match(text.strip())
    denying = _without(stems, answers.harmless)
    return Clause(
        stems=tuple(stems),
        is_question=(ends_as_question or bool(_QUESTION.match(text.strip()))) and not is_request,
        is_request=is_request,
        is_negated=bool(vocabulary.negations & set(denying)),
        yes=_consists_of(stems, answers.yes, answers.fillers) and not ends_as_question,
        no=_consists_of(stems, answers.no, answers.fillers),
    )


def _with_weight(clause: Clause, weight: float) -> Clause:
    return Clause(clause.stems, clause.is_question, clause.is_request, clause.is_negated, clause.yes, clause.no, weight)


def _answer(clauses: list[Clause], vocabulary: Vocabulary) -> tuple[float, float, list[Clause]]:
    """Return how clearly the clauses say yes and no, and the clauses that say more."""
    yes = no = 0.0
    strong = False
    rest = []
    for index, clause in enumerate(clauses):
        first = clause.stems[0]
        strong = strong or first in vocabulary.yes or len(clause.stems) > 1
        if clause.no:
            no = max(no, clause.weight if not yes else 0.5)
        elif clause.yes:
            yes = max(yes, clause.weight if not no else 0.4)
        else:
            rest.append(clause)
            if index == 0 and first in vocabulary.yes:
                yes = 0.9
            elif index == 0 and first in vocabulary.no and not _AFTER_NO.isdisjoint(clause.stems[1:2]):
                no = 0.9
    # "Right, …" and "okay, …" only say that the speaker has listened.
    return (yes if strong or not rest else 0.4 * yes), no, rest


def _without(stems: list[str], sequences: frozenset[tuple[str, ...]]) -> list[str]:
    """Return the stems without the sequences, the longest ones first."""
    index, left = 0, []
    while index < len(stems):
        lengths = (size for size in range(_LONGEST_ANSWER, 0, -1) if tuple(stems[index : index + size]) in sequences)
        length = next(lengths, 0)
        if not length:
            left.append(stems[index])
        index += length or 1
    return left


def _consists_of(stems: list[str], answers: frozenset[tuple[str, ...]], fillers: frozenset[tuple[str, ...]]) -> bool:
    """Return whether nothing but answers and fillers is in the stems, and at least one answer."""
    if len(stems) > 12:
        return False
    left = _without(stems, answers)
    return len(left) < len(stems) and not _without(left, fillers)

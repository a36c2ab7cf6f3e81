"""Conditions that a yes or a no satisfies: it answers the agent's last question."""

import re
from collections.abc import Sequence
from functools import lru_cache

from dryline.engine.understanding.conditions import ConditionPart
from dryline.engine.understanding.dialogue_acts import ParsedUtterance
from dryline.engine.understanding.given_values import needs_value
from dryline.engine.understanding.lexicon import Lexicon
from dryline.engine.understanding.menus import Menu
from dryline.engine.understanding.options import options_of_question
from dryline.engine.understanding.words import split_sentences

_NAMES = re.compile(r"(?<=[a-z,] )[A-Z][\w'-]+")
# A question that a bare yes or no does not answer. "How about Monday?" and "How does that sound?" can be answered so.
_OPEN_QUESTION = re.compile(
    r"(?:^|[,;:.!] )(?:so |and |hi |hello |okay )*"
    r"(?:what(?! about| if)|when|where|who|why|which|how(?! about| does| is| are| would))\b[^,:]*(?::[^?]*)?\?$"
)
_EITHER = re.compile(r"\bor\b(?! (?:not|more|so|less)\b)")
_POINTS_BACK = re.compile(r"\b(?:that|it|this|so|them|these|those|which)\b")
_IS_ME = re.compile(
    r"\b(?:this is|i am|i'm|it's|it is) (?P<name>[\w'-]+)"
    r"|\b(?:that's|that is|that would be|it's|it is) (?:me|him|her)\b",
    re.IGNORECASE,
)
_MORE = re.compile(
    r"\b(?:anything|something) (?:else|more)\b|\b(?:any|other|more) questions\b"
    r"|^(?:can|may|could) (?:I|we) (?:help|assist)\b|\b(?:sonst|noch) (?:noch )?(?:etwas|was)\b|\balgo más\b",
    re.IGNORECASE,
)
# "I did that" answers "did you?", and says nothing about whether it helped.
_ABOUT_STEP = re.compile(
    r"\b(?:did|have|can|could|will|would|are) you\b|\byou\b.*\b(?:done|ready|tried)\b", re.IGNORECASE
)
_LEAST_IN_OTHER_WORDS = 0.7
_STEP, _STEP_IS_SURE = "step_done", 0.85
_ENDS, _NO_MORE = ("goodbye", "finish_order"), 0.9
_ALL_WORDS = 4  # of a question, to be found in a longer one
_IS_PERSON, _ANY_YES = 0.5, 0.95  # claims of a condition


def asks_for_more(question: str) -> bool:
    """Return whether a yes to a question means that the caller has a request: "Is there anything else?"."""
    return bool(_MORE.search(question))


def last_question(agent: str) -> str:
    """Return the agent's question, with the sentence before it where the question only points back."""
    sentences = [sentence for sentence in split_sentences(agent) if sentence]
    if not sentences:
        return ""
    at = max((index for index, each in enumerate(sentences) if each.endswith("?")), default=len(sentences) - 1)
    if asks_for_more(sentences[at]):
        return sentences[at]
    points_back = len(sentences[at].split()) < 5 or re.search(_POINTS_BACK, sentences[at].lower())
    return " ".join(sentences[max(0, at - 1) : at + 1]) if points_back and at else sentences[at]


def answers(
    menu: Menu, utterance: ParsedUtterance, question: str, best_of_rest: float, lexicon: Lexicon
) -> list[tuple[float, bool]]:
    """Return for each condition how surely the yes or no means it, and whether it says the opposite.

    `best_of_rest` is the best score of what was said beside the yes or no.
    """
    rest_value = best_of_rest if utterance.rest else 0.0
    weight = 0.97 if not utterance.rest else 0.88 if rest_value < 0.5 else 0.6
    if question and _OPEN_QUESTION.search(question.lower()) and rest_value < 0.5:
        weight *= 0.3
    if any(clause.no and clause.weight < 1 for clause in utterance.clauses):
        weight = 0.5  # "not today, but …"
    says_yes = utterance.yes >= utterance.no
    strength = weight * (utterance.yes if says_yes else utterance.no)
    stems = lexicon.vocabulary.stems(question)
    chooses_none = says_yes and len(options_of_question(question)) > 1
    result = []
    for index, parts in enumerate(menu.parts):
        meaning = _answer(menu, index, parts, stems, "" if chooses_none else question, says_yes, lexicon)
        is_opposite = meaning == 0 and (not utterance.rest or _contradicts(parts, stems, menu, says_yes, lexicon))
        result.append((strength * meaning, is_opposite))
    return result


def named_alternatives(menu: Menu, stems: Sequence[str], text: str, lexicon: Lexicon) -> list[int]:
    """Return the conditions that a text with "or" names; a yes to "By card or online?" means neither of the two."""
    if not _EITHER.search(text):
        return []
    return [
        index
        for index, (part, *_) in enumerate(menu.parts)
        if not part.is_negated and lexicon.coverage(part.words, tuple(stems), menu.word_weights) >= 0.5
    ]


@lru_cache(maxsize=256)
def intents_of_answers(question: str, lexicon: Lexicon) -> tuple[frozenset[str], frozenset[str]]:
    """Return the intents that a yes to a question means, and those that a no means."""
    intents = lexicon.intents.values()
    yes = (each.name for each in intents if any(_is_like(question, other, lexicon) for other in each.yes_to))
    no = (each.name for each in intents if any(_is_like(question, other, lexicon) for other in each.no_to))
    return frozenset(yes), frozenset(no)


def only_reports_step(utterance: ParsedUtterance, question: str, intents: dict[str, float]) -> bool:
    """Return whether the user says that a step is done, where the agent asked what came of it: "Did that help?"."""
    is_step = intents.get(_STEP, 0.0) >= max([_STEP_IS_SURE, *intents.values()])
    return is_step and len(utterance.whole.stems) > 1 and not _ABOUT_STEP.search(question)


def answer_in_other_words(
    utterance: ParsedUtterance, question: str, intents: dict[str, float], lexicon: Lexicon
) -> tuple[float, float]:
    """Return how clearly an utterance says yes and no: "still jammed" is a no to "Did that help?"."""
    if utterance.yes or utterance.no:
        return utterance.yes, utterance.no
    if asks_who(question, lexicon) and _is_name_of(utterance, question):
        return 1.0, 0.0
    if utterance.whole.is_question or utterance.whole.is_request or not question.endswith("?"):
        return 0.0, 0.0
    yes, no = (
        max((intents.get(name, 0.0) for name in names), default=0.0) for names in intents_of_answers(question, lexicon)
    )
    if max(yes, no) < _LEAST_IN_OTHER_WORDS:
        return 0.0, 0.0
    return (yes, 0.0) if yes > no else (0.0, no)


def _contradicts(parts: list[ConditionPart], stems: list[str], menu: Menu, says_yes: bool, lexicon: Lexicon) -> bool:
    """Return whether a condition says the opposite of the answer to the agent's question."""
    about = [part for part in parts if lexicon.coverage(part.words, tuple(stems), menu.word_weights) >= 0.6]
    if says_yes:
        return any(part.is_negated for part in about)
    return bool(about) and not any(part.is_negated or part.asks or part.wants for part in parts)


def _answer(
    menu: Menu,
    index: int,
    parts: list[ConditionPart],
    stems: list[str],
    question: str,
    says_yes: bool,
    lexicon: Lexicon,
) -> float:
    """Return how surely a yes, or a no, to a question satisfies a condition."""
    best = 0.0
    if says_yes and asks_who(question, lexicon) and not _is_met_by_yes_to_who(menu.claims[index], parts):
        return 0.0
    rivals = sum(any(part.affirms if says_yes else part.denies for part in each) for each in menu.parts)
    for part in parts:
        about = lexicon.coverage(part.words, tuple(stems), menu.word_weights)
        if part.affirms if says_yes else part.denies:
            if part.quote is not None:
                quoted = tuple(lexicon.vocabulary.content(lexicon.vocabulary.stems(part.quote)))
                best = max(best, 0.98 if lexicon.coverage(quoted, tuple(stems), {}) >= 0.5 else 0.3)
            else:
                best = max(best, 0.95 if rivals == 1 else 0.78 + 0.2 * about)
        elif says_yes and needs_value(part.gives):
            continue
        elif question and says_yes != part.is_negated and not (part.denies and says_yes) and not part.asks:
            best = max(best, 0.9 * about if about >= 0.5 else 0.0)
    if not says_yes and (asks_for_more(question) or not question.endswith("?")):  # "no, thanks" to a statement
        best = max([best, *(_NO_MORE * menu.claims[index].get(intent, 0.0) for intent in _ENDS)])
    meant = intents_of_answers(question, lexicon)[0 if says_yes else 1]
    claims = menu.claims[index]
    return max([best, *(0.9 * claims[intent] for intent in meant & claims.keys() if claims[intent] >= 0.5)])


def asks_who(question: str, lexicon: Lexicon) -> bool:
    """Return whether the agent asks for a person: a yes to "Is this Ana?" agrees to nothing else."""
    return "confirm_identity" in intents_of_answers(question, lexicon)[0]


def _is_name_of(utterance: ParsedUtterance, question: str) -> bool:
    """Return whether a caller says that they are the person for whom the agent asks: "this is Ada", "that's me"."""
    if utterance.whole.is_negated or utterance.whole.is_question:
        return False
    names = {name.lower() for name in _NAMES.findall(question)}
    said = _IS_ME.search(utterance.text)
    return said is not None and (said["name"] is None or said["name"].lower() in names)


def _is_met_by_yes_to_who(claims: dict[str, float], parts: list[ConditionPart]) -> bool:
    """Return whether a condition is that the right person was reached, or any yes."""
    others = [claim for intent, claim in claims.items() if intent not in ("agree", "confirm_identity")]
    is_person = claims.get("confirm_identity", 0.0) >= max([_IS_PERSON, *others])
    return is_person or claims.get("agree", 0.0) >= _ANY_YES or any("yes" in part.words for part in parts)


def _is_like(question: str, other: str, lexicon: Lexicon) -> bool:
    """Return whether a sentence of a question has most words in common with another, or all of them.

    Names and values may differ.
    """
    others = _words(other, lexicon)
    sentences = [_words(sentence, lexicon) for sentence in re.split(r"(?<=[.!?])\s+|,", question)]
    if len(others) >= _ALL_WORDS and any(others <= words for words in sentences):
        return True
    return any(others and len(words & others) >= 0.55 * len(words | others) for words in sentences)


@lru_cache(maxsize=4_096)
def _words(text: str, lexicon: Lexicon) -> frozenset[str]:
    without_names = _NAMES.sub("", text)
    return frozenset(stem for stem in lexicon.vocabulary.stems(without_names) if stem[0] != "_")

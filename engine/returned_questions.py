"""Answers to a question that a `return` handed back: they satisfy the condition whose block asked it."""

import re
from datetime import UTC, datetime

from dryline.engine.events import last_agent_text
from dryline.engine.language_model import NOT_SAID, Question, Talk
from dryline.engine.understanding.dialogue_acts import read_utterance
from dryline.engine.understanding.options import options_of_question
from dryline.engine.understanding.yes_or_no import asks_for_more, last_question
from dryline.flow.model.answers.filling import fill
from dryline.flow.model.answers.finders import MISSING, find_value
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance
from dryline.flow.model.kinds import kind_of_question, language_of

_INVITES = re.compile(
    r"\b(?:anything|something|what) (?:else|more)\b|\bother questions?\b"
    r"|\b(?:can|may|could) (?:I|we) (?:\w+ )?(?:help|assist|do)\b|\bwhat (?:is it|would you like to do)\b"
    r"|\bwhat (?:do you need|brings you|seems to be|is (?:the|your) (?:matter|problem|trouble|reason|question))\b"
    r"|\b(?:sonst|sonst noch|noch) (?:etwas|was)\b|\b(?:was|wie) kann ich\b|\bworum geht\b"
    r"|\bwas Sie (?:möchten|brauchen|wünschen)\b|\bqué (?:necesita|desea|quiere)\b|\bwhat you (?:need|want)\b"
    r"|\balgo más\b|\bqué (?:puedo|más)\b|\ben qué\b|\bde qué se trata\b",
    re.IGNORECASE,
)


def invites_any_request(question: str) -> bool:
    """Return whether a question names no matter of its own, such as "Is there anything else?"."""
    return bool(_INVITES.search(question) or asks_for_more(question))


def answers_returned_question(talk: Talk, said: str) -> bool:
    """Return whether the user's words answer the question that the block of a condition has just handed back."""
    agent = last_agent_text(talk.messages)
    question = last_question(agent)
    if talk.returned is None or not question.endswith("?") or invites_any_request(question):
        return False
    language = language_of(f"{talk.prompt} {agent} {said}")
    utterance = read_utterance(said, language)
    if utterance.is_courtesy or utterance.whole.is_question:
        return False
    about = f"Agent: {' '.join(question.split())}\nUser: {' '.join(said.split())}"
    for ask in talk.returned.unanswered:
        shape = Question(about, ask["question"], ask["example"], ask["schema"], now=talk.now)
        how = fill(shape)[1]
        if any(how.get(path, NOT_SAID) != NOT_SAID for path in ask["missing"]):
            return True
    return not talk.returned.unanswered and _has_value(question, Utterance(said, question, language), talk.now)


def _has_value(question: str, utterance: Utterance, now: datetime | None) -> bool:
    """Return whether an utterance has a value of the kind that a question names, or one of its options."""
    options = options_of_question(question) if not kind_of_question(question) else []
    if not options and not kind_of_question(question):
        return False
    slot = Slot(None, choices=options or None, question=question)
    return find_value(slot, [utterance], now or datetime.now(UTC)) is not MISSING

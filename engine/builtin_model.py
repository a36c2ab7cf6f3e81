"""The judge without a model. It decides the same way each time: contract/based.md, section 3."""

from __future__ import annotations

import re
from typing import Any

from dryline.engine.answer_filling import fill
from dryline.engine.caller_utterances import base
from dryline.engine.conversation import function_of
from dryline.engine.intent_matching import Likeness, is_assent
from dryline.engine.language_model import Answer, Decision, Question, Talk, Words

ENOUGH = 0.3  # of a condition that has to be said
_CLEAR = 0.05  # by how much more of it than of the next
_USER = "(?:the |a )?(?:user|caller|customer|patient|client|guest|driver|contact|person|lead)"
_NAMED = r" (?-i:[A-Z])[\w.'-]*(?: (?-i:[A-Z])[\w.'-]*){0,2}(?= (?:to|for|about|whether|if|which|what|when|how|two)\b)"
_ASKS = re.compile(
    r"\b(?:ask|collect|get|find out|gather|request|obtain|confirm)\b"
    rf"(?: (?:{_USER}|them|him|her)\b|{_NAMED})?"
    r"(?: for| about| to (?P<do>[a-z]+))?"
    r" (?P<what>(?:[^.!?\n;:]|[.:](?=\d)){3,90})",
    re.IGNORECASE,
)
_OFFERS = re.compile(
    rf"\b(?:offer|propose|suggest)\b(?: (?:{_USER}|them|him|her)\b|{_NAMED})?"
    r" (?P<what>(?:[^.!?\n;:,]|[.:](?=\d)){3,90})",
    re.IGNORECASE,
)
_OF_USER = re.compile(rf"\b{_USER}['\u2019]s\b", re.IGNORECASE)
_USER_DOES = re.compile(rf"\b(?:{_USER}|they|he|she) (?P<verb>[a-z]+)\b", re.IGNORECASE)
_BE = {"is": "are", "was": "were", "has": "have", "does": "do"}
_OPENINGS = ("How can I help you?", "What can I do for you?", "Tell me, what is it about?")
_GOING_ON = ("Please go on.", "I see. What would you like to do?", "All right. What else can you tell me?")
_AGAIN = (
    "Sorry, I did not quite get that. {}",
    "I am not sure that I understood. {}",
    "Could you say that in other words? {}",
)
_YOURS = {"their": "your", "they": "you", "them": "you", "his": "your", "her": "your", "if": "whether"}


class BuiltInJudge:
    """See language_model.Judge."""

    def __init__(self) -> None:
        self._likeness = Likeness()

    def choose(self, talk: Talk, said: str) -> Decision:
        heard, why = said, "most of what it names was said"
        scores = self._likeness.scores(heard, talk.conditions)
        if max(scores, default=0) < ENOUGH and is_assent(said):
            asked = next((message.text for message in reversed(talk.messages) if message.who == "agent"), "")
            heard, why = f"{said} {asked}", "the user said yes to what the agent asked"
            scores = self._likeness.scores(heard, talk.conditions)
        best = max(range(len(scores)), key=scores.__getitem__, default=None)
        if best is None or scores[best] < ENOUGH:
            return Decision(None, "No condition is like what was said.", 0.0)
        alike = _nearest(scores, best)
        if len(alike) > 1:
            # A word itself says more than one that means the same: whoever cancels an appointment does not book one.
            literal = self._likeness.scores(heard, talk.conditions, synonyms=False)
            best = max(alike, key=literal.__getitem__)
            alike = [index for index in _nearest(literal, best) if index in alike]
        if len(alike) > 1:
            either = " and ".join(repr(talk.conditions[index]) for index in alike[:2])
            return Decision(None, f"What was said is as much like {either}.", 0.0)
        arguments = self.arguments(talk, best, said)
        return Decision(best, f"Of the {len(scores)}, {why}.", scores[best], arguments=arguments)

    def arguments(self, talk: Talk, index: int, said: str) -> dict[str, Any]:
        """What a tool among the conditions is called with; empty for a text."""
        if index not in talk.tools:
            return {}
        schema = function_of(talk.tools[index]).get("parameters")
        asked = Question(f"User: {said}", talk.conditions[index], schema=schema or {}, random=talk.random)
        value, _ = fill(asked)
        return value if isinstance(value, dict) else {}

    def reply(self, talk: Talk, said: str | None) -> Words:
        question = _question_of(talk)
        if said is not None:
            return Words(talk.random.choice(_AGAIN).format(question), how="no condition was met")
        if talk.note:
            return Words(_question_in(talk.note) or talk.note, how="what return handed back")
        return Words(question, how="the prompt")

    def ask(self, question: Question) -> Answer:
        value, how = fill(question)
        return Answer(value, how)

    def summarize(self, question: Question) -> Words:
        lines = [line for line in question.about.splitlines() if line.strip()]
        said = [line.removeprefix("User: ") for line in lines if line.startswith("User: ")]
        return Words(" ".join(said or lines)[:400], how="what the user said")


def _nearest(scores: list[float], best: int) -> list[int]:
    """The best one and those that are no clearly worse, in their order."""
    return [index for index, score in enumerate(scores) if index == best or scores[best] - score < _CLEAR]


def _question_of(talk: Talk) -> str:
    """A short sentence that fits the prompt."""
    question = _question_in(talk.prompt)
    if question is not None:
        return question
    found = _OFFERS.search(talk.prompt)
    if found:
        return f"I can offer you {_to_user(found['what'])}."
    heard = any(message.who == "user" for message in talk.messages)
    return talk.random.choice(_GOING_ON if heard else _OPENINGS)


def _question_in(prompt: str) -> str | None:
    """What somebody asks who was told to ask for something."""
    found = _ASKS.search(prompt)
    if not found:
        return None
    does = found["do"] or ("confirm" if found[0][:7].lower() == "confirm" else "tell me")
    return f"Could you {does.lower()} {_to_user(found['what']).replace(' and to ', ' and ')}?"


def _to_user(words: str) -> str:
    """Words about the user as they are said to the user."""
    words = _OF_USER.sub("your", words)
    words = _USER_DOES.sub(lambda found: f"you {_BE.get(found['verb'].lower()) or base(found['verb'])}", words)
    return " ".join(_YOURS.get(word.lower(), word) for word in words.split()).rstrip(" ,")

"""The agent's utterances without a model: from the prompt, the conversation, and what a `return` handed back."""

from __future__ import annotations

import re
from functools import lru_cache
from random import Random

from dryline.engine.agent_frames import FRAMES
from dryline.engine.greetings import is_greeting
from dryline.engine.language_model import AgentUtterance, Talk
from dryline.engine.prompt_parts import PromptParts
from dryline.engine.prompts import read_note, read_prompt

_QUESTION = re.compile(
    r"[?¿]|^\W*(?:when|where|what|which|who|why|how|is|are|do|does|can|could|will|wann|wo|was|wie|warum|cuándo"
    r"|dónde|qué|cómo)\b",
    re.IGNORECASE,
)
# Utterances that ask the agent for nothing, or for its last words again.
_GREETING = re.compile(
    r"\W*(?:hi|hello|hey|good (?:morning|afternoon|evening|day)|hallo|guten (?:tag|morgen|abend)|hola|buen[oa]s \w+)"
    r"(?: there)?\W*",
    re.IGNORECASE,
)
_THANKS = re.compile(
    r"\W*(?:ok(?:ay)?\W+|muchas )?(?:thanks|thank you|danke|gracias)(?: (?:so much|very much|a lot|schön|sehr))?\W*",
    re.IGNORECASE,
)
_WAIT = re.compile(
    r"\W*(?:(?:just |only )?(?:one|a) (?:moment|second|minute|sec)|hold on|hang on|wait a"
    r"|let me (?:check|look|think|see)|einen (?:moment|augenblick)|moment|un momento|espere)\b.{0,30}",
    re.IGNORECASE,
)
_REPEAT = re.compile(
    r"\W*(?:what|what was that|pardon(?: me)?|sorry|excuse me|come again|wie bitte|cómo|perdón"
    r"|(?:sorry\W+)?(?:can|could) you (?:please )?(?:repeat|say) (?:that|it)(?: again)?(?:,? please)?)\W*",
    re.IGNORECASE,
)
# The words of an answer to a question that has none of its nouns.
_ANSWERS_TO = tuple(
    (re.compile(rf"\b(?:{asks})\b", re.IGNORECASE), re.compile(rf"(?:\b(?:{answers})\b|[$€£])", re.IGNORECASE))
    for asks, answers in (
        ("how much|price|cost|charge|fee|teuer|kostet|cuánto", "dollars?|euros?|free|costs?|fees?|kostenlos|gratis"),
        (
            "when|how long|how soon|wann|cuándo",
            "arrives?|minutes?|days?|hours?|weeks?|within|until|uhr|abrimos|horario",
        ),
        ("open|close|hours|geöffnet|abren|abierto", "open|hours|closed|geöffnet|öffnungszeiten|abrimos|horario"),
        ("where|address|wo|adresse|dónde|dirección", "address|street|road|avenue|located|straße|calle"),
        ("why|warum|por qué", "because|difference|reason|due to|weil|porque"),
    )
)
_LONG_REFERENCE = 6  # facts; of so many, one answers only if it has two words in common with the question
_LEAST_LETTERS = 4  # of a word that tells what a sentence is about
_STEM = 5  # letters by which two words are taken for one
_COMMON = {"what", "when", "where", "which", "there", "their", "have", "your", "with", "that", "this", "will", "would"}
_COMMON |= {"could", "does", "about", "pleas", "from", "much", "long", "they", "them", "want", "need", "know", "tell"}


def agent_line(talk: Talk, utterance: str | None) -> AgentUtterance:
    """Return the agent's next utterance. `utterance` is what the user has just said without meeting a condition."""
    parts = _read(talk.prompt)
    frames = FRAMES[parts.language]
    if utterance is None and talk.note:
        return AgentUtterance(read_note(talk.note), how="what return handed back")
    agent_said = [message.text for message in talk.messages if message.who == "agent"]
    latest = talk.messages[-1].text if talk.messages and talk.messages[-1].who == "user" else ""
    answer = _answer(parts, utterance or latest, agent_said)
    if answer is None and utterance:
        answer = statement_for(talk.first_prompt, utterance, agent_said)
    if utterance is None:
        statements = [answer] if answer else [each for each in parts.statements if not _was_said(each, agent_said)]
        line = " ".join([*statements, _question(parts, talk, agent_said)]).strip()
        if parts.greeting and not agent_said and not is_greeting(line):
            line = f"{parts.greeting} {line}"
        return AgentUtterance(line, how="the prompt")
    if act := _reply_to_act(utterance, parts, talk, agent_said):
        return AgentUtterance(act, how="no condition was met")
    upcoming = _next_question(parts, agent_said)
    if answer:
        return AgentUtterance(
            f"{answer} {upcoming or _question(parts, talk, agent_said)}", how="a statement of the prompt"
        )
    if upcoming:
        last = agent_said[-1] if agent_said else ""
        thanks = [line for line in frames.next if not last.startswith(line.format(""))]
        return AgentUtterance(talk.random.choice(thanks).format(upcoming), how="the next question of the prompt")
    question = _question(parts, talk, agent_said, again=True)
    return AgentUtterance(
        _unlike([line.format(question).strip() for line in frames.again], agent_said, talk.random),
        how="no condition was met",
    )


def statement_for(prompt: str, utterance: str, agent_said: list[str]) -> str | None:
    """Return the statement of a prompt that answers the user's question, unless it was said before."""
    return _answer(_read(prompt), utterance, agent_said)


@lru_cache(64)
def _read(prompt: str) -> PromptParts:
    return read_prompt(prompt)


def _question(parts: PromptParts, talk: Talk, agent_said: list[str], *, again: bool = False) -> str:
    """Return the prompt's question, else a general one."""
    if parts.questions:
        forms = parts.questions[-1 if again else 0]
        return forms[len(agent_said) % len(forms)] if again else forms[0]
    if parts.task is not None:
        return parts.task
    if parts.offer:
        return parts.offer if again or parts.offer not in parts.statements else ""
    frames = FRAMES[parts.language]
    if parts.is_closing:
        return talk.random.choice(frames.closings)
    if again:
        return talk.random.choice(frames.general)
    heard = any(message.who == "user" for message in talk.messages)
    return _unlike(frames.going_on if heard else frames.openings, agent_said, talk.random)


def _reply_to_act(utterance: str, parts: PromptParts, talk: Talk, agent_said: list[str]) -> str | None:
    """Return the reply to an utterance that says nothing about the matter, such as a greeting; else None."""
    frames = FRAMES[parts.language]
    if _WAIT.fullmatch(utterance):
        return frames.waiting
    if agent_said and _REPEAT.fullmatch(utterance):
        return agent_said[-1]
    for pattern, line in ((_GREETING, frames.greeted), (_THANKS, frames.thanked)):
        if pattern.fullmatch(utterance):
            return line.format(_question(parts, talk, agent_said, again=True))
    return None


def _next_question(parts: PromptParts, agent_said: list[str]) -> str | None:
    """Return the first question of several that was not asked yet."""
    if len(parts.questions) < 2:
        return None
    return next((forms[0] for forms in parts.questions if not any(_was_said(form, agent_said) for form in forms)), None)


def _answer(parts: PromptParts, utterance: str, agent_said: list[str]) -> str | None:
    """Return the statement of the prompt that answers the user's question; None if none does."""
    if not _QUESTION.search(utterance):
        return None
    about = _stems(utterance)
    least = 1 if len(parts.facts) <= _LONG_REFERENCE else 2
    best: tuple[int, str] | None = None
    for fact in parts.facts:
        score = len(about & _stems(fact))
        score += sum(bool(asks.search(utterance) and answers.search(fact)) for asks, answers in _ANSWERS_TO)
        if score >= least and not _was_said(fact, agent_said) and (best is None or score > best[0]):
            best = (score, fact)
    return best[1] if best else None


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w+", text.lower()) if len(word) >= _LEAST_LETTERS} - _COMMON


def _was_said(sentence: str, agent_said: list[str]) -> bool:
    return any(sentence in text for text in agent_said)


def _unlike(candidates: list[str] | tuple[str, ...], agent_said: list[str], random: Random) -> str:
    """Return one of the candidates, if possible one that was not said in the last turns."""
    recent = agent_said[-len(candidates) + 1 :] if len(candidates) > 1 else []
    return random.choice([line for line in candidates if line not in recent] or list(candidates))

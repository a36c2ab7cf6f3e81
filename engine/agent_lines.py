"""The agent's utterances without a model: from the prompt, the conversation, and what a `return` handed back."""

import re
from functools import lru_cache
from random import Random

from dryline.engine.agent_frames import FRAMES
from dryline.engine.agent_replies import reply_to_act
from dryline.engine.events import last_agent_text
from dryline.engine.greetings import is_greeting
from dryline.engine.language_model import AgentUtterance, Talk
from dryline.engine.menu_options import options_of_menu
from dryline.engine.open_questions import asks_for_more, invites_any_request
from dryline.engine.prompt_parts import PromptParts
from dryline.engine.prompts import read_note, read_prompt
from dryline.engine.questions import question_forms
from dryline.flow.model.understanding import Context, hear, read_condition, sentences_of, understand

_QUESTION = re.compile(
    r"[?¿]|^\W*(?:when|where|what|which|who|why|how|is|are|do|does|can(?!')|could|will|wann|wo|was|wie|warum|cuándo"
    r"|dónde|qué|cómo)\b",
    re.IGNORECASE,
)
# A sentence that tells nothing: "I'm glad that's clear.", "Thank you, Paul."
_ACKNOWLEDGES = re.compile(
    r"I(?:'m| am) (?:so |very )?(?:glad|sorry|happy)\b[^,:\d]*[.!]"
    r"|(?:thank you|thanks|ok(?:ay)?|all right|good|great|perfect|of course|sure|gladly|I see|I understand|got it"
    r"|no problem|very good|oh dear|that happens)\b(?:,? (?:let (?:us|me) [\w ]+|[\w'-]+(?: [\w'-]+){0,2}))?[.!]",
    re.IGNORECASE,
)
_ASKS_WHO = re.compile(
    r"\b(?:is this|am I (?:speaking|talking) (?:with|to)|spreche ich mit|hablo con) [A-ZÀ-Þ]", re.IGNORECASE
)
_NEEDS_NO_MORE = re.compile(r"\b(?:nothing else|no (?:further|more|other)|nichts weiter|nada más)\b", re.IGNORECASE)
_REFERS_BACK = re.compile(
    r"\b(?:that|it|this|so|them|these|those|das|so|es|eso|esto)\b|^which (?:one|of|suits|works|would)\b", re.IGNORECASE
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
        (
            "where(?!(?:'s| is| are) (?:it|that|they|my)\\b| (?:do|can) I find my\\b)"
            "|address|wo|adresse|dónde|dirección",
            "address|street|road|avenue|located|straße|calle",
        ),
        ("why|warum|por qué", "because|difference|reason|due to|weil|porque"),
    )
)
_NOT_MET = "no condition was met"
_PLAIN_REPEATS = 2  # times that the agent only asks again
_LONG_REFERENCE = 6  # facts; of so many, one answers only if it has two words in common with the question
_LEAST_LETTERS = 4  # of a word that tells what a sentence is about
_STEM = 5  # letters by which two words are taken for one
_COMMON = {"what", "when", "where", "which", "there", "their", "have", "your", "with", "that", "this", "will", "would"}
_COMMON |= {"could", "does", "about", "pleas", "from", "much", "long", "they", "them", "want", "need", "know", "tell"}


def agent_line(talk: Talk, utterance: str | None) -> AgentUtterance:
    """Return the agent's next utterance. `utterance` is what the user has just said without meeting a condition."""
    parts = _parts_of(talk.prompt)
    agent_said = [message.text for message in talk.messages if message.who == "agent"]
    if utterance is None:
        return _opening_line(parts, talk, agent_said)
    question = _open_question(parts, talk, agent_said)
    if _asks_who(question) and _is_right_person(utterance, question):
        return _opening_line(parts, talk, agent_said)
    if reply := reply_to_act(utterance, question, _latest_turn(talk, parts.language), talk.messages, parts.language):
        return AgentUtterance(reply, how=_NOT_MET)
    answer = _answer(parts, utterance, agent_said) or statement_for(talk.first_prompt, utterance, agent_said)
    upcoming = _next_question(parts, talk, agent_said)
    if answer:
        following = upcoming or question
        line = following if answer in following else f"{answer} {following}"
        return AgentUtterance(line, how="a statement of the prompt")
    if upcoming:
        last = agent_said[-1] if agent_said else ""
        thanks = [line for line in FRAMES[parts.language].next if not last.startswith(line.format(""))]
        return AgentUtterance(talk.random.choice(thanks).format(upcoming), how="the next question of the prompt")
    return AgentUtterance(_fallback(utterance, question, parts, talk, agent_said), how=_NOT_MET)


def _asks_who(question: str) -> bool:
    """Return whether the agent asks for a person: a yes to "Is this Ana?" agrees to nothing else."""
    return bool(_ASKS_WHO.search(question))


def _is_bare_value(utterance: str, language: str) -> bool:
    """Return whether an utterance is a number, a date or the like, and says nothing about it."""
    said = hear(utterance, language).features
    return bool(said) and all(name.startswith("_") for name in said)


def _is_right_person(utterance: str, question: str) -> bool:
    """Return whether the answer to "Is this Ana?" is a yes."""
    conditions = ["confirms that they are the right person", "is not the right person"]
    return understand(conditions, utterance, Context(question, "")).index == 0


def _opening_line(parts: PromptParts, talk: Talk, agent_said: list[str]) -> AgentUtterance:
    """Return what the agent says when it opens a talk, or goes on with what a `return` handed back."""
    if talk.note:
        return AgentUtterance(read_note(talk.note), how="what return handed back")
    latest = talk.messages[-1].text if talk.messages and talk.messages[-1].who == "user" else ""
    answer = _new_answer(parts, latest, agent_said)
    question = _question(parts, talk, agent_said)
    statements = [each for each in parts.statements if not _was_said(each, agent_said)]
    if not statements and parts.statements and _REFERS_BACK.search(question):
        statements = parts.statements[-1:]  # "Did that help?" alone would refer to what was said long ago
    if question in FRAMES[parts.language].openings and invites_any_request(
        _question_in(agent_said[-1] if agent_said else "")
    ):
        question = ""  # the flow has just asked it
    line = " ".join([*([answer] if answer else statements), question]).strip()
    if parts.greeting and not agent_said and not is_greeting(line):
        line = f"{parts.greeting} {line}"
    return AgentUtterance(line, how="the prompt")


def statement_for(prompt: str, utterance: str, agent_said: list[str]) -> str | None:
    """Return the statement of a prompt that answers the user's question, unless it was said before."""
    return _new_answer(_parts_of(prompt), utterance, agent_said)


def _new_answer(parts: PromptParts, utterance: str, agent_said: list[str]) -> str | None:
    answer = _answer(parts, utterance, agent_said)
    return None if answer and _was_said(answer, agent_said) else answer


@lru_cache(64)
def _parts_of(prompt: str) -> PromptParts:
    return read_prompt(prompt)


def _question(parts: PromptParts, talk: Talk, agent_said: list[str], *, again: bool = False) -> str:
    """Return the prompt's question, else a general one."""
    if parts.questions:
        if again:
            return parts.questions[-1][len(agent_said) % len(parts.questions[-1])]
        return _next_question(parts, talk, agent_said) or parts.questions[0][0]
    if parts.task is not None:
        return parts.task
    if parts.offer:
        return parts.offer if again or parts.offer not in parts.statements else ""
    frames = FRAMES[parts.language]
    if _only_ends(talk):
        return frames.more
    if parts.language == "en" and not parts.is_closing and (thing := _thing_to_give(talk)):
        return question_forms(thing)[0]
    if parts.is_closing:
        return talk.random.choice(frames.closings)
    if again:
        return talk.random.choice(frames.general)
    heard = any(message.who == "user" for message in talk.messages)
    return _unlike(frames.going_on if heard else frames.openings, agent_said, talk.random)


def _only_ends(talk: Talk) -> bool:
    """Return whether all that a caller can do here is to need nothing else."""
    return len(talk.conditions) == 1 and bool(_NEEDS_NO_MORE.search(talk.conditions[0]))


def _thing_to_give(talk: Talk) -> str | None:
    """Return what the caller has to name where the loop waits for nothing else."""
    return read_condition(talk.conditions[0], "en").gives if len(talk.conditions) == 1 else None


def _open_question(parts: PromptParts, talk: Talk, agent_said: list[str]) -> str:
    """Return the agent's last question that is not answered yet; else that of the prompt, or a general one."""
    for text in reversed(_unanswered(talk)):
        if question := _question_in(_without_help(text, talk, parts.language)):
            forms = next((forms for forms in parts.questions if question in forms), (question,))
            return forms[len(agent_said) % len(forms)]
    return _question(parts, talk, agent_said, again=True)


def _question_in(text: str) -> str:
    """Return the last question of a text, with the sentence before it if it refers to that; else nothing."""
    sentences = sentences_of(text)
    at = max((index for index, sentence in enumerate(sentences) if sentence.endswith("?")), default=None)
    if at is None:
        return ""
    refers_back = _REFERS_BACK.search(sentences[at].rpartition(": ")[2])
    return " ".join(_informative(sentences[max(0, at - 1) : at + 1]) if refers_back else [sentences[at]])


def _informative(sentences: list[str]) -> list[str]:
    """Return the sentences without those that only acknowledge what the user has said, and the last one in any case."""
    return [*(each for each in sentences[:-1] if not _ACKNOWLEDGES.fullmatch(each)), *sentences[-1:]]


def _unanswered(talk: Talk) -> list[str]:
    """Return what the agent has said since a condition was last taken."""
    return [message.text for message in talk.messages[talk.taken_at :] if message.who == "agent"]


def _openers(language: str) -> list[str]:
    """Return the sentences with which the agent says that it did not understand."""
    return [line.partition("{}")[0].strip() for line in FRAMES[language].again]


def _without_opener(text: str, language: str) -> str:
    """Return an utterance of the agent without the sentence that says that it did not understand."""
    return text.removeprefix(next(filter(text.startswith, _openers(language)), "")).strip()


def _without_help(text: str, talk: Talk, language: str) -> str:
    """Return an utterance of the agent without the sentences that it says when it did not understand, or waits."""
    text = _without_opener(text, language)
    for is_general in (True, False):
        text = text.replace(_offer(talk, language, is_general=is_general) or "\0", "")
    return text.replace(FRAMES[language].waiting, "").strip()


def words_to_answer(talk: Talk) -> str:
    """Return the agent's words that the user's next ones answer: not the options that it has named, say."""
    language = _parts_of(talk.prompt).language
    texts = [_without_help(text, talk, language) for text in _unanswered(talk) or [last_agent_text(talk.messages)]]
    latest = next(filter(None, reversed(texts)), "")
    if latest not in FRAMES[language].general:
        return latest
    return next((text for text in texts if asks_for_more(_question_in(text))), latest)  # a no to it still counts


def _latest_turn(talk: Talk, language: str) -> str:
    """Return what the agent told and asked before the user's last words."""
    spoken: list[str] = []
    for message in reversed(talk.messages[:-1]):
        if message.who == "user":
            break
        spoken.insert(0, _without_opener(message.text, language))
    return " ".join(_informative(sentences_of(" ".join(spoken))))


def _fallback(utterance: str, question: str, parts: PromptParts, talk: Talk, agent_said: list[str]) -> str:
    """Return what the agent says when it did not understand: it asks again, and from the third time on says more."""
    frames = FRAMES[parts.language]
    if parts.is_chat and not _QUESTION.search(utterance):
        return _unlike(frames.listening, agent_said, talk.random)
    is_general = invites_any_request(question)
    offer = _offer(talk, parts.language, is_general=is_general)
    if is_general and _is_bare_value(utterance, parts.language):
        line = frames.bare.format(utterance.strip(" .,!"), offer or frames.general[1])
        if [line] != agent_said[-1:]:
            return line
    may_choose = is_general or not _QUESTION.search(utterance)
    if may_choose and (either := _either(talk, parts.language)) and either not in agent_said:
        return either
    failures = _failures(talk, parts.language)
    if failures >= _PLAIN_REPEATS and offer and not agent_said[-1].startswith(offer):
        return offer if is_general else f"{offer} {question}"
    lines = [line.format(question) for line in frames.again]
    return _unlike(lines, agent_said, talk.random) if failures else lines[0]


def _failures(talk: Talk, language: str) -> int:
    """Return how often the agent has said since its last question that it did not understand."""
    count = 0
    openers = (*_openers(language), *(line.partition("{}")[0] for line in _offers(language)))
    for text in reversed(_unanswered(talk)):
        if not text.startswith(openers):
            break
        count += 1
    return count


def _offers(language: str) -> tuple[str, ...]:
    frames = FRAMES[language]
    return frames.options, frames.states, frames.yes_or_no


def _offer(talk: Talk, language: str, *, is_general: bool) -> str | None:
    """Return the options of the menu in a sentence or two; None if there are none that can be put into words."""
    frames = FRAMES[language]
    options = options_of_menu(tuple(talk.conditions), language)
    if options.is_yes_or_no:
        return frames.yes_or_no
    if is_general and options.states:
        states = frames.states.format(options.states)
        return f"{states} {frames.options_too.format(options.actions)}" if options.actions else states
    return frames.options.format(options.actions) if options.actions else None


def _either(talk: Talk, language: str) -> str | None:
    """Return the question "Do you want to … or to …?" for two conditions that the user's words fit, else None."""
    if not talk.candidates:
        return None
    frames = FRAMES[language]
    options = options_of_menu(tuple(talk.conditions[index] for index in talk.candidates), language)
    if options.count < len(talk.candidates) or (options.actions and options.states):
        return None
    if options.actions:
        return frames.either.format(options.actions)
    return frames.either_state.format(options.states)


def _next_question(parts: PromptParts, talk: Talk, agent_said: list[str]) -> str | None:
    """Return the first of several questions of the prompt that was not asked yet, unless another one is open."""
    if len(parts.questions) < 2 or talk.note:
        return None
    return next((forms[0] for forms in parts.questions if not any(_was_said(form, agent_said) for form in forms)), None)


def _answer(parts: PromptParts, utterance: str, agent_said: list[str]) -> str | None:
    """Return the statement of the prompt that answers the user's question, a new one first; None if none does."""
    if not _QUESTION.search(utterance):
        return None
    about = _stems(utterance)
    least = 1 if len(parts.facts) <= _LONG_REFERENCE else 2
    best: tuple[bool, int, int, str] | None = None
    for fact in parts.facts:
        of_kind = sum(bool(asks.search(utterance) and answers.search(fact)) for asks, answers in _ANSWERS_TO)
        score = of_kind + len(about & _stems(fact))
        is_new = not _was_said(fact, agent_said)
        if score >= least and (best is None or (is_new, score, of_kind) > best[:3]):
            best = (is_new, score, of_kind, fact)
    return best[3] if best else None


def _stems(text: str) -> set[str]:
    return {word[:_STEM] for word in re.findall(r"\w+", text.lower()) if len(word) >= _LEAST_LETTERS} - _COMMON


def _was_said(sentence: str, agent_said: list[str]) -> bool:
    return any(sentence in text for text in agent_said)


def _unlike(candidates: list[str] | tuple[str, ...], agent_said: list[str], random: Random) -> str:
    """Return one of the candidates, if possible one that was not said in the last turns."""
    recent = agent_said[-len(candidates) + 1 :] if len(candidates) > 1 else []
    return random.choice([line for line in candidates if line not in recent] or list(candidates))

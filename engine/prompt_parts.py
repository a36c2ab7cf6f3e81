"""The parts of a prompt, and the rule for what counts as a statement to the user."""

import re
from dataclasses import dataclass, field

_LONGEST_INTERJECTION = 60  # characters of an exclamation
_WORDS_OF_INTERJECTION = 3  # such as "With pleasure."
_INTERJECTION = re.compile(
    r"^(?:please|stay|let me|let us|let's|hi|hello|hey|good (?:morning|day|evening)|welcome|thanks|thank you"
    r"|great|sure)\b",
    re.IGNORECASE,
)
VERB_OF_STATEMENT = re.compile(
    r"\b(?:is|are|was|were|has|have|had|will|would|can|may|costs?|takes?|arrives?|starts?|begins?|ends?|closes?"
    r"|opens?|\w+s|\w+ed"
    r"|keep|offer|sell|deliver|accept|'(?:re|ve|ll|m|s|d))\b"
)
_LABEL = re.compile(r"[^.!?]{2,40}: ")  # "Opening hours: 9 to 5" is looked up, and not said by itself
_SPOKEN_BEFORE_COLON = re.compile(
    r"(?:I|we|it|there|they|that|this|your|so|good news|bad news|thank you|thanks|one moment|sorry|great|let me"
    r"|wir|ich|es gibt|ihre?|tenemos|tengo|hay|su)\b"
    r"|(?:the|our) [^:]*\b(?:is|are|was|were|has|have|costs?|contains?|includes?|comes?|says?)\b",
    re.IGNORECASE,
)
_REFERENCE = re.compile(r"\b(?:below|above|following)\b", re.IGNORECASE)


@dataclass(slots=True)
class PromptParts:
    """The parts of a prompt, in words for the user.

    `questions` has the forms of each question, in their order. `statements` belong before the first question; `facts`
    are all statements. `greeting` opens the conversation. `task` is the question of a prompt that has none of its own,
    empty if it needs none. `is_closing` is true for a prompt that ends the conversation, `is_chat` for one
    that chats.
    """

    language: str = "en"
    questions: list[tuple[str, ...]] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)
    facts: list[str] = field(default_factory=list)
    greeting: str | None = None
    task: str | None = None
    offer: str | None = None
    follows_question: bool = False  # while the prompt is read: the last sentence was a question, as it is asked
    is_closing: bool = False
    is_chat: bool = False


def add_statement(sentence: str, parts: PromptParts) -> None:
    """Keep a statement. It is said with the question only where it stands before it and is a whole sentence."""
    has_colon = _LABEL.match(sentence)
    is_spoken = has_colon and _SPOKEN_BEFORE_COLON.match(sentence)
    is_label = has_colon and not is_spoken
    is_interjection = (
        _INTERJECTION.match(sentence)
        or (sentence.endswith("!") and len(sentence) <= _LONGEST_INTERJECTION)
        or (sentence[-1] in ".!" and sentence.count(" ") < _WORDS_OF_INTERJECTION)
    )
    is_sentence = is_spoken or is_interjection or VERB_OF_STATEMENT.search(sentence) or parts.language != "en"
    if len(sentence) > 240 or sentence.endswith(":") or not (is_label or is_sentence) or _REFERENCE.search(sentence):
        return
    sentence = sentence if sentence[-1] in ".!" else f"{sentence}."
    parts.facts.append(sentence)
    if not parts.questions and not is_label:
        parts.statements.append(sentence)

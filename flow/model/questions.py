"""Questions and options in the agent's words."""

import re

from dryline.flow.model.encoder import plain

FILLER = "(?:and|so|but|well|oh|okay|hi|hello|hey|um+|uhm?|hm+|er|erm|ah)"
QUESTION_WORD = "(?:what(?! about| if)|when|where|who|why|which|how(?! about| does))"

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+")
_OPEN_QUESTION = re.compile(rf"(?:^|[,;:.!] )(?:{FILLER}\b,? )*{QUESTION_WORD}\b[^,:]*\?$")
_YES_NO_QUESTION = re.compile(
    rf"^(?:{FILLER}\b,? )*(?:is|are|was|were|do|does|did|shall|should|will|would|has|have|had)(?:n't)?\b.*\?$"
)
_ANY_REQUEST = re.compile(
    r"\b(?:anything|something) (?:else|more)\b|\bother questions?\b|\b(?:can|may|could) (?:i|we)\b.*\b(?:help"
    r"|assist|do)\b"
    r"|\bwhat (?:is it|brings|you (?:need|want)|do you need|would you like to do|seems to be"
    r"|is (?:the|your) (?:matter|problem|trouble|reason|question))\b"
)
_OR = re.compile(r"\bor\b")
_OPTION_END = re.compile(r"[,;/]|\bor\b")
_OFFERING = re.compile(r".*(?:\b(?:have|like|prefer|want|offer you|is it|by|come|for)\b|:) *(?=.)")
_ARTICLES = re.compile(
    r"^(?:(?:the|an?|his|her|their|its|your|some|any|which|what|valid|new|preferred|only|in|at|on) )+"
)
_ORDINALS = (
    (re.compile(r"\b(?:first|former|earlier|1st)(?: one| option|,? please|\W*$)"), 0),
    (re.compile(r"\b(?:second|2nd)(?: one| option|,? please|\W*$)"), 1),
    (re.compile(r"\b(?:third|3rd)(?: one| option|,? please|\W*$)"), 2),
    (re.compile(r"\b(?:last|latter|later)(?: one| option|,? please|\W*$)"), -1),
)


def last_question(agent: str) -> str:
    """Return the last question of a text, else its last sentence."""
    sentences = _sentences(agent)
    return next((each for each in reversed(sentences) if each.endswith("?")), sentences[-1])


def is_open_question(question: str) -> bool:
    """Return whether a yes is no answer to a question: "What is the matter?"."""
    return _OPEN_QUESTION.search(plain(question)) is not None


def is_yes_no_question(question: str) -> bool:
    """Return whether a question is answered by yes or no: "Did it change since the last time?"."""
    return _YES_NO_QUESTION.search(plain(question)) is not None


def invites_any_request(question: str) -> bool:
    """Return whether a question names no matter of its own, such as "Is there anything else?"."""
    return _ANY_REQUEST.search(plain(question)) is not None


def options_of(agent: str) -> list[str]:
    """Return the options that the agent offers: "A cleaning, a check-up or a consultation?" has three."""
    offers = [each for each in _sentences(plain(agent)) if _OR.search(each)]
    parts = [part.strip(" .?!") for part in _OPTION_END.split(offers[-1])] if offers else []
    start = max((index for index, part in enumerate(parts[:-1]) if _OFFERING.match(part)), default=0)
    options = [_OFFERING.sub("", parts[start]), *parts[start + 1 :]] if parts else []
    return [_ARTICLES.sub("", option) for option in options if option]


def option_by_position(said: str, options: list[str]) -> str | None:
    """Return the option that an utterance chooses by its position: "the second one"."""
    for pattern, index in _ORDINALS:
        if pattern.search(plain(said)) and 2 <= len(options) > index:
            return options[index]
    return None


def _sentences(text: str) -> list[str]:
    return _SENTENCE_END.split(text.strip())

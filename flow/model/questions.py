"""Questions and options in the agent's words."""

import re

from dryline.flow.model.encoder import pattern, plain, words


def last_question(agent: str) -> str:
    """Return the last question of a text, else its last sentence."""
    sentences = _sentences(agent)
    return next((each for each in reversed(sentences) if each.endswith("?")), sentences[-1])


def is_open_question(question: str) -> bool:
    """Return whether a yes is no answer to a question: "What is the matter?"."""
    return pattern(r"(?:^|[,;:.!] )(?:<fillers>,? )*<question words>[^,:]*\?$").search(plain(question)) is not None


def options_of(agent: str) -> list[str]:
    """Return the options that the agent offers: "A cleaning, a check-up or a consultation?" has three."""
    offers = [each for each in _sentences(plain(agent)) if pattern("<or>").search(each)]
    parts = [part.strip(" .?!") for part in pattern("[,;/]|<or>").split(offers[-1])] if offers else []
    offering = pattern(".*(?:<offers>|:) *(?=.)")
    start = max((at for at, part in enumerate(parts[:-1]) if offering.match(part)), default=0)
    options = [offering.sub("", parts[start]), *parts[start + 1 :]] if parts else []
    return [pattern("^(?:<articles> )+").sub("", option) for option in options if option]


def option_by_place(said: str, options: list[str]) -> str | None:
    """Return the option that an utterance chooses by its place: "the second one"."""
    for names, at in words()["places"].items():
        if re.search(rf"\b(?:{names})(?: one| option|,? please|\W*$)", plain(said)) and 2 <= len(options) > at:
            return options[at]
    return None


def _sentences(text: str) -> list[str]:
    return re.split(r"(?<=[.!?])\s+", text.strip())

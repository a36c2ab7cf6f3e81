"""The options that a prompt or a question lists: "A cleaning, a check-up or a consultation?"."""

import re

_OPTIONS = re.compile(
    r"(?:following|these|services|menu|options|languages|choices|products|plans|sizes|colors|from)\s?:\s*([^.\n]{3,300})",
    re.I,
)
_OFFER = re.compile(r"[^:.?!]{2,120}\bor\b [^.?!]{2,60}")
_OFFERED = re.compile(r",|\bor\b|\bhave\b|\blike\b|\bfor\b|\bprefer\b|\bwant\b")


def options_of_prompt(prompt: str) -> list[str]:
    """Return the options that a prompt lists: "Services: cleaning, filling" has two."""
    lists = [match[1] for match in _OPTIONS.finditer(prompt)]
    parts = [part for each in lists for part in re.split(r",|;|\bor\b|\band\b", each)]
    return [part.strip() for part in parts if 1 < len(part.strip()) <= 40]


def options_of_question(question: str) -> list[str]:
    """Return the options that a question offers: "A cleaning, a check-up or a consultation?" has three."""
    match = _OFFER.search(question)
    if match is None:
        return []
    parts = (re.sub(r"^(?:a|an|the|only|in|or) ", "", part.strip(" ?.").lower()) for part in _OFFERED.split(match[0]))
    return [part for part in parts if 1 < len(part) <= 30]

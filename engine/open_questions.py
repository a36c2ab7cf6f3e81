"""Questions that name no matter of their own, such as "Is there anything else?"."""

import re

_MORE = re.compile(
    r"\b(?:anything|something) (?:else|more)\b|\b(?:any|other|more) questions\b"
    r"|^(?:can|may|could) (?:I|we) (?:help|assist)\b|\b(?:sonst|noch) (?:noch )?(?:etwas|was)\b|\balgo más\b",
    re.IGNORECASE,
)
_INVITES = re.compile(
    r"\b(?:anything|something|what) (?:else|more)\b|\bother questions?\b"
    r"|\b(?:can|may|could) (?:I|we) (?:\w+ )?(?:help|assist|do)\b|\bwhat (?:is it|would you like to do)\b"
    r"|\bwhat (?:do you need|brings you|seems to be|is (?:the|your) (?:matter|problem|trouble|reason|question))\b"
    r"|\b(?:sonst|sonst noch|noch) (?:etwas|was)\b|\b(?:was|wie) kann ich\b|\bworum geht\b"
    r"|\bwas Sie (?:möchten|brauchen|wünschen)\b|\bqué (?:necesita|desea|quiere)\b|\bwhat you (?:need|want)\b"
    r"|\balgo más\b|\bqué (?:puedo|más)\b|\ben qué\b|\bde qué se trata\b",
    re.IGNORECASE,
)


def asks_for_more(question: str) -> bool:
    """Return whether a yes to a question means that the caller has a request: "Is there anything else?"."""
    return bool(_MORE.search(question))


def invites_any_request(question: str) -> bool:
    """Return whether a question names no matter of its own, such as "Is there anything else?"."""
    return bool(_INVITES.search(question) or asks_for_more(question))

"""The names of a conversation's facts for keys of extractions, of `ask` and of contact rows."""

from dryline.flow.model.kinds import kind_of, kind_of_question, label_of, mentions_other, names_speaker, variant_of
from dryline.simulator.tables import table

NUMBERS = frozenset({"amount", "rating"})
# Facts that are known without being said in every conversation.
KNOWN = frozenset({"phone", "intent", "sentiment", "summary"})


def fact_of(key: str, about: str = "") -> str:
    """Return the name of the fact that a key holds: for a key of no known kind by its question or description.

    A value that no script speaks of has its key's words as its name, such as "policy number".
    """
    kind, text = kind_of(key, None), key
    is_other = not names_speaker(key)
    if kind == "text" and about:
        kind, text = kind_of_question(about) or "text", about
        is_other = mentions_other(about)
    fact = None if kind == "name" and is_other else variant_of(kind, text) or table("facts").get(kind)
    return fact or label_of(key or about)

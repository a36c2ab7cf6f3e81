"""Free text, and lists of things, as people give them: "it's for a …", "three burritos and one horchata"."""

from __future__ import annotations

import re
from typing import Any

from dryline.engine.spoken_turns import Utterance, in_digits, without_fillers, without_lead_in
from dryline.phrases.value_kinds import label_of

_CLAUSE = re.compile(r"(?<=[.;!?])\s+|,?\s+\b(?:so|and) (?=(?:i|we|my|it|can|could)\b)", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because(?: of)?|the (?:reason|problem|issue|trouble|thing) is(?: that)?|it's about|call(?:ing)? about|"
    r"regarding|concerning|due to)\s+",
    re.IGNORECASE,
)
_PLEASANTRY = re.compile(
    r"\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?(?: you)?|bye|goodbye|yes|no|ok(?:ay)?|sure|hm+|"
    r"nothing(?: else)?|that(?:'s| is) (?:all|it|right|correct|fine)|i don'?t know|not sure|what|how are you|"
    r"my name is .*|(?:this is|i'm) [A-Z]\w+(?: [A-Z]\w+)?)\b\W*)+",
    re.IGNORECASE,
)
_ARTICLE = re.compile(r"^(?:an?|the|some|my|any|eine?n?|der|die|das|una?|el|la|los|las)\s+", re.IGNORECASE)
_SPLIT = re.compile(
    r"\s*(?:,\s*(?:and\s+|und\s+|y\s+|also\s+)?|\band\b[\s,]*(?:also\s+|then\s+)?|"
    r"\b(?:plus|as well as|und|along with|maybe)\b|\by\b(?=\s)|;|&)\s*",
    re.IGNORECASE,
)
_QUANTITY = re.compile(
    r"^(?P<number>\d{1,4})(?:\s*x\b|\s+(?:(?:orders?|pieces?|servings?|bags?|boxes) of|of the|of))?\s+(?P<name>.+)$",
    re.IGNORECASE,
)
_ADDITION = re.compile(
    r"\s+(?:with(?:out)?|no|on the side|from|for|in|that|which|who|instead|please|too|as well|off|again)\b.*$",
    re.IGNORECASE,
)
_FILLED_PAUSE = re.compile(r",?\s*\b(?:um|uh|uhm|er|hmm)\b,?", re.IGNORECASE)
_ASKS_FOR_THINGS = re.compile(r"\b(?:what|which|anything|welche|was|qu\u00e9)\b", re.IGNORECASE)
_ORDERS = re.compile(
    r"\b(?:(?:can|could|may|let) (?:i|we|me|us) (?:please )?(?:get|have|do|order)|(?:i|we)(?:'d| would) like|"
    r"(?:i|we)(?:'ll| will) (?:have|take|get|do)|give me|get me|(?:i|we) (?:want|need|ordered)|to order|add|remove|"
    r"take off|drop|leave out|without|nehmen?|quiero|quisiera)\b",
    re.IGNORECASE,
)
_WANTS_TO = re.compile(
    r"\b(?:like|want|need|calling|trying) to (?!order|get|have|buy|remove|add|cancel|take)", re.IGNORECASE
)
_SIZES = r"(?:extra large|extra small|small|medium|large|regular)"
_NO_THING = re.compile(
    r"^(?:i|we|he|she|they|no|not|without|hold|nothing|that's|that is|please|thanks?|yes|it|for|to|let me|i'm|is)\b",
    re.IGNORECASE,
)


def find_labelled(text: str, key: str) -> str | None:
    """Return what stands behind the key itself: "my reason is …", "reason: …"."""
    label = re.escape(label_of(key))
    if not label or len(label) > 60:
        return None
    match = re.search(rf"\b{label}(?: is|:| was| would be)\s+([^.\n,;!?]{{1,120}})", text, re.IGNORECASE)
    return match[1].strip() if match else None


def find_text(utterance: Utterance) -> str | None:
    """Return the words of an answer without those that introduce it, open it or close it."""
    text = utterance.text.strip()
    if _PLEASANTRY.fullmatch(text):
        return None
    if match := _REASON.search(text):
        text = text[match.end() :]
    else:
        clauses = [clause for clause in _CLAUSE.split(text) if clause and not _PLEASANTRY.fullmatch(clause)]
        text = clauses[0] if clauses and len(clauses[0].split()) > 2 else " ".join(clauses)
    text = without_lead_in(without_fillers(text, utterance.language), utterance.language)
    text = _ARTICLE.sub("", text) if len(text.split()) <= 4 else text
    return text.strip(" ,.;!?") or None


def find_things(text: str, question: str, language: str) -> list[dict[str, Any]]:
    """Return the things that a text lists, each with `name`, `quantity` (None if not said) and `size`.

    A text that neither counts things, nor asks for them, nor answers a question about them lists none.
    """
    if _PLEASANTRY.fullmatch(text):
        return []
    text = in_digits(re.sub(r"(?<=\w)[.!?]\s+(?=[A-Z])", ", ", text), language)
    whole = without_fillers(text, language)
    text = without_lead_in(whole, language)
    things: list[dict[str, Any]] = []
    for piece in _SPLIT.split(_FILLED_PAUSE.sub(" ", text)):
        if things and re.match(r"(?:no|not|without|hold)\b", piece, re.IGNORECASE):
            continue
        piece = without_lead_in(without_fillers(piece, language), language)
        if not piece or _NO_THING.match(piece):
            continue
        thing = _thing(piece)
        if thing is not None:
            things.append(thing)
    asks = not question or _ASKS_FOR_THINGS.search(question)
    orders = (
        _ORDERS.search(whole) and not _WANTS_TO.search(whole) and all(len(each["name"].split()) < 4 for each in things)
    )
    return things if asks or orders or any(thing.pop("is_counted") for thing in things) else []


def _thing(piece: str) -> dict[str, Any] | None:
    quantity: int | None = None
    is_counted = False
    piece = re.sub(r"^one of (?:the|my|those|these)\s+", "one ", piece, flags=re.IGNORECASE)
    if match := _QUANTITY.match(piece):
        quantity, piece, is_counted = int(match["number"]), match["name"], True
    elif match := re.match(r"^(?:an?|one|another|ein(?:e|en)?|una?)\s+(.+)$", piece, re.IGNORECASE):
        quantity, piece = 1, match[1]
    piece = _ARTICLE.sub("", piece)
    size = re.match(rf"^({_SIZES})\s+(?=\w)", piece, re.IGNORECASE)
    piece = _ADDITION.sub("", piece)
    name = piece.strip(" .,!?;:")
    if not name or len(name.split()) > 5 or not re.search(r"[^\W\d]", name):
        return None
    return {"name": name, "quantity": quantity, "size": size[1].lower() if size else None, "is_counted": is_counted}

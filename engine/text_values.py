"""Free text, and lists of things, as people give them: "it's for a …", "three burritos and one horchata"."""

import re
from functools import lru_cache
from typing import Any

from dryline.engine.spoken_turns import Utterance, deflects, in_digits, without_fillers, without_lead_in
from dryline.phrases.value_kinds import has_key_word, label_of, read_values

_CLAUSE = re.compile(r"(?<=[.;!?])\s+|,?\s+\b(?:so|and) (?=(?:i|we|my|it|can|could)\b)", re.IGNORECASE)
_REASON = re.compile(
    r"\b(?:because(?: of)?|the (?:reason|problem|issue|trouble|thing) is(?: that)?|it's about|"
    r"(?:call|ring|phon)(?:ing)? about|regarding|concerning|due to)\s+",
    re.IGNORECASE,
)
_PLEASANTRY = re.compile(
    r"\W*(?:(?:hi|hello|hey|good (?:morning|afternoon|evening)|thanks?(?: you)?|bye|goodbye|yes|nope|nah|no|"
    r"you(?:'ve| have) been \w+(?: \w+)?|ok(?:ay)?|sure|hm+|"
    r"nothing(?: else)?|that(?:'s| is) (?:all|it|right|correct|fine)|i don'?t know|not sure|what|how are you|"
    r"(?:can you hear|do you hear) me|are you (?:still )?there|is (?:anyone|anybody|somebody) there|"
    r"hold on|hang on|wait|(?:just )?(?:one|a) (?:second|sec|moment|minute)|let me (?:look|check|see|think|find out)|"
    r"give me a (?:second|sec|moment|minute)|my name is .*|(?:this is|i'm) [A-Z]\w+(?: [A-Z]\w+)?)\b\W*)+",
    re.IGNORECASE,
)
_WISH = re.compile(
    r"\W*(?:(?:and|so|well|yes|yeah|ok(?:ay)?|um|uh|hi|hello)\W+)*"
    r"(?:(?:i|we)(?: just| really|'d| would)* (?:(?:want|need|like|have) to|rather)\b|"
    r"i'm (?:calling|trying|looking|hoping) to\b|"
    r"(?:can|could|would|will) (?:i|you|we|someone|somebody)\b)",
    re.IGNORECASE,
)
_PASSES_ON = re.compile(
    r"\b(?:tell|let) (?:him|her|them|\w+) (?:know )?(?:that )?|\bask (?:him|her|them) to |\bthe message is(?: that)? ",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"(?:what|which|how|when|where|why|who|do you|does|did|is there|are there|are you|have you|may i ask)\b.*",
    re.IGNORECASE,
)
_WHY = re.compile(r"(?:and |so )?why\b", re.IGNORECASE)
_SUBJECT = re.compile(
    r"(?:i|we|he|she|it|they|you|there|that)\b(?: (?:\w+ly|just|also|always|still|mostly|often))?"
    r"(?P<verb>'(?:s|re|m|ve|ll)(?: \w+ing\b| got\b)?| \w+(?: \w+ing\b)?)\s+"
    r"(?P<place>(?:as|on|for|with|at|in|to|from) )?",
    re.IGNORECASE,
)
_SENTENCE = re.compile(
    r"(?:i|we|he|she|they|you|it|there|this|that|can|could|would|will|do|does|did|is|are|was|what|how|why|when|where|who|"
    r"let|nobody|someone|everything|everyone|not|don't|if)(?:'\w+)?\b",
    re.IGNORECASE,
)
_BESIDE = re.compile(
    r",?\s+(?:from you|that|which|who|because|since|so|but|if|when|and (?:i|it|we|my)|right now|at the moment|"
    r"currently|every (?:day|week|month|year|night|morning)|(?:last|this) (?:week|month|year|summer|winter)|"
    r"once in a|tonight|today|tomorrow|"
    r"mostly|usually|(?:i|we) (?:think|guess|got|bought|ordered|have|had|received)|"
    r"for (?:my|our|it|me|us|them|him|her|an?|the|\d+|one|two|three|four|five|six|ten|several))\b.*",
    re.IGNORECASE,
)
_LOOSE = {"new", "nice", "good", "small", "medium", "large", "big", "little", "regular", "quick", "simple"}
_LOOSE |= {"different", "old", "same", "usual", "normal", "default", "other"}
_COPULAS = {"is", "are", "am", "was", "were", "'s", "'re", "'m"}
_EQUATION = re.compile(
    r"(?:my|our|the|his|her|their) (?P<subject>.+?)(?: is| are| was|'s| hurts?| keeps)\b(?P<rest>.*)", re.IGNORECASE
)
_VERB_AND_OBJECT = re.compile(
    r"(?!(?:see|ask|tell|talk|speak|meet|call)\b)[a-z]+ (?:in |up |over )?(?P<object>(?:an?|my|our|the|some) .+)",
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
    r"\s+(?:with(?:out)?|no|on the side|from|to|for|in|that|which|who|instead|please|too|as well|off|again)\b.*$",
    re.IGNORECASE,
)
_FILLED_PAUSE = re.compile(r",?\s*\b(?:um|uh|uhm|er|erm|hmm|oh)\b,?", re.IGNORECASE)
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
_RUN_OUT = re.compile(r"^(?:i|we|they)(?:'\w+)? (?:\w+ ){1,3}?(?:of|about|with)\s", re.IGNORECASE)
_NO_THING = re.compile(
    r"^(?:i|we|he|she|they|no|not|none|without|hold|nothing|that's|that is|please|thanks?|yes|it|for|to|let me|is)\b",
    re.IGNORECASE,
)


def find_labelled(text: str, key: str) -> str | None:
    """Return what stands behind the key itself: "my reason is …", "reason: …"."""
    label = re.escape(label_of(key))
    if not label or len(label) > 60:
        return None
    match = re.search(rf"\b{label}(?: is|:| was| would be)\s+([^.\n,;!?]{{1,120}})", text, re.IGNORECASE)
    return match[1].strip() if match else None


def find_sentence(utterance: Utterance, label: str) -> str | None:
    """Return the statement of an answer about a problem, a reason or a message; None for a mere wish or an echo."""
    text = utterance.text.strip()
    if _WHY.match(utterance.question) and text.endswith("?"):
        return None
    if deflects(text, utterance.language) and len(text.split()) < 8:
        return None
    is_trouble = has_key_word(label, "trouble")
    if match := _REASON.search(text):
        text = text[match.end() :]
    elif "message" in label and (match := _PASSES_ON.search(text)):
        return text[match.end() :].strip(" ,.;!?") or None
    elif has_key_word(label, "whole_answer"):
        clauses = [clause for clause in re.split(r"(?<=[.;!?])\s+", text) if not _PLEASANTRY.fullmatch(clause)]
        text = " ".join(clauses)
    else:
        split = re.compile(rf"{_CLAUSE.pattern}|\s+and (?=the\b)", re.IGNORECASE) if is_trouble else _CLAUSE
        clauses = [clause for clause in split.split(text) if clause and not _PLEASANTRY.fullmatch(clause)]
        if is_trouble:
            clauses = [clause for clause in clauses if not _WISH.match(clause)]
            clauses.sort(key=lambda clause: not _trouble().search(clause))
        text = clauses[0] if clauses and len(clauses[0].split()) > 2 else " ".join(clauses)
    text = _without_openings(text, utterance.language)
    return None if not text or _says_nothing(text, f"{label} {utterance.question}") else text


def find_thing(utterance: Utterance, label: str) -> str | None:
    """Return the thing that an answer names: "I drive a Corolla", "it's a spaniel"; None for other sentences."""
    clauses = [clause for clause in _CLAUSE.split(utterance.text) if clause and not _PLEASANTRY.fullmatch(clause)]
    if not clauses or _ASKS.match(without_fillers(clauses[0], utterance.language)):
        return None
    if deflects(utterance.text, utterance.language):
        return None
    text = clauses[0] if len(clauses[0].split()) > 2 else " ".join(clauses)
    text = without_lead_in(without_fillers(text, utterance.language), utterance.language, with_actions=True)
    if _WISH.match(clauses[0]) and not _names_thing(text.partition(" ")[0].lower(), utterance.question):
        text = _object_of_wish(text)
    match = _SUBJECT.match(text)
    is_place = match and match["place"] and match["verb"].strip().lower() in _COPULAS  # "I was on hold"
    if match and not is_place and _names_thing(match["verb"].lower(), utterance.question):
        text = without_lead_in(text[match.end() :], utterance.language)
    elif match := _EQUATION.match(clauses[0]):
        is_about_key = _words(match["subject"]) & _words(f"{label} {utterance.question}")
        is_person = match["subject"].lower() in read_values()["relations"]
        text = match["rest"] if is_about_key or is_person else match["subject"]
    text = _without_openings(_BESIDE.sub("", text), utterance.language)
    if not text or len(text.split()) > 8 or _SENTENCE.match(text) or _says_nothing(text, label, is_thing=True):
        return None
    return text


def _object_of_wish(text: str) -> str:
    """Return "my rabbit" for "bring my rabbit"; nothing for "bring mine in" and for "see a vet"."""
    if _ARTICLE.match(text) or re.match(r"\d|(?:one|two|three|four|our|her|his|their)\b", text, re.IGNORECASE):
        return text
    match = _VERB_AND_OBJECT.match(text)
    return match["object"] if match else ""


def _without_openings(text: str, language: str) -> str:
    text = without_lead_in(without_fillers(text, language), language)
    text = _ARTICLE.sub("", text) if len(text.split()) <= 4 else text
    return text.strip(" ,.;!?")


def _names_thing(verb: str, question: str) -> bool:
    """Return whether a thing stands behind a verb: a common one, or that of the question ("What do you play?")."""
    stem = re.sub(r"(?:ing|s|e)$", "", verb.split()[0])
    return verb in read_values()["thing_verbs"] or any(
        len(stem) > 2 and word.startswith(stem) for word in re.findall(r"\w+", question.lower())
    )


def _words(text: str) -> set[str]:
    return {word.rstrip("s") for word in re.findall(r"\w{3,}", text.lower())}


@lru_cache(maxsize=1)
def _trouble() -> re.Pattern[str]:
    return re.compile(rf"\b(?:{'|'.join(read_values()['trouble_words'])})\b|n't\b", re.IGNORECASE)


@lru_cache(maxsize=2)
def _empty_words(is_thing: bool) -> frozenset[str]:
    table = read_values()
    return frozenset([*table["empty_words"], *(table["vague_words"] if is_thing else ())])


def _says_nothing(text: str, context: str, *, is_thing: bool = False) -> bool:
    """Return whether a text has no word of its own: "book an appointment", or words of the question alone."""
    words = {word.split("'")[0] for word in re.findall(r"[^\W_]+(?:'\w+)?", text.lower().replace("\u2019", "'"))}
    known = set() if " or " in context else {word.rstrip("s") for word in re.findall(r"\w+", context.lower())}
    return all(word in _empty_words(is_thing) or word.rstrip("s") in known for word in words)


def with_modifiers(thing: str, text: str) -> str:
    """Return a thing with the words between it and its article: "a deep tissue massage"."""
    match = re.search(rf"\b(?:an?|the|my|some) ((?:[a-z-]+ ){{1,3}}{re.escape(thing)})\b", text, re.IGNORECASE)
    if match is None or _says_nothing(match[1].removesuffix(thing), "x or y"):
        return thing
    words = match[1].split()
    return thing if words[0].lower() in _LOOSE or {*words[:-1]} & _empty_words(False) else match[1]


def find_things(text: str, question: str, language: str) -> list[dict[str, Any]]:
    """Return the things that a text lists, each with `name`, `quantity` (None if not said) and `size`.

    A text that neither counts things, nor asks for them, nor answers a question about them lists none.
    """
    if _PLEASANTRY.fullmatch(text) or re.match(r"\W*no \w+\b", text, re.IGNORECASE):
        return []
    text = in_digits(re.sub(r"(?<=\w)[.!?]\s+(?=[A-Z])", ", ", text), language)
    whole = without_fillers(text, language)
    text = without_lead_in(whole, language, with_actions=True)
    things: list[dict[str, Any]] = []
    for piece in _SPLIT.split(_FILLED_PAUSE.sub(" ", text)):
        if things and re.match(r"(?:no|not|without|hold)\b", piece, re.IGNORECASE):
            continue
        piece = without_lead_in(without_fillers(piece, language), language, with_actions=True)
        piece = _RUN_OUT.sub("", piece)
        if not things and (match := _SUBJECT.match(piece)):
            if not _names_thing(match["verb"].lower(), question):
                return []  # "I've seen the leaflet and the poster"
            piece = piece[match.end() :]
        if not piece or _NO_THING.match(piece) or deflects(piece, language) or _says_nothing(piece, "", is_thing=True):
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

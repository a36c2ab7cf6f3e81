"""Free text, and lists of things, as people give them: "it's for a …", "three burritos and one horchata"."""

import re
from functools import lru_cache
from typing import Any

from dryline.flow.model.answers.turns import Utterance, deflects, without_fillers, without_lead_in
from dryline.flow.model.kinds import has_key_word, label_of, read_values
from dryline.flow.model.number_words import to_digits

_SIZES = r"(?:extra large|extra small|small|medium|large|regular)"
_QUANTITY = re.compile(
    r"^(?P<number>\d{1,4})(?:\s*x\b|\s+(?:(?:orders?|pieces?|servings?|bags?|boxes) of|of the|of))?\s+(?P<name>.+)$",
    re.IGNORECASE,
)
_LOOSE = {"new", "nice", "good", "small", "medium", "large", "big", "little", "regular", "quick", "simple"}
_LOOSE |= {"different", "old", "same", "usual", "normal", "default", "other"}


@lru_cache(maxsize=64)
def _form(name: str) -> re.Pattern[str]:
    """Return a form of sentences, in which the name of another form in square brackets stands for that form."""
    forms: dict[str, str] = read_values()["text_forms"]
    source = re.sub(r"\[(\w+)\]", lambda match: forms.get(match[1], match[0]), forms[name])
    return re.compile(source, re.IGNORECASE)


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
    if match := _form("reason").search(text):
        text = text[match.end() :]
    else:
        clauses = _clauses(text, "clause")
        if has_key_word(label, "trouble"):
            clauses = [clause for clause in clauses if not _form("wish").match(clause)]
        text = clauses[0] if clauses and len(clauses[0].split()) > 2 else " ".join(clauses)
    text = _without_openings(text, utterance.language)
    return None if not text or _says_nothing(text, f"{label} {utterance.question}") else text


def _clauses(text: str, ends: str) -> list[str]:
    """Return the clauses of a text that are more than a pleasantry."""
    return [clause for clause in _form(ends).split(text) if clause and not _form("pleasantry").fullmatch(clause)]


def find_thing(utterance: Utterance, label: str) -> str | None:
    """Return the thing that an answer names: "it's a spaniel"; None for other sentences."""
    clauses = _clauses(utterance.text, "clause")
    language = utterance.language
    if not clauses or utterance.deflects or _form("asks").match(without_fillers(clauses[0], language)):
        return None
    text = clauses[0] if len(clauses[0].split()) > 2 else " ".join(clauses)
    text = without_lead_in(without_fillers(text, language), language, with_actions=True)
    if _form("wish").match(clauses[0]):  # "my rabbit" of "I want to bring my rabbit"
        match = _form("verb_and_object").match(text)
        text = match["object"] if match else ""
    text = _without_openings(_form("beside").sub("", text), language)
    if not text or len(text.split()) > 8 or _form("sentence").match(text) or _says_nothing(text, label, is_thing=True):
        return None
    return text


def _without_openings(text: str, language: str) -> str:
    text = without_lead_in(without_fillers(text, language), language)
    text = _form("article").sub("", text) if len(text.split()) <= 4 else text
    return text.strip(" ,.;!?")


def _says_nothing(text: str, context: str, *, is_thing: bool = False) -> bool:
    """Return whether a text has no word of its own: "book an appointment", or words of the question alone."""
    words = {word.split("'")[0] for word in re.findall(r"[^\W_]+(?:'\w+)?", text.lower().replace("\u2019", "'"))}
    known = set() if " or " in context else {word.rstrip("s") for word in re.findall(r"\w+", context.lower())}
    empty = {*read_values()["empty_words"], *(read_values()["vague_words"] if is_thing else ())}
    return all(word in empty or word.rstrip("s") in known for word in words)


def with_modifiers(thing: str, text: str) -> str:
    """Return a thing with the words between it and its article: "a deep tissue massage"."""
    match = re.search(rf"\b(?:an?|the|my|some) ((?:[a-z-]+ ){{1,3}}{re.escape(thing)})\b", text, re.IGNORECASE)
    if match is None or _says_nothing(match[1].removesuffix(thing), "x or y"):
        return thing
    words = match[1].split()
    return thing if words[0].lower() in _LOOSE or {*words[:-1]} & {*read_values()["empty_words"]} else match[1]


def find_things(text: str, question: str, language: str) -> list[dict[str, Any]]:
    """Return the things that a text lists, each with `name`, `quantity` (None if not said) and `size`.

    A text that neither counts things, nor asks for them, nor answers a question about them lists none.
    """
    if _form("pleasantry").fullmatch(text) or re.match(r"\W*no \w+\b", text, re.IGNORECASE):
        return []
    text = to_digits(re.sub(r"(?<=\w)[.!?]\s+(?=[A-Z])", ", ", text), language)
    whole = without_fillers(text, language)
    text = _form("filled_pause").sub(" ", without_lead_in(whole, language, with_actions=True))
    things: list[dict[str, Any]] = []
    for piece in _form("split").split(text):
        if things and re.match(r"(?:no|not|without|hold)\b", piece, re.IGNORECASE):
            continue
        piece = without_lead_in(without_fillers(piece, language), language, with_actions=True)
        piece = _form("run_out").sub("", piece)
        is_none = not piece or _form("no_thing").match(piece) or deflects(piece, language)
        thing = None if is_none or _says_nothing(piece, "", is_thing=True) else _thing(piece)
        if thing is not None:
            things.append(thing)
    asks = not question or _form("asks_for_things").search(question)
    orders = _form("orders").search(whole) and not _form("wants_to").search(whole)
    orders = orders and all(len(each["name"].split()) < 4 for each in things)
    is_counted = any(each["is_counted"] for each in things)
    return things if asks or orders or is_counted else []


def _thing(piece: str) -> dict[str, Any] | None:
    piece = re.sub(r"^one of (?:the|my|those|these)\s+", "one ", piece, flags=re.IGNORECASE)
    counted = _QUANTITY.match(piece)
    single = re.match(r"^(?:an?|one|another|ein(?:e|en)?|una?)\s+(.+)$", piece, re.IGNORECASE)
    quantity = int(counted["number"]) if counted else 1 if single else None
    piece = counted["name"] if counted else single[1] if single else piece
    piece = _form("article").sub("", piece)
    size = re.match(rf"^({_SIZES})\s+(?=\w)", piece, re.IGNORECASE)
    name = _form("addition").sub("", piece).strip(" .,!?;:")
    if not name or len(name.split()) > 5 or not re.search(r"[^\W\d]", name):
        return None
    return {"name": name, "quantity": quantity, "size": size[1].lower() if size else None, "is_counted": bool(counted)}

"""Free text, and lists of things, as people give them: "it's for a …", "three burritos and one horchata"."""

import re
from typing import Any

from dryline.flow.model.answers.choices import find_choice, find_choice_of, find_of_class
from dryline.flow.model.answers.slots import Slot
from dryline.flow.model.answers.turns import Utterance, deflects, without_openings
from dryline.flow.model.kinds import form, key_words, label_of, read_values
from dryline.flow.model.number_words import to_digits
from dryline.flow.model.questions import options_of

_SHORT = 4  # words of a clause or an example that can be the name of a thing
_OPENINGS = ("lead_ins", "action_lead_ins")


def find_text(slot: Slot, utterance: Utterance) -> Any:
    """Return free text: a choice, one of the example's class, or the answer."""
    if slot.choices:
        return find_choice_of(slot, utterance)
    if thing := _counted(slot, utterance):
        return thing
    if member := find_of_class(utterance.text, slot.example_text):
        return member
    options = options_of(utterance.question or slot.question)
    if slot.example_text.lower() in options and (at := find_choice(utterance.text, options)) is not None:
        return options[at]
    if not (slot.is_only_text or slot.is_named_in(utterance.question)) or slot.is_asked_for(utterance) is False:
        return None
    is_sentence = not 0 < len(slot.example_text.split()) <= _SHORT  # unlike "golden retriever"
    is_sentence = slot.kind == "reason" or (slot.kind == "text" and is_sentence)
    return (_sentence if is_sentence else _thing_of)(utterance, label_of(slot.key))


def find_model(slot: Slot, utterance: Utterance) -> Any:
    """Return what stands behind the make of a car, else as with any text."""
    makes = [slot.members[key] for key, kind in slot.kinds_beside.items() if kind == "make"]
    make = find_of_class(utterance.text, makes[0]) if makes else None
    match = re.search(rf"\b{re.escape(make)}\s+([A-Z0-9][\w-]*(?: \d+)?)", utterance.text, re.I) if make else None
    if match and not find_of_class(utterance.text, slot.example_text):
        return match[1].capitalize() if match[1].islower() else match[1]
    return find_text(slot, utterance)


def _counted(slot: Slot, utterance: Utterance) -> str | None:
    """Return the one thing that is counted, where its number is asked for beside it: "forty rolls for Monday"."""
    if slot.kind not in ("item", "text") or {"count", "number"}.isdisjoint(slot.kinds_beside.values()):
        return None
    question = "" if slot.kind == "item" and slot.is_asked_for(utterance) else "x"  # which asks for no things
    counted = [thing for thing in find_things(utterance.text, question, utterance.language) if thing["quantity"]]
    name: str = counted[0]["name"] if len(counted) == 1 else ""
    for key in slot.kinds_beside:  # "large" has a member of its own
        if value := find_of_class(name, str(slot.members[key])):
            name = re.sub(rf"\b{value}\b\s*", "", name, flags=re.IGNORECASE)
    return name or None


def _sentence(utterance: Utterance, label: str) -> str | None:
    """Return the statement of an answer about a problem, a reason or a message; None for a mere wish or an echo."""
    text = utterance.text.strip()
    if match := form("reason").search(text):
        text = text[match.end() :]
    else:
        clauses = _clauses(text)
        if key_words("trouble") & {*label.split()}:
            clauses = [clause for clause in clauses if not form("wish").match(clause)]
        text = clauses[0] if clauses and len(clauses[0].split()) > 2 else " ".join(clauses)
    text = _without_openings(text, utterance.language)
    return None if not text or _says_nothing(text, f"{label} {utterance.question}") else text


def _clauses(text: str) -> list[str]:
    """Return the clauses of a text that are more than a pleasantry."""
    return [clause for clause in form("clause").split(text) if clause and not form("pleasantry").fullmatch(clause)]


def _thing_of(utterance: Utterance, label: str) -> str | None:
    """Return the thing that an answer names: "it's a spaniel"; None for other sentences."""
    clauses, language = _clauses(utterance.text), utterance.language
    if not clauses or deflects(utterance.text, language) or form("asks").match(without_openings(clauses[0], language)):
        return None
    text = clauses[0] if len(clauses[0].split()) > 2 else " ".join(clauses)
    text = without_openings(text, language, *_OPENINGS)
    if form("wish").match(clauses[0]):  # "my rabbit" of "I want to bring my rabbit"
        match = form("verb_and_object").match(text)
        text = match["object"] if match else ""
    text = _without_openings(form("beside").sub("", text), language)
    if not text or len(text.split()) > 8 or form("sentence").match(text) or _says_nothing(text, label, is_thing=True):
        return None
    return text


def _without_openings(text: str, language: str) -> str:
    text = without_openings(text, language, "lead_ins")
    text = form("article").sub("", text) if len(text.split()) <= _SHORT else text
    return text.strip(" ,.;!?")


def _says_nothing(text: str, context: str, *, is_thing: bool = False) -> bool:
    """Return whether a text has no word of its own: "book an appointment", or words of the question alone."""
    words = {word.split("'")[0] for word in re.findall(r"[^\W_]+(?:'\w+)?", text.lower().replace("\u2019", "'"))}
    known = set() if " or " in context else {word.rstrip("s") for word in re.findall(r"\w+", context.lower())}
    empty = {*read_values()["empty_words"], *(read_values()["vague_words"] if is_thing else ())}
    return all(word in empty or word.rstrip("s") in known for word in words)


def find_things(text: str, question: str, language: str) -> list[dict[str, Any]]:
    """Return the things that a text lists, each with `name`, `quantity` (None if not said) and `size`.

    A text that neither counts things, nor asks for them, nor answers a question about them lists none.
    """
    if form("pleasantry").fullmatch(text) or re.match(r"\W*no \w+\b", text, re.IGNORECASE):
        return []
    text = to_digits(re.sub(r"(?<=\w)[.!?]\s+(?=[A-Z])", ", ", text), language)
    whole = without_openings(text, language)
    things: list[dict[str, Any]] = []
    for piece in form("split").split(without_openings(text, language, *_OPENINGS)):
        if things and re.match(r"(?:no|not|without|hold)\b", piece, re.IGNORECASE):
            continue
        piece = without_openings(piece, language, *_OPENINGS)
        is_none = not piece or form("no_thing").match(piece) or deflects(piece, language)
        if not is_none and not _says_nothing(piece, "", is_thing=True) and (thing := _thing(piece)):
            things.append(thing)
    asks = not question or form("asks_for_things").search(question)
    orders = form("orders").search(whole) and not form("wants_to").search(whole)
    orders = orders and all(len(each["name"].split()) < _SHORT for each in things)
    return things if asks or orders or any(each["is_counted"] for each in things) else []


def _thing(piece: str) -> dict[str, Any] | None:
    counted = form("counted_thing").fullmatch(piece)
    quantity = int(counted["number"] or 1) if counted else None
    piece = form("article").sub("", counted["name"] if counted else piece)
    size = form("thing_size").match(piece)
    name = form("addition").sub("", piece).strip(" .,!?;:")
    if not name or len(name.split()) > 5 or not re.search(r"[^\W\d]", name):
        return None
    is_counted = bool(counted and counted["number"])
    return {"name": name, "quantity": quantity, "size": size[1].lower() if size else None, "is_counted": is_counted}

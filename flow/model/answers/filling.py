"""Fill the shape of an example, or of a JSON Schema, with what was said.

A member that nobody said is None, or an invented value for `unsaid: "made-up"`. `how` names the source of each member:
`said`, `not said`, `made up`, or `the example` (an invented value that is that of the example).
"""

import re
from dataclasses import replace
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

import orjson

from dryline.flow.model.answers.choices import find_all_of_class, find_choice_of
from dryline.flow.model.answers.dates import find_weekdays
from dryline.flow.model.answers.slots import Slot, shaped
from dryline.flow.model.answers.table import KINDS, made_up
from dryline.flow.model.answers.texts import find_text, find_things
from dryline.flow.model.answers.turns import Utterance, utterances_of
from dryline.flow.model.answers.yes_no import find_yes_no
from dryline.flow.model.kinds import FREE_TEXTS, is_of_user, key_words, kind_of, label_of, language_of

if TYPE_CHECKING:
    from dryline.flow.language.language_model import Question

MADE_UP: Final = "made-up"  # `unsaid`: the values of members that nobody said are invented
_SAID_FOR_ONE = (*FREE_TEXTS, "name", "company", "email", "phone", "code", "city", "number", "count", "money")
_FOR_BOTH = re.compile(r"\b(?:same|both|each)\b")
_ADDS = re.compile(r"\W*(?:oh,? )?(?:and|also|plus)\b|\b(?:too|as well|also)\W*(?:$|,)", re.IGNORECASE)


def fill(question: "Question") -> tuple[Any, dict[str, str]]:
    """Return the answer's value, and the source of each member of it."""
    return _Filling(question).fill()


def find_value(slot: Slot, utterances: list[Utterance]) -> Any:
    """Return the value that was said, in the type of the example; None if none was. The newest utterance counts."""
    if slot.kind == "yes_no":
        return find_yes_no(slot, utterances)
    find = KINDS[slot.kind].find if slot.kind in KINDS else find_text
    for utterance in utterances:
        for part in utterance.parts if slot.kind not in ("reason", "text") else (utterance.text,):
            value = find(slot, replace(utterance, text=part))
            if value is not None:
                return _typed(value, slot.example)
        if slot.choices and len(utterance.parts) < 2 and (value := find_choice_of(slot, utterance)) is not None:
            return value
    return None


def _typed(value: Any, example: Any) -> Any:
    """Return the value in the type of the example; a whole number stays one where the example has no type."""
    if isinstance(value, float) and not isinstance(example, float):
        whole = int(value) if value == int(value) else value
        return whole if isinstance(example, int) or example is None else str(whole)
    return None if isinstance(example, (int, float)) and isinstance(value, str) else value


class _Filling:
    """One answer while it is put together."""

    def __init__(self, question: "Question") -> None:
        self._question = question
        self._now = question.now or datetime.now(UTC)
        self._owners: dict[tuple[str, bool | str, str], str] = {}  # the paths of values, by object, kind and value
        self._how: dict[str, str] = {}
        self._known = _members_of_json(question.about)
        about = "\n".join(map(str, self._known.values())) or question.about
        language = language_of(f"{question.question} {about[-500:]}")
        self._utterances = utterances_of(about, language, self._now)

    def fill(self) -> tuple[Any, dict[str, str]]:
        question = self._question
        if question.example is not None or isinstance(question.schema, dict):
            return shaped(question, self._leaf, self._members_of_list), self._how
        value = find_value(Slot(None, "", question=question.question), self._utterances)
        if value is None:  # an answer without a shape is the last utterance
            value = next((each.text for each in self._utterances), None)
        return value, {"value": "said" if value is not None else "not said"}

    def _leaf(self, slot: Slot) -> Any:
        value, self._how[slot.path or "value"] = self._value(slot)
        return value

    def _value(self, slot: Slot) -> tuple[Any, str]:
        if slot.key in self._known:
            return self._known[slot.key], "said"
        is_own = slot.kind != "phone" or is_of_user(slot.key, slot.question)
        value = find_value(slot, self._utterances) if is_own else None
        if value is not None and not self._is_taken(slot, value):
            return value, "said"
        if self._question.unsaid != MADE_UP:
            return None, "not said"
        return made_up(slot, self._question.random, self._now)

    def _is_taken(self, slot: Slot, value: Any) -> bool:
        """Return whether a member beside this one has the value already, which was said only once."""
        if slot.kind not in _SAID_FOR_ONE or not isinstance(value, (str, int, float)):
            return False
        said = " ".join(utterance.digits for utterance in self._utterances).casefold()
        place = slot.path.rpartition(".")[0], slot.kind in FREE_TEXTS or slot.kind, str(value).casefold()
        owner = self._owners.setdefault(place, slot.path)
        return owner != slot.path and said.count(place[2]) < 2 and not _FOR_BOTH.search(said)

    def _members_of_list(self, example: Any, place: Slot) -> list[Any] | None:
        """Return the members of a list that was said; None to walk the example instead, for invented values."""
        members = self._listed(example, place)
        if members or self._question.unsaid != MADE_UP:
            self._how[place.path or "value"] = "said" if members else "not said"
            return members
        return None

    def _listed(self, example: Any, place: Slot) -> list[Any]:
        if not isinstance(example, (dict, str)):
            value = find_value(Slot(example, place.key, question=place.question), self._utterances)
            return [] if value is None else [value]
        listed: list[Any] = []
        for utterance in self._utterances:
            listed = _members_in(utterance, example, place) + listed
            if listed and not _ADDS.search(utterance.text):
                break
        return listed


def _members_in(utterance: Utterance, example: Any, place: Slot) -> list[Any]:
    """Return the members of a list that one utterance names."""
    latest = " ".join(utterance.parts[:1])
    if isinstance(example, str) and kind_of(place.key, example) == "date":
        return find_weekdays(latest, utterance.language, example)
    words = {word for word in label_of(place.key).split() if len(word) > 2}
    asks_for_list = words & set(re.findall(r"\w+", utterance.question.lower()))
    things = find_things(latest, "" if asks_for_list else utterance.question, utterance.language)
    members = [_like(example, thing) for thing in things]
    known = find_all_of_class(utterance.parts, example) if isinstance(example, str) else []
    return known if len(known) >= max(len(members), 1) else members


def _members_of_json(about: str) -> dict[str, Any]:
    """Return the members of an earlier answer that is asked in its turn; none for other texts."""
    try:
        members = orjson.loads(about) if about.startswith("{") else {}
    except orjson.JSONDecodeError:
        return {}
    return members if isinstance(members, dict) else {}


def _like(example: Any, thing: dict[str, Any]) -> Any:
    """Return a thing in the shape of the list's example: a text, or an object with its name, quantity and size."""
    name = thing["name"]
    if not isinstance(example, dict):
        return name
    if "size" in example and thing["size"]:
        name = name.removeprefix(f"{thing['size']} ")
    name_key = next((key for key, value in example.items() if isinstance(value, str)), None)
    counts = {key for key, value in example.items() if isinstance(value, (int, float))}
    counts = {key for key in counts if label_of(key) in key_words("quantity")}
    values = {"size": thing["size"], **dict.fromkeys(counts, thing["quantity"] or 1), name_key: name}
    return {key: values.get(key) for key in example}

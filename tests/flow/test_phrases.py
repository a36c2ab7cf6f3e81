"""The phrases of callers are complete, and written in the format that `flow/phrases/__init__.py` describes."""

import json
import re
from pathlib import Path

from dryline.flow import phrases
from dryline.flow.phrases import SLOT, load
from dryline.tools.understanding.corpus import read_intents

SLOTS = {
    *("day", "time", "date", "name", "company", "product", "item", "number", "money", "phone", "email", "address"),
    *("city", "service", "problem", "code", "month", "weekday", "reason"),
}


def test_slots_are_of_known_kinds():
    for intent in load().values():
        for text in (*intent.says, *intent.opens):
            assert {slot[1] for slot in SLOT.finditer(text)} <= SLOTS, (intent.name, text)
            assert not re.search(r"[{}]", SLOT.sub("", text)), (intent.name, text)


def test_an_intent_is_in_one_file_and_has_phrases():
    files = [json.loads(path.read_text()) for path in Path(phrases.__file__).parent.glob("en/*.json")]
    intents = [(name, texts) for content in files for name, texts in content.items()]
    assert len({name for name, _ in intents}) == len(intents)
    for name, texts in intents:
        assert texts["says"] and all(text.strip() for each in texts.values() for text in each), name


def test_each_intent_has_the_conditions_that_it_meets():
    intents = {intent.name: intent for intent in read_intents()}
    assert intents.keys() == load().keys()
    for name in load():
        assert len(intents[name].meant) >= 3 and len(intents[name].said) >= 4, name
    missing = {name: sorted(intent.also - intents.keys()) for name, intent in intents.items()}
    assert {name: others for name, others in missing.items() if others} == {}

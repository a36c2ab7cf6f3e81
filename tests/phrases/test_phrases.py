"""The phrases of callers are complete, and written in the format that `phrases/__init__.py` describes."""

from __future__ import annotations

import json
import re
import subprocess
import sys

import pytest

from dryline.phrases import LANGUAGES, SLOT, load

SLOTS = {
    *("day", "time", "date", "name", "company", "product", "item", "number", "money", "phone", "email", "address"),
    *("city", "service", "problem", "code", "month", "weekday", "reason"),
}


def every_text(intent):
    return [*intent.conditions, *intent.says, *intent.opens, *intent.yes_to, *intent.no_to]


@pytest.mark.parametrize("language", LANGUAGES)
def test_slots_are_of_known_kinds(language):
    for intent in load(language).intents.values():
        for text in every_text(intent):
            assert {slot[1] for slot in SLOT.finditer(text)} <= SLOTS, (intent.name, text)
            assert not re.search(r"[{}]", SLOT.sub("", text)), (intent.name, text)


@pytest.mark.parametrize("language", LANGUAGES)
def test_no_text_of_an_intent_is_written_twice(language):
    for intent in load(language).intents.values():
        for texts in (intent.conditions, (*intent.says, *intent.opens)):
            plain = [text.casefold().strip(" .!?") for text in texts]
            assert len(plain) == len(set(plain)), (intent.name, sorted({t for t in plain if plain.count(t) > 1}))


def test_an_intent_has_several_conditions_and_utterances():
    for intent in load("en").intents.values():
        assert len(intent.conditions) >= 3, intent.name
        assert len(intent.says) >= 4, intent.name


def test_the_intents_that_an_intent_names_exist():
    intents = load("en").intents
    missing = {name: sorted(set(one.also) - set(intents)) for name, one in intents.items()}
    assert {name: others for name, others in missing.items() if others} == {}


def test_a_start_does_not_read_the_phrases():
    code = "import dryline.app, dryline.phrases as p, json; print(json.dumps(p._load.cache_info().currsize))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert json.loads(done.stdout) == 0

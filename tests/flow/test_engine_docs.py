"""The example, the limits and the names in docs/flow-language.md, and the limits in docs/flow-decisions.md."""

from __future__ import annotations

import re
from pathlib import Path

from dryline.flow.language import host_functions, interpreter, json_values, python_code, sandbox, session, web
from dryline.flow.language.host_functions import FUNCTIONS
from dryline.flow.model import remote_model
from dryline.flow.sessions import conversations
from dryline.simulator import followed

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "flow-language.md").read_text(encoding="utf-8")
DECISIONS = (DOCS / "flow-decisions.md").read_text(encoding="utf-8")


def test_each_branch_of_the_example_is_reached(engine, play):
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    assert engine.check(code) == []
    for condition in engine.program(code).conditions:
        assert condition.text in [each.text for each in play(code, condition.text)[0].taken]


def test_the_limits_are_those_of_the_engine():
    text = " ".join((PAGE + DECISIONS).split())
    assert f"| running without such a call | {sandbox.STEP_S:g} s |" in text
    assert f"| running, in one conversation | {sandbox.CONVERSATION_S:g} s |" in text
    assert f"| one request to another server | {web.LONGEST_S:g} s |" in text
    assert f"| {sandbox.MEMORY_BYTES // 2**20} MB |" in text
    assert f"| {interpreter.CALLS_A_TURN} |" in text
    passed = interpreter.PASSED_A_TURN
    assert f"| values passed to them, in one turn | {passed:,} characters, or {passed // 16:,} members |" in text
    assert f"| {conversations.MAX_DUMP_BYTES:,} bytes |" in text
    assert f"| {interpreter.CHARACTERS:,} characters |" in text
    assert f"| {json_values.LARGEST:,} characters, or {json_values.LARGEST // 16:,} members |" in text
    assert f"Code has at most {python_code.MAX_CODE:,} characters, a line of it {python_code.MAX_LINE:,}" in text
    assert f"| values in the example and the schema of one `.ask` | {host_functions.MOST_VALUES} |" in text
    assert f"a text in them, or of an extraction | {host_functions.LONGEST_MEMBER:,} characters |" in text
    assert f"| a question, a condition | {host_functions.LONGEST_QUESTION:,} characters |" in text
    assert f"what a `return` hands back | {host_functions.LONGEST_TEXT:,} characters |" in text
    assert f"| an address with its query | {web.LONGEST_URL:,} characters |" in text
    assert f"| turns | {session.TURNS:,} |" in text
    assert followed._MOST_STOPPED == 3 and "After three calls that exceeded a [bound]" in text
    assert f"longer than {remote_model.TIMEOUT_S:g} s" in text


def test_each_name_of_the_language_is_on_the_page():
    for name in FUNCTIONS:
        if not name.startswith("_based_"):
            assert re.search(rf"\b{name.rpartition('.')[2].replace('ZoneInfo', 'zoneinfo')}\b", PAGE), name

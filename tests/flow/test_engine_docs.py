"""The example, the limits and the names in docs/flow-language.md, and the limits in docs/flow-decisions.md."""

from __future__ import annotations

import re
from pathlib import Path

from dryline.flow.language import host_functions, interpreter, json_values, python_code, sandbox, session, web
from dryline.flow.language.host_functions import FUNCTIONS
from dryline.flow.model import remote_model
from dryline.flow.sessions import conversations

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "flow-language.md").read_text(encoding="utf-8")
DECISIONS = (DOCS / "flow-decisions.md").read_text(encoding="utf-8")


def test_each_branch_of_the_example_is_reached(engine, play):
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)[1]
    assert engine.check(code) == []
    for condition in engine.program(code).conditions:
        assert condition.text in [each.text for each in play(code, condition.text)[0].taken]


def test_the_limits_are_those_of_the_engine():
    cells = {cell.strip() for row in re.findall(r"^\|(.*)\|$", PAGE, re.MULTILINE) for cell in row.split("|")}
    assert cells >= {
        f"{sandbox.STEP_S:g} s",
        f"{sandbox.CONVERSATION_S:g} s",
        f"{web.LONGEST_S:g} s",
        f"{sandbox.MEMORY_BYTES // 2**20} MB",
        f"{interpreter.CALLS_A_TURN}",
        f"{interpreter.PASSED_A_TURN:,} characters, or {interpreter.PASSED_A_TURN // 16:,} members",
        f"{conversations.MAX_DUMP_BYTES:,} bytes",
        f"{interpreter.CHARACTERS:,} characters",
        f"{json_values.LARGEST:,} characters, or {json_values.LARGEST // 16:,} members",
        f"{host_functions.MOST_VALUES}",
        f"{host_functions.LONGEST_MEMBER:,} characters",
        f"{host_functions.LONGEST_QUESTION:,} characters",
        f"{host_functions.LONGEST_TEXT:,} characters",
        f"{web.LONGEST_URL:,} characters",
        f"{session.TURNS:,}",
    }
    assert f"{python_code.MAX_CODE:,} characters" in PAGE and f"{python_code.MAX_LINE:,}" in PAGE
    assert f"{remote_model.TIMEOUT_S:g} s" in DECISIONS


def test_each_name_of_the_language_is_on_the_page():
    for name in FUNCTIONS:
        if not name.startswith("_based_"):
            assert re.search(rf"\b{name.rpartition('.')[2].replace('ZoneInfo', 'zoneinfo')}\b", PAGE), name

"""The language of flows as contract/based.md describes it, by the flows in language_cases.txt.

Each case has a title behind `===`, a flow, the user's turns behind `<<<` and the texts that the flow says behind `>>>`.
The turn `/a` takes the condition "a". Every session is stored and loaded before each turn.
"""

from __future__ import annotations

from pathlib import Path

import pytest


def flow_cases():
    for block in Path(__file__).with_name("language_cases.txt").read_text(encoding="utf-8").split("=== ")[1:]:
        title, _, rest = block.strip().partition("\n")
        code, _, said = rest.partition("\n>>> ")
        code, _, turns = code.partition("\n<<< ")
        texts = said.replace("\\n", "\n").split(" | ")
        yield pytest.param(f"{code}\n", turns.split("; ") if turns else [], texts, id=title)


@pytest.mark.parametrize(("code", "turns", "said"), list(flow_cases()))
def test_a_flow_says_what_the_language_promises(talk, code, turns, said):
    talked = talk(code, *turns)
    assert talked.said == said
    assert talked.session.ended == "end of the flow"

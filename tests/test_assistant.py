"""`dryline mcp`: a coding assistant's tools, asked by the protocol's own client."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from dryline.commands.mcp_server import McpServer
from dryline.testing import DrylineServer

FLOW = """\
loop:
    talk("Ask for the day.")
until "caller names a day":
    say("Booked.")
"""


@pytest.fixture(scope="module")
def stand_in():
    """Yield a stand-in on a socket with the demo world."""
    with DrylineServer(scenario="demo", seed=1) as stand_in:
        yield stand_in


@pytest.fixture
def ask(stand_in):
    """Call tools one after another, as an assistant does: (name, arguments), …. Gives what each told."""
    stand_in.reset()

    def ask(*calls):
        return asyncio.run(asked(McpServer(stand_in), calls))

    return ask


async def asked(target, calls):
    answers = []
    async with Client(target) as client:
        for name, arguments in calls:
            answer = await client.call_tool(name, arguments)
            text = "".join(part.text for part in answer.content)
            if answer.is_error:
                answers.append(f"refused: {text}")
            else:
                content = answer.structured_content
                answers.append(content["result"] if set(content) == {"result"} else content)
    return answers


def test_each_tool_says_what_it_does_and_the_guide_lists_it(stand_in):
    async def listed():
        async with Client(McpServer(stand_in)) as client:
            return (await client.list_tools()).tools

    tools = asyncio.run(listed())
    assert all(tool.description for tool in tools)
    guide = (Path(__file__).parent.parent / "docs" / "assistants.md").read_text(encoding="utf-8")
    table = "".join(line.split("|")[1] for line in guide.splitlines() if line.startswith("| `"))
    assert re.findall(r"`(\w+)`", table) == [tool.name for tool in tools]


def test_the_address_and_the_content_of_the_stand_in_are_answered(ask, stand_in):
    (about,) = ask(("about", {}))
    assert about["environment"]["BRAINBASE_LABS_BASE_URL"] == stand_in.url
    assert about["rows"]["voiceLogs"] == len(stand_in.state()["voiceLogs"])


def test_rows_are_found_by_what_they_hold(ask):
    (matches, unknown) = ask(
        ("rows", {"collection": "workers", "containing": "Bayside Dental"}), ("rows", {"collection": "calls"})
    )
    assert [row["name"] for row in matches] == ["Bayside Dental"]
    assert "No collection calls. There are: teams, " in unknown


def test_simulated_calls_can_be_read_by_the_api(ask):
    (ids, logs) = ask(
        ("simulate_calls", {"count": 2, "outcome": "busy"}), ("rows", {"collection": "voiceLogs", "limit": 1000})
    )
    assert len(ids) == 2
    assert set(ids) <= {log["id"] for log in logs}


def test_a_fault_strikes_and_is_taken_away(ask):
    get = ("call_api", {"method": "GET", "path": "/workers"})
    (id, struck, rules, _, after) = ask(
        ("add_fault", {"path": "/api/workers", "status": 503}), get, ("faults", {}), ("remove_faults", {}), get
    )
    assert (struck["status"], after["status"]) == (503, 200)
    assert [(rule["id"], rule["hits"]) for rule in rules] == [(id, 1)]


def test_unknown_arguments_are_refused_by_name(ask):
    (error, rules) = ask(("add_fault", {"path": "/api/workers", "sttus": 503, "status": 500}), ("faults", {}))
    assert error.startswith("refused: add_fault has no argument sttus. It has: path, method, preset, status")
    assert rules == []


def test_a_missing_argument_is_named(ask):
    (error,) = ask(("add_fault", {"status": 503}))
    assert error == "refused: add_fault needs the argument path."


def test_a_path_is_taken_as_programs_ask_it(ask):
    (answer,) = ask(("call_api", {"method": "GET", "path": "/api/workers"}))
    assert answer["status"] == 200


def test_an_answer_that_is_no_json_is_given_as_it_is(ask, stand_in):
    stand_in.fault(path="/api/workers", malformed="garbage")
    (answer,) = ask(("call_api", {"method": "GET", "path": "/workers"}))
    assert answer["status"] == 200
    assert isinstance(answer["answer"], str)


@pytest.mark.parametrize("preset", ["half-an-answer", "cut-off"])
def test_a_server_that_does_not_answer_is_reported(ask, preset):
    (_, answer) = ask(
        ("add_fault", {"path": "/api/workers", "preset": preset}), ("call_api", {"method": "GET", "path": "/workers"})
    )
    assert "/api/workers: The answer is not complete: " in answer


def test_a_call_in_progress_is_there_from_its_first_ring(ask):
    calls = {"in_progress": True, "customer_number": "+12125550101"}
    *_, rows = ask(
        ("move_clock", {"frozen": True}), ("simulate_calls", calls), ("rows", {"collection": "callsInProgress"})
    )
    assert len(rows) == 1


def test_time_stands_still_and_moves_on(ask):
    (frozen, later) = ask(
        ("move_clock", {"to": "2026-11-22T10:00:00Z", "frozen": True}), ("move_clock", {"advance_seconds": 90})
    )
    assert frozen == {"now": "2026-11-22T10:00:00.000Z", "frozen": True}
    assert later["now"] == "2026-11-22T10:01:30.000Z"


def test_requests_are_listed_and_verified(ask):
    (_, seen, yes, no) = ask(
        ("call_api", {"method": "POST", "path": "/workers", "body": {"name": 7}}),
        ("requests", {"path": "/api/workers"}),
        ("verify", {"method": "POST", "path": "/api/workers", "body_contains": "7"}),
        ("verify", {"method": "POST", "path": "/api/workers", "body_contains": "8"}),
    )
    assert [(one["method"], one["status"]) for one in seen] == [("POST", 400)]
    assert yes == "Yes: 1."
    assert "nearest: POST /api/workers 400" in no


def test_a_saved_state_comes_back(ask):
    (*_, rows) = ask(
        ("save", {"name": "before"}), ("reset", {"scenario": "empty"}), ("restore", {"name": "before"}), ("about", {})
    )
    assert rows["rows"]["workers"] > 1
    assert rows["snapshots"] == ["before"]


def test_code_is_checked_with_its_lines(ask):
    (good, bad) = ask(("check_flow", {"code": FLOW}), ("check_flow", {"code": FLOW + "until 'again':\n"}))
    assert good == []
    assert bad[0].startswith("flow:")


def test_a_flow_is_talked_to_turn_by_turn(stand_in):
    async def talk():
        async with Client(McpServer(stand_in)) as client:
            begun = (await client.call_tool("talk", {"code": FLOW})).structured_content
            arguments = {"talk_id": begun["talkId"], "choose": "caller names a day"}
            return begun, (await client.call_tool("talk", arguments)).structured_content

    begun, then = asyncio.run(talk())
    assert begun["open"] == ["caller names a day"]
    assert "Agent: Booked." in then["happened"]
    assert then["ended"]


def test_the_command_speaks_the_protocol_over_its_standard_input_and_output(stand_in):
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "dryline", "mcp", "--url", stand_in.url], env=dict(os.environ)
    )
    (about,) = asyncio.run(asked(command, [("about", {})]))
    assert about["url"] == stand_in.url

"""`dryline mcp`: a coding assistant's tools, asked by the protocol's own client."""

import asyncio
import os
import re
import sys
from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters

from dryline.commands.mcp_server import McpServer
from dryline.testing import DrylineServer, connect

FLOW = """\
loop:
    talk("Ask for the day.")
until "caller names a day":
    say("Booked.")
"""


@pytest.fixture(scope="module")
def stand_in():
    """Yield a stand-in on a socket with an animal hospital."""
    with DrylineServer(scenario="clinic", seed=1) as stand_in:
        yield stand_in


@pytest.fixture
def ask(stand_in):
    """Return a function that calls tools one after another, (name, arguments), …, and returns their answers."""
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


def test_every_tool_says_why_it_failed():
    with DrylineServer(scenario="empty") as stand_in:
        server = McpServer(connect(stand_in.url))
    calls = [("about", {}), ("workers", {}), ("call_api", {"method": "GET", "path": "workers"})]
    answers = asyncio.run(asked(server, calls))
    assert all(f"No dryline answers at {stand_in.url}" in answer for answer in answers), answers


def test_calls_are_simulated_on_a_deployment_that_is_listed(ask):
    ((worker, *_),) = ask(("workers", {}))
    line = next(row["id"] for row in worker["deployments"] if row["type"] == "Voice")
    options = {"workerId": worker["id"], "deploymentId": line, "count": 2, "outcome": "busy"}
    path = f"/workers/{worker['id']}/deploymentLogs/voice"
    (simulated, logs) = ask(("simulate_calls", options), ("call_api", {"method": "GET", "path": path}))
    assert len(simulated["ids"]) == 2
    assert set(simulated["ids"]) <= {log["id"] for log in logs["answer"]["data"]}


def test_a_fault_is_applied_until_it_is_removed(ask):
    get = ("call_api", {"method": "GET", "path": "/api/workers"})
    (rule, during, rules, _, after) = ask(
        ("add_fault", {"path": "/api/workers", "status": 503}), get, ("faults", {}), ("remove_faults", {}), get
    )
    assert (during["status"], after["status"]) == (503, 200)
    assert [(each["id"], each["hits"]) for each in rules] == [(rule["id"], 1)]


def test_unknown_arguments_are_refused_by_name(ask):
    (error,) = ask(("add_fault", {"path": "/api/workers", "sttus": 503}))
    assert error.startswith("refused: ") and "sttus: Unknown field; did you mean status?" in error


def test_the_clock_is_frozen_and_advanced(ask):
    (frozen, later) = ask(
        ("set_clock", {"now": "2026-11-22T10:00:00Z", "frozen": True}), ("advance_clock", {"seconds": 90})
    )
    assert frozen == {"now": "2026-11-22T10:00:00.000Z", "frozen": True}
    assert later["now"] == "2026-11-22T10:01:30.000Z"


def test_requests_are_listed_and_verified(ask):
    (_, seen, yes, no) = ask(
        ("call_api", {"method": "POST", "path": "/workers", "body": {"name": 7}}),
        ("requests", {"path": "/api/workers"}),
        ("verify", {"method": "POST", "path": "/api/workers", "bodyContains": "7"}),
        ("verify", {"method": "POST", "path": "/api/workers", "bodyContains": "8"}),
    )
    assert [(one["method"], one["status"]) for one in seen] == [("POST", 400)]
    assert yes["count"] == 1
    assert '"nearest": [{' in no


def test_code_is_checked_with_its_lines(ask):
    (good, bad) = ask(("check_flow", {"code": FLOW}), ("check_flow", {"code": FLOW + "until 'again':\n"}))
    assert good == []
    assert bad[0].startswith("flow:")


def test_a_flow_is_talked_to_turn_by_turn(ask):
    (begun,) = ask(("talk", {"code": FLOW}))
    assert begun["waiting"] == ["caller names a day"]
    (then,) = ask(("turn", {"talkId": begun["id"], "choose": begun["waiting"][0]}))
    assert ("said", "Booked.") in [(event["type"], event.get("text")) for event in then["events"]]
    assert then["ended"]


def test_the_command_speaks_the_protocol_over_its_standard_input_and_output(stand_in):
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "dryline", "mcp", "--url", stand_in.url], env=dict(os.environ)
    )
    (about,) = asyncio.run(asked(command, [("about", {})]))
    assert about["url"] == stand_in.url

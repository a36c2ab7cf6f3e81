"""`dryline talk`, `dryline flow check`, `dryline flow paths`: a flow in a file, or in a data directory."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.testing import DrylineServer
from dryline.tests.control.test_talk import CLINIC

TURNS = "I want to book an appointment for Monday\n"


@pytest.fixture
def run():
    def run(*command, code=0, **kwargs):
        done = CliRunner().invoke(cli, list(map(str, command)), **kwargs)
        assert done.exit_code == code, done.output
        return done.output

    return run


@pytest.fixture
def file(tmp_path):
    """Write a file and give its path."""

    def write(text, name="clinic.based"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


@pytest.fixture
def served(tmp_path):
    """Yield a server with the clinic's flow: its data directory and the flow's id."""
    with DrylineServer(data_dir=tmp_path / "world") as server, server.client() as client:
        (server.app.world.directory / "address").write_text(server.url)
        worker = client.workers.create(name="Clinic", description=None, status=None)
        flow = client.workers.flows.create(worker.id, name="Main", label="", code=CLINIC)
        yield server.app.world.directory, flow.id, server


def test_a_check_prints_warnings_and_passes(run, file):
    assert run("flow", "check", file(CLINIC)) == ""
    assert ": warning: " in run("flow", "check", file("say(nobody)\n"))


def test_a_check_names_variables_that_are_not_among_those_given(run, file):
    flow = file('say(variables["desk"])\n')
    assert run("flow", "check", flow) == ""
    assert run("flow", "check", flow, "--variables", '{"desk": 1}') == ""
    assert f"{flow}:1:5: warning: The flow has no variable 'desk'" in run("flow", "check", flow, "--variables", "{}")


def test_every_file_with_an_error_is_reported_with_line_and_column(run, file):
    bad, worse = file('until "x":\n    say(1)\n', "bad.based"), file("x = = 1\n", "worse.based")
    lines = run("flow", "check", bad, file(CLINIC), worse, code=1).splitlines()
    assert lines[0].startswith(f"{bad}:1:1: error: ")
    assert lines[1].startswith(f"{worse}:1:5: error: ")
    assert len(lines) == 2


def test_a_file_that_is_not_utf_8_is_reported_with_its_line(run, file):
    path = file("")
    path.write_bytes('say("a")\nsay("café")\n'.encode("latin-1"))
    for command in (["flow", "check", path], ["talk", path]):
        assert f"{path}:2: This is not UTF-8." in run(*command, code=1)


def test_the_conditions_are_shown_as_the_code_nests_them(run, file):
    nested = file("""loop:
    a = talk("One.", True)
until "first":
    loop:
        b = talk("Two.", True)
    until "second":
        return
until "third":
    say("Bye.")
""")
    assert run("flow", "paths", nested).splitlines() == [
        "line 1: loop",
        "  line 3: first",
        "    line 4: loop",
        "      line 6: second  (back to the loop)",
        "  line 8: third",
    ]


@pytest.mark.parametrize("command", ["flow paths", "talk"])
def test_code_that_cannot_run_is_refused_with_its_place(run, file, command):
    assert ":1:1: error: " in run(*command.split(), file('until "x":\n    say(1)\n'), code=1)


def test_a_condition_that_is_not_open_is_refused_and_the_conversation_goes_on(run, file):
    shown = run("talk", file(CLINIC), input="/9\n/1\n")
    assert "Refused: The talk has no condition '9'." in shown
    assert "Ended: transfer" in shown


@pytest.mark.parametrize("typed", ["", "\n", "elephants\n\n", "/1\n", "I want to book\nan appointment for Monday\n"])
def test_the_output_of_any_conversation_is_a_script_that_passes(run, file, typed):
    code = CLINIC.replace('"caller wants a human"', '"""caller wants\n  a human"""')
    script = file(run("talk", file(code), input=typed), "clinic.talk")
    assert run("talk", file(code), "--script", script) == ""


def test_the_caller_can_speak_before_the_flow(run, file):
    shown = run("talk", file(CLINIC), "--say", TURNS)
    assert shown.startswith("You: I want to book an appointment for Monday\nAgent: Oak Clinic.\nTaken: ")
    assert run("talk", file(CLINIC), "--script", file(shown, "clinic.talk")) == ""


ORDER = """import requests
loop:
    res = talk("What would you like?", True)
until "caller orders":
    order = res.ask("What do they order?", {"item": "tea", "quantity": 1})
    price = requests.get(f"https://shop.example/prices/{order['item']}", params={"n": order["quantity"]}).json()
    extract("price", price["total"])
"""


def test_answers_and_responses_of_other_servers_can_be_given(run, file):
    stubs = file('[{"method": "GET", "url": "https://shop.example/prices/*", "json": {"total": 7}}]', "http.json")
    options = ("--answers", '{"item": "cake", "quantity": 2}', "--http", stubs)
    shown = run("talk", file(ORDER), *options, input="/0\n")
    assert "Requested: GET https://shop.example/prices/cake?n=2 200" in shown
    assert "Extracted: price = 7" in shown
    assert run("talk", file(ORDER), *options, "--script", file(shown, "order.talk")) == ""


def test_variables_state_channel_and_seed_are_the_flows(run, file):
    code = file('print(variables["a"], state["b"])\ntry:\n    end_call()\nexcept NameError:\n    print("a chat")\n')
    options = ("--variables", '{"a": 1}', "--state", '{"b": 2}', "--channel", "chat")
    assert "Printed: 1 2\nPrinted: a chat" in run("talk", code, *options)
    assert "must be a JSON object" in run("talk", code, "--state", "[1]", code=2)


def test_an_exception_is_printed_with_its_traceback_and_is_a_failure(run, file):
    shown = run("talk", file("x = 1 / 0\n"), code=1)
    assert "clinic.based:1:5: ZeroDivisionError: division by zero" in shown
    assert "#     x = 1 / 0" in shown
    assert "The flow failed. " in shown


def test_a_conversation_in_a_terminal_can_be_kept_in_a_file(run, file, tmp_path):
    script = tmp_path / "kept.talk"
    typing, terminal = os.openpty()
    os.write(typing, b"I want to book an appointment for Monday\n")
    command = [sys.executable, "-m", "dryline", "talk", str(file(CLINIC))]
    with script.open("wb") as out:
        subprocess.run(command, stdin=terminal, stdout=out, check=True, timeout=60)
    assert "You: I want to book an appointment for Monday\nTaken:" in script.read_text()
    assert run("talk", file(CLINIC), "--script", script) == ""


def test_a_script_that_something_else_comes_of_is_a_diff(run, file):
    script = file("You: I want to book an appointment for Monday\nAgent: See you on Friday.\n", "clinic.talk")
    difference = run("talk", file(CLINIC), "--script", script, code=1).splitlines()
    assert "-Agent: See you on Friday." in difference
    assert "+Agent: See you on Monday." in difference


def test_a_script_whose_turns_are_not_all_taken_fails(run, file):
    script = file("You: /1\nYou: Are you still there?\n", "clinic.talk")
    assert "-You: Are you still there?" in run("talk", file(CLINIC), "--script", script, code=1)


@pytest.mark.parametrize(("code", "turn"), [(CLINIC, "/9"), (CLINIC + "x = 1 / 0\n", "/0")])
def test_a_script_that_does_not_expect_a_failure_fails_by_it(run, file, code, turn):
    run("talk", file(code), "--script", file(f"You: {turn}\n", "clinic.talk"), code=1)


def test_a_flow_of_a_running_server_is_talked_to_and_leaves_nothing_there(run, served):
    directory, flow, server = served
    shown = run("talk", "--flow", flow, "--data-dir", directory, input=TURNS)
    assert 'Extracted: booking = {"day": "Monday"}' in shown
    with server.app.world.active():
        assert server.app.world.db.execute_sql("SELECT count(*) FROM talk_session").fetchone() == (0,)


def test_a_file_or_a_flow_is_named(run, file):
    assert "Name either FILE or --flow." in run("talk", code=2)
    assert "Name either FILE or --flow." in run("talk", file(CLINIC), "--flow", "flow_1", code=2)

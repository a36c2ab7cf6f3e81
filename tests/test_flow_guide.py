"""Every example of docs/flows.md is run as it is written."""

import re
import subprocess
import sys

import pytest

from dryline.testing import DrylineInProcess, DrylineServer
from dryline.tests.test_guides import ENVIRONMENT, examples, run

GUIDE = examples("docs/flows.md")


@pytest.fixture
def folder(tmp_path):
    """Return a folder with the guide's files."""
    for name, text in GUIDE.items():
        (tmp_path / name).write_text(text)
    return tmp_path


def test_the_flow_is_checked_and_its_paths_shown(folder):
    assert run(folder, "sh", "-eu", "check.sh").splitlines() == [
        "line 2: loop",
        "  line 4: caller wants to book an appointment",
        "  line 8: caller wants a human",
    ]


def test_the_conversation_shows_what_is_printed(folder):
    said = next(line for line in GUIDE["clinic.talk"].splitlines() if line.startswith("You: "))
    command = ["sh", "-eu", "talk.sh"]
    done = subprocess.run(
        command, cwd=folder, input=said.removeprefix("You: ") + "\n", capture_output=True, text=True, env=ENVIRONMENT
    )
    printed, expected = (re.sub(r"\d+% sure", "sure", text) for text in (done.stdout, GUIDE["clinic.talk"]))
    assert printed == expected, done.stderr


def test_the_conversation_is_a_script_that_passes(folder):
    assert run(folder, "sh", "-eu", "script.sh") == ""


def test_the_examples_of_tests_pass(run_pytest, monkeypatch, folder):
    monkeypatch.chdir(folder)
    files = [name for name in GUIDE if name.startswith("test_")]
    assert len(files) == 3
    run_pytest("", *files).assert_outcomes(passed=5)


def test_the_example_of_simulated_calls_in_a_shell(folder, tmp_path):
    with DrylineServer(data_dir=tmp_path / "data") as server, pytest.MonkeyPatch.context() as patch:
        (server.app.world.directory / "address").write_text(server.url)
        workers = server.client().workers
        worker = workers.create(name="Clinic", description=None, status=None)
        flow = workers.flows.create(worker.id, name="Main", label="", code=GUIDE["clinic.based"])
        line = workers.deployments.voice.create(worker.id, name="Line", phone_number="+14155550100", flow_id=flow.id)
        ids = {"WORKER_ID": worker.id, "DEPLOYMENT_ID": line.id, "DRYLINE_DATA_DIR": str(tmp_path / "data")}
        for name, value in ids.items():
            patch.setitem(ENVIRONMENT, name, value)
        made = run(folder, "sh", "-eu", "simulate.sh").split()
        logs = {log["id"]: log for log in server.state()["voiceLogs"]}
    assert [logs[id]["status"] for id in made] == ["transferred"] * 5


def test_the_example_of_openais_client(folder):
    with DrylineServer() as server, pytest.MonkeyPatch.context() as patch:
        worker = server.client().workers.create(name="Clinic", description=None, status=None)
        server.client().workers.flows.create(worker.id, name="Main", label="", code=GUIDE["clinic.based"])
        for name, value in {**server.environment, "WORKER_ID": worker.id}.items():
            patch.setitem(ENVIRONMENT, name, value)
        out = run(folder, sys.executable, "endpoint.py")
    assert out.startswith("Oak Clinic, good morning.\n")


def test_a_caller_who_is_asked_for_a_name_can_have_a_person():
    with DrylineInProcess() as dryline:
        talk = dryline.talk(code=GUIDE["desk.based"])
        assert talk.say("I need an appointment") == ["Gladly. May I have your name?"]
        talk.say("I want to speak to a person")
        assert talk.ended == "transfer"


def test_a_caller_who_says_everything_at_once_is_asked_for_nothing():
    with DrylineInProcess() as dryline:
        talk = dryline.talk(code=GUIDE["desk.based"])
        assert talk.say("I'm Ada Park, and I need an appointment on Monday") == ["See you on Monday, Ada Park."]

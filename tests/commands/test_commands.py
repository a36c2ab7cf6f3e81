"""The command line, beside a running server and without one."""

import json
import re

import pytest
import yaml
from brainbase_labs import APITimeoutError
from click.testing import CliRunner

from dryline.blueprints.control.faults import FaultSchema
from dryline.commands import cli
from dryline.models.teams import digest
from dryline.schemas.request_log import ContentSchema
from dryline.testing import DrylineServer
from dryline.tests.conftest import NEW_WORKER
from dryline.tests.test_packaging import ROOT
from dryline.world.request_search import Criteria
from dryline.world.wording import camel


def test_state_is_exported_imported_and_added_to_without_a_server(run, tmp_path):
    copy = tmp_path / "copy.json"
    for id, flags in (("w0", ()), ("w1", ()), ("w2", ("--add",))):
        world = tmp_path / f"{id}.json"
        world.write_text(json.dumps({"version": 1, "workers": [{"id": id, "name": id}]}))
        run("state", "import", *flags, str(world))
    assert {worker["id"] for worker in json.loads(run("state", "export"))["workers"]} == {"w1", "w2"}
    run("state", "export", str(copy))
    assert len(json.loads(copy.read_text())["workers"]) == 2


def test_state_is_exported_and_imported_beside_a_running_server(run, served, tmp_path):
    served.client().workers.create(**NEW_WORKER)
    document = run("state", "export")
    assert [worker["name"] for worker in json.loads(document)["workers"]] == ["Front desk"]
    served.reset()
    run("state", "import", "-", input=document)
    assert [worker.name for worker in served.client().workers.list()] == ["Front desk"]


def test_wait_ends_when_the_server_answers_and_fails_if_it_does_not(served, free_port):
    done = CliRunner().invoke(cli, ["wait", served.url])
    assert (done.exit_code, done.output) == (0, f"dryline answers at {served.url}.\n")
    nowhere = f"http://127.0.0.1:{free_port}"
    done = CliRunner().invoke(cli, ["wait", nowhere, "--timeout", "0"])
    assert (done.exit_code, done.output) == (1, f"dryline: No dryline answers at {nowhere} after 0 s.\n")


def test_the_hook_for_pre_commit_runs_a_command_that_exists(tmp_path):
    (hook,) = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    (tmp_path / "wrong.based").write_text("loop:\n")
    word, *command = hook["entry"].split()
    done = CliRunner().invoke(cli, [*command, str(tmp_path / "wrong.based")])
    assert (word, done.exit_code) == ("dryline", 1) and "wrong.based:" in done.output


def test_a_key_of_another_server_is_made_known_by_its_digest(run, served):
    made = json.loads(run("keys", "create", "--copy", digest("dl_b_elsewhere"), "--name", "moved"))
    assert (made["name"], "key" in made) == ("moved", False)
    client = served.app.test_client()
    assert client.get("/api/team", headers={"x-api-key": "dl_b_elsewhere"}).status_code == 200


def test_a_key_is_made_shown_once_and_revoked(run, served):
    made = json.loads(run("keys", "create", "--name", "ci"))
    listed = run("keys", "list")
    assert made["id"] in listed
    assert made["key"] not in listed
    client = DrylineServer.client
    served.api_key = made["key"]
    assert client(served).workers.list() == []
    run("keys", "revoke", made["id"])
    assert made["id"] not in run("keys", "list")
    assert "No key" in run("keys", "revoke", made["id"], code=1)


def test_simulate_prints_the_ids_of_the_logs(run, served):
    served.simulate_calls(1)
    deployment = served.state()["voiceDeployments"][0]
    where = ("--worker", deployment["workerId"], "--deployment", deployment["id"])
    ids = run("simulate", *where, "--count", "3", "--outcome", "voicemail", "--seed", "7").split()
    logs = {log["id"]: log for log in served.state()["voiceLogs"]}
    assert [logs[id]["status"] for id in ids] == ["voicemail"] * 3


def test_simulate_ends_with_1_if_the_flow_leads_a_call_elsewhere(run, served):
    served.simulate_calls(1)
    state = served.state()
    code = 'loop:\n    talk("Hi", True)\nuntil "a":\n    pass\n'
    state["flows"][0]["code"] = f"{code}if False:\n    loop:\n        talk('p')\n    until \"b\":\n        pass\n"
    served.load(state)
    assert "branch 'b'; the call took 'a'" in run("simulate", "--branch", "b", code=1)
    assert len(served.state()["voiceLogs"]) == 2
    assert len(run("simulate", "--branch", "a").split()) >= 1


def test_simulate_finds_the_oldest_deployment_by_itself(run, served):
    assert "dryline workers" in run("simulate", code=1)
    served.simulate_calls(1)
    before = len(served.state()["voiceLogs"])
    run("simulate", "--count", "2")
    assert len(served.state()["voiceLogs"]) == before + 2
    assert "no such chat deployment" in run("simulate", "--chats", code=1)


def test_an_admin_token_is_passed_on(run, data_dir):
    with DrylineServer(data_dir=data_dir, admin_token="secret") as server:
        (server.app.world.directory / "address").write_text(server.url)
        assert "x-dryline-token" in run("keys", "list", code=1)
        assert json.loads(run("keys", "list", "--json", "--admin-token", "secret"))


def test_openapi_prints_the_served_document(app):
    printed = CliRunner().invoke(cli, ["openapi"])
    assert json.loads(printed.output) == app.test_client().get("/openapi.json").json


# Other commands


def test_reset_takes_everything_back(run, served):
    served.client().workers.create(**NEW_WORKER)
    run("reset")
    assert served.client().workers.list() == []
    assert "Cannot read the scenario nosuch" in run("reset", "--scenario", "nosuch", code=1)


def test_the_clock_is_frozen_moved_set_and_runs_again(run, served):
    assert run("clock", "freeze", "2030-01-01T09:00:00Z").strip() == "2030-01-01T09:00:00.000Z  frozen"
    assert run("clock", "advance", "2h").strip() == "2030-01-01T11:00:00.000Z  frozen"
    assert run("clock", "advance", "1.5").strip() == "2030-01-01T11:00:01.500Z  frozen"
    assert run("clock", "set", "2031-01-01T00:00:00Z").strip() == "2031-01-01T00:00:00.000Z  frozen"
    assert run("clock").strip() == "2031-01-01T00:00:00.000Z  frozen"
    running = run("clock", "run")
    assert running.startswith("2031-01-01T00:0") and "frozen" not in running
    assert not run("clock", "reset").startswith("2031")


def test_a_fault_takes_the_criteria_of_a_check_and_answers_in_turn(run, served):
    criteria = {
        "json": {"name": "B"},
        "query": {"dryRun": None},
        "requestHeaders": {"X-Trace": "7"},
        "bodyContains": "B",
    }
    options = ["--json", '{"name": "B"}', "--query", '{"dryRun": null}', "--request-headers", '{"X-Trace": "7"}']
    run("faults", "add", *options, "--body-contains", "B", "--answers", '[429, {"status": 500, "body": "x"}]')
    (rule,) = served.plane("GET", "/faults")
    assert {name: rule[name] for name in criteria} == criteria
    assert [(answer["status"], answer["body"]) for answer in rule["answers"]] == [(429, None), (500, "x")]
    run("faults", "off")


def test_a_fault_has_an_option_for_each_member_that_selects_requests(run, served):
    team = served.plane("GET", "/teams")[0]["id"]
    chosen = {"method": "POST", "path": "/api/workers", "json": {"name": "A"}, "query": {"a": "b"}}
    chosen |= {"requestHeaders": {"X-A": "b"}, "bodyContains": "c", "teamId": team, "times": 2, "skip": 1}
    chosen |= {"probability": 0.5, "phase": "after", "status": 503, "body": {"error": "x"}, "headers": {"X-B": "c"}}
    chosen |= {"malformed": "garbage"}
    words = []
    for name, value in chosen.items():
        flag = "--" + re.sub("([A-Z])", r"-\1", name).lower()
        words += [flag, value if isinstance(value, str) else json.dumps(value)]
    run("faults", "add", *words)
    (rule,) = served.plane("GET", "/faults")
    run("faults", "off")
    assert {name: rule[name] for name in chosen} == chosen
    selecting = {*ContentSchema().fields, *Criteria.__dataclass_fields__, "request_headers"} & {*FaultSchema().fields}
    assert {camel(name) for name in selecting} <= chosen.keys()


@pytest.mark.parametrize("option", [("--skip", "1"), ("--phase", "after"), ("--probability", "0.5")])
def test_a_fault_without_an_effect_is_refused(run, option):
    assert "Say what the rule does" in run("faults", "add", *option, code=2)


def test_faults_are_switched_on_listed_and_switched_off(run, served):
    added = run("faults", "add", "unavailable-twice", "--path", "/api/workers", "--rule", '{"headers": {"X": "y"}}')
    (rule,) = served.plane("GET", "/faults")
    assert (rule["path"], rule["status"], rule["headers"]) == ("/api/workers", 503, {"X": "y"})
    assert run("faults") == added and rule["id"] in added
    assert json.loads(run("faults", "list", "--json")) == [rule]
    run("faults", "off", rule["id"])
    assert run("faults") == "No fault rules.\n"


# How a refusal looks


@pytest.mark.parametrize(
    ("words", "line"),
    [
        (["--zzz", "1"], "dryline: No such option '--zzz'. See dryline serve --help."),
        (["clock", "advance"], "dryline: Missing argument 'DURATION'."),
        (["simulate", "--count", "many"], "dryline: Invalid value for '--count': 'many' is not a valid integer."),
        (["clock", "stop"], "dryline: No such command 'stop'. See dryline clock --help."),
        (["serve", "--port", "99999"], "dryline: --port must be 0 to 65535, not 99999."),
        (
            ["pull", "--from", "x", "--api-key", "k"],
            "dryline: --from: 'x' is not the address of a server, such as http://127.0.0.1:4010.",
        ),
    ],
)
def test_every_refusal_is_one_line_of_one_form(words, line):
    done = CliRunner().invoke(cli, words, prog_name="dryline")
    assert (done.exit_code, done.stdout, done.stderr.replace('"', "'").strip()) == (2, "", line)


@pytest.mark.parametrize("words", [["save", "a.dryline"], ["load", "a.dryline", "--team", "t"], ["save"]])
def test_the_commands_for_files_of_snapshots_are_refused_with_what_to_do(words):
    done = CliRunner().invoke(cli, ["snapshots", *words])
    assert (done.exit_code, done.stdout) == (2, "")
    assert done.stderr.startswith(f"dryline: snapshots {words[0]} is removed in 0.2; ")
    assert "DATA-DIR/snapshots" in done.stderr and done.stderr.count("\n") == 1


def test_one_teams_state_is_exported(run, served):
    team = served.team("One")
    served.client().workers.create(**NEW_WORKER)
    assert len(json.loads(run("state", "export"))["workers"]) == 1
    document = json.loads(run("state", "export", "--team", team.id))
    assert (document["workers"], [row["id"] for row in document["teams"]]) == ([], [team.id])


def test_snapshots_are_taken_listed_restored_and_removed(run, served):
    run("snapshots", "take", "before the demo")
    served.client().workers.create(**NEW_WORKER)
    assert run("snapshots").endswith("  before the demo\n")
    run("snapshots", "restore", "before the demo")
    assert served.client().workers.list() == []
    run("snapshots", "remove", "before the demo")
    assert run("snapshots") == "No snapshots.\n"


def test_workers_are_listed_with_their_ids(run, served):
    served.simulate_calls(1)
    (worker,) = json.loads(run("workers", "--json"))
    assert worker["deployments"][0]["phoneNumber"]
    text = run("workers")
    assert all(id in text for id in (worker["id"], worker["flows"][0]["id"], worker["deployments"][0]["id"]))


def test_requests_are_shown_the_newest_last(run, served):
    served.client().workers.create(**NEW_WORKER)
    served.client().workers.list()
    served.plane("POST", "/faults", {"status": 503})
    with pytest.raises(Exception, match="503"):
        served.client(max_retries=0).workers.list()
    lines = run("requests").splitlines()
    assert [line.split()[1:4] for line in lines] == [
        ["POST", "/api/workers", "201"],
        ["GET", "/api/workers", "200"],
        ["GET", "/api/workers", "503"],
    ]
    assert lines[2].endswith(f"[{served.plane('GET', '/faults')[0]['id']}]")
    assert len(run("requests", "--method", "POST", "--json").splitlines()) == 1


@pytest.fixture
def between(monkeypatch):
    """Have `requests --follow` call functions, one before each look at the log, and stop after the last one."""

    def set_steps(*steps):
        todo = list(steps)
        monkeypatch.setattr("dryline.commands.requests.sleep", lambda seconds: todo.pop(0)() if todo else stop())

    def stop():
        raise KeyboardInterrupt

    return set_steps


def test_requests_are_followed_as_they_come(run, served, between):
    between(lambda: None, served.client().workers.list, lambda: None)
    served.client().workers.create(**NEW_WORKER)
    assert [line.split()[1] for line in run("requests", "--follow").splitlines()] == ["POST", "GET"]


def test_a_request_in_progress_is_shown_and_followed_to_its_answer(run, served, between):
    served.fault(path="/api/workers", delay_ms=60_000)
    with pytest.raises(APITimeoutError):
        served.client(max_retries=0, timeout=0.3).workers.list()
    assert "GET /api/workers in progress" in run("requests", "--path", "/api/{collection}/")

    def answer():
        served.plane("DELETE", "/faults")
        served.wait_for_request(path="/api/workers")

    between(answer)
    (line,) = run("requests", "--follow").splitlines()
    assert " GET /api/workers 200 " in line


# Completion and help


def completed(words, incomplete):
    from click.shell_completion import ShellComplete

    return {
        item.value for item in ShellComplete(cli, {}, "dryline", "_DRYLINE_COMPLETE").get_completions(words, incomplete)
    }


@pytest.mark.parametrize(
    ("words", "incomplete", "offered"),
    [
        ([], "", {"serve", "requests", "clock", "pull"}),
        ([], "s", {"serve", "simulate", "snapshots", "state"}),
        (["--port", "4011"], "--ep", {"--ephemeral"}),
        (["clock"], "", {"show", "advance", "freeze"}),
        (["clock", "advance"], "--u", {"--url"}),
    ],
)
def test_a_shell_completes_commands_and_options(words, incomplete, offered):
    assert completed(words, incomplete) >= offered


def test_the_help_names_every_command_in_whole_lines():
    text = CliRunner().invoke(cli, ["--help"]).output
    assert text.count("...") == 1  # [ARGS]...
    assert "dryline serve --help" in text
    assert all((f"\n  {name} " in text) != command.hidden for name, command in cli.commands.items())


@pytest.mark.parametrize("url", ["127.0.0.1:4010", "http://127.0.0.1:4120x", "http://"])
def test_wait_refuses_a_text_that_is_no_address(url):
    done = CliRunner().invoke(cli, ["wait", url])
    assert done.exit_code == 2 and "is not the address of a server" in done.output

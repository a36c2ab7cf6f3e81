"""The command line, beside a running server and without one."""

import json

import pytest
from click.testing import CliRunner

from dryline.command_line import cli
from dryline.testing import DrylineServer

NEW = {"name": "Front desk", "description": None, "status": None}


@pytest.fixture
def data_dir(tmp_path):
    """A data directory with an empty world that no server is using."""
    directory = tmp_path / "world"
    with DrylineServer(data_dir=directory):
        pass
    return str(directory)


@pytest.fixture
def run(data_dir):
    def run(*command, code=0, **kwargs):
        done = CliRunner().invoke(cli, [*command, "--data-dir", data_dir], **kwargs)
        assert done.exit_code == code, done.output
        return done.output

    return run


@pytest.fixture
def served(data_dir):
    """The same directory, served: the commands find the server by the address that it leaves there."""
    with DrylineServer(data_dir=data_dir) as server:
        address = server.app.world.directory / "address"
        address.write_text(server.url)
        yield server
        address.unlink()


def test_state_is_exported_and_imported_without_a_server(run, tmp_path):
    world = tmp_path / "world.json"
    world.write_text(json.dumps({"version": 1, "workers": [{"id": "w1", "name": "One"}]}))
    run("state", "import", str(world))
    assert [worker["id"] for worker in json.loads(run("state", "export"))["workers"]] == ["w1"]
    copy = tmp_path / "copy.json"
    run("state", "export", str(copy))
    assert json.loads(copy.read_text())["workers"][0]["name"] == "One"


def test_state_is_exported_and_imported_beside_a_running_server(run, served, tmp_path):
    served.client().workers.create(**NEW)
    document = run("state", "export")
    assert [worker["name"] for worker in json.loads(document)["workers"]] == ["Front desk"]
    served.reset()
    run("state", "import", "-", input=document)
    assert [worker.name for worker in served.client().workers.list()] == ["Front desk"]


def test_import_can_add_instead_of_replacing(run, tmp_path):
    for id in ("w1", "w2"):
        world = tmp_path / f"{id}.json"
        world.write_text(json.dumps({"version": 1, "workers": [{"id": id, "name": id}]}))
        run("state", "import", "--add", str(world))
    assert {worker["id"] for worker in json.loads(run("state", "export"))["workers"]} == {"w1", "w2"}


def test_a_bad_document_is_refused_with_row_and_member(run, tmp_path):
    world = tmp_path / "world.json"
    world.write_text(json.dumps({"version": 1, "workers": [{"id": "w1"}]}))
    assert "workers[0].name" in run("state", "import", str(world), code=1)


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
    found = {log["id"]: log for log in served.state()["voiceLogs"]}
    assert [found[id]["status"] for id in ids] == ["voicemail"] * 3


def test_an_unknown_deployment_is_told(run, served):
    assert "deployment" in run("simulate", "--worker", "w", "--deployment", "d", code=1)


def test_the_address_of_a_server_that_was_killed_is_no_trap(run, tmp_path, data_dir):
    from pathlib import Path

    Path(data_dir, "address").write_text("http://127.0.0.1:9")
    assert json.loads(run("state", "export"))["version"] == 1


def test_an_admin_token_is_passed_on(run, data_dir):
    with DrylineServer(data_dir=data_dir, admin_token="secret") as server:
        (server.app.world.directory / "address").write_text(server.url)
        assert "x-dryline-token" in run("keys", "list", code=1)
        assert json.loads(run("keys", "list", "--admin-token", "secret"))


def test_openapi_prints_the_served_document(app):
    printed = CliRunner().invoke(cli, ["openapi"])
    assert json.loads(printed.output) == app.test_client().get("/openapi.json").json


def test_without_a_command_it_serves():
    done = CliRunner().invoke(cli, ["--port", "99999"])
    assert done.exit_code == 2
    assert "--port must be 0 to 65535" in done.output

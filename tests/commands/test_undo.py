"""`dryline undo`: the way back from a command that destroys, and from `POST /_dryline/reset`."""

import json
import shlex

import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.testing import DrylineServer


@pytest.fixture
def name_worker(served):
    """Return a function that creates a worker of this name."""

    def create(name):
        headers = {"x-api-key": "dryline-local-key"}
        answer = served.app.test_client().post("/api/workers", json={"name": name}, headers=headers)
        assert answer.status_code == 201
        return answer.json

    return create


@pytest.fixture
def workers(run):
    return lambda: {worker["name"] for worker in json.loads(run("state", "export"))["workers"]}


@pytest.fixture
def undoable(run):
    return lambda: [line.split("  ")[1] for line in run("snapshots", "--undo").splitlines()]


@pytest.mark.parametrize(
    "command",
    [("reset",), ("state", "import", "-"), ("state", "import", "--add", "-"), ("snapshots", "restore", "one")],
)
def test_what_a_command_replaced_comes_back_and_a_second_undo_goes_forth(run, name_worker, workers, command):
    run("snapshots", "take", "one")
    name_worker("Mine")
    before = workers()
    run(*command, input=json.dumps({"version": 1, "workers": [{"id": "w", "name": "Theirs"}]}))
    after = workers()
    assert after != before
    run("undo")
    assert workers() == before
    run("undo")
    assert workers() == after


def test_the_line_after_a_command_undoes_it(run, name_worker, workers):
    name_worker("Mine")
    line = run("reset").splitlines()[-1]
    words = shlex.split(line.removeprefix("To undo this: "))
    assert words[0] == "dryline" and CliRunner().invoke(cli, words[1:]).exit_code == 0
    assert workers() == {"Mine"}


def test_a_revoked_key_works_again(run, served):
    key = json.loads(run("keys", "create"))
    run("keys", "revoke", key["id"])
    run("undo")
    assert served.app.test_client().get("/api/team", headers={"x-api-key": key["key"]}).status_code == 200


def test_a_reset_by_http_can_be_undone_and_is_no_snapshot_by_name(run, served, name_worker, workers, undoable):
    name_worker("Mine")
    served.reset()
    assert served.plane("GET", "/snapshots") == [] and run("snapshots") == "No snapshots.\n"
    assert undoable() == ["before reset 1"]
    run("undo")
    assert workers() == {"Mine"}


def test_the_newest_five_are_kept_and_none_of_a_change_that_failed(run, served, undoable):
    for _ in range(7):
        run("reset")
    assert undoable() == [f"before reset {number}" for number in (7, 6, 5, 4, 3)]
    run("reset", "--scenario", "nosuch", code=1)
    run("snapshots", "restore", "nosuch", code=1)
    run("state", "import", "-", input="{}", code=1)
    run("keys", "revoke", "nosuch", code=1)
    assert undoable() == [f"before reset {number}" for number in (7, 6, 5, 4, 3)]


def test_a_temporary_server_keeps_nothing_and_says_so():
    with DrylineServer() as server:
        done = CliRunner().invoke(cli, ["reset", "--url", server.url])
        assert (done.exit_code, done.stderr) == (0, "Reset.\n")
        done = CliRunner().invoke(cli, ["undo", "--url", server.url])
        assert done.exit_code == 1 and done.stderr.startswith("dryline: There is nothing to undo. A temporary server")
        assert list((server.app.world.directory / "snapshots").glob("*")) == []

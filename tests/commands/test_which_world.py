"""The world that a command works on: a running server's, or one that is named."""

import contextlib
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

import pytest
from brainbase_labs import AuthenticationError
from click.testing import CliRunner

from dryline.commands import cli, client
from dryline.testing import DrylineServer
from dryline.tests.conftest import NEW_WORKER


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """Change to an empty folder, on a machine where no other server runs."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(client, "USUAL_URL", "http://127.0.0.1:9")
    return tmp_path / "elsewhere"


@contextlib.contextmanager
def announced(**settings):
    """Start a server that writes its address to a file, as `dryline serve` does, so that commands find it."""
    with DrylineServer(**settings) as server:
        (server.app.world.directory / "address").write_text(server.url)
        yield server


def invoked(*command):
    done = CliRunner().invoke(cli, list(command))
    return done.exit_code, done.stdout, done.stderr


@pytest.mark.parametrize(
    "command", [("state", "export"), ("keys", "list"), ("clock",), ("requests",), ("workers",), ("reset",)]
)
def test_without_a_server_there_is_a_refusal_with_the_way_out_and_nothing_is_made(elsewhere, command):
    code, out, err = invoked(*command)
    assert (code, out) == (2, "")
    assert err.startswith("dryline: No server was found")
    assert all(way in err for way in ("dryline serve", "--url", "--data-dir")) and "\n" not in err.strip()
    assert list(elsewhere.iterdir()) == []


@pytest.mark.parametrize("place", ["dryline-data", "temporary"])
def test_the_server_that_runs_is_found_and_named(elsewhere, place):
    settings = {} if place == "temporary" else {"data_dir": elsewhere / place}
    with announced(**settings) as server:
        server.client().workers.create(**NEW_WORKER)
        code, out, err = invoked("state", "export")
    assert (code, [worker["name"] for worker in json.loads(out)["workers"]]) == (0, ["Front desk"])
    assert err.startswith(f"On {server.url} ({'temporary, in' if place == 'temporary' else 'data directory'} ")


# The control plane's calls of these commands
DESTRUCTIVE = (
    ("reset",),
    ("undo",),
    ("state", "import", "-"),
    ("snapshots", "restore", "one"),
    ("snapshots", "remove", "one"),
    ("keys", "revoke", "key_1"),
    ("faults", "off"),
    ("mcp",),
)


@pytest.mark.parametrize("place", ["the usual port", "temporary"])
def test_a_command_that_destroys_needs_the_name_of_a_server_of_another_folder(elsewhere, monkeypatch, place):
    with announced(**({} if place == "temporary" else {"data_dir": elsewhere / "other"})) as server:
        if place != "temporary":
            monkeypatch.setattr(client, "USUAL_URL", server.url)
        server.client().workers.create(**NEW_WORKER)
        server.fault(path="/api/team/tags", status=503)
        before = server.state()
        for command in DESTRUCTIVE:
            code, out, err = invoked(*command)
            assert (code, out) == (2, "")
            assert err.startswith("dryline: No server uses ./dryline-data.") and "\n" not in err.strip()
            assert f"{' '.join(command[:2])} shall" in err or f"{command[0]} " in err
            assert err.endswith(f"({err.partition('(')[2].partition(')')[0]}), add --url {server.url}, or --yes.\n")
        assert server.state() == before and len(server.plane("GET", "/faults")) == 1
        for consent in (("--url", server.url), ("--yes",)):
            server.client().workers.create(**NEW_WORKER)
            assert invoked("reset", *consent)[0] == 0
            assert server.state()["workers"] == []


@pytest.mark.parametrize(("answer", "code"), [("y\n", 0), ("n\n", 1), ("\n", 1), ("\x04", 1)])
def test_on_a_terminal_a_command_that_destroys_asks(elsewhere, answer, code):
    start = "from dryline.commands import cli, client; client.USUAL_URL = 'http://127.0.0.1:9'; cli()"
    with announced() as server:
        server.client().workers.create(**NEW_WORKER)
        ours, theirs = os.openpty()
        environment = {**os.environ, "TMPDIR": str(elsewhere)}
        process = subprocess.Popen(
            [sys.executable, "-c", start, "reset"], stdin=theirs, stdout=theirs, stderr=theirs, env=environment
        )
        os.close(theirs)
        shown = b""
        while not shown.endswith(b"[y/N]: "):
            shown += os.read(ours, 1000)
        assert server.url.encode() in shown and server.state()["workers"]
        os.write(ours, answer.encode())
        assert process.wait(20) == code
        os.close(ours)
        assert bool(server.state()["workers"]) == bool(code)


def test_the_server_of_this_folder_comes_before_all_others(elsewhere, monkeypatch):
    with announced(data_dir="dryline-data") as own, announced(), DrylineServer() as usual:
        monkeypatch.setattr(client, "USUAL_URL", usual.url)
        code, _, err = invoked("clock")
        assert (code, err) == (0, f"On {own.url} (data directory dryline-data).\n")


def test_an_address_that_a_killed_server_left_is_not_taken(elsewhere):
    with DrylineServer(data_dir="dryline-data") as server:
        pass
    (elsewhere / "dryline-data" / "address").write_text(server.url)
    assert invoked("clock")[2].startswith("dryline: No server was found")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--url", "http://127.0.0.1:9", "--data-dir", "data"), "not by both"),
        (("--url", "http://127.0.0.1:9", "--admin-token", "ü"), "--admin-token must be printable ASCII"),
    ],
)
def test_a_world_that_is_named_badly_is_one_line(elsewhere, flags, says):
    code, _, err = invoked("clock", *flags)
    assert code == 2 and says in err and "\n" not in err.strip()


@pytest.mark.parametrize(
    ("variable", "value", "flag"), [("DRYLINE_DATA_DIR", "nowhere", "--url"), ("DRYLINE_URL", "http://x", "--data-dir")]
)
def test_a_flag_that_names_the_world_goes_before_a_variable(elsewhere, monkeypatch, variable, value, flag):
    with announced(data_dir="data") as server:
        monkeypatch.setenv(variable, value)
        code, _, err = invoked("clock", flag, server.url if flag == "--url" else "data")
    assert (code, err) == (0, "")


# On a world that is named


@pytest.mark.parametrize(
    "command",
    [
        ("state", "export"),
        ("keys", "list"),
        ("keys", "create"),
        ("keys", "revoke", "key_1"),
        ("simulate", "--worker", "w", "--deployment", "d"),
    ],
)
def test_a_directory_without_a_world_is_refused_and_none_is_created(tmp_path, command):
    for missing in (tmp_path / "missing", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        done = CliRunner().invoke(cli, [*command, "--data-dir", str(missing)])
        assert done.exit_code == 2
        assert done.output.startswith(f"dryline: There is no world in {missing}.")
        assert "\n" not in done.output.strip()
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_an_import_without_a_server_lets_no_key_in_that_the_document_has_not(run, data_dir, tmp_path):
    world = tmp_path / "world.json"
    world.write_text(json.dumps({"version": 1, "teams": [{"id": "t", "name": "T", "apiKeys": ["private"]}]}))
    run("state", "import", str(world))
    (team,) = json.loads(run("keys", "list", "--json"))
    assert len(team["apiKeys"]) == 1


def test_another_worlds_server_at_a_left_address_is_not_spoken_to(run, tmp_path, data_dir):
    with DrylineServer(data_dir=tmp_path / "other") as other:
        other.client().workers.create(**NEW_WORKER)
        before = other.state()
        Path(data_dir, "address").write_text(other.url)
        world = tmp_path / "world.json"
        world.write_text(json.dumps({"version": 1, "workers": [{"id": "mine", "name": "Mine"}]}))
        run("state", "import", str(world))
        assert other.state() == before
        assert [request for request in other.requests() if request["path"].startswith("/_dryline")] == []
    assert not Path(data_dir, "address").exists()
    assert [worker["id"] for worker in json.loads(run("state", "export"))["workers"]] == ["mine"]


# As the directory was started


def test_a_command_does_not_add_the_default_key(tmp_path):
    world = {"data_dir": tmp_path / "private", "api_keys": ("private",)}
    with DrylineServer(**world):
        pass
    assert invoked("keys", "list", "--data-dir", str(tmp_path / "private"))[0] == 0
    with DrylineServer(**world) as server:
        server.api_key = "dryline-local-key"
        with pytest.raises(AuthenticationError):
            server.client().workers.list()


def test_wait_without_a_url_waits_for_the_server_of_the_data_directory(elsewhere, monkeypatch):
    with announced() as temporary, announced(data_dir=elsewhere / "named") as server:
        assert invoked("wait", "--timeout", "0")[0] == 1
        assert invoked("wait", "--any", "--timeout", "0")[1] == f"dryline answers at {temporary.url}.\n"
        assert invoked("wait", "--data-dir", "named")[1] == f"dryline answers at {server.url}.\n"
        monkeypatch.setenv("DRYLINE_DATA_DIR", "named")
        assert invoked("wait", "--any")[1] == f"dryline answers at {server.url}.\n"
    assert invoked("wait", "--any", "--timeout", "0") == (
        1,
        "",
        "dryline: No dryline answers at http://127.0.0.1:9 after 0 s.\n",
    )

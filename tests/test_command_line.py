"""The command line, beside a running server and without one."""

import json
import socket
import tempfile
import threading
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from dryline import control_client
from dryline.command_line import cli
from dryline.control_client import NoAnswer, Plane
from dryline.models.teams import digest
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
    found = {log["id"]: log for log in served.state()["voiceLogs"]}
    assert [found[id]["status"] for id in ids] == ["voicemail"] * 3


def test_simulate_says_who_is_called_and_that_it_goes_on(run, served):
    served.freeze()
    served.simulate_calls()
    run("simulate", "--in-progress", "--customer-number", "+12125550102")
    assert [log["status"] for log in served.state()["voiceLogs"] if log["endTime"] is None] == ["ringing"]
    served.advance(minutes=1)
    assert "no-answer" in [log["status"] for log in served.state()["voiceLogs"]]


def test_simulate_finds_the_oldest_deployment_by_itself(run, served):
    assert "dryline workers" in run("simulate", code=1)
    served.simulate_calls(1)
    before = len(served.state()["voiceLogs"])
    run("simulate", "--count", "2")
    assert len(served.state()["voiceLogs"]) == before + 2
    assert "no such chat deployment" in run("simulate", "--chats", code=1)


def test_an_unknown_deployment_is_told(run, served):
    assert "deployment" in run("simulate", "--worker", "w", "--deployment", "d", code=1)


def test_the_address_of_a_server_that_was_killed_is_no_trap(run, tmp_path, data_dir):
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


# What else the control plane does


def test_reset_takes_everything_back(run, served):
    served.client().workers.create(**NEW)
    run("reset")
    assert served.client().workers.list() == []
    assert "Cannot read the scenario nosuch" in run("reset", "--scenario", "nosuch", code=1)


@pytest.mark.parametrize(
    ("command", "told"),
    [
        (("freeze", "2030-01-01T09:00:00Z"), "2030-01-01T09:00:00.000Z  frozen"),
        (("advance", "2h"), "2030-01-01T11:00:00.000Z  frozen"),
        (("advance", "1.5"), "2030-01-01T09:00:01.500Z  frozen"),
        (("set", "2031-01-01T00:00:00Z"), "2031-01-01T00:00:00.000Z  frozen"),
        ((), "2030-01-01T09:00:00.000Z  frozen"),
    ],
)
def test_the_clock_is_moved(run, served, command, told):
    served.freeze("2030-01-01T09:00:00Z")
    assert run("clock", *command).strip() == told


def test_the_clock_runs_again(run, served):
    served.freeze("2030-01-01T09:00:00Z")
    assert run("clock", "run").startswith("2030-01-01T09:00:0")
    assert not run("clock", "reset").startswith("2030")


def test_a_duration_of_no_known_form_is_one_line(run):
    done = run("clock", "advance", "soon", code=2)
    assert "'soon' is not like 90s, 5m, 2h or 1d" in done and "\n" not in done.strip()


def test_faults_are_switched_on_listed_and_switched_off(run, served):
    added = run("faults", "add", "unavailable-twice", "--path", "/api/workers", "--rule", '{"headers": {"X": "y"}}')
    (rule,) = served.plane("GET", "/faults")
    assert (rule["path"], rule["status"], rule["headers"]) == ("/api/workers", 503, {"X": "y"})
    assert run("faults") == added and rule["id"] in added
    assert json.loads(run("faults", "list", "--json")) == [rule]
    run("faults", "off", rule["id"])
    assert run("faults") == ""
    assert "A fault needs" in run("faults", "add", code=1)
    assert "--rule" in run("faults", "add", "--rule", "{", code=2)


def test_the_presets_are_named():
    names = [line.split()[0] for line in CliRunner().invoke(cli, ["faults", "presets"]).output.splitlines()]
    assert {"rate-limited", "slow", "cut-off"} <= set(names)


def test_save_points_are_taken_listed_restored_and_removed(run, served):
    run("snapshots", "take", "before the demo")
    served.client().workers.create(**NEW)
    assert run("snapshots").endswith("  before the demo\n")
    run("snapshots", "restore", "before the demo")
    assert served.client().workers.list() == []
    run("snapshots", "remove", "before the demo")
    assert run("snapshots") == ""


def test_workers_are_listed_with_their_ids(run, served):
    served.simulate_calls(1)
    (worker,) = json.loads(run("workers", "--json"))
    assert worker["deployments"][0]["phoneNumber"]
    told = run("workers")
    assert all(id in told for id in (worker["id"], worker["flows"][0]["id"], worker["deployments"][0]["id"]))


def test_requests_are_shown_the_newest_last(run, served):
    served.client().workers.create(**NEW)
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


def test_what_is_masked_is_shown_as_the_server_shows_it(run, served):
    assert httpx.get(f"{served.url}/downloads/exports/export_1?signature=abc.def").status_code == 403
    assert " /downloads/exports/export_1?signature=*** 403 " in run("requests")


def test_requests_are_followed_as_they_come(run, served, monkeypatch):
    answers = []
    ask = Plane.ask

    def asked(self, method, path, body=None, raw=None):
        if path == "/requests/wait":
            if len(answers) == 2:
                raise KeyboardInterrupt
            if answers:
                served.client().workers.list()
            else:  # nothing comes in time: it is asked again
                body = {**body, "timeoutMs": 0}
            answers.append(body)
        return ask(self, method, path, body, raw)

    monkeypatch.setattr(Plane, "ask", asked)
    served.client().workers.create(**NEW)
    assert [line.split()[1] for line in run("requests", "--follow").splitlines()] == ["POST", "GET"]
    assert len(answers) == 2


def test_following_a_server_that_ends_says_so(run, served, monkeypatch):
    ask = Plane.ask

    def ended(self, method, path, body=None, raw=None):
        if path == "/requests/wait":
            raise NoAnswer("ConnectionResetError")
        return ask(self, method, path, body, raw)

    monkeypatch.setattr(Plane, "ask", ended)
    assert run("requests", "--follow", code=1).splitlines()[-1] == f"Error: The server at {served.url} has ended."


def test_requests_of_a_world_that_nobody_serves_are_not_followed(run):
    assert "nothing to follow" in run("requests", "--follow", code=2)


def test_requests_are_written_as_an_archive(run, served, tmp_path):
    served.client().workers.list()
    run("requests", "--har", str(tmp_path / "made.har"))
    assert len(json.loads((tmp_path / "made.har").read_text())["log"]["entries"]) == 1
    assert "No such file" in run("requests", "--har", str(tmp_path / "no" / "made.har"), code=1)


# On which world


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """A folder where nothing is, on a machine where no other server runs."""
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / "elsewhere"))
    monkeypatch.setattr(control_client, "USUAL_URL", "http://127.0.0.1:9")
    return tmp_path / "elsewhere"


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


@pytest.mark.parametrize("place", ["dryline-data", "data", "temporary"])
def test_the_server_that_runs_is_found_and_named(elsewhere, place):
    settings = {} if place == "temporary" else {"data_dir": elsewhere / place}
    with DrylineServer(**settings) as server:
        (server.app.world.directory / "address").write_text(server.url)
        server.client().workers.create(**NEW)
        code, out, err = invoked("state", "export")
    assert (code, [worker["name"] for worker in json.loads(out)["workers"]]) == (0, ["Front desk"])
    assert err.startswith(f"On {server.url} (its state is in ")


@pytest.mark.parametrize(
    "command",
    [("reset",), ("snapshots", "restore", "one"), ("snapshots", "remove", "one"), ("keys", "revoke", "key_1")],
)
def test_a_command_that_takes_away_does_so_on_a_temporary_server_only_where_it_is_named(elsewhere, command):
    with DrylineServer() as server:
        (server.app.world.directory / "address").write_text(server.url)
        server.client().workers.create(**NEW)
        before = server.state()
        code, out, err = invoked(*command)
        assert (code, out) == (2, "")
        assert server.url in err and "--url" in err and "\n" not in err.strip()
        assert server.state() == before
        assert invoked("reset", "--url", server.url)[0] == 0
        assert server.state() != before


def test_a_temporary_server_at_the_usual_port_is_reset_without_a_name(elsewhere, monkeypatch):
    with DrylineServer() as server:
        (server.app.world.directory / "address").write_text(server.url)
        monkeypatch.setattr(control_client, "USUAL_URL", server.url)
        server.client().workers.create(**NEW)
        assert invoked("reset")[0] == 0
        assert server.state()["workers"] == []


@pytest.mark.parametrize("place", ["dryline-data", "data"])
def test_the_server_of_this_folder_is_reset_without_a_name(elsewhere, place):
    with DrylineServer(data_dir=elsewhere / place) as server:
        (server.app.world.directory / "address").write_text(server.url)
        server.client().workers.create(**NEW)
        assert invoked("reset")[0] == 0
        assert server.state()["workers"] == []


def test_the_server_at_the_usual_port_is_found_wherever_its_state_is(elsewhere, monkeypatch, served):
    monkeypatch.setattr(control_client, "USUAL_URL", served.url)
    assert invoked("clock")[2] == f"On {served.url} (the usual port).\n"


def test_of_several_servers_none_is_taken(elsewhere):
    with DrylineServer(data_dir="data") as one, DrylineServer(data_dir="dryline-data") as two:
        for server in (one, two):
            (server.app.world.directory / "address").write_text(server.url)
        code, out, err = invoked("reset")
        assert (code, out) == (2, "")
        assert one.url in err and two.url in err and "--url" in err
        assert invoked("clock", "--url", two.url)[0] == 0


def test_an_address_that_a_killed_server_left_is_not_taken(elsewhere):
    with DrylineServer(data_dir="data") as server:
        pass
    (elsewhere / "data" / "address").write_text(server.url)
    assert invoked("clock")[2].startswith("dryline: No server was found")


@pytest.mark.parametrize(
    ("flags", "says"),
    [
        (("--url", "localhost:4010"), "must start with http"),
        (("--url", "http://127.0.0.1:9", "--data-dir", "data"), "not by both"),
    ],
)
def test_a_world_that_is_named_badly_is_one_line(elsewhere, flags, says):
    code, _, err = invoked("clock", *flags)
    assert code == 2 and says in err and "\n" not in err.strip()


@pytest.mark.parametrize(
    ("variable", "value", "flag"), [("DRYLINE_DATA_DIR", "nowhere", "--url"), ("DRYLINE_URL", "http://x", "--data-dir")]
)
def test_a_flag_that_names_the_world_goes_before_a_variable(elsewhere, monkeypatch, variable, value, flag):
    with DrylineServer(data_dir="data") as server:
        (server.app.world.directory / "address").write_text(server.url)
        monkeypatch.setenv(variable, value)
        code, _, err = invoked("clock", flag, server.url if flag == "--url" else "data")
    assert (code, err) == (0, "")


# How it is found out what there is


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
        ([], "--po", {"--port"}),
        (["--port", "4011"], "--ep", {"--ephemeral"}),
        (["clock"], "", {"show", "advance", "freeze"}),
        (["clock", "advance"], "--u", {"--url"}),
    ],
)
def test_a_shell_completes_commands_and_options(words, incomplete, offered):
    assert completed(words, incomplete) >= offered


def test_the_help_names_every_command_in_whole_lines_and_what_serve_takes():
    told = CliRunner().invoke(cli, ["--help"]).output
    assert told.count("...") == 1  # [ARGS]...
    assert "--ephemeral" in told and "dryline --port 4011" in told
    assert all(f"\n  {name} " in told for name in cli.commands)


# On a world that is named


def content(directory):
    return {path: path.read_bytes() for path in directory.rglob("*") if path.is_file()}


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
def test_where_there_is_no_world_it_is_said_and_none_is_made(tmp_path, command):
    for missing in (tmp_path / "missing", tmp_path / "empty"):
        (tmp_path / "empty").mkdir(exist_ok=True)
        done = CliRunner().invoke(cli, [*command, "--data-dir", str(missing)])
        assert done.exit_code == 2
        assert done.output.startswith(f"dryline: There is no world in {missing}.")
        assert "\n" not in done.output.strip()
    assert [path.name for path in tmp_path.rglob("*")] == ["empty"]


def test_a_first_start_that_was_broken_off_left_no_world(run, data_dir):
    import sqlite3

    with sqlite3.connect(f"{data_dir}/dryline.sqlite3") as db:
        db.execute("DELETE FROM team")
    db.close()
    assert "There is no world" in run("state", "export", code=2)


@pytest.mark.parametrize("command", [("state", "export"), ("keys", "list")])
def test_what_only_reads_changes_nothing(run, data_dir, command):
    before = content(Path(data_dir))
    run(*command)
    assert content(Path(data_dir)) == before


def test_an_import_without_a_server_lets_no_key_in_that_the_document_has_not(run, data_dir, tmp_path):
    world = tmp_path / "world.json"
    world.write_text(json.dumps({"version": 1, "teams": [{"id": "t", "name": "T", "apiKeys": ["private"]}]}))
    run("state", "import", str(world))
    (team,) = json.loads(run("keys", "list"))
    assert len(team["apiKeys"]) == 1


def test_another_worlds_server_at_a_left_address_is_not_spoken_to(run, tmp_path, data_dir):
    with DrylineServer(data_dir=tmp_path / "other") as other:
        other.client().workers.create(**NEW)
        before = other.state()
        Path(data_dir, "address").write_text(other.url)
        world = tmp_path / "world.json"
        world.write_text(json.dumps({"version": 1, "workers": [{"id": "mine", "name": "Mine"}]}))
        run("state", "import", str(world))
        assert other.state() == before
        assert [request for request in other.requests() if request["path"].startswith("/_dryline")] == []
    assert not Path(data_dir, "address").exists()
    assert [worker["id"] for worker in json.loads(run("state", "export"))["workers"]] == ["mine"]


def test_a_directory_in_use_without_an_address_is_one_line(run, data_dir):
    with DrylineServer(data_dir=data_dir):
        done = run("state", "export", code=2)
    assert done.startswith("dryline: Another dryline is using")
    assert "\n" not in done.strip()


class Listener(threading.Thread):
    """Something on a port that answers each connection with the same bytes, and keeps what it was sent."""

    def __init__(self, answer):
        super().__init__(daemon=True)
        self.answer, self.heard = answer, b""
        self.socket = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self.socket.getsockname()[1]}"
        self.start()

    def run(self):
        while True:
            try:
                connection, _ = self.socket.accept()
            except OSError:
                return
            with connection:
                self.heard += connection.recv(65536)
                connection.sendall(self.answer)

    def end(self):
        self.socket.shutdown(socket.SHUT_RDWR)
        self.socket.close()
        self.join()


@pytest.fixture
def listen():
    listeners = []

    def listen(answer):
        listeners.append(Listener(answer))
        return listeners[-1]

    yield listen
    for listener in listeners:
        listener.end()


@pytest.mark.parametrize(
    ("answer", "says"),
    [
        (b"HTTP/1.0 200 OK\r\n\r\n<html>", "answered 200, and not as dryline does"),
        (b"HTTP/1.0 502 Bad Gateway\r\n\r\n<html>", "answered 502, and not as dryline does"),
        (b"HTTP/1.0 500 Oh\r\n\r\n[]", "answered 500, and not as dryline does"),
        (b"", "RemoteDisconnected"),
        (b"not HTTP at all\r\n", "BadStatusLine"),
    ],
)
def test_an_answer_that_is_not_drylines_is_one_line(run, data_dir, listen, answer, says):
    with DrylineServer(data_dir=data_dir):
        Path(data_dir, "address").write_text(listen(answer).url)
        done = run("state", "export", code=1)
    assert says in done
    assert "\n" not in done.strip()


def test_a_server_that_does_not_answer_is_not_waited_for_without_end(run, data_dir, monkeypatch):
    monkeypatch.setattr(Plane, "TIMEOUT_S", 0.1)
    with socket.create_server(("127.0.0.1", 0)) as silent, DrylineServer(data_dir=data_dir):
        Path(data_dir, "address").write_text(f"http://127.0.0.1:{silent.getsockname()[1]}")
        assert "No answer within 0.1 s" in run("state", "export", code=1)


def test_no_proxy_hears_of_it(run, served, listen, monkeypatch):
    proxy = listen(b"HTTP/1.0 200 OK\r\n\r\n{}")
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy"):
        monkeypatch.setenv(name, proxy.url)
    monkeypatch.delenv("no_proxy", raising=False)
    run("keys", "list", "--admin-token", "secret")
    assert proxy.heard == b""


def test_a_file_that_cannot_be_written_is_one_line(run, tmp_path):
    done = run("state", "export", str(tmp_path / "no" / "x.json"), code=1)
    assert "No such file or directory" in done
    assert "\n" not in done.strip()

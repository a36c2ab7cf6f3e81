"""Snapshots as files: saved, loaded, made by another version, or refused."""

import contextlib
import gzip
import io
import json
import sqlite3
import tarfile
import tempfile
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
from click.testing import CliRunner

from dryline.commands import cli
from dryline.state import snapshot_files
from dryline.storage.migrations import LATEST
from dryline.testing import DrylineServer
from dryline.tests.conftest import NEW_WORKER

# Making a client takes longer than most of its requests, so all tests share one.
http = httpx.Client()


class Team:
    """A new team of a server."""

    def __init__(self, server):
        made = http.post(f"{server.url}/_dryline/teams", json={"name": "Harbour"}).json()
        self.id, self.key = made["id"], made["apiKey"]

    def ask(self, server, method, path, **kwargs):
        return http.request(method, server.url + path, headers={"x-api-key": self.key}, **kwargs)

    def hire(self, server, name="One"):
        return self.ask(server, "POST", "/api/workers", json=NEW_WORKER | {"name": name})

    def state(self, server):
        return http.get(f"{server.url}/_dryline/state", params={"team": self.id}).json()

    def names(self, server):
        return [worker["name"] for worker in self.ask(server, "GET", "/api/workers").json()]


@pytest.fixture(scope="module")
def a():
    """Start a server that is not reset between tests: each test has its own teams."""
    with DrylineServer() as server, http:
        yield server


@pytest.fixture
def team(a):
    return Team(a)


def repacked(content, change):
    """Return a snapshot file in which `change` changed each member."""
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(content)) as old, tarfile.open(fileobj=out, mode="w:gz") as new:
        for member in old:
            data = change(member.name, old.extractfile(member).read())
            member.size = len(data)
            new.addfile(member, io.BytesIO(data))
    return out.getvalue()


def with_schema(number):
    """Set `user_version` in the database's header: https://www.sqlite.org/fileformat.html, offset 60."""

    def change(name, data):
        return data[:60] + number.to_bytes(4, "big") + data[64:] if name.endswith("sqlite3") else data

    return change


def changed_by(*statements):
    """Run statements on the database."""

    def change(name, data):
        if name != "dryline.sqlite3":
            return data
        with tempfile.NamedTemporaryFile() as file:
            file.write(data)
            file.flush()
            with contextlib.closing(sqlite3.connect(file.name)) as database:
                database.executescript("PRAGMA journal_mode = delete;" + ";".join(statements))
            return Path(file.name).read_bytes()

    return change


as_of_an_older_schema = changed_by("PRAGMA user_version = 0")


@pytest.mark.parametrize("of", ["team", "world"])
def test_an_older_snapshot_is_brought_up_to_date_and_a_newer_refused(a, team, of):
    query = {"team": team.id} if of == "team" else {}
    path = f"{a.url}/_dryline/snapshots"
    team.hire(a, "Kept")
    http.post(path, json={"name": "old"}, params=query)
    content = http.get(f"{path}/old/file", params=query).content
    team.hire(a, "Later")
    old = repacked(content, as_of_an_older_schema)
    assert http.put(f"{path}/old/file", content=old, params=query).status_code == 201
    assert http.post(f"{path}/old/restore", params=query).status_code == 204
    assert team.names(a) == ["Kept"]
    with a.app.world.active():
        assert a.app.world.db.pragma("user_version") == LATEST
    newer = http.put(f"{path}/new/file", content=repacked(content, with_schema(999)), params=query)
    assert newer.status_code == 409 and "newer dryline" in newer.json()["error"]
    assert [row["name"] for row in http.get(path, params=query).json()] == ["old"]
    http.delete(f"{path}/old", params=query)


@pytest.mark.parametrize("of", ["team", "world"])
def test_a_snapshot_that_cannot_be_brought_up_to_date_changes_nothing(a, team, of, monkeypatch):
    query = {"team": team.id} if of == "team" else {}
    path = f"{a.url}/_dryline/snapshots"
    http.post(path, json={"name": "old"}, params=query)
    (database,) = (a.app.world.directory / "snapshots").rglob("old/dryline.sqlite3")
    database.write_bytes(with_schema(0)("dryline.sqlite3", database.read_bytes()))
    team.hire(a, "Later")

    def fail(*args):
        raise sqlite3.OperationalError("the step failed")

    monkeypatch.setattr("playhouse.migrations.Runner.up", fail)
    answer = http.post(f"{path}/old/restore", params=query)
    assert (answer.status_code, team.names(a)) == (409, ["Later"])
    assert "the step failed" in answer.json()["error"]
    http.delete(f"{path}/old", params=query)


def with_about(**members):
    return lambda name, data: json.dumps(json.loads(data) | members).encode() if name == "about.json" else data


def scrambled(name, data):
    """Overwrite pages of the database; its length stays."""
    return data[:8192] + bytes(range(256)) * 80 + data[8192 + 256 * 80 :] if name == "dryline.sqlite3" else data


@pytest.mark.parametrize(
    ("spoil", "message"),
    [
        (lambda name, data: b"[]" if name == "about.json" else data, "about.json is not an object"),
        (with_about(createdAt=5), "about.json does not say when"),
        (with_about(clock={}), "about.json does not say when"),
        (with_about(clock={"frozen_at": None, "offset_seconds": "x"}), "about.json does not say when"),
        (with_about(ids=[1, 2]), "about.json does not say when"),
        (scrambled, "is damaged"),
        (changed_by("DROP TABLE tag"), "not dryline's: it has no tag."),
        (changed_by("DROP TABLE schema_migration", "PRAGMA user_version = 1"), "not dryline's"),
    ],
)
def test_a_file_that_could_not_be_restored_is_no_snapshot(a, spoil, message):
    path = f"{a.url}/_dryline/snapshots"
    http.post(path, json={"name": "good"})
    content = http.get(f"{path}/good/file").content
    answer = http.put(f"{path}/bad/file", content=repacked(content, spoil))
    assert answer.status_code == 409 and message in answer.json()["error"]
    assert [row["name"] for row in http.get(path).json()] == ["good"]
    http.delete(f"{path}/good")


def test_a_refusal_names_no_folder_of_the_server(a):
    path = f"{a.url}/_dryline/snapshots"
    http.post(path, json={"name": "good"})
    twice = io.BytesIO()
    with tarfile.open(fileobj=twice, mode="w:gz") as archive:
        for _ in range(2):
            member = tarfile.TarInfo("about.json")
            member.size = 2
            archive.addfile(member, io.BytesIO(b"{}"))
    answer = http.put(f"{path}/bad/file", content=twice.getvalue())
    assert (answer.status_code, answer.json()["error"]) == (
        409,
        "This is not a snapshot: two of its members have the same name.",
    )
    http.delete(f"{path}/good")


def test_two_downloads_of_one_snapshot_at_once_are_both_whole(a, monkeypatch):
    path = f"{a.url}/_dryline/snapshots/good"
    http.post(f"{a.url}/_dryline/snapshots", json={"name": "good"})
    both_have_begun = threading.Barrier(2, timeout=20)
    open_archive = gzip.open

    def open_together(file, mode="rb", **kwargs):
        archive = open_archive(file, mode, **kwargs)
        if mode == "wb":
            both_have_begun.wait()
        return archive

    monkeypatch.setattr(gzip, "open", open_together)
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda _: httpx.get(f"{path}/file"), range(2)))
    http.delete(path)
    assert [answer.status_code for answer in answers] == [200, 200]
    for answer in answers:
        with tarfile.open(fileobj=io.BytesIO(answer.content)) as archive:
            assert {"dryline.sqlite3", "about.json"} <= set(archive.getnames())


def test_two_uploads_under_one_name_at_once_leave_one_whole_snapshot(a, monkeypatch):
    path = f"{a.url}/_dryline/snapshots"
    http.post(path, json={"name": "good"})
    content = http.get(f"{path}/good/file").content
    both_are_unpacked = threading.Barrier(2, timeout=20)
    rebuild = snapshot_files.rebuild

    def rebuild_together(*args):
        both_are_unpacked.wait()
        rebuild(*args)

    monkeypatch.setattr(snapshot_files, "rebuild", rebuild_together)
    with ThreadPoolExecutor() as pool:
        answers = list(pool.map(lambda _: httpx.put(f"{path}/other/file", content=content), range(2)))
    assert [answer.status_code for answer in answers] == [201, 201]
    assert http.post(f"{path}/other/restore").status_code == 204
    for name in ("good", "other"):
        http.delete(f"{path}/{name}")


def snapshot(command, *arguments, code=0):
    done = CliRunner().invoke(cli, ["snapshot", command, *arguments])
    assert done.exit_code == code, done.output
    return done.output


def test_a_world_that_nobody_serves_is_saved_and_loaded_too(tmp_path):
    for name in ("one", "two"):
        with DrylineServer(data_dir=tmp_path / name) as server:
            if name == "one":
                server.client().workers.create(**NEW_WORKER)
    snapshot("save", str(tmp_path / "file"), "--data-dir", str(tmp_path / "one"))
    snapshot("load", str(tmp_path / "file"), "--data-dir", str(tmp_path / "two"))
    with DrylineServer(data_dir=tmp_path / "two") as server:
        assert [worker.name for worker in server.client().workers.list()] == ["Front desk"]


def test_a_teams_file_holds_that_team_alone_and_loads_as_that_team_alone(a, team, tmp_path):
    other = Team(a)
    other.hire(a, "Theirs")
    team.hire(a, "Ours")
    file = str(tmp_path / "team")
    snapshot("save", file, "--url", a.url, "--team", team.id)
    with tarfile.open(file) as tar:
        assert b"Theirs" not in b"".join(tar.extractfile(member).read() for member in tar)
    team.hire(a, "Later")
    snapshot("load", file, "--url", a.url, "--team", team.id)
    assert (team.names(a), other.names(a)) == (["Ours"], ["Theirs"])
    assert f"has only team {team.id}" in snapshot("load", file, "--url", a.url, code=1)
    assert other.names(a) == ["Theirs"]


@pytest.fixture(scope="module")
def b():
    """Start another server."""
    with DrylineServer() as server:
        yield server


def test_a_team_is_loaded_on_a_server_that_does_not_have_it(a, b, team, tmp_path):
    worker = team.hire(a, "Ours").json()
    about = {"fileName": "menu.txt", "contentType": "text/plain"}
    address = team.ask(a, "GET", f"/api/upload/{worker['id']}/resource-upload-url", params=about).json()["uploadUrl"]
    assert http.put(address, content=b"soup of the day").status_code == 200
    state = team.state(a)
    snapshot("save", str(tmp_path / "team"), "--url", a.url, "--team", team.id)
    snapshot("load", str(tmp_path / "team"), "--url", b.url, "--team", team.id)
    assert team.state(b) == state
    assert team.names(b) == ["Ours"]
    assert http.get(f"{b.url}/_dryline/snapshots", params={"team": team.id}).json() == []
    uploads = list((b.app.world.directory / "uploads").glob("upload_*"))
    assert [path.read_bytes() for path in uploads] == [b"soup of the day"]


def test_a_team_that_the_file_does_not_have_is_not_loaded(a, b, team, tmp_path):
    team.hire(a, "Ours")
    snapshot("save", str(tmp_path / "world"), "--url", b.url)
    assert f"has no team {team.id}" in snapshot(
        "load", str(tmp_path / "world"), "--url", a.url, "--team", team.id, code=1
    )
    assert team.names(a) == ["Ours"]


def test_a_team_whose_key_another_team_has_is_not_loaded(a, b, team, tmp_path):
    snapshot("save", str(tmp_path / "team"), "--url", a.url, "--team", team.id)
    other = http.post(f"{b.url}/_dryline/teams", json={"key": team.key}).json()["id"]
    message = snapshot("load", str(tmp_path / "team"), "--url", b.url, "--team", team.id, code=1)
    assert "Another team has one of its ids or keys" in message
    assert team.ask(b, "GET", "/api/team").json()["id"] == other


def test_ids_that_came_with_a_loaded_team_are_not_made_again(tmp_path):
    with DrylineServer(seed=1) as one, DrylineServer(seed=1) as two:
        team = Team(one)
        loaded = {team.hire(one, f"{number}").json()["id"] for number in range(5)} | {team.id}
        snapshot("save", str(tmp_path / "team"), "--url", one.url, "--team", team.id)
        snapshot("load", str(tmp_path / "team"), "--url", two.url, "--team", team.id)
        other = Team(two)
        made = {other.hire(two).json()["id"] for _ in range(5)} | {other.id}
        assert len(made) == 6 and not made & loaded


def test_a_presigned_address_takes_and_gives_the_file(a, team, tmp_path):
    """S3's are plain PUT and GET; an upload address here is the same."""
    worker = team.hire(a, "Kept").json()
    about = {"fileName": "world", "contentType": "application/gzip"}
    address = team.ask(a, "GET", f"/api/upload/{worker['id']}/resource-upload-url", params=about).json()["uploadUrl"]
    snapshot("save", address, "--url", a.url, "--team", team.id)
    with a.app.world.active():
        from dryline.models.uploads import reading_address

        address = reading_address(address.partition("?")[0])
    team.hire(a, "Later")
    snapshot("load", address, "--url", a.url, "--team", team.id)
    assert team.names(a) == ["Kept"]
    assert "answered 403" in snapshot("load", f"{address}x", "--url", a.url, "--team", team.id, code=1)


EVIL = (
    "CREATE TRIGGER evil_1 AFTER DELETE ON worker BEGIN SELECT RAISE(ABORT, 'no'); END",
    "CREATE TRIGGER evil_2 AFTER INSERT ON worker BEGIN UPDATE team SET name = 'evil'; END",
    "CREATE VIEW evil_3 AS SELECT * FROM worker",
    "CREATE INDEX evil_4 ON worker (name)",
    "CREATE TABLE evil_5 (id TEXT)",
    "ALTER TABLE worker ADD COLUMN evil_6 TEXT",
)


def test_of_a_loaded_database_only_rows_arrive():
    with DrylineServer() as server:
        client = server.client()
        before = client.workers.create(**NEW_WORKER)
        server.snapshot("h")
        file = repacked(http.get(f"{server.url}/_dryline/snapshots/h/file").content, changed_by(*EVIL))
        assert http.put(f"{server.url}/_dryline/snapshots/h/file", content=file).status_code == 201
        client.workers.create(**NEW_WORKER)
        server.restore("h")
        assert [worker.id for worker in client.workers.list()] == [before.id]
        team = server.state()["teams"][0]["name"]
        server.reset()
        client.workers.create(**NEW_WORKER)
        assert server.state()["teams"][0]["name"] == team
        server.snapshot("own")
        own = http.get(f"{server.url}/_dryline/snapshots/own/file").content
        assert b"evil" not in gzip.decompress(own)


def test_a_loaded_world_is_searched_as_before(a, team):
    team.hire(a)
    [worker] = team.ask(a, "GET", "/api/workers").json()
    link = {"name": "Prices", "rawLink": "https://example.com/prices", "updateFrequency": "NEVER"}
    made = team.ask(a, "POST", f"/api/workers/{worker['id']}/resources/link", json=link)
    assert made.status_code == 201, made.text
    a.snapshot("whole")
    content = http.get(f"{a.url}/_dryline/snapshots/whole/file").content
    with DrylineServer() as other:
        assert http.put(f"{other.url}/_dryline/snapshots/whole/file", content=content).status_code == 201
        other.restore("whole")
        assert other.state()["resources"] == a.state()["resources"]


def test_a_file_that_unpacks_to_more_than_there_is_room_for_is_refused(a, monkeypatch):
    monkeypatch.setattr(snapshot_files, "MAX_UNPACKED_BYTES", 1_000_000)
    file = io.BytesIO()
    with tarfile.open(fileobj=file, mode="w:gz") as packed:
        member = tarfile.TarInfo("exports/zeros")
        member.size = 5_000_000
        packed.addfile(member, io.BytesIO(bytes(member.size)))
    answer = http.put(f"{a.url}/_dryline/snapshots/large/file", content=file.getvalue())
    assert answer.status_code == 409 and "larger than" in answer.json()["error"]

"""A data directory of dryline 0.1 is opened as it is: rows, files and snapshots stay."""

import contextlib
import sqlite3
import tarfile
from pathlib import Path

import pytest

# Two workers of the start team, three calls, an export, an upload; a second team with a worker, a clock and a snapshot
# of its own; the snapshots `before` (one worker) and `both`; a frozen clock and a changed setting.
FIXTURE = Path(__file__).parent / "data_directory_0_1.tar.xz"
NOW = "2026-11-02T10:01:00.000Z"


@pytest.fixture
def world(tmp_path):
    with tarfile.open(FIXTURE) as archive:
        archive.extractall(tmp_path / "world", filter="data")
    return tmp_path / "world"


@pytest.fixture
def opened(world, restart):
    return lambda: restart(seed=7)


def names(api, key=None):
    return sorted(row["name"] for row in api.get("/workers", headers={"x-api-key": key} if key else {}).json)


def restore(control, name):
    answer = control.post(f"/snapshots/{name}/restore")
    assert answer.status_code == 204, answer.text


def test_rows_files_clock_and_settings_stay(opened):
    api, control = opened()
    assert names(api) == ["Front desk", "Night desk"]
    assert names(api, "second-key") == ["Second desk"]
    assert len(control.get("/state").json["voiceLogs"]) == 3
    assert control.get("/clock").json == {"now": NOW, "frozen": True}
    assert control.get("/settings").json["exportDelayMs"] == 5
    (export,) = api.get("/team/exports").json
    file = api.client.get(export["downloadUrl"], buffered=True)
    assert (export["status"], len(file.data)) == ("COMPLETED", export["fileSizeBytes"])


def test_an_upload_stays(opened):
    api, control = opened()
    (resource,) = control.get("/state").json["resources"]
    address = api.get(f"/workers/{resource['workerId']}/resources/{resource['id']}").json["signedS3FilePath"]
    assert api.client.get(address, buffered=True).data == b"Monday: soup"


@pytest.mark.parametrize("text", ["Monday: soup", "Monday: bread\n" * 1_000 + "Tuesday: soup"])
def test_the_text_of_a_file_is_still_found(world, opened, text):
    with contextlib.closing(sqlite3.connect(world / "dryline.sqlite3")) as database:
        database.execute("UPDATE resource SET status = 'AVAILABLE'")
        database.execute("UPDATE resource_text SET body = ?", (text,))
        database.commit()
    api, control = opened()
    (resource,) = control.get("/state").json["resources"]

    def search(query):
        path = f"/workers/{resource['workerId']}/resources/query"
        return api.post(path, {"query": query}).json["data"]["results"]

    (result,) = search("soup")
    assert result["resourceId"] == resource["id"] and "soup" in result["text"] and len(result["text"]) <= 2_000
    assert len(search("menu")) == 1
    api.delete(f"/workers/{resource['workerId']}/resources/{resource['id']}")
    assert search("soup") == search("menu") == []


def test_snapshots_are_restored_again_and_again(opened):
    api, control = opened()
    assert [row["name"] for row in control.get("/snapshots").json] == ["both", "before"]
    for _ in range(2):
        restore(control, "before")
        assert names(api) == ["Front desk"]
        assert api.get("/workers", headers={"x-api-key": "second-key"}).status_code == 401
        restore(control, "both")
        assert (names(api), names(api, "second-key")) == (["Front desk", "Night desk"], ["Second desk"])
    api, control = opened()
    assert names(api) == ["Front desk", "Night desk"]
    (export,) = api.get("/team/exports").json
    assert api.client.get(export["downloadUrl"], buffered=True).status_code == 200


def test_what_single_teams_had_is_dropped_with_one_line_in_the_log(opened, world, caplog):
    api, _ = opened()
    (line,) = [record.message for record in caplog.records if record.name == "dryline"]
    assert line.startswith("Dropped the clocks and snapshots of single teams")
    assert sorted(path.name for path in (world / "snapshots").iterdir()) == ["before", "both"]
    worker = api.post("/workers", {"name": "W"}, headers={"x-api-key": "second-key"}).json
    assert worker["createdAt"] == NOW
    caplog.clear()
    opened()
    assert [record for record in caplog.records if record.name == "dryline"] == []

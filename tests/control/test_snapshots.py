"""Named snapshots."""

import json
import threading

import pytest

from dryline.tests.conftest import NEW_WORKER, created
from dryline.tests.contract.two_teams import document
from dryline.tests.control.documents import WHEN

# Snapshots stay through a reset.
pytestmark = pytest.mark.alone


def save(control, name="before"):
    return created(control.post("/snapshots", {"name": name}))


def test_a_snapshot_brings_everything_back(control, make_worker):
    control.put("/state", document())
    before = control.get("/state").data
    save(control)
    control.put("/state", {"version": 1})
    make_worker()
    assert control.post("/snapshots/before/restore").status_code == 204
    assert control.get("/state").data == before


def test_the_same_live_calls_come_after_each_restore_with_a_seed(control, make_voice_deployment, advance):
    make_voice_deployment()
    control.put("/clock", {"now": WHEN, "frozen": True})
    control.put("/settings", {"callsPerMinute": 3})
    advance(600)
    save(control)
    continuations = []
    for _ in range(2):
        control.post("/snapshots/before/restore")
        advance(1800)
        continuations.append(control.get("/state").data)
    assert len(json.loads(continuations[0])["voiceLogs"]) > 60
    assert continuations[0] == continuations[1]


def test_snapshots_are_listed_newest_first_and_the_same_name_replaces(control, make_worker, advance):
    control.put("/clock", {"now": WHEN, "frozen": True})
    first = save(control, "a")
    assert first == {"name": "a", "createdAt": WHEN}
    advance(1)
    second = save(control, "b")
    assert control.get("/snapshots").json == [second, first]
    make_worker()
    advance(1)
    first = save(control, "a")
    assert control.get("/snapshots").json == [first, second]
    control.post("/snapshots/a/restore")
    assert len(control.get("/state").json["workers"]) == 1


def test_a_snapshot_can_be_dropped(control):
    save(control)
    assert control.delete("/snapshots/before").status_code == 204
    assert control.get("/snapshots").json == []
    assert control.delete("/snapshots/before").status_code == 404
    assert control.post("/snapshots/before/restore").status_code == 404


def test_a_name_is_no_path(control, app):
    before = sorted(app.world.directory.rglob("*"))
    for name in ("", ".", "..", "../x", "a/b", "a\\b", ".part", "x" * 101, "a\0b", "a\n", 7, None):
        assert control.post("/snapshots", {"name": name}).status_code == 400, name
    for name in ("..", "%2e%2e", "..%2f..", "a%00b"):
        assert control.post(f"/snapshots/{name}/restore").status_code == 404, name
        assert control.delete(f"/snapshots/{name}").status_code in (404, 405), name
    assert sorted(app.world.directory.rglob("*")) == before


def test_clock_and_with_a_seed_ids_come_back_too(control, make_worker):
    control.put("/clock", {"now": WHEN, "frozen": True})
    save(control)
    first = make_worker()
    control.delete("/clock")
    control.post("/snapshots/before/restore")
    assert control.get("/clock").json == {"now": WHEN, "frozen": True}
    assert make_worker() == first


def test_a_reset_in_between_makes_no_ids_meet(control, make_worker):
    made = make_worker()["id"]
    save(control)
    control.post("/reset")
    control.post("/snapshots/before/restore")
    assert make_worker()["id"] != made


def test_files_of_exports_come_back(control, api, advance, app):
    api.post("/team/exports", {"format": "CSV", "startDate": WHEN, "endDate": WHEN})
    advance(0)
    save(control)
    before = api.get("/team/exports").json
    control.post("/reset")
    assert list(app.world.exports.iterdir()) == []
    control.post("/snapshots/before/restore")
    assert api.get("/team/exports").json == before
    with api.client.get(before[0]["downloadUrl"]) as file:
        assert file.status_code == 200


def test_an_export_that_was_being_written_waits_again(control, api, advance, app):
    api.post("/team/exports", {"format": "CSV", "startDate": WHEN, "endDate": WHEN})
    with app.world.active(), app.world.transaction():
        app.world.db.execute_sql("UPDATE export SET status = 'PROCESSING'")
    save(control)
    control.post("/snapshots/before/restore")
    assert api.get("/team/exports").json[0]["status"] == "PENDING"
    advance(0)
    assert api.get("/team/exports").json[0]["status"] == "COMPLETED"


def test_keys_are_those_of_the_snapshot(control, api, other_api):
    save(control)
    key = control.post("/teams", {"name": "New"}).json["apiKey"]
    headers = {"x-api-key": key}
    assert api.client.get("/api/team", headers=headers).status_code == 200
    control.post("/snapshots/before/restore")
    assert api.client.get("/api/team", headers=headers).status_code == 401
    assert other_api.get("/team").status_code == 200


def test_a_thread_with_a_connection_sees_the_restored_world(control, app, make_worker):
    """Connections are kept by their threads and have the old file open."""
    save(control)
    make_worker()
    counts, go, done = [], threading.Event(), threading.Event()

    def look():
        with app.world.active():
            for _ in range(2):
                counts.append(app.world.db.execute_sql("SELECT count(*) FROM worker").fetchone()[0])
                done.set()
                go.wait(10)
            app.world.db.close()

    thread = threading.Thread(target=look)
    thread.start()
    assert done.wait(10)
    control.post("/snapshots/before/restore")
    go.set()
    thread.join(10)
    assert counts == [1, 0]


def test_a_reader_in_mid_transaction_sees_no_half_of_it(control, app, make_worker):
    save(control)
    make_worker()
    with app.world.active(), app.world.reading():
        before = app.world.db.execute_sql("SELECT count(*) FROM worker").fetchone()
        thread = threading.Thread(target=lambda: control.post("/snapshots/before/restore"))
        thread.start()
        thread.join(10)
        assert app.world.db.execute_sql("SELECT count(*) FROM worker").fetchone() == before == (1,)
    assert control.get("/state").json["workers"] == []


def test_snapshots_outlive_a_restart_and_restored_rows_too(restart):
    api, control = restart()
    api.post("/workers", NEW_WORKER)
    control.post("/snapshots", {"name": "one"})
    api.post("/workers", NEW_WORKER)
    for _ in range(2):
        api, control = restart()
        assert control.post("/snapshots/one/restore").status_code == 204
        assert len(api.get("/workers").json) == 1
        assert api.post("/workers", NEW_WORKER).status_code == 201
    api, _ = restart()
    assert len(api.get("/workers").json) == 2


def test_a_large_world_comes_back_whole(control, make_voice_deployment):
    """Beyond some size a copy is made ready before it is needed."""
    deployment = make_voice_deployment()
    body = {"workerId": deployment["workerId"], "deploymentId": deployment["id"], "count": 1000, "llmLogs": False}
    control.post("/simulate/calls", body)
    before = control.get("/state").data
    save(control)
    for _ in range(3):
        control.post("/simulate/calls", {**body, "count": 3})
        control.post("/snapshots/before/restore")
        assert control.get("/state").data == before


def test_a_snapshots_name_is_that_of_its_folder(control, app, make_worker):
    make_worker()
    save(control, "a")
    control.post("/reset")
    (app.world.snapshots / "a").rename(app.world.snapshots / "b")
    assert [row["name"] for row in control.get("/snapshots").json] == ["b"]
    assert control.post("/snapshots/b/restore").status_code == 204
    assert len(control.get("/state").json["workers"]) == 1


def test_a_snapshot_brings_back_an_upload_that_was_replaced(control, api, make_worker):
    worker = make_worker()
    path = f"/upload/{worker['id']}/resource-upload-url?fileName=menu.txt&contentType=text/plain"
    address = api.get(path).json["uploadUrl"]
    client = api.client
    assert client.put(address, data=b"version one").status_code == 200
    save(control)
    assert client.put(address, data=b"version two, longer").status_code == 200
    control.post("/snapshots/before/restore")
    file = {"name": "Menu", "s3FilePath": address.partition("?")[0], "fileName": "menu.txt", "mimeType": "text/plain"}
    resource = api.post(f"/workers/{worker['id']}/resources/file", {**file, "size": 11}).json
    signed = api.get(f"/workers/{worker['id']}/resources/{resource['id']}").json["signedS3FilePath"]
    with client.get(signed) as answer:
        assert answer.data == b"version one"

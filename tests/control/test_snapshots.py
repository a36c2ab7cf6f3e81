"""Named snapshots."""

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

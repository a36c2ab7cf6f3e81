"""Repair of export files after an import, a reset or a loss."""

import contextlib

from dryline.app import create_app
from dryline.jobs.exports import repair_files
from dryline.models.exports import Export
from dryline.models.teams import Team
from dryline.settings import Settings
from dryline.tests.exports.conftest import REQUEST, files, start_team


def test_lost_files_are_written_again_and_files_without_an_export_removed(app, export, fetch, make_log):
    make_log()
    made, other = export(), export(format="JSON")
    content = fetch(made).data
    (app.world.exports / f"{made['id']}.csv").unlink()
    (app.world.exports / f"{other['id']}.json").write_text("[")
    (app.world.exports / "stray.csv").write_text("x")
    with app.world.active():
        repair_files(app.world)
    assert files(app) == sorted([f"{made['id']}.csv", f"{other['id']}.json"])
    assert fetch(made).data == content
    assert len(fetch(other).json) == 1


def test_a_whole_file_is_not_written_again(app, export):
    export()
    (file,) = app.world.exports.iterdir()
    before = file.stat()
    with app.world.active():
        repair_files(app.world)
    after = file.stat()
    assert (after.st_ino, after.st_mtime_ns) == (before.st_ino, before.st_mtime_ns)


def test_an_imported_export_may_have_any_id(app, api, fetch):
    id = "../Übung/../1"
    with app.world.active():
        with app.world.transaction():
            team = Team.find(id=start_team(app))
            Export.add(team, id=id, status="COMPLETED", format="CSV")
        repair_files(app.world)
    (made,) = api.get("/team/exports").json
    assert (made["id"], made["rowCount"]) == (id, 0)
    assert fetch(made).status_code == 200
    assert len(files(app)) == 1


def test_an_export_that_ended_while_the_server_was_down_expires_at_the_start(tmp_path):
    settings = Settings(data_dir=tmp_path, scenario="empty")
    headers = {"x-api-key": settings.api_keys[0]}
    with contextlib.closing(create_app(settings)) as app:
        made = app.test_client().post("/api/team/exports", json=REQUEST, headers=headers).json
        with app.world.active():
            app.world.run_due()
            Export.update(expires_at="2026-01-01T00:00:00.000Z").execute()
        assert len(files(app)) == 1
    with contextlib.closing(create_app(settings)) as app:
        record = app.test_client().get(f"/api/team/exports/{made['id']}", headers=headers).json
        assert (record["status"], files(app)) == ("EXPIRED", [])

"""A committed write survives a kill. Only a power cut can take the commits of the last seconds."""

import contextlib

import pytest

from dryline.app import create_app
from dryline.models.voice_logs import VoiceLog
from dryline.settings import Settings

NORMAL, OFF = 1, 0  # https://www.sqlite.org/pragma.html#pragma_synchronous


@pytest.mark.parametrize(("ephemeral", "level"), [(False, NORMAL), (True, OFF)])
def test_no_commit_waits_for_the_disk(tmp_path, ephemeral, level):
    settings = Settings(data_dir=tmp_path, ephemeral=ephemeral, scenario="empty")
    with contextlib.closing(create_app(settings)) as app, app.world.active():
        assert app.world.db.execute_sql("PRAGMA synchronous").fetchone() == (level,)
        assert app.world.db.execute_sql("PRAGMA journal_mode").fetchone() == ("wal",)


@pytest.mark.alone
def test_totals_are_counted_anew_after_a_restore(api, control, make_worker, add_log):
    worker = make_worker()
    path = f"/workers/{worker['id']}/deploymentLogs/voice?limit=1"
    add_log(VoiceLog, worker), add_log(VoiceLog, worker)
    control.post("/snapshots", {"name": "two"})
    add_log(VoiceLog, worker)
    assert api.get(path).json["pagination"]["total"] == 3
    control.post("/snapshots/two/restore")
    assert api.get(path).json["pagination"]["total"] == 2

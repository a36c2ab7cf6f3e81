"""The disk space of recordings, and their removal."""

from dataclasses import replace

import pytest

from dryline.simulator.recording_files import RECORDING_FILES
from dryline.tests.recordings.calls import NEUTRAL


@pytest.mark.parametrize(("in_turn", "gone"), [((0, 1, 0, 2), 1), ((1, 0, 1, 2), 0)])
def test_those_heard_longest_ago_make_room(app, add_call, fetch, files, in_turn, gone):
    app.world.settings = replace(app.world.settings, recordings_mb=1)  # three calls of 11 s are more than that
    RECORDING_FILES.drop(app.world)
    logs = [add_call(call_sid=f"CA{n}", recording_url=NEUTRAL.format(f"CA{n}")) for n in range(3)]
    for n in in_turn:
        assert fetch(logs[n]["recordingUrl"]).status_code == 200
    names = {name.split(".")[0] for name in files()}
    assert names == {log["id"] for log in logs} - {logs[gone]["id"]}
    assert fetch(logs[gone]["recordingUrl"]).status_code == 200


GONE_BY = {
    "worker": lambda api, control, log: api.delete(f"/workers/{log['workerId']}"),
    "line": lambda api, control, log: api.delete(f"/workers/{log['workerId']}/deployments/voice/{log['deploymentId']}"),
    "reset": lambda api, control, log: control.post("/reset"),
    "restore": lambda api, control, log: control.post("/snapshots/before/restore"),
}


@pytest.mark.parametrize("gone_by", GONE_BY)
def test_a_recording_goes_with_its_log(api, control, add_call, fetch, files, advance, gone_by):
    control.post("/snapshots", {"name": "before"})
    log = add_call()
    assert fetch(log["recordingUrl"]).status_code == 200
    assert len(files()) == 1
    done = GONE_BY[gone_by](api, control, log)
    assert done.status_code == 204, done.text
    control.put("/clock", {"now": log["startTime"]})  # a reset has ended its day
    assert fetch(log["recordingUrl"]).status_code == 404
    advance()
    assert files() == []

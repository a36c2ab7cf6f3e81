"""Bounds of memory and disk that clients can fill. docs/operating.md lists them.

The request log is filled in test_request_log.py, and a snapshot in control/test_snapshot_files.py.
"""

from __future__ import annotations

import tracemalloc

import pytest

from dryline.models import webhook_deliveries

TURNS = 12
# Each turn extracts 300,000 characters.
TALKATIVE = 'say("Hello.")\n' + "".join(
    f'extract("k{turn}", "x" * 300000)\nloop:\n    talk("Ask on.", False)\nuntil "caller says yes":\n    say("Good.")\n'
    for turn in range(TURNS)
)


def fill_conversations(control, make_flow, make_voice_deployment, **_):
    line = make_voice_deployment(make_flow(code=TALKATIVE))
    body = {"workerId": line["workerId"], "deploymentId": line["id"], "count": 6, "follow": "flow"}
    assert control.post("/simulate/calls", body).status_code == 201


def fill_deliveries(api, control, advance, make_voice_deployment, monkeypatch, **_):
    monkeypatch.setattr(webhook_deliveries, "MAX_FINISHED", 10)
    line = make_voice_deployment()
    hooks = f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"
    assert api.post(hooks, {"url": "http://no-such-host.test/", "fields": "transcript"}).status_code == 201
    control.post("/simulate/calls", {"workerId": line["workerId"], "deploymentId": line["id"], "count": 60})
    advance(60)
    assert len(control.get("/state").json["webhookDeliveries"]) <= 10


@pytest.mark.alone
@pytest.mark.parametrize(
    "fill, most_memory, most_disk",
    [
        (fill_conversations, 60_000_000, 6 * 8_000_000),
        (fill_deliveries, 30_000_000, 20_000_000),
    ],
)
def test_memory_and_disk_stay_within_the_bound(
    app, api, control, advance, make_flow, make_voice_deployment, monkeypatch, fill, most_memory, most_disk
):
    tracemalloc.start()
    try:
        fill(
            app=app,
            api=api,
            control=control,
            advance=advance,
            make_flow=make_flow,
            make_voice_deployment=make_voice_deployment,
            monkeypatch=monkeypatch,
        )
        memory = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    disk = sum(path.stat().st_size for path in app.world.directory.rglob("*") if path.is_file())
    assert (memory < most_memory, disk < most_disk) == (True, True), (memory, disk)

"""Bounds of memory and disk that clients can fill. docs/operating.md lists them.

The request log's parts are counted in test_request_log.py.
"""

from __future__ import annotations

import gc
import json
import tracemalloc

import pytest

from dryline.models import custom_webhooks, talk_sessions, webhook_deliveries
from dryline.state import snapshots

pytestmark = pytest.mark.alone

FILLED_BY = {
    "extractions": 'extract("k{turn}", "x" * 300000)\n',
    "sentences": 'say("x y z " * 10000)\n',
    "state": 'state["k{turn}"] = "x" * 300000\n',
    "wide characters": 'extract("k{turn}", "\N{GRINNING FACE}" * 80000)\n',
    "output": 'print("x" * 80000)\n',
    "prompts": "",
}


def flow_that_fills(kind):
    prompt = '"Ask on. " + "x " * 90000' if kind == "prompts" else '"Ask on."'
    turn = f'{FILLED_BY[kind]}loop:\n    talk({prompt}, False)\nuntil "caller says yes":\n    say("Good.")\n'
    return 'say("Hello.")\n' + "".join(turn.replace("{turn}", str(number)) for number in range(8))


@pytest.fixture
def simulate(control, make_flow, make_voice_deployment):
    """Simulate calls that follow a flow with this code."""

    def simulate(code, count):
        line = make_voice_deployment(make_flow(code=code))
        return control.post(
            "/simulate/calls",
            {"workerId": line["workerId"], "deploymentId": line["id"], "count": count, "follow": "flow"},
        )

    return simulate


@pytest.mark.parametrize("kind", FILLED_BY)
def test_a_simulated_call_keeps_a_few_megabytes_at_most(control, simulate, kind):
    code = flow_that_fills(kind)
    assert simulate(code, 1).status_code == 201
    state = control.get("/state").json
    assert [len(state["voiceLogs"]), len(state["sessions"])] == [1, 1]
    rows = [*state["voiceLogs"], *state["sessions"], *state["llmLogs"]]
    assert len(json.dumps(rows, ensure_ascii=False).encode()) < 4_000_000 + len(code)


def test_what_is_said_counts_over_all_turns(control, make_flow):
    loop = '    loop:\n        talk("Ask on.", False)\n    until "caller says yes":\n        print("x" * 300000)\n'
    code = f"while True:\n{loop}"
    talk = control.post("/talk", {"flowId": make_flow(code=code)["id"]}).json
    turns = [control.post(f"/talk/{talk['id']}", {"choose": 0}).json for _ in range(4)]
    assert [turn["ended"] for turn in turns] == [None, None, None, "failed"]
    assert "More than 1,000,000 characters" in turns[-1]["failure"]["error"]


def test_the_oldest_conversations_go(control, make_flow, monkeypatch):
    monkeypatch.setattr(talk_sessions, "MAX_CONVERSATIONS", 2)
    flow = make_flow(code='loop:\n    talk("Ask on.", False)\nuntil "caller says yes":\n    pass\n')
    ids = [control.post("/talk", {"flowId": flow["id"]}).json["id"] for _ in range(4)]
    assert [control.get(f"/talk/{id}").status_code for id in ids] == [404, 404, 200, 200]


def hooks_of(line):
    return f"/workers/{line['workerId']}/deployments/{line['id']}/voice/customWebhooks"


def test_a_deployment_has_a_limited_number_of_webhooks(api, make_voice_deployment, monkeypatch):
    monkeypatch.setattr(custom_webhooks, "MAX_WEBHOOKS", 2)
    line = make_voice_deployment()
    body = {"url": "http://127.0.0.1:9/", "fields": "transcript"}
    assert [api.post(hooks_of(line), body).status_code for _ in range(3)] == [201, 201, 400]
    path = hooks_of(line).removesuffix("/voice/customWebhooks").replace(line["id"], f"voice/{line['id']}")
    answer = api.patch(path, {"customWebhooks": [{"url": f"http://127.0.0.1:9/{number}"} for number in range(3)]})
    assert (answer.status_code, len(api.get(hooks_of(line)).json)) == (400, 2)


def test_the_last_deliveries_are_kept(api, control, advance, make_voice_deployment, monkeypatch):
    monkeypatch.setattr(webhook_deliveries, "MAX_FINISHED", 10)
    line = make_voice_deployment()
    api.post(hooks_of(line), {"url": "http://no-such-host.test/", "fields": "transcript"})
    control.post("/simulate/calls", {"workerId": line["workerId"], "deploymentId": line["id"], "count": 60})
    advance(60)
    assert len(control.get("/state").json["webhookDeliveries"]) <= 10


def test_the_number_of_snapshots_is_limited(control, monkeypatch):
    monkeypatch.setattr(snapshots, "MAX_SNAPSHOTS", 2)
    statuses = [control.post("/snapshots", {"name": name}).status_code for name in ("a", "b", "c", "b")]
    assert statuses == [201, 201, 409, 201]


@pytest.mark.parametrize("length", [2_000, 2_001])
def test_the_path_of_a_fault_and_of_a_check_has_a_bound(control, length):
    path = "/api/" + "*" * (length - 5)
    answers = [
        control.post("/faults", {"path": path, "status": 500}),
        control.post("/requests/verify", {"path": path, "times": 0}),
        control.get("/requests", query_string={"path": path}),
    ]
    for answer in answers:
        is_refused = answer.status_code == 400 and "maximum length 2000" in answer.text
        assert is_refused == (length > 2_000), answer.text


def test_unknown_names_of_bodies_are_not_kept(api, control):
    def send(first):
        body = {f"{number:060}": 1 for number in range(first, first + 20_000)}
        assert api.post("/team/tags", body).status_code == 400
        control.delete("/requests")

    send(0)
    tracemalloc.start()
    try:
        send(20_000)
        gc.collect()
        kept_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept_bytes < 1_000_000

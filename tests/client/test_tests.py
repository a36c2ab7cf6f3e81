"""Tests of a worker and their runs."""

CHECKPOINT = {"name": "Greets", "description": "Says hello", "runs": 3, "tolerance": 1}


def test_a_test_from_creation_over_a_run_to_deletion(client, api, worker, flow, advance):
    made = client.workers.tests.create(
        worker,
        name="Booking",
        description="Books a table",
        checkpoints=[CHECKPOINT],
        test_mode="voice",
        system_prompt="You are hungry.",
        flow_id=flow,
    )
    assert (made.checkpoints, made.test_mode) == ([CHECKPOINT], "voice")

    client.workers.tests.run(made.id, worker_id=worker)
    client.workers.tests.list_runs(made.id, worker_id=worker)
    runs = f"/workers/{worker}/tests/{made.id}/runs"
    assert [run["status"] for run in api.get(runs).json] == ["PENDING"]
    advance(3600)
    (run,) = api.get(runs).json
    assert (run["status"], run["results"][0]["failed"]) == ("FAILED", 3)  # the flow's talk lacks its prompt
    client.workers.tests.list_runs(made.id, worker_id=worker)

    client.workers.tests.update(
        made.id,
        worker_id=worker,
        name="Cancelling",
        description="Cancels a table",
        checkpoints=[],
        test_mode="chat",
        system_prompt="You are full.",
        flow_id=flow,
    )
    client.workers.tests.run(made.id, worker_id=worker)
    assert len(api.get(runs).json) == 2

    client.workers.tests.delete(made.id, worker_id=worker)
    assert api.get(runs).status_code == 404

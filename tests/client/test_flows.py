"""Flows."""

import brainbase_labs
import pytest

CODE = "loop:\n    talk('Hello.')\n"


def test_a_flow_from_creation_to_deletion(client, api, worker):
    made = client.workers.flows.create(
        worker, name="Main", label="Reception", code=CODE, variables='{"city": "Oslo"}', validate=False
    )
    assert (made.worker_id, made.version, made.variables, made.code) == (worker, 1, {"city": "Oslo"}, CODE)
    assert client.workers.flows.retrieve(made.id, worker_id=worker) == made
    assert [flow.id for flow in client.workers.flows.list(worker)] == [made.id]

    changed = client.workers.flows.update(
        made.id, worker_id=worker, name="Other", label="Desk", code=CODE * 2, variables="{}", validate=True
    )
    assert (changed.name, changed.label, changed.variables) == ("Other", "Desk", {})
    assert changed.version > made.version
    assert len(api.get(f"/workers/{worker}/flows/{made.id}/versions").json["data"]) == 1

    client.workers.flows.delete(made.id, worker_id=worker)
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.flows.retrieve(made.id, worker_id=worker)


def test_a_flow_is_read_from_a_file(client, worker, tmp_path):
    path = tmp_path / "main.based"
    path.write_text(CODE)
    made = client.workers.flows.create(worker, name="Main", label="Reception", path=str(path))
    assert client.workers.flows.retrieve(made.id, worker_id=worker).code == CODE

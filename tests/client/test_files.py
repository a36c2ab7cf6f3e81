"""Beside its requests, the vendor's client reads files, uploads them and raises errors."""

import brainbase_labs
import pytest

CODE = "loop:\n    talk('Hello.')\n"


def test_a_flow_is_read_from_a_file(client, worker, tmp_path):
    path = tmp_path / "main.based"
    path.write_text(CODE)
    made = client.workers.flows.create(worker, name="Main", label="Reception", path=str(path))
    assert client.workers.flows.retrieve(made.id, worker_id=worker).code == CODE


def test_a_file_is_uploaded_and_answers_a_question(client, worker, tmp_path, advance):
    path = tmp_path / "menu.txt"
    path.write_text("Monday: lasagne. Tuesday: dumplings.")
    folder = client.workers.folders.create(worker, name="Menus").id
    made = client.workers.resources.file.create(worker, local_file_path=str(path), name="Menu", folder_id=folder)
    assert (made.file_name, made.size, made.folder_id) == ("menu.txt", path.stat().st_size, folder)
    advance(60)
    assert [file.status for file in client.workers.resources.file.list(worker)] == ["AVAILABLE"]

    matches = client.workers.resources.query(
        worker,
        query="When are there dumplings?",
        resources=[made.id],
    )
    assert matches.data["context"] == [made.id]
    assert "dumplings" in matches.data["answer"]


def test_the_clients_errors_are_those_of_the_real_service(client, worker):
    with pytest.raises(brainbase_labs.BadRequestError) as caught:
        client.workers.create(name=None, description=None, status=None)
    assert caught.value.body["details"][0]["path"] == "name"
    with pytest.raises(brainbase_labs.AuthenticationError):
        client.workers.list(extra_headers={"x-api-key": "wrong"})
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.retrieve("worker_none")
    client.workers.folders.create(worker, name="Menus")
    with pytest.raises(brainbase_labs.ConflictError):
        client.workers.folders.create(worker, name="Menus")

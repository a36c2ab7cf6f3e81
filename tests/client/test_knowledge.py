"""Folders and resources."""

import brainbase_labs
import pytest


def test_a_folder_from_creation_to_deletion(client, worker):
    made = client.workers.folders.create(worker, name="Menus", description="Food and drinks")
    assert client.workers.folders.retrieve(made.id, worker_id=worker).to_dict() == made.to_dict()
    changed = client.workers.folders.update(made.id, worker_id=worker, name="Wines", description="And to drink")
    assert (changed.name, changed.description) == ("Wines", "And to drink")
    assert [folder.to_dict() for folder in client.workers.folders.list(worker)] == [changed.to_dict()]
    with pytest.raises(brainbase_labs.ConflictError):
        client.workers.folders.create(worker, name="Wines")
    client.workers.folders.delete(made.id, worker_id=worker)
    assert client.workers.folders.list(worker) == []


def test_a_link_is_moved_between_folders(client, worker):
    folder = client.workers.folders.create(worker, name="Pages").id
    made = client.workers.resources.link.create(
        worker, name="Site", raw_link="https://example.com", update_frequency="daily", folder_id=folder
    )
    assert (made.raw_link, made.update_frequency) == ("https://example.com", "daily")
    assert client.workers.folders.list_resources(folder, worker_id=worker) == [made]

    other = client.workers.folders.create(worker, name="More pages").id
    assert client.workers.resources.move(made.id, worker_id=worker, folder_id=other).folder_id == other
    assert client.workers.folders.list_resources(folder, worker_id=worker) == []
    assert client.workers.resources.link.list(worker)[0].folder_id == other

    client.workers.resources.delete(made.id, worker_id=worker)
    with pytest.raises(brainbase_labs.NotFoundError):
        client.workers.resources.retrieve(made.id, worker_id=worker)


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
        folder_id=folder,
        folder_name="Menus",
        query_params={
            "mode": "local",
            "top_k": 3,
            "response_type": "text",
            "stream": False,
            "only_need_context": False,
            "only_need_prompt": False,
            "max_token_for_text_unit": 100,
            "max_token_for_global_context": 100,
            "max_token_for_local_context": 100,
        },
    )
    assert matches.data["context"] == [made.id]
    assert "dumplings" in matches.data["answer"]

"""Folders of a worker."""

import pytest


@pytest.fixture
def worker(make_worker):
    return make_worker()


@pytest.fixture
def path(worker):
    return f"/workers/{worker['id']}/folders"


@pytest.fixture
def make_folder(api, path):
    def make(name="Manuals", **body):
        answer = api.post(path, {"name": name, **body})
        assert answer.status_code == 201, answer.text
        return answer.json

    return make


def test_a_folder_name_is_unique_in_its_worker(api, path, make_folder, make_worker):
    make_folder()
    assert api.post(path, {"name": "Manuals"}).status_code == 409
    assert api.post(f"/workers/{make_worker()['id']}/folders", {"name": "Manuals"}).status_code == 201


def test_a_folder_cannot_take_anothers_name(api, path, make_folder):
    make_folder("A")
    other = make_folder("B")
    assert api.put(f"{path}/{other['id']}", {"name": "A"}).status_code == 409
    assert api.put(f"{path}/{other['id']}", {"name": "B", "description": "Kept"}).json["description"] == "Kept"


def test_deleting_a_folder_leaves_its_resources_in_no_folder(api, path, make_folder, worker):
    folder = make_folder()
    body = {"name": "Menu", "rawLink": "https://example.com/", "updateFrequency": "daily", "folderId": folder["id"]}
    link = api.post(f"/workers/{worker['id']}/resources/link", body).json
    assert api.delete(f"{path}/{folder['id']}").status_code == 204
    assert api.get(f"{path}/{folder['id']}").status_code == 404
    assert api.get(f"/workers/{worker['id']}/resources/{link['id']}").json["folderId"] is None


def test_a_folder_lists_what_is_in_it(api, path, make_folder, worker):
    folder = make_folder()
    links = f"/workers/{worker['id']}/resources/link"
    body = {"name": "Menu", "rawLink": "https://example.com/", "updateFrequency": "daily"}
    inside = api.post(links, body | {"folderId": folder["id"]}).json
    api.post(links, body)
    assert api.get(f"{path}/{folder['id']}/resources").json == [inside]

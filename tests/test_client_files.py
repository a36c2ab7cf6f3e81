"""The vendor's client uploads a file over a socket: it asks for an address, puts the bytes there, makes the record."""

import asyncio
import threading

import pytest
from brainbase_labs import AsyncBrainbaseLabs, BrainbaseLabs
from werkzeug.serving import make_server

KEY = "dryline-local-key"


@pytest.fixture
def url(app, monkeypatch):
    """A socket that the stand-in answers on; the client's upload helper is pointed at it."""
    server = make_server("127.0.0.1", 0, app, threaded=True)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    url = f"http://127.0.0.1:{server.server_port}"
    monkeypatch.setenv("BRAINBASE_S3_SIGNED_URL_BASE_URL", url)
    yield url
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def menu(tmp_path):
    path = tmp_path / "menu of the week.txt"
    path.write_text("Monday: lasagne. Tuesday: dumplings.")
    return path


def test_a_file_goes_up_is_processed_and_found(url, menu, make_worker, advance):
    worker = make_worker()["id"]
    with BrainbaseLabs(base_url=url, api_key=KEY, _strict_response_validation=True) as client:
        folder = client.workers.folders.create(worker, name="Menus")
        files = client.workers.resources.file
        file = files.create(worker, local_file_path=str(menu), name="Menu", folder_id=folder.id)
        assert (file.file_name, file.mime_type, file.size) == (menu.name, "text/plain", menu.stat().st_size)
        assert file.folder_id == folder.id
        advance(10)
        assert [found.status for found in files.list(worker)] == ["AVAILABLE"]
        found = client.workers.resources.query(worker, query="When are there dumplings?", folder_name="Menus")
        assert found.data["context"] == [file.id]
        assert "Tuesday: dumplings" in found.data["answer"]


def test_the_asynchronous_client_uploads_too(url, menu, make_worker):
    worker = make_worker()["id"]

    async def upload():
        async with AsyncBrainbaseLabs(base_url=url, api_key=KEY, _strict_response_validation=True) as client:
            return await client.workers.resources.file.create(worker, local_file_path=str(menu), name="Menu")

    assert asyncio.run(upload()).status == "STARTED"

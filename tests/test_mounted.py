"""The application below a path of another one."""

from urllib.parse import urlsplit

import pytest
from werkzeug.exceptions import NotFound
from werkzeug.middleware.dispatcher import DispatcherMiddleware
from werkzeug.test import Client

from dryline.tests.conftest import Api, created


@pytest.fixture
def client(app):
    return Client(DispatcherMiddleware(NotFound(), {"/mount": app.wsgi_app}))


def path_of(url):
    """Return the path and the query of a link, which leads below the mount."""
    assert url.startswith("http://localhost/mount/"), url
    parts = urlsplit(url)
    return f"{parts.path}?{parts.query}"


def status_of(client, url):
    with client.get(path_of(url)) as answer:
        return answer.status_code


def test_each_link_has_the_path_of_the_mount(client, line, simulate, control):
    api = Api(client, "dryline-local-key", "/mount/api")
    log = simulate(line, count=1, outcome="completed")[0]
    worker = f"/workers/{line['workerId']}"

    recording = api.get(f"{worker}/deploymentLogs/voice/{log['id']}").json["recordingUrl"]
    assert status_of(client, recording) == 200

    window = {"startDate": "2026-01-01T00:00:00Z", "endDate": "2026-03-01T00:00:00Z"}
    export = created(api.post("/team/exports", {"workerId": line["workerId"], "format": "CSV", **window}))["id"]
    control.post("/clock/advance", {"seconds": 60})
    assert status_of(client, api.get(f"/team/exports/{export}").json["downloadUrl"]) == 200

    query = {"fileName": "a.txt", "contentType": "text/plain"}
    upload = api.get(f"/upload/{line['workerId']}/resource-upload-url", query_string=query).json["uploadUrl"]
    assert client.put(path_of(upload), data=b"x", headers={"Content-Type": "text/plain"}).status_code < 300

    assert client.get("/mount/openapi.json").json["servers"] == [{"url": "/mount"}]
    assert "http://localhost/mount/" in client.get("/mount/llms.txt").text
    assert client.get("/mount/").location == "/mount/console"

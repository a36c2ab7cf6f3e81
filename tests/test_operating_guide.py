"""The commands and the figures of docs/operating.md."""

import re
import shutil

import httpx
import pytest

from dryline.models.custom_webhooks import MAX_WEBHOOKS
from dryline.models.talk_sessions import MAX_CONVERSATIONS
from dryline.models.webhook_deliveries import MAX_FINISHED
from dryline.settings import Settings
from dryline.state.snapshots import MAX_SNAPSHOTS
from dryline.testing import DrylineServer, connect
from dryline.tests.test_guides import ENVIRONMENT, ROOT, examples, run
from dryline.world.request_log import MAX_BYTES, MAX_ENTRIES

PAGE = (ROOT / "docs/operating.md").read_text()
COMMANDS = examples("docs/operating.md")
BOUNDS = {*re.findall(r"^\| [^|]+ \| ([^|]+) \| [^|]+ \|$", PAGE.partition("## Bounds")[2], re.MULTILINE)}


def shell(folder, title, server):
    command = COMMANDS[title].replace("http://127.0.0.1:4010", server.url)
    run(folder, "sh", "-eu", "-c", command.replace("dryline-data", str(server._settings["data_dir"])))


@pytest.fixture
def server(tmp_path):
    with DrylineServer(data_dir=tmp_path / "dryline-data") as server:
        yield server


def test_a_backup_brings_back_what_was_deleted(server, tmp_path):
    workers = server.client().workers
    worker = workers.create(name="Front desk", description=None, status=None)
    shell(tmp_path, "backup.sh", server)
    workers.delete(worker.id)
    shell(tmp_path, "restore.sh", server)
    assert [each.id for each in workers.list()] == [worker.id]


def test_a_backup_restored_in_another_directory_has_keys_and_files_and_new_links(server, tmp_path):
    server.simulate_calls(3)
    key = {"x-api-key": server.team("Two").api_key}
    window = {"startDate": "2020-01-01T00:00:00Z", "endDate": "2020-03-01T00:00:00Z", "format": "CSV"}
    export = httpx.post(f"{server.url}/api/team/exports", json=window, headers=key).raise_for_status().json()
    server.advance(1)
    path = f"/api/team/exports/{export['id']}"
    link = httpx.get(server.url + path, headers=key).json()["downloadUrl"]
    shell(tmp_path, "backup.sh", server)
    with DrylineServer(data_dir=tmp_path / "other", api_keys=["start-key"]) as other:
        shell(tmp_path, "restore.sh", other)
        assert httpx.get(link.replace(server.url, other.url)).status_code == 403
        assert httpx.get(httpx.get(other.url + path, headers=key).json()["downloadUrl"]).status_code == 200
        assert httpx.get(f"{other.url}/api/workers", headers={"x-api-key": "start-key"}).status_code == 200


def test_a_copy_of_the_directory_of_a_stopped_server_is_a_whole_world(tmp_path):
    with DrylineServer(data_dir=tmp_path / "dryline-data") as server:
        server.client().workers.create(name="Front desk", description=None, status=None)
        server.snapshot("one")
    run(tmp_path, "sh", "-eu", "-c", COMMANDS["copy.sh"])
    shutil.rmtree(tmp_path / "dryline-data")
    with DrylineServer(data_dir=tmp_path / "dryline-data.copy") as copy:
        assert [each["name"] for each in copy.plane("GET", "/snapshots")] == ["one"]
        assert len(copy.client().workers.list()) == 1


def test_the_admin_token_opens_a_server_for_all_addresses_and_its_commands(tmp_path, monkeypatch):
    with DrylineServer(data_dir=tmp_path / "dryline-data", host="0.0.0.0", admin_token="secret") as server:
        assert httpx.get(f"{server.url}/_dryline/state").status_code == 403
        assert httpx.get(f"{server.url}/_dryline/health").status_code == 200
        assert connect(server.url, token="secret").state()["workers"] == []
        monkeypatch.setitem(ENVIRONMENT, "DRYLINE_ADMIN_TOKEN", "secret")
        shell(tmp_path, "backup.sh", server)


def test_the_bounds_are_the_programs():
    assert {
        f"{MAX_ENTRIES:,} requests, {MAX_BYTES // 1_000_000} MB",
        f"`--max-body-mb` ({Settings.max_body_mb})",
        f"{MAX_CONVERSATIONS:,} of a team",
        f"{MAX_WEBHOOKS}",
        f"{MAX_FINISHED:,}",
        f"{MAX_SNAPSHOTS}",
        f"`--recordings-mb` ({Settings.recordings_mb})",
    } <= BOUNDS

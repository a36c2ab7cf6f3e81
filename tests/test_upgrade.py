"""A data directory of dryline 0.1 is opened as it is: rows, files and snapshots stay."""

import contextlib
import json
import sqlite3
import tarfile
from pathlib import Path

import pytest

from dryline.schemas.base import camel

# Two workers of the start team, three calls, an export, an upload; a second team with a worker, a clock and a snapshot
# of its own; the snapshots `before` (one worker) and `both`; a frozen clock and a changed setting.
FIXTURE = Path(__file__).parent / "data_directory_0_1.tar.xz"
NOW = "2026-11-02T10:01:00.000Z"


@pytest.fixture
def world(tmp_path):
    with tarfile.open(FIXTURE) as archive:
        archive.extractall(tmp_path / "world", filter="data")
    return tmp_path / "world"


@pytest.fixture
def opened(world, restart):
    return lambda: restart(seed=7)


def names(api, key=None):
    return sorted(row["name"] for row in api.get("/workers", headers={"x-api-key": key} if key else {}).json)


def restore(control, name):
    answer = control.post(f"/snapshots/{name}/restore")
    assert answer.status_code == 204, answer.text


def test_rows_files_clock_and_settings_stay(opened):
    api, control = opened()
    assert names(api) == ["Front desk", "Night desk"]
    assert names(api, "second-key") == ["Second desk"]
    assert len(control.get("/state").json["voiceLogs"]) == 3
    assert control.get("/clock").json == {"now": NOW, "frozen": True}
    assert control.get("/settings").json["exportDelayMs"] == 5
    (export,) = api.get("/team/exports").json
    file = api.client.get(export["downloadUrl"], buffered=True)
    assert (export["status"], len(file.data)) == ("COMPLETED", export["fileSizeBytes"])


def test_an_upload_stays(opened):
    api, control = opened()
    (resource,) = control.get("/state").json["resources"]
    address = api.get(f"/workers/{resource['workerId']}/resources/{resource['id']}").json["signedS3FilePath"]
    assert api.client.get(address, buffered=True).data == b"Monday: soup"


@pytest.mark.parametrize("text", ["Monday: soup", "Monday: bread\n" * 1_000 + "Tuesday: soup"])
def test_the_text_of_a_file_is_still_found(world, opened, text):
    with contextlib.closing(sqlite3.connect(world / "dryline.sqlite3")) as database:
        database.execute("UPDATE resource SET status = 'AVAILABLE'")
        database.execute("UPDATE resource_text SET body = ?", (text,))
        database.commit()
    api, control = opened()
    (resource,) = control.get("/state").json["resources"]

    def search(query):
        path = f"/workers/{resource['workerId']}/resources/query"
        return api.post(path, {"query": query}).json["data"]["results"]

    (result,) = search("soup")
    assert result["resourceId"] == resource["id"] and "soup" in result["text"] and len(result["text"]) <= 2_000
    assert len(search("menu")) == 1
    api.delete(f"/workers/{resource['workerId']}/resources/{resource['id']}")
    assert search("soup") == search("menu") == []


def test_snapshots_are_restored_again_and_again(opened):
    api, control = opened()
    assert [row["name"] for row in control.get("/snapshots").json] == ["both", "before"]
    for _ in range(2):
        restore(control, "before")
        assert names(api) == ["Front desk"]
        assert api.get("/workers", headers={"x-api-key": "second-key"}).status_code == 401
        restore(control, "both")
        assert (names(api), names(api, "second-key")) == (["Front desk", "Night desk"], ["Second desk"])
    api, control = opened()
    assert names(api) == ["Front desk", "Night desk"]
    (export,) = api.get("/team/exports").json
    assert api.client.get(export["downloadUrl"], buffered=True).status_code == 200


def test_what_single_teams_had_is_dropped_with_one_line_in_the_log(opened, world, caplog):
    api, _ = opened()
    (line,) = [record.message for record in caplog.records if record.name == "dryline"]
    assert line.startswith("Dropped the clocks and snapshots of single teams")
    assert sorted(path.name for path in (world / "snapshots").iterdir()) == ["before", "both"]
    worker = api.post("/workers", {"name": "W"}, headers={"x-api-key": "second-key"}).json
    assert worker["createdAt"] == NOW
    caplog.clear()
    opened()
    assert [record for record in caplog.records if record.name == "dryline"] == []


# JSON of other shapes than dryline reads, by table and column.
ODD_LOG = {
    "messages": {"messages": "Good morning."},
    "session_log_data": {"trace": 5},
    "metadata": {"campaignId": 7},
}
ODD = {
    "voice_log": {**ODD_LOG, "data": {"call_analysis": "good"}, "success_results": {"criteria": [1]}},
    "chat_log": ODD_LOG,
    "chat_embed_log": {**ODD_LOG, "latency": {"values": 5}},
    "sms_log": ODD_LOG,
    "whatsapp_log": ODD_LOG,
    "api_log": ODD_LOG,
    "session": {"trace": [{"at": 1}]},
    "llm_log": {"data": {"response": "late"}},
}
# Columns that such rows must have.
NEEDED = {
    "session": {},
    "voice_log": {"type": "VoiceDeploymentLog", "bb_engine_session_id": "session"},
    "chat_log": {"type": "ChatDeploymentLog"},
    "chat_embed_log": {"type": "ChatEmbedDeploymentLog", "expired": 0},
    "sms_log": {"type": "SmsDeploymentLog"},
    "whatsapp_log": {"type": "WhatsappDeploymentLog"},
    "api_log": {"type": "ApiDeploymentLog"},
    "llm_log": {"event_type": "afterRequestHook", "session_id": "session"},
}


@pytest.fixture
def database(world):
    """Yield the directory's database before it is opened."""
    with contextlib.closing(sqlite3.connect(world / "dryline.sqlite3")) as database:
        yield database


def add_row(database, table, **columns):
    ((team, worker),) = database.execute("SELECT team_id, worker_id FROM voice_log LIMIT 1")
    row = {"id": table, "team_id": team, "worker_id": worker, "created_at": NOW, **columns}
    if table != "session":
        row["updated_at"] = NOW
    insert(database, table, row)


def insert(database, table, row):
    marks = ", ".join("?" * len(row))
    database.execute(f"INSERT INTO {table} ({', '.join(row)}) VALUES ({marks})", list(row.values()))


def test_json_of_any_shape_in_an_older_directory_stays_and_has_a_page(database, opened):
    for table, odd in ODD.items():
        add_row(database, table, **NEEDED[table], **{column: json.dumps(value) for column, value in odd.items()})
    database.commit()
    api, control = opened()
    state = control.get("/state").json
    for table, odd in ODD.items():
        (row,) = [row for rows in state.values() if isinstance(rows, list) for row in rows if row.get("id") == table]
        assert {column: row[camel(column)] for column in odd} == odd
    logs = [table for table in ODD if table not in ("session", "llm_log")]
    for log in logs:
        page = api.client.get(f"/console/calls/{log}")
        assert page.status_code == 200
        assert "<summary>Messages</summary>" in page.text and "<summary>Session log data</summary>" in page.text
    assert "<summary>Trace of the session</summary>" in api.client.get("/console/calls/voice_log").text


def test_a_call_of_an_older_directory_goes_on_to_its_end_with_json_of_any_shape(database, opened):
    ((team, worker, deployment),) = database.execute("SELECT team_id, worker_id, deployment_id FROM voice_log LIMIT 1")
    stamps = {"team_id": team, "worker_id": worker, "created_at": NOW, "updated_at": NOW}
    log = {**stamps, "id": "call", **NEEDED["voice_log"], "deployment_id": deployment, "status": "completed"}
    log |= {"start_time": NOW, "end_time": "2026-11-02T10:02:00.000Z", "data": {"call_analysis": 5}}
    session = {"id": "session", "team_id": team, "worker_id": worker, "created_at": NOW, **ODD["session"]}
    llm_log = {**stamps, "id": "llm_log", **NEEDED["llm_log"], **ODD["llm_log"]}
    call = {"log": log, "session": session, "llm_logs": [llm_log], "runtime_errors": []}
    row = {"id": "call", "team_id": team, "created_at": NOW, "deployment_id": deployment}
    insert(database, "call_in_progress", {**row, "due_at": NOW, "call": json.dumps(call)})
    database.commit()
    api, control = opened()
    control.post("/clock/advance", {"seconds": 3600})
    assert api.get("/logs/call").json["data"] == {"call_analysis": 5}
    page = api.client.get("/console/calls/call")
    assert page.status_code == 200 and "<summary>Trace of the session</summary>" in page.text


def test_rows_of_a_legacy_campaign_in_an_older_directory_go_on(database, opened):
    ((team, deployment),) = database.execute("SELECT team_id, deployment_id FROM voice_log LIMIT 1")
    shared = {"team_id": team, "created_at": NOW, "updated_at": NOW}
    number = {"phoneNumber": "+14155550100"}  # somebody answers
    later, never = "2026-11-02T11:00:00.000Z", "9999-12-31T23:59:59.999Z"
    ended = json.dumps({"reached": True, "logId": "log", "callStatus": "completed", "startTime": NOW})
    rows = {
        "now": {"status": "PENDING", "due_at": NOW},
        "later": {"status": "PROCESSING", "due_at": later},
        "by hand": {"status": "PROCESSING", "due_at": never},
        "called": {"status": "PROCESSING", "due_at": NOW, "done_at": later, "outcome": ended},
        "ended": {"status": "FAILED", "due_at": NOW},
    }
    campaign = {"id": "campaign", **shared, "deployment_id": deployment, "status": "RUNNING", "steps": "[]"}
    insert(database, "voicev1_campaign", campaign)
    for id, row in rows.items():
        data = {"row_id": id, "row_data": json.dumps(number | {"id": id}), "arrived_at": NOW, **row}
        insert(database, "voicev1_campaign_data", {"id": f"data {id}", "campaign_id": "campaign", **shared, **data})
    legacy = "type = 'VoiceV1', objective = '', allowed_transfer_numbers = '[]', resource_keys = '[]'"
    database.execute(f"UPDATE deployment SET {legacy} WHERE id = ?", (deployment,))
    database.commit()
    api, control = opened()

    def statuses():
        return {row["id"]: row["status"] for row in control.get("/state").json["voicev1CampaignData"]}

    control.post("/clock/advance", {"seconds": 1800})
    assert statuses() == dict(zip(rows, ("COMPLETED", "PROCESSING", "PROCESSING", "COMPLETED", "FAILED"), strict=True))
    page = api.client.get("/console/campaigns/campaign")
    assert page.status_code == 200
    control.post("/clock/advance", {"seconds": 3600})
    assert statuses() == dict(zip(rows, ("COMPLETED", "COMPLETED", "PROCESSING", "COMPLETED", "FAILED"), strict=True))
    logs = [log for log in control.get("/state").json["voiceLogs"] if (log["metadata"] or {}).get("campaignId")]
    assert [(log["metadata"]["rowId"], log["startTime"]) for log in logs] == [("now", NOW), ("later", later)]

"""Log exports: asking, polling, fetching the file, and driving them by hand."""

import csv
import errno
import io
import json
import os
from dataclasses import replace
from datetime import datetime, timedelta

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dryline.app import create_app
from dryline.jobs import export_files, exports
from dryline.jobs.exports import fulfil, restore_files
from dryline.models.exports import LOGS, Export
from dryline.models.teams import Team
from dryline.models.voice_logs import VoiceLog
from dryline.settings import Settings

ASK = {"format": "CSV", "startDate": "2026-01-01T00:00:00.000Z", "endDate": "2026-03-01T00:00:00.000Z"}
INSIDE = "2026-02-01T10:00:00.000Z"

# What a cell may hold: in a status, in a transcription, in metadata, in the copy of a flow.
short = st.none() | st.text(st.sampled_from('ab",;\r\n\0 é%'), max_size=5)
long = short
nested = st.none() | st.dictionaries(st.sampled_from(['"', "a,b", "é"]), st.sampled_from(['"', ",", "%s", 1, None]))
code = long | nested


@pytest.fixture
def make_log(app, make_worker):
    """Write a log of the start team, of a new worker unless one is given."""

    def make(log_type="voice", **values):
        if "worker_id" not in values:
            values["worker_id"] = make_worker()["id"]
        with app.world.active(), app.world.transaction():
            team = Team.find(id=values.pop("team_id", None) or start_team(app))
            return LOGS[log_type].add(team, **{"start_time": INSIDE} | values).id

    return make


def start_team(app):
    with app.world.active():
        return next(iter(Team.select())).id


@pytest.fixture
def export(api, advance):
    """Ask for an export and let it be written."""

    def make(api=api, **body):
        answer = api.post("/team/exports", ASK | body)
        assert answer.status_code == 201, answer.text
        advance()
        return api.get(f"/team/exports/{answer.json['id']}").json

    return make


@pytest.fixture
def fetch(app):
    """Fetch a finished export's file without a key."""

    def get(export, **kwargs):
        return app.test_client().get(export["downloadUrl"], buffered=True, **kwargs)

    return get


@pytest.fixture
def rows(export, fetch):
    """The records of a new export."""

    def make(**body):
        made = export(**body)
        assert made["status"] == "COMPLETED", made
        text = fetch(made).text
        if made["format"] == "JSON":
            return json.loads(text)
        return list(csv.DictReader(io.StringIO(text, newline="")))

    return make


def files(app):
    return sorted(path.name for path in app.world.exports.iterdir())


# Asking


def test_a_new_export_is_pending_and_knows_what_was_asked(api):
    made = api.post("/team/exports", ASK | {"logType": "voice"}).json
    assert (made["status"], made["format"], made["logType"]) == ("PENDING", "CSV", "voice")
    rest = ("rowCount", "fileSizeBytes", "downloadUrl", "errorMessage", "expiresAt")
    assert [made[name] for name in rest] == [None] * 5
    assert made["id"].startswith("export_")


def test_a_window_of_90_days_is_allowed_and_a_longer_one_is_not(api):
    start = datetime.fromisoformat(ASK["startDate"])
    end = start + timedelta(days=90)
    longer = api.post("/team/exports", ASK | {"endDate": (end + timedelta(milliseconds=1)).isoformat()})
    assert (longer.status_code, longer.json["details"][0]["path"]) == (400, "endDate")
    assert api.post("/team/exports", ASK | {"endDate": end.isoformat()}).status_code == 201


def test_a_window_must_not_run_backwards(api):
    answer = api.post("/team/exports", ASK | {"endDate": "2025-12-31T23:59:59.999Z"})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "endDate")
    assert api.post("/team/exports", ASK | {"endDate": ASK["startDate"]}).status_code == 201


@pytest.mark.parametrize("missing", ["format", "startDate", "endDate"])
def test_a_missing_member_is_named(api, missing):
    answer = api.post("/team/exports", {name: value for name, value in ASK.items() if name != missing})
    assert (answer.status_code, [one["path"] for one in answer.json["details"]]) == (400, [missing])


@pytest.mark.parametrize(
    ("member", "value"),
    [
        ("format", "XML"),
        ("format", "csv"),
        ("startDate", "yesterday"),
        ("startDate", 5),
        ("logType", "email"),
        ("logType", None),
        ("workerId", 7),
        ("deploymentId", {}),
        ("fields", 3),
        ("fields", ["id", 3]),
        ("filtersJson", 3),
        ("filtersJson", "{"),
        ("filtersJson", "[]"),
    ],
)
def test_a_bad_member_is_named(api, member, value):
    answer = api.post("/team/exports", ASK | {member: value})
    assert answer.status_code == 400, answer.text
    assert answer.json["details"][0]["path"].split(".")[0] == member
    assert api.get("/team/exports").json == []


@pytest.mark.parametrize("fields", [["id", "colour"], "id,colour"])
def test_an_unknown_field_is_named(api, fields):
    answer = api.post("/team/exports", ASK | {"logType": "voice", "fields": fields})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "fields")
    assert "colour" in answer.json["error"]


def test_a_field_of_another_log_type_is_unknown(api):
    assert api.post("/team/exports", ASK | {"logType": "chat", "fields": ["call_sid"]}).status_code == 400
    assert api.post("/team/exports", ASK | {"fields": ["call_sid", "rating"]}).status_code == 201


@pytest.mark.parametrize(
    ("filters", "path"),
    [
        ({"colour": "red"}, "filtersJson.colour"),
        ({"direction": "sideways"}, "filtersJson.direction"),
        ({"minDuration": -1}, "filtersJson.minDuration"),
        ({"minDuration": "long"}, "filtersJson.minDuration"),
        ({"startTimeAfter": "noon"}, "filtersJson.startTimeAfter"),
        ({"sortBy": "status"}, "filtersJson.sortBy"),
        ({"limit": 5}, "filtersJson.limit"),
        ({"status": None}, "filtersJson.status"),
        ('{"colour": "red"}', "filtersJson.colour"),
    ],
)
def test_a_bad_filter_is_named(api, filters, path):
    answer = api.post("/team/exports", ASK | {"logType": "voice", "filtersJson": filters})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, path)


def test_a_team_has_one_active_export_at_a_time(api, other_api, advance):
    assert api.post("/team/exports", ASK).status_code == 201
    assert api.post("/team/exports", ASK).status_code == 409
    assert other_api.post("/team/exports", ASK).status_code == 201
    advance()
    assert api.post("/team/exports", ASK).status_code == 201


@pytest.mark.parametrize("member", ["workerId", "deploymentId"])
def test_an_unknown_worker_or_deployment_is_not_found_and_named(api, member):
    answer = api.post("/team/exports", ASK | {member: "none"})
    assert answer.status_code == 404
    assert member in answer.json["error"]


def test_another_teams_worker_or_deployment_is_not_found(other_api, make_voice_deployment):
    deployment = make_voice_deployment()
    for body in ({"workerId": deployment["workerId"]}, {"deploymentId": deployment["id"]}):
        assert other_api.post("/team/exports", ASK | body).status_code == 404


def test_a_deployment_must_be_the_workers(api, make_worker, make_voice_deployment):
    deployment = make_voice_deployment()
    body = {"deploymentId": deployment["id"], "workerId": make_worker()["id"]}
    assert api.post("/team/exports", ASK | body).status_code == 404
    assert api.post("/team/exports", ASK | body | {"workerId": deployment["workerId"]}).status_code == 201


def test_an_sms_deployment_exists_where_a_log_names_it(api, make_log):
    make_log("sms", deployment_id="sms_line")
    assert api.post("/team/exports", ASK | {"deploymentId": "sms_line"}).status_code == 201


# Reading


def test_another_teams_export_is_not_found(api, other_api, export):
    made = export()
    assert other_api.get(f"/team/exports/{made['id']}").status_code == 404
    assert other_api.get("/team/exports").json == []


def test_the_list_shows_the_20_newest_first(api, export):
    made = [export()["id"] for _ in range(21)]
    assert [one["id"] for one in api.get("/team/exports").json] == made[:0:-1]


def test_the_list_and_the_record_agree(api, export):
    made = export()
    assert api.get("/team/exports").json == [made]


# The file


def test_a_finished_export_tells_its_rows_and_bytes(export, make_log, fetch, advance, control):
    control.put("/clock", {"now": "2026-04-01T12:00:00.000Z", "frozen": True})
    make_log(), make_log()
    made = export(logType="voice")
    assert (made["status"], made["rowCount"], made["expiresAt"]) == ("COMPLETED", 2, "2026-04-02T12:00:00.000Z")
    assert len(fetch(made).data) == made["fileSizeBytes"]


def test_json_holds_the_records_as_on_the_wire(api, rows, make_log, make_worker):
    worker = make_worker()["id"]
    values = {"messages": [{"role": "user", "text": "hé"}], "metadata": {"a": {"b": 1}}, "flow_snapshot": "loop:\n"}
    log = make_log(worker_id=worker, duration=61, call_sid="CA1", **values)
    assert rows(format="JSON", logType="voice") == [api.get(f"/workers/{worker}/deploymentLogs/voice/{log}").json]


def test_json_of_no_logs_is_an_empty_array(rows):
    assert rows(format="JSON") == []


def test_csv_has_a_header_crlf_json_cells_and_nothing_for_null(export, fetch, make_log):
    log = make_log(metadata={"a": [1, "x"]}, transcription='He said "no",\r\nthen left', flow_snapshot='say "hé"\n')
    names = ["id", "startTime", "metadata", "transcription", "flowSnapshot", "status"]
    text = fetch(export(logType="voice", fields=names)).data.decode()
    header, rest = text.split("\r\n", 1)
    assert header == ",".join(names)
    assert rest == (f'{log},{INSIDE},"{{""a"":[1,""x""]}}","He said ""no"",\r\nthen left","say ""hé""\n",\r\n')


def test_csv_without_fields_has_all_members_of_the_record(api, rows, make_log, make_worker):
    worker = make_worker()["id"]
    log = make_log(worker_id=worker)
    record = api.get(f"/workers/{worker}/deploymentLogs/voice/{log}").json
    (row,) = rows(logType="voice")
    assert row.keys() == record.keys()
    assert {name for name, text in row.items() if text} == {name for name in record if record[name] is not None}


@settings(deadline=None, max_examples=30, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(st.lists(st.tuples(short, long, short, nested, code), min_size=1))
def test_whatever_the_cells_hold_the_csv_module_reads_it_as_it_was_written(make_log, make_worker, rows, cells):
    names = ["status", "transcription", "externalCallId", "metadata", "flowSnapshot"]
    columns = ["status", "transcription", "external_call_id", "metadata", "flow_snapshot"]
    worker = make_worker()["id"]
    for row in cells:
        make_log(worker_id=worker, **dict(zip(columns, row, strict=True)))
    read = [tuple(row.values()) for row in rows(logType="voice", workerId=worker, fields=names)]
    written = [(*[cell or "" for cell in row[:3]], *map(as_text, row[3:])) for row in cells]
    assert sorted(read) == sorted(written)


def as_text(value):
    """A JSON value as a cell shows it: a text as it is."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("values", [{}, {"status": "a,b"}], ids=["plain", "with care"])
def test_csv_quotes_json_always_and_what_is_short_where_it_must_be(export, fetch, make_log, values):
    make_log(call_sid="CA1", duration=60, metadata={}, **values)
    text = fetch(export(logType="voice", fields=["call_sid", "duration", "metadata", "data", "status"])).text
    status = '"a,b"' if values else ""
    assert text.split("\r\n", 1)[1] == f'CA1,60,"{{}}",,{status}\r\n'


@pytest.mark.parametrize("format", ["CSV", "JSON"])
def test_fields_come_exactly_as_asked_in_that_order(rows, make_log, format):
    make_log(call_sid="CA1", telephony_source="twilio")
    (row,) = rows(format=format, logType="voice", fields="call_sid, Telephony_source,type,call_sid")
    assert list(row.items()) == [
        ("call_sid", "CA1"),
        ("Telephony_source", "twilio"),
        ("type", "VoiceDeploymentLog"),
    ]


@pytest.mark.parametrize("fields", [[], "", " , "])
def test_no_fields_at_all_are_all_fields(rows, make_log, fields):
    make_log()
    assert rows(format="JSON", fields=fields) == rows(format="JSON")


@pytest.mark.parametrize("log_type", LOGS)
def test_each_log_type_can_be_exported(rows, make_log, log_type):
    made = {one: make_log(one) for one in LOGS}
    assert [row["id"] for row in rows(logType=log_type)] == [made[log_type]]
    assert [row["id"] for row in rows(logType=log_type, format="JSON")] == [made[log_type]]


def test_without_a_log_type_all_come_one_type_after_the_other(rows, make_log):
    made = [make_log(one) for one in reversed(LOGS)]
    csv_rows = rows()
    assert [row["id"] for row in csv_rows] == made[::-1]
    assert {"call_sid", "rating", "toolCalls", "transcription"} <= csv_rows[0].keys()
    records = rows(format="JSON")
    assert [record["id"] for record in records] == made[::-1]
    assert "call_sid" in records[0] and "call_sid" not in records[1]


def test_a_field_that_a_type_lacks_is_empty_there(rows, make_log):
    make_log("voice", call_sid="CA1"), make_log("chat", rating=5)
    assert rows(fields=["call_sid", "rating"]) == [{"call_sid": "CA1", "rating": ""}, {"call_sid": "", "rating": "5"}]
    records = rows(fields=["call_sid", "rating"], format="JSON")
    assert records == [{"call_sid": "CA1", "rating": None}, {"call_sid": None, "rating": 5}]


def test_a_log_with_none_of_the_fields_is_still_a_row(rows, make_log):
    make_log("chat", rating=5), make_log("sms")
    assert rows(fields=["rating"]) == [{"rating": "5"}, {"rating": ""}]
    assert rows(fields=["rating"], format="JSON") == [{"rating": 5}, {"rating": None}]


def test_a_flag_is_true_or_false(rows, make_log):
    make_log("chat-embed", expired=True), make_log("chat-embed", expired=False)
    assert [row["expired"] for row in rows(logType="chat-embed")] == ["true", "false"]
    assert [row["expired"] for row in rows(logType="chat-embed", format="JSON")] == [True, False]


def test_the_window_goes_by_the_start_of_the_log_both_ends_included(rows, make_log):
    make_log(start_time="2025-12-31T23:59:59.999Z")
    first, last = make_log(start_time=ASK["startDate"]), make_log(start_time=ASK["endDate"])
    make_log(start_time="2026-03-01T00:00:00.001Z")
    assert [row["id"] for row in rows()] == [first, last]


def test_a_log_without_a_start_goes_by_its_creation(rows, make_log):
    make_log(start_time=None, created_at="2026-05-01T00:00:00.000Z")
    inside = make_log(start_time=None, created_at=INSIDE)
    assert [row["id"] for row in rows()] == [inside]


def test_logs_come_from_the_oldest_to_the_newest(rows, make_log):
    days = ["2026-02-03", "2026-02-01", "2026-02-02"]
    made = {day: make_log(start_time=f"{day}T00:00:00.000Z") for day in days}
    assert [row["id"] for row in rows()] == [made[day] for day in sorted(days)]


def test_worker_and_deployment_narrow_it_down(rows, make_log, make_voice_deployment, make_flow):
    flow = make_flow()
    here, there = make_voice_deployment(flow=flow)["id"], make_voice_deployment(flow=flow)["id"]
    make_log()
    mine = [make_log(worker_id=flow["workerId"], deployment_id=one) for one in (here, there)]
    assert [row["id"] for row in rows(workerId=flow["workerId"])] == mine
    assert [row["id"] for row in rows(deploymentId=there)] == mine[1:]
    assert [row["id"] for row in rows(deploymentId=here, workerId=flow["workerId"], format="JSON")] == mine[:1]


@pytest.mark.parametrize(
    "filters",
    [
        {"direction": "inbound"},
        {"status": "completed"},
        {"fromNumber": "5550"},
        {"callSid": "CA1"},
        {"searchQuery": "ÜBER"},
        {"minDuration": 30},
        {"minDuration": "30", "maxDuration": 90},
        {"startTimeAfter": "2026-02-01T00:00:00Z", "startTimeBefore": "2026-02-02T00:00:00Z"},
        {"endDate": "2026-02-02T00:00:00Z", "startDate": "2026-02-01"},
        {"flowId": "flow_1"},
        '{"direction": "inbound", "externalCallId": "ext-1"}',
    ],
)
def test_filters_are_those_of_the_voice_log_list(rows, make_log, filters):
    wanted = make_log(
        direction="inbound", status="completed", from_number="+14155550100", call_sid="CA1", duration=60,
        transcription="Alles über Tarife", flow_id="flow_1", external_call_id="ext-1",
    )  # fmt: skip
    make_log(
        direction="outbound", status="failed", from_number="+14156660100", call_sid="CA2", duration=3,
        transcription="Nichts", flow_id="flow_2", external_call_id="ext-2", start_time="2026-02-03T00:00:00.000Z",
    )  # fmt: skip
    assert [row["id"] for row in rows(logType="voice", filtersJson=filters)] == [wanted]


def test_a_filter_leaves_out_the_log_types_that_lack_its_member(rows, make_log):
    wanted = [make_log(one, direction="inbound") for one in ("voice", "sms", "whatsapp")]
    make_log("chat"), make_log("sms", direction="outbound")
    assert [row["id"] for row in rows(filtersJson={"direction": "inbound"})] == wanted


def test_another_teams_logs_are_not_exported(app, other_api, make_worker, make_log, rows):
    worker = make_worker(api=other_api)
    make_log(worker_id=worker["id"], team_id=worker["teamId"])
    mine = make_log()
    assert [row["id"] for row in rows()] == [mine]


def test_more_logs_than_a_batch_all_come_once(app, make_log, rows):
    worker = make_log_worker = make_log()
    count = export_files.BATCH * 2 + 1
    with app.world.active(), app.world.transaction():
        first = VoiceLog.find(id=make_log_worker)
        made = [VoiceLog.add(first, worker_id=first.worker_id, start_time=INSIDE).id for _ in range(count)]
    for format in ("CSV", "JSON"):
        assert sorted(row["id"] for row in rows(format=format, logType="voice")) == sorted([worker, *made])


# The link


def test_the_link_is_absolute_and_needs_no_key(export, fetch):
    made = export()
    assert made["downloadUrl"].startswith(f"http://localhost/downloads/exports/{made['id']}?")
    assert fetch(made).status_code == 200


def test_the_link_begins_with_the_public_url_where_one_is_set(app, export):
    app.world.settings = replace(app.world.settings, public_url="https://api.example.com/x")
    assert export()["downloadUrl"].startswith("https://api.example.com/x/downloads/exports/")


def test_the_answer_names_the_file(export, fetch):
    for format in ("CSV", "JSON"):
        made = export(format=format)
        answer = fetch(made)
        assert answer.headers["Content-Disposition"] == f"attachment; filename={made['id']}.{format.lower()}"
        assert answer.content_type == {"CSV": "text/csv; charset=utf-8", "JSON": "application/json"}[format]


def test_a_part_of_the_file_can_be_fetched(export, fetch, make_log):
    make_log()
    made = export()
    whole = fetch(made).data
    part = fetch(made, headers={"Range": "bytes=10-19"})
    assert (part.status_code, part.data) == (206, whole[10:20])
    assert part.headers["Content-Range"] == f"bytes 10-19/{len(whole)}"
    assert fetch(made, headers={"Range": f"bytes={len(whole)}-"}).status_code == 416


@pytest.mark.parametrize("odd", ["lines=1-2", "bytes=1", "bytes=9-3", "bytes=a-b", "bytes=0-1,4-5", "bytes"])
def test_a_range_that_is_not_one_range_of_bytes_is_ignored(export, fetch, odd):
    made = export()
    answer = fetch(made, headers={"Range": odd})
    assert (answer.status_code, answer.data) == (200, fetch(made).data)


def test_a_file_that_is_gone_from_the_disk_is_not_ready(app, export, fetch):
    made = export()
    for path in app.world.exports.iterdir():
        path.unlink()
    answer = fetch(made)
    assert (answer.status_code, made["id"] in answer.json["error"]) == (503, True)


def test_whoever_fetches_a_file_that_is_gone_has_it_made_anew(app, export, fetch, advance):
    made = export()
    for path in app.world.exports.iterdir():
        path.unlink()
    assert fetch(made).status_code == 503
    advance()
    answer = fetch(made)
    assert (answer.status_code, len(answer.data)) == (200, made["fileSizeBytes"])


def test_a_file_that_was_fetched_before_is_not_sent_again(export, fetch):
    made = export()
    assert fetch(made, headers={"If-None-Match": fetch(made).headers["ETag"]}).status_code == 304


@pytest.mark.parametrize(
    "old, new", [("signature=ey", "signature=ez"), ("signature=", "signature=x"), ("signature=", "s=")]
)
def test_an_altered_link_is_refused(app, export, old, new):
    url = export()["downloadUrl"]
    answer = app.test_client().get(url.replace(old, new))
    assert answer.status_code == 403
    assert isinstance(answer.json["error"], str)


def test_a_link_without_anything_or_for_another_export_is_refused(app, export, make_log):
    one, other = export(), export()
    assert app.test_client().get(f"/downloads/exports/{one['id']}").status_code == 403
    swapped = one["downloadUrl"].replace(one["id"], other["id"])
    assert app.test_client().get(swapped).status_code == 403


def test_after_24_hours_the_export_is_expired_and_its_file_gone(app, api, control, export, fetch, advance):
    control.put("/clock", {"now": "2026-04-01T12:00:00.000Z", "frozen": True})
    made = export()
    advance(24 * 3600 - 0.001)
    assert api.get(f"/team/exports/{made['id']}").json == made
    assert fetch(made).status_code == 200
    advance(0.001)
    gone = api.get(f"/team/exports/{made['id']}").json
    assert gone == made | {"status": "EXPIRED", "downloadUrl": None}
    assert fetch(made).status_code == 403
    assert files(app) == []


# What goes wrong


@pytest.mark.alone
def test_a_folder_that_cannot_be_written_fails_the_export(app, export):
    app.world.exports.rmdir()
    app.world.exports.write_text("in the way")
    made = export()
    assert (made["status"], made["downloadUrl"]) == ("FAILED", None)
    assert made["errorMessage"].startswith("The file could not be written: ")


def test_a_full_disk_fails_the_export_and_leaves_no_file(app, api, export, monkeypatch):
    def full(*args):
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    with monkeypatch.context() as patch:
        patch.setattr(export_files, "_write_csv", full)
        made = export()
    assert made["errorMessage"] == "The file could not be written: No space left on device."
    assert files(app) == []
    assert export()["status"] == "COMPLETED"


def test_a_bad_filter_that_came_in_otherwise_fails_the_export(app, api, advance):
    made = api.post("/team/exports", ASK).json
    with app.world.active(), app.world.transaction():
        Export.find(id=made["id"]).change(filters_json={"colour": "red"})
    advance()
    failed = api.get(f"/team/exports/{made['id']}").json
    assert failed["status"] == "FAILED"
    assert "colour" in failed["errorMessage"]


@pytest.fixture
def meanwhile(monkeypatch):
    """Let something happen once, between the writing of a file and its completion."""

    def arrange(happening):
        write = export_files.write

        def written(*args):
            result = write(*args)
            monkeypatch.setattr(export_files, "write", write)
            happening()
            return result

        monkeypatch.setattr(export_files, "write", written)

    return arrange


def test_an_export_that_vanishes_while_it_is_written_leaves_nothing(app, api, export, advance, meanwhile):
    def vanish():
        with app.world.transaction():
            Export.remove_where(team_id=start_team(app))

    meanwhile(vanish)
    assert api.post("/team/exports", ASK).status_code == 201
    advance()
    assert (api.get("/team/exports").json, files(app)) == ([], [])


def test_an_export_that_is_failed_while_it_is_written_stays_failed(app, api, control, export, advance, meanwhile):
    made = api.post("/team/exports", ASK).json
    meanwhile(lambda: control.post(f"/exports/{made['id']}/transition", {"status": "FAILED"}))
    advance()
    assert api.get(f"/team/exports/{made['id']}").json["status"] == "FAILED"
    assert files(app) == []


@pytest.mark.parametrize("filters", [{}, {"status": "none has it"}])
def test_a_server_that_ends_gives_its_export_back(app, api, make_log, filters):
    first = make_log()
    with app.world.active(), app.world.transaction():
        log = VoiceLog.find(id=first)
        for _ in range(20_000):
            VoiceLog.add(log, worker_id=log.worker_id, start_time=INSIDE)
    made = api.post("/team/exports", ASK | {"filtersJson": filters}).json
    with app.world.active():
        with app.world.transaction():
            (claimed,) = Export.due(app.world.clock.stamp(), 1)
            claimed.move("PROCESSING")
        app.world.ending.set()
        fulfil(app.world, claimed)
    assert api.get(f"/team/exports/{made['id']}").json == made
    assert files(app) == []


# Imports


def test_files_are_made_anew_for_completed_exports_and_others_removed(app, export, fetch, make_log):
    make_log()
    made, other = export(), export(format="JSON")
    content = fetch(made).data
    (app.world.exports / f"{made['id']}.csv").unlink()
    (app.world.exports / f"{other['id']}.json").write_text("[")
    (app.world.exports / "stray.csv").write_text("x")
    with app.world.active():
        restore_files(app.world)
    assert files(app) == sorted([f"{made['id']}.csv", f"{other['id']}.json"])
    assert fetch(made).data == content
    assert len(fetch(other).json) == 1


@pytest.fixture
def no_lost_file_at_once(monkeypatch):
    """To make even the smallest lost file anew is more than is done at once."""
    monkeypatch.setattr(export_files, "STEP", 1)
    monkeypatch.setattr(exports, "REMADE_AT_ONCE", 0)


def test_a_lost_file_that_takes_long_is_made_anew_after_the_answer(
    control, api, export, fetch, make_log, advance, no_lost_file_at_once
):
    make_log()
    made = export()
    assert control.put("/state", control.get("/state").json).status_code == 204
    shown = api.get(f"/team/exports/{made['id']}").json
    assert (shown["status"], shown["downloadUrl"], shown["expiresAt"]) == ("PROCESSING", None, None)
    assert api.get("/team/exports").json == [shown]
    refused = fetch(made)
    assert (refused.status_code, refused.headers["Retry-After"]) == (503, "1")
    advance()
    assert api.get(f"/team/exports/{made['id']}").json["status"] == "COMPLETED"
    assert len(fetch(made).data) == made["fileSizeBytes"]


def test_a_start_does_not_wait_for_lost_files(tmp_path, no_lost_file_at_once):
    settings = Settings(data_dir=tmp_path, scenario="demo")
    app = create_app(settings)
    key = {"x-api-key": "dryline-local-key"}
    before = {one["status"] for one in app.test_client().get("/api/team/exports", headers=key).json}
    app.jobs.start()
    app.test_client().post("/_dryline/clock/advance", json={"seconds": 0})
    after = {one["status"] for one in app.test_client().get("/api/team/exports", headers=key).json}
    app.close()
    assert "PROCESSING" in before
    assert "PROCESSING" not in after and "COMPLETED" in after


def test_a_file_that_is_removed_meanwhile_is_made_anew(app, api, export, fetch, make_log, advance):
    make_log()
    made = export()
    (app.world.exports / f"{made['id']}.csv").unlink()
    assert api.get(f"/team/exports/{made['id']}").json["status"] == "PROCESSING"
    advance()
    assert api.get(f"/team/exports/{made['id']}").json == made
    assert len(fetch(made).data) == made["fileSizeBytes"]


@pytest.mark.alone
def test_a_lost_file_that_cannot_be_made_anew_fails_its_export(app, api, export, advance):
    made = export()
    (app.world.exports / f"{made['id']}.csv").unlink()
    app.world.exports.rmdir()
    app.world.exports.write_text("in the way")
    api.get(f"/team/exports/{made['id']}")
    advance()
    failed = api.get(f"/team/exports/{made['id']}").json
    assert (failed["status"], failed["errorMessage"][:30]) == ("FAILED", "The file could not be written:")


def test_an_imported_export_may_have_any_id(app, api, fetch):
    id = "../Übung/../1"
    with app.world.active():
        with app.world.transaction():
            team = Team.find(id=start_team(app))
            Export.add(team, id=id, status="COMPLETED", format="CSV")
        restore_files(app.world)
    (made,) = api.get("/team/exports").json
    assert (made["id"], made["rowCount"]) == (id, 0)
    assert fetch(made).status_code == 200
    assert len(files(app)) == 1


# By hand


@pytest.fixture
def move(control):
    def make(export, status, **body):
        return control.post(f"/exports/{export['id']}/transition", {"status": status, **body})

    return make


@pytest.fixture
def manual(app):
    app.world.live.export_mode = "manual"


def test_by_hand_an_export_waits_for_each_move(app, api, manual, move, export, fetch, make_log):
    make_log()
    made = export()
    assert made["status"] == "PENDING"
    processing = move(made, "PROCESSING")
    assert (processing.status_code, processing.json["status"]) == (200, "PROCESSING")
    assert files(app) == []
    completed = move(made, "COMPLETED").json
    assert (completed["status"], completed["rowCount"]) == ("COMPLETED", 1)
    assert completed == api.get(f"/team/exports/{made['id']}").json
    assert len(fetch(completed).data) == completed["fileSizeBytes"]
    assert move(made, "EXPIRED").json == completed | {"status": "EXPIRED", "downloadUrl": None}
    assert files(app) == []


def test_an_export_can_be_failed_by_hand_with_a_message(manual, move, export):
    made = export()
    assert move(made, "FAILED", errorMessage="The moon is full.").json["errorMessage"] == "The moon is full."
    made = export()
    move(made, "PROCESSING")
    failed = move(made, "FAILED").json
    assert (failed["status"], bool(failed["errorMessage"])) == ("FAILED", True)


WAYS = {
    "PENDING": [],
    "PROCESSING": ["PROCESSING"],
    "COMPLETED": ["PROCESSING", "COMPLETED"],
    "FAILED": ["FAILED"],
    "EXPIRED": ["PROCESSING", "COMPLETED", "EXPIRED"],
}
ALLOWED = {
    ("PENDING", "PROCESSING"),
    ("PENDING", "FAILED"),
    ("PROCESSING", "COMPLETED"),
    ("PROCESSING", "FAILED"),
    ("COMPLETED", "EXPIRED"),
}


@pytest.mark.parametrize("target", WAYS)
@pytest.mark.parametrize("status", WAYS)
def test_only_the_state_machines_moves_are_made(api, manual, move, export, status, target):
    made = export()
    for step in WAYS[status]:
        assert move(made, step).status_code == 200
    before = api.get(f"/team/exports/{made['id']}").json
    answer = move(made, target)
    if (status, target) in ALLOWED:
        assert (answer.status_code, answer.json["status"]) == (200, target)
    else:
        assert answer.status_code == 409
        assert api.get(f"/team/exports/{made['id']}").json == before


def test_a_transition_needs_an_export_and_a_status_that_exist(control, move, export):
    assert move({"id": "export_none"}, "FAILED").status_code == 404
    assert move(export(), "DONE").status_code == 400
    assert control.post("/exports/export_none/transition", {}).status_code == 400


def test_an_export_waits_for_its_delay_in_api_time(app, api, advance, control):
    control.put("/clock", {"now": "2026-04-01T12:00:00.000Z", "frozen": True})
    app.world.live.export_delay_ms = 1500
    made = api.post("/team/exports", ASK).json
    status = []
    for seconds in (0, 1.499, 0.001):
        advance(seconds)
        status.append(api.get(f"/team/exports/{made['id']}").json["status"])
    assert status == ["PENDING", "PENDING", "COMPLETED"]


def test_a_created_export_wakes_what_writes_it(api, app, monkeypatch):
    woken = []
    monkeypatch.setattr(app.world, "wake", lambda: woken.append(len(Export.select())))
    assert api.post("/team/exports", {}).status_code == 400
    assert api.post("/team/exports", ASK).status_code == 201
    assert woken == [1]


def test_the_link_outlives_a_restart(tmp_path):
    settings = Settings(data_dir=tmp_path, scenario="empty")
    app = create_app(settings)
    headers = {"x-api-key": "dryline-local-key"}
    made = app.test_client().post("/api/team/exports", json=ASK, headers=headers).json
    with app.world.active():
        app.world.run_due()
    url = app.test_client().get(f"/api/team/exports/{made['id']}", headers=headers).json["downloadUrl"]
    app.close()
    again = create_app(settings)
    assert again.test_client().get(url, buffered=True).status_code == 200
    again.close()

"""Files of exports: their rows, and the form of the cells."""

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from dryline.jobs import export_files
from dryline.models.exports import LOGS
from dryline.tests.exports.conftest import INSIDE, REQUEST

# Values of a status, of a transcription, of metadata, and of the copy of a flow.
short = st.none() | st.text(st.sampled_from('ab",;\r\n\0 é%'), max_size=5)
long = short
nested = st.none() | st.dictionaries(st.sampled_from(['"', "a,b", "é"]), st.sampled_from(['"', ",", "%s", 1, None]))
code = long | nested


def test_a_finished_export_has_its_row_count_and_file_size(export, make_log, fetch, advance, control):
    control.put("/clock", {"now": "2026-04-01T12:00:00.000Z", "frozen": True})
    make_log(), make_log()
    made = export(logType="voice")
    assert (made["status"], made["rowCount"], made["expiresAt"]) == ("COMPLETED", 2, "2026-04-02T12:00:00.000Z")
    assert len(fetch(made).data) == made["fileSizeBytes"]


def test_json_has_the_records_as_the_api_returns_them(api, rows, make_log, make_worker):
    worker = make_worker()["id"]
    values = {"messages": [{"role": "user", "text": "hé"}], "metadata": {"a": {"b": 1}}, "flow_snapshot": "loop:\n"}
    log = make_log(worker_id=worker, duration=61, call_sid="CA1", **values)
    assert rows(format="JSON", logType="voice") == [api.get(f"/workers/{worker}/deploymentLogs/voice/{log}").json]


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
def test_the_csv_module_reads_all_values_as_they_were_stored(make_log, make_worker, rows, cells):
    names = ["status", "transcription", "externalCallId", "metadata", "flowSnapshot"]
    columns = ["status", "transcription", "external_call_id", "metadata", "flow_snapshot"]
    worker = make_worker()["id"]
    for row in cells:
        make_log(worker_id=worker, **dict(zip(columns, row, strict=True)))
    read = [tuple(row.values()) for row in rows(logType="voice", workerId=worker, fields=names)]
    written = [(*[cell or "" for cell in row[:3]], *map(as_text, row[3:])) for row in cells]
    assert sorted(read) == sorted(written)


def as_text(value):
    """Return the text of a cell for a JSON value; a string is its own text."""
    if value is None or isinstance(value, str):
        return value or ""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


@pytest.mark.parametrize("format", ["CSV", "JSON"])
def test_columns_are_the_requested_fields_in_their_order(rows, make_log, format):
    make_log(call_sid="CA1", telephony_source="twilio")
    (row,) = rows(format=format, logType="voice", fields="call_sid, Telephony_source,type,call_sid")
    assert list(row.items()) == [
        ("call_sid", "CA1"),
        ("Telephony_source", "twilio"),
        ("type", "VoiceDeploymentLog"),
    ]


@pytest.mark.parametrize("log_type", LOGS)
def test_each_log_type_can_be_exported(rows, make_log, log_type):
    made = {one: make_log(one) for one in LOGS}
    assert [row["id"] for row in rows(logType=log_type)] == [made[log_type]]
    assert [row["id"] for row in rows(logType=log_type, format="JSON")] == [made[log_type]]


def test_without_a_log_type_the_file_has_one_type_after_the_other(rows, make_log):
    made = [make_log(one) for one in reversed(LOGS)]
    csv_rows = rows()
    assert [row["id"] for row in csv_rows] == made[::-1]
    assert {"call_sid", "rating", "toolCalls", "transcription"} <= csv_rows[0].keys()
    records = rows(format="JSON")
    assert [record["id"] for record in records] == made[::-1]
    assert "call_sid" in records[0] and "call_sid" not in records[1]


def test_a_field_that_a_log_type_lacks_is_empty(rows, make_log):
    make_log("voice", call_sid="CA1"), make_log("chat", rating=5)
    assert rows(fields=["call_sid", "rating"]) == [{"call_sid": "CA1", "rating": ""}, {"call_sid": "", "rating": "5"}]
    records = rows(fields=["call_sid", "rating"], format="JSON")
    assert records == [{"call_sid": "CA1", "rating": None}, {"call_sid": None, "rating": 5}]


def test_a_log_with_none_of_the_fields_is_still_a_row(rows, make_log):
    make_log("chat", rating=5), make_log("sms")
    assert rows(fields=["rating"]) == [{"rating": "5"}, {"rating": ""}]
    assert rows(fields=["rating"], format="JSON") == [{"rating": 5}, {"rating": None}]


def test_the_window_selects_logs_by_their_start_both_ends_included(rows, make_log):
    make_log(start_time="2025-12-31T23:59:59.999Z")
    first, last = make_log(start_time=REQUEST["startDate"]), make_log(start_time=REQUEST["endDate"])
    make_log(start_time="2026-03-01T00:00:00.001Z")
    assert [row["id"] for row in rows()] == [first, last]


@pytest.mark.parametrize("format", ["CSV", "JSON"])
def test_the_oldest_come_first_and_logs_without_a_start_count_by_creation(rows, make_log, format, monkeypatch):
    monkeypatch.setattr(export_files, "BATCH_ROWS", 1)
    make_log(id="a", start_time=None, created_at="2026-02-02T00:00:00.000Z")
    make_log(id="b", start_time="2026-02-01T00:00:00.000Z")
    make_log(id="c", start_time="2026-02-03T00:00:00.000Z")
    make_log(id="0", start_time=None, created_at="2026-02-04T00:00:00.000Z")
    make_log(id="z", start_time=None, created_at="2026-05-01T00:00:00.000Z")  # after the window
    assert [row["id"] for row in rows(format=format)] == ["b", "a", "c", "0"]


def test_an_export_can_be_of_one_worker_or_deployment(rows, make_log, make_voice_deployment, make_flow):
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
        {"searchQuery": "ÜBER"},
        {"minDuration": "30", "maxDuration": 90},
        '{"direction": "inbound", "externalCallId": "ext-1"}',
    ],
)
def test_the_filters_of_the_voice_log_list_apply(rows, make_log, filters):
    matching = make_log(
        direction="inbound", status="completed", from_number="+14155550100", call_sid="CA1", duration=60,
        transcription="Alles über Tarife", flow_id="flow_1", external_call_id="ext-1",
    )  # fmt: skip
    make_log(
        direction="outbound", status="failed", from_number="+14156660100", call_sid="CA2", duration=3,
        transcription="Nichts", flow_id="flow_2", external_call_id="ext-2", start_time="2026-02-03T00:00:00.000Z",
    )  # fmt: skip
    assert [row["id"] for row in rows(logType="voice", filtersJson=filters)] == [matching]

"""Batch calls of voice deployments and of legacy ones."""

import json

import pytest


@pytest.fixture
def logs(api, line):
    """Return the deployment's calls, oldest first."""

    def read(line=line):
        answer = api.get(f"/workers/{line['workerId']}/deploymentLogs/voice?deploymentId={line['id']}")
        assert answer.status_code == 200, answer.text
        return sorted(answer.json["data"], key=lambda log: (log["startTime"], log["id"]))

    return read


@pytest.fixture(autouse=True)
def still(control):
    """Time stands still at the start of a year."""
    control.put("/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})


def rows(count, **values):
    return [{"id": f"r{n}", "phoneNumber": f"+1415555{n:04}", **values} for n in range(count)]


def test_the_first_batch_is_called_at_once_and_the_others_as_time_passes(api, line_path, logs, advance):
    answer = api.post(f"{line_path}/make-batch-calls", {"data": rows(5), "batch_size": 2, "batch_interval_minutes": 10})
    assert (answer.status_code, answer.json["rowsProcessed"]) == (200, 5)
    counts = []
    for minutes in (0, 9, 1, 10, 60):
        advance(minutes * 60)
        counts.append(len(logs()))
    assert counts == [2, 2, 4, 5, 5]


def test_each_call_begins_when_its_batch_was_due_however_far_the_clock_jumps(api, line_path, logs, advance):
    api.post(f"{line_path}/make-batch-calls", {"data": rows(3), "batch_size": 1, "batch_interval_minutes": 7.5})
    advance(86_400)
    begun = [log["startTime"] for log in logs()]
    assert begun == ["2026-01-01T00:00:00.000Z", "2026-01-01T00:07:30.000Z", "2026-01-01T00:15:00.000Z"]


def test_a_log_names_its_row(api, line_path, logs, advance, line):
    body = {"data": rows(1, plan="gold"), "additional_data": '{"shop": "Harbour"}', "country": "US", "wsUrl": "wss://x"}
    api.post(f"{line_path}/make-batch-calls", body)
    advance()
    (log,) = logs()
    assert (log["direction"], log["toNumber"]) == ("outbound", "+14155550000")
    assert log["fromNumber"] == line["phoneNumber"]
    metadata = {"rowId": "r0", "campaignId": None, "additionalData": {"shop": "Harbour"}, "country": "US"}
    assert log["metadata"] | metadata == log["metadata"]
    assert log["metadata"]["row"]["plan"] == "gold"


@pytest.mark.parametrize("number", ["not a number", "555-010", "+0123456789", "+1 23", ""])
def test_a_row_without_a_usable_number_ends_as_a_failed_call_that_says_so(api, line_path, logs, advance, number):
    assert api.post(f"{line_path}/make-batch-calls", {"data": [{"phoneNumber": number}]}).json["rowsProcessed"] == 1
    advance()
    (log,) = logs()
    assert (log["status"], log["duration"], log["messages"]) == ("failed", 0, None)
    assert repr(number) in log["metadata"]["error"]
    assert log["metadata"]["rowId"] == "1"


def test_only_rows_that_meet_the_condition_are_called(api, line_path, logs, advance):
    data = [*rows(2, plan="gold"), {"id": "x", "phoneNumber": "+14155550199", "plan": "basic"}]
    answer = api.post(f"{line_path}/make-batch-calls", {"data": data, "condition": '{{plan}} == "gold"'})
    assert answer.json["rowsProcessed"] == 2
    advance()
    assert sorted(log["metadata"]["rowId"] for log in logs()) == ["r0", "r1"]


def test_numbers_and_booleans_in_a_row_are_taken_as_text(api, line_path, logs, advance):
    row = {"id": 7, "phoneNumber": 14155550142, "age": 41.5, "vip": True, "new": False, "name": "A"}
    taken = {"id": "7", "phoneNumber": "14155550142", "age": "41.5", "vip": "true", "new": "false", "name": "A"}
    body = {"data": [row], "condition": '{{vip}} == "true"'}
    assert api.post(f"{line_path}/make-batch-calls", body).json["rowsProcessed"] == 1
    advance()
    (log,) = logs()
    assert (log["toNumber"], log["metadata"]["row"], log["metadata"]["rowId"]) == ("+14155550142", taken, "7")


@pytest.mark.parametrize("value", [None, [], {}, ["a"]])
def test_other_values_of_a_row_are_refused(api, line_path, value):
    answer = api.post(f"{line_path}/make-batch-calls", {"data": [*rows(1), {"id": "r", "age": value}]})
    assert answer.status_code == 400 and answer.json["details"][0]["path"] == "data.1.age"


@pytest.mark.parametrize(
    ("type", "kind"), [("string", str), ("number", int | float), ("object", dict), ("array", list)]
)
def test_the_batchs_extractions_are_drawn_from_its_calls(api, line_path, logs, advance, type, kind):
    extractions = {
        "name": {"type": type, "description": "name of the caller", "required": True},
        "shoe_size": {"type": type, "description": "EU size", "required": True},
    }
    api.post(f"{line_path}/make-batch-calls", {"data": rows(10), "extractions": json.dumps(extractions)})
    advance(900)
    drawn = [log["extractionsData"] for log in logs() if log["extractionsData"]]
    assert drawn
    assert all(set(columns) == {"name", "shoe_size"} for columns in drawn)
    assert all(isinstance(value, kind) for columns in drawn for value in columns.values())
    assert type == "number" or any(columns["name"] for columns in drawn)


def test_stopping_takes_out_what_is_queued_and_gives_it_back(api, line_path, logs, advance):
    data = rows(4)
    api.post(f"{line_path}/make-batch-calls", {"data": data, "batch_size": 1})
    advance()
    answer = api.post(f"{line_path}/stop-batch-calls").json
    assert (answer["removedCount"], answer["removedItems"]) == (3, data[1:])
    advance(86_400)
    assert len(logs()) == 1
    assert api.post(f"{line_path}/stop-batch-calls").json["removedItems"] == []


def test_a_legacy_deployment_takes_batches_with_numbers_as_text(api, make_voicev1_deployment, logs, advance):
    line = make_voicev1_deployment()
    path = f"/workers/{line['workerId']}/deployments/voicev1/{line['id']}/make-batch-calls"
    data = [*rows(3, plan="gold"), {"id": "x", "phoneNumber": "+14155550199", "status": "COMPLETED"}]
    answer = api.post(path, {"data": data, "batch_size": "2", "batch_interval_minutes": "5", "condition": "{{plan}}"})
    assert (answer.status_code, answer.json["rowsProcessed"]) == (200, 3)
    advance()
    assert len(logs(line)) == 2
    advance(300)
    assert [log["metadata"]["rowId"] for log in logs(line)].count("x") == 0
    assert len(logs(line)) == 3


def test_a_batch_goes_on_where_it_was_when_its_state_is_put_back(control, api, line_path, logs, advance):
    terms = {"batch_size": 1, "batch_interval_minutes": 60, "additional_data": '{"shop": "Harbour"}'}
    api.post(f"{line_path}/make-batch-calls", {"data": rows(4), **terms})
    advance()
    before = control.get("/state").data
    assert control.put("/state", data=before, content_type="application/json").status_code == 204
    advance()
    assert control.get("/state").data == before
    advance(3 * 3600)
    assert [log["metadata"]["rowId"] for log in logs()] == ["r0", "r1", "r2", "r3"]
    assert all(log["metadata"]["additionalData"] == {"shop": "Harbour"} for log in logs())
    assert [log["startTime"][11:16] for log in logs()] == ["00:00", "01:00", "02:00", "03:00"]


def test_a_row_with_a_misspelt_number_says_which_member_it_has(api, line_path, logs, advance):
    api.post(f"{line_path}/make-batch-calls", {"data": [{"id": "r", "phoneNumbr": "+14155550100"}, {"id": "s"}]})
    advance(60)
    errors = {log["metadata"]["error"] for log in logs()}
    assert errors == {"The row has no phoneNumber; it has phoneNumbr.", "The row has no phoneNumber."}

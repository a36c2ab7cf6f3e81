"""Campaigns of legacy voice deployments."""

import pytest

from dryline.tests.conftest import created


@pytest.fixture
def deployment(make_voicev1_deployment):
    return make_voicev1_deployment()


@pytest.fixture
def path(deployment):
    return f"/workers/{deployment['workerId']}/deployments/voicev1/{deployment['id']}/campaigns"


@pytest.fixture(autouse=True)
def still(control):
    """Time stands still at the start of a year."""
    control.put("/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})


@pytest.fixture
def campaign(api, path):
    return created(api.post(path, {"steps": [{"name": "call"}]}))


@pytest.fixture
def run(api, path, campaign):
    def run(count=3, status=200, **values):
        data = [{"id": f"r{n}", "phoneNumber": f"+1415555{n:04}", **values} for n in range(count)]
        answer = api.post(f"{path}/{campaign['id']}/run", {"data": data})
        assert answer.status_code == status, answer.text
        return answer.json

    return run


@pytest.fixture
def read(api, path, campaign):
    return lambda: api.get(f"{path}/{campaign['id']}").json


def statuses(campaign):
    return [row["status"] for row in campaign["data"]]


def test_a_new_campaign_runs_and_has_no_rows(api, path, deployment, campaign, read):
    assert (campaign["status"], campaign["steps"], campaign["data"]) == ("RUNNING", [{"name": "call"}], [])
    assert campaign["deploymentId"] == deployment["id"]
    assert read() == campaign


def test_rows_wait_until_their_batch_is_called_and_end_with_a_result(run, read, advance):
    assert statuses(run(11)) == ["PENDING"] * 11
    advance()
    assert statuses(read()).count("PENDING") == 1
    advance(3600)
    ended = read()
    assert ended["status"] == "COMPLETED"
    assert set(statuses(ended)) <= {"COMPLETED", "FAILED"}
    assert all(row["result"]["reached"] is (row["status"] == "COMPLETED") for row in ended["data"])


def test_a_row_is_in_processing_while_it_is_called(run, read, advance, control):
    run(10)
    advance()
    (row, *_) = [row for row in read()["data"] if row["status"] == "PROCESSING"]
    assert row["result"] is None


def test_a_result_names_the_calls_log_and_the_log_its_row(api, path, deployment, campaign, run, read, advance):
    run(1)
    advance(3600)
    (row,) = read()["data"]
    log = api.get(f"/workers/{deployment['workerId']}/deploymentLogs/voice/{row['result']['logId']}").json
    assert (log["metadata"]["campaignId"], log["metadata"]["rowId"]) == (campaign["id"], "r0")
    assert (log["startTime"], log["toNumber"]) == ("2026-01-01T00:00:00.000Z", "+14155550000")
    assert row["updatedAt"] == log["endTime"]


def test_a_row_without_a_usable_number_fails_and_with_all_rows_the_campaign(api, path, campaign, read, advance):
    api.post(f"{path}/{campaign['id']}/run", {"data": [{"id": "1", "phoneNumber": "none"}]})
    advance()
    failed = read()
    assert (failed["status"], statuses(failed)) == ("FAILED", ["FAILED"])
    assert "'none'" in failed["data"][0]["result"]["error"]


def test_two_rows_of_one_run_cannot_have_the_same_id(api, path, campaign, read):
    row = {"id": "1", "phoneNumber": "+14155550100"}
    answer = api.post(f"{path}/{campaign['id']}/run", {"data": [row, row]})
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == ["data.1.id"]
    assert read()["data"] == []


def test_a_row_can_be_read_and_changed_by_its_id(api, path, campaign, run):
    run(1)
    one = f"{path}/{campaign['id']}/data/r0"
    assert api.get(one).json["campaignId"] == campaign["id"]
    changed = api.put(one, {"status": "COMPLETED", "result": {"booked": True}}).json
    assert (changed["status"], changed["result"], changed["rowData"]["id"]) == ("COMPLETED", {"booked": True}, "r0")
    assert api.get(one).json == changed


def test_a_row_that_is_pending_again_is_called_again(api, path, deployment, campaign, run, read, advance):
    run(1)
    advance(3600)
    api.put(f"{path}/{campaign['id']}/data/r0", {"status": "PENDING"})
    assert read()["status"] == "RUNNING"
    advance(3600)
    assert read()["status"] in ("COMPLETED", "FAILED")
    assert len(api.get(f"/workers/{deployment['workerId']}/deploymentLogs/voice").json["data"]) == 2


def test_rows_go_on_after_their_state_was_taken_out_and_brought_in(control, run, read, advance):
    run(12)
    advance()
    state = control.get("/state").json
    assert control.put("/state", state).status_code == 204
    assert control.get("/state").json == state
    advance(86_400)
    assert read()["status"] == "COMPLETED"


@pytest.mark.parametrize("status", ["PENDING", "PROCESSING", "COMPLETED", "FAILED"])
def test_a_state_with_a_row_whose_status_was_set_by_hand_can_be_put(api, path, campaign, run, read, control, status):
    run(1)
    assert api.put(f"{path}/{campaign['id']}/data/r0", {"status": status}).status_code == 200
    state = control.get("/state").json
    assert control.put("/state", state).status_code == 204
    assert read()["data"][0]["status"] == status

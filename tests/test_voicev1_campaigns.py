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


def test_a_row_that_is_changed_while_it_waits_is_called_as_it_is_then(api, path, deployment, campaign, run, advance):
    run(1)
    changed = {"id": "r0", "phoneNumber": "+14155550199", "name": "Ada"}
    api.put(f"{path}/{campaign['id']}/data/r0", {"rowData": changed})
    advance(3600)
    (log,) = api.get(f"/workers/{deployment['workerId']}/deploymentLogs/voice").json["data"]
    assert (log["toNumber"], log["metadata"]["row"]) == ("+14155550199", changed)


def test_a_result_that_is_written_while_a_row_waits_leaves_its_call(api, path, campaign, run, read, advance):
    run(1)
    assert api.put(f"{path}/{campaign['id']}/data/r0", {"result": {"note": "soon"}}).json["result"] == {"note": "soon"}
    advance(3600)
    assert "reached" in read()["data"][0]["result"]


@pytest.mark.parametrize("status", ["PROCESSING", "COMPLETED", "FAILED"])
def test_a_row_with_another_status_than_pending_is_not_called(
    api, path, deployment, campaign, run, read, control, advance, status
):
    run(1)
    api.put(f"{path}/{campaign['id']}/data/r0", {"status": status})
    assert control.put("/state", control.get("/state").json).status_code == 204
    advance(3600)
    assert statuses(read()) == [status]
    assert read()["status"] == {"PROCESSING": "RUNNING"}.get(status, status)
    assert api.get(f"/workers/{deployment['workerId']}/deploymentLogs/voice").json["data"] == []


def test_a_row_that_is_run_again_is_called_once(api, path, deployment, run, read, advance):
    run(2)
    assert len(run(2)["data"]) == 2
    advance(3600)
    assert len(api.get(f"/workers/{deployment['workerId']}/deploymentLogs/voice").json["data"]) == 2


def test_rows_of_a_document_are_called_in_the_batches_of_their_campaign(control, deployment, advance):
    campaigns = [{"id": f"campaign_{letter}", "deploymentId": deployment["id"]} for letter in "ab"]
    rows = [
        {"id": f"r{number}", "campaignId": one["id"], "rowData": {"id": f"r{number}", "phoneNumber": "none"}}
        for one in campaigns
        for number in range(12)
    ]
    document = {"version": 1, "voicev1Campaigns": campaigns, "voicev1CampaignData": rows}
    assert control.post("/state", document).status_code == 204
    batches = ("2026-01-01T00:00:00.000Z", "2026-01-01T00:05:00.000Z")
    waiting = [(row["campaignId"], row["dueAt"]) for row in control.get("/state").json["voicev1CampaignData"]]
    assert [[waiting.count((one["id"], at)) for at in batches] for one in campaigns] == [[10, 2], [10, 2]]
    assert control.get("/state").json["queuedCalls"] == []
    advance()
    state = control.get("/state").json
    assert [row["status"] for row in state["voicev1CampaignData"]].count("PENDING") == 4


def test_a_row_of_the_future_is_left_out_with_its_call(control, deployment, advance):
    campaign = {"id": "campaign_a", "deploymentId": deployment["id"]}
    row = {"id": "r", "campaignId": "campaign_a", "rowData": {"id": "r", "phoneNumber": "+14155550101"}}
    later = {"createdAt": "2026-01-03T00:00:00.000Z"}
    for document in (
        {"voicev1Campaigns": [campaign | later], "voicev1CampaignData": [row]},
        {"voicev1Campaigns": [campaign], "voicev1CampaignData": [row | later]},
    ):
        whole = control.get("/state").json | document | {"asOf": "2026-01-01T00:00:00.000Z"}
        assert control.put("/state", whole).status_code == 204
        advance()
        state = control.get("/state").json
        assert (state["voicev1CampaignData"], state["queuedCalls"], state["voiceLogs"]) == ([], [], [])


def test_the_page_of_a_campaign_takes_a_result_that_was_written_by_hand(api, path, campaign, run):
    run(1)
    odd = {"startTime": 5, "logId": [1], "callStatus": {"a": 1}}
    assert api.put(f"{path}/{campaign['id']}/data/r0", {"status": "COMPLETED", "result": odd}).status_code == 200
    page = api.client.get(f"/console/campaigns/{campaign['id']}")
    assert page.status_code == 200 and "completed" in page.text


@pytest.mark.parametrize(("member", "value"), [("logId", 5), ("startTime", "soon"), ("reached", "yes")])
def test_the_outcome_of_a_call_in_a_document_has_its_types(control, deployment, member, value):
    row = {"id": "r", "campaignId": "campaign_a", "rowData": {"id": "r"}, "outcome": {member: value}}
    campaign = {"id": "campaign_a", "deploymentId": deployment["id"]}
    answer = control.post("/state", {"version": 1, "voicev1Campaigns": [campaign], "voicev1CampaignData": [row]})
    assert answer.status_code == 422
    assert answer.json["details"][0]["path"] == f"voicev1CampaignData[0].outcome.{member}"

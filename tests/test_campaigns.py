"""Outbound campaigns of voice deployments."""

import pytest

from dryline.tests.conftest import created


@pytest.fixture(autouse=True)
def still(control):
    """Time stands still at the start of a year."""
    control.put("/clock", {"now": "2026-01-01T00:00:00Z", "frozen": True})


def rows(count):
    return [{"id": f"r{n}", "phoneNumber": f"+1415555{n:04}"} for n in range(count)]


@pytest.fixture
def make_campaign(api, line_path):
    def make(count=3, **body):
        return created(api.post(f"{line_path}/outbound-campaigns", {"data": rows(count), **body}))

    return make


@pytest.fixture
def status(api, line_path):
    return lambda campaign: api.get(f"{line_path}/outbound-campaigns/{campaign['id']}").json["status"]


@pytest.fixture
def called(api, line):
    """Return the row ids of the calls made, in the order the calls began."""

    def read():
        logs = api.get(f"/workers/{line['workerId']}/deploymentLogs/voice?limit=100").json["data"]
        return [log["metadata"]["rowId"] for log in sorted(logs, key=lambda log: (log["startTime"], log["id"]))]

    return read


def test_a_created_campaign_can_be_read_again(api, line_path, line, make_campaign):
    body = {
        "name": "Spring",
        "description": "Renewals",
        "additional_data": {"shop": "Harbour"},
        "telephonyProvider": {"type": "twilio"},
        "created_by": "user_1",
        "team_id": "team_of_somebody_else",
    }
    campaign = make_campaign(2, **body)
    assert campaign["data"] == rows(2)
    assert (campaign["status"], campaign["batchSize"], campaign["batchIntervalMinutes"]) == ("CREATED", 10, 5)
    assert (campaign["name"], campaign["description"]) == ("Spring", "Renewals")
    assert (campaign["additionalData"], campaign["telephonyProvider"]) == ({"shop": "Harbour"}, {"type": "twilio"})
    assert (campaign["createdById"], campaign["flowId"]) == ("user_1", line["flowId"])
    assert (campaign["deploymentId"], campaign["workerId"]) == (line["id"], line["workerId"])
    assert campaign["teamId"] == api.get("/team").json["id"]
    assert api.get(f"{line_path}/outbound-campaigns/{campaign['id']}").json == campaign


@pytest.mark.parametrize("start", ["STARTED", "RUNNING"])
def test_a_started_campaign_calls_batch_by_batch_and_completes(make_campaign, called, status, advance, start):
    campaign = make_campaign(5, status=start, batch_size=2, batch_interval_minutes=10)
    seen = [status(campaign)]
    for minutes in (0, 10, 10, 60):
        advance(minutes * 60)
        seen.append((status(campaign), len(called())))
    # The last call may be one that nobody answers: then all is over at once.
    assert seen[:3] == [start, ("RUNNING", 2), ("RUNNING", 4)]
    assert seen[3][1] == 5 and seen[4] == ("COMPLETED", 5)
    assert sorted(called()) == [f"r{n}" for n in range(5)]


def test_a_campaign_is_started_by_an_update(api, line_path, make_campaign, called, advance):
    campaign = make_campaign(2)
    answer = api.patch(f"{line_path}/outbound-campaigns/{campaign['id']}", {"status": "STARTED"})
    assert (answer.status_code, answer.json["status"]) == (200, "STARTED")
    advance()
    assert len(called()) == 2


def test_the_data_of_a_campaign_of_a_document_may_be_a_single_row(control, line, called, advance):
    campaign = {"id": "one", "deploymentId": line["id"], "name": "One", "status": "STARTED", "data": rows(1)[0]}
    assert control.post("/state", {"version": 1, "outboundCampaigns": [campaign]}).status_code == 204
    advance()
    assert called() == ["r0"]


def test_a_log_names_its_campaign(api, line_path, line, make_campaign, advance):
    campaign = make_campaign(1, status="STARTED", additional_data={"shop": "Harbour"})
    advance()
    (log,) = api.get(f"/workers/{line['workerId']}/deploymentLogs/voice").json["data"]
    metadata = {"campaignId": campaign["id"], "rowId": "r0", "row": rows(1)[0], "additionalData": {"shop": "Harbour"}}
    assert log["metadata"] | metadata == log["metadata"]
    assert log["startTime"] == "2026-01-01T00:00:00.000Z"


def test_stopping_gives_back_the_rows_not_yet_called(api, line_path, make_campaign, called, status, advance):
    campaign = make_campaign(3, status="STARTED", batch_size=1)
    advance()
    answer = api.post(f"{line_path}/stop-campaign", {"campaign_id": campaign["id"]})
    assert (answer.status_code, answer.json["removedCount"], answer.json["removedItems"]) == (200, 2, rows(3)[1:])
    advance(86_400)
    assert (called(), status(campaign)) == (["r0"], "STOPPED")


def test_a_stopped_campaign_goes_on_with_the_rows_not_yet_called(
    api, line_path, make_campaign, called, status, advance
):
    campaign = make_campaign(3, status="STARTED", batch_size=1)
    advance()
    api.post(f"{line_path}/stop-campaign", {"campaign_id": campaign["id"]})
    advance(3600)
    api.patch(f"{line_path}/outbound-campaigns/{campaign['id']}", {"status": "RUNNING"})
    advance(86_400)
    assert (called(), status(campaign)) == (["r0", "r1", "r2"], "COMPLETED")


@pytest.mark.parametrize("other", ["CREATED", "STOPPED", "COMPLETED", "FAILED"])
def test_any_other_status_takes_the_rest_out_of_the_queue(
    api, line_path, make_campaign, called, status, advance, other
):
    campaign = make_campaign(3, status="STARTED", batch_size=1)
    advance()
    api.patch(f"{line_path}/outbound-campaigns/{campaign['id']}", {"status": other})
    advance(86_400)
    assert (called(), status(campaign)) == (["r0"], other)


def test_new_rows_and_batches_count_from_the_next_batch_on(api, line_path, make_campaign, called, advance):
    campaign = make_campaign(4, status="STARTED", batch_size=1, batch_interval_minutes=10)
    advance()
    api.patch(f"{line_path}/outbound-campaigns/{campaign['id']}", {"data": rows(6), "batch_size": 3})
    counts = []
    for minutes in (9, 1, 9, 1):
        advance(minutes * 60)
        counts.append(len(called()))
    assert counts == [1, 4, 4, 6]
    assert sorted(called()) == [f"r{n}" for n in range(6)]


def test_a_campaign_of_a_document_that_was_started_calls_its_rows(control, line, called, advance):
    campaigns = [
        {"id": "some", "deploymentId": line["id"], "name": "Some", "status": "STARTED", "data": rows(2)},
        {"id": "none", "deploymentId": line["id"], "name": "None", "status": "STARTED", "data": []},
    ]
    assert control.post("/state", {"version": 1, "outboundCampaigns": campaigns}).status_code == 204
    advance()
    assert called() == ["r0", "r1"]
    advance(86_400)
    ended = {row["id"]: row["status"] for row in control.get("/state").json["outboundCampaigns"]}
    assert ended == {"some": "COMPLETED", "none": "COMPLETED"}


def test_deleting_a_campaign_ends_it_and_leaves_its_logs(api, line_path, make_campaign, called, advance):
    campaign = make_campaign(3, status="STARTED", batch_size=1)
    advance()
    assert api.delete(f"{line_path}/outbound-campaigns/{campaign['id']}").status_code == 204
    assert api.get(f"{line_path}/outbound-campaigns/{campaign['id']}").status_code == 404
    advance(86_400)
    assert called() == ["r0"]


def test_a_campaign_goes_on_after_its_state_was_taken_out_and_brought_in(
    control, make_campaign, called, status, advance
):
    campaign = make_campaign(5, status="STARTED", batch_size=2, batch_interval_minutes=10)
    advance()
    state = control.get("/state").json
    assert len(state["queuedCalls"]) == 3
    assert control.put("/state", state).status_code == 204
    assert control.get("/state").json == state
    advance(86_400)
    assert (sorted(called()), status(campaign)) == ([f"r{n}" for n in range(5)], "COMPLETED")


def test_many_rows_are_each_called_once(control, make_campaign, status, advance):
    campaign = make_campaign(500, status="STARTED", batch_size=50)
    advance(86_400)
    assert status(campaign) == "COMPLETED"
    rows = [log["metadata"]["rowId"] for log in control.get("/state").json["voiceLogs"]]
    assert (len(rows), len(set(rows))) == (500, 500)

"""Outcomes of calls that the number or the row names."""

import pytest

from dryline.models.scripted_outcomes import BY_NUMBER
from dryline.models.voice_logs import OUTCOMES

NUMBERS = {f"+1212555{digits}": outcome for digits, outcome in BY_NUMBER.items()}
WANTED = list(NUMBERS.values())


@pytest.fixture(autouse=True)
def still(control):
    control.put("/clock", {"now": "2026-03-02T10:00:00Z", "frozen": True})


@pytest.fixture
def came_out(control, advance):
    """Return the outcomes of the calls by the number that was called."""

    def read():
        advance(3600)
        return {log["toNumber"]: log["status"] for log in control.get("/state").json["voiceLogs"]}

    return read


def rows_by_number(**more):
    return [{"id": f"r{n}", "phoneNumber": number, **more} for n, number in enumerate(NUMBERS)]


def test_the_numbers_of_a_campaigns_rows_say_how_its_calls_come_out(api, line_path, came_out):
    api.post(f"{line_path}/outbound-campaigns", {"data": rows_by_number(), "status": "STARTED"})
    assert came_out() == NUMBERS


@pytest.mark.parametrize("as_text", [True, False])
@pytest.mark.parametrize("kind", ["outbound-campaigns", "make-batch-calls"])
def test_a_row_says_how_its_call_comes_out(api, line_path, came_out, kind, as_text):
    outcomes = {f"+141555501{50 + n}": outcome for n, outcome in enumerate(OUTCOMES)}
    rows = [
        {"id": number, "phoneNumber": number, "dryline": outcome if as_text else {"outcome": outcome}}
        for number, outcome in outcomes.items()
    ]
    body = {"status": "STARTED"} if kind == "outbound-campaigns" else {}
    assert api.post(f"{line_path}/{kind}", {"data": rows, **body}).status_code < 300
    assert came_out() == outcomes


def test_the_row_counts_before_the_number(api, line_path, came_out):
    api.post(f"{line_path}/make-batch-calls", {"data": rows_by_number(dryline={"outcome": "voicemail"})})
    assert set(came_out().values()) == {"voicemail"}


def test_the_rows_of_a_legacy_campaign_say_it_too(api, make_voicev1_deployment, came_out, control):
    line = make_voicev1_deployment()
    base = f"/workers/{line['workerId']}/deployments/voicev1/{line['id']}/campaigns"
    campaign = api.post(base, {"steps": []}).json
    assert api.post(f"{base}/{campaign['id']}/run", {"data": rows_by_number()}).status_code == 200
    assert came_out() == NUMBERS
    results = [row["result"]["callStatus"] for row in control.get("/state").json["voicev1CampaignData"]]
    assert results == WANTED


@pytest.mark.parametrize("in_progress", [False, True])
def test_a_simulated_call_with_such_a_number_comes_out_as_it_says(control, line, came_out, in_progress):
    body = {"workerId": line["workerId"], "deploymentId": line["id"], "direction": "outbound"}
    for number in NUMBERS:
        answer = control.post("/simulate/calls", {**body, "customerNumber": number, "inProgress": in_progress})
        assert answer.status_code == 201
    assert came_out() == NUMBERS


@pytest.mark.parametrize("said", [{"outcome": "voicemial"}, "voicemial"])
@pytest.mark.parametrize("kind", ["outbound-campaigns", "make-batch-calls"])
def test_an_outcome_that_there_is_not_is_refused_by_name(api, line_path, kind, said):
    row = {"id": "r", "phoneNumber": "+12125550150", "dryline": said}
    answer = api.post(f"{line_path}/{kind}", {"data": [{"id": "q", "phoneNumber": "+12125550151"}, row]})
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == ["data.1.dryline"]

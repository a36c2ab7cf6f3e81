"""Voice analysis, held against plain sums over the logs."""

import pytest

from dryline.models.voice_logs import VoiceLog

NOTHING = {"totalCalls": 0, "totalMinutes": 0, "totalTransfers": 0, "totalTransferMinutes": 0}


@pytest.fixture
def add_call(add_log, worker):
    """Return a call of some seconds at a time, maybe transferred for some minutes."""

    def add(start, seconds=60, transferred=None, worker=worker, **columns):
        if transferred is not None:
            metrics = {"transfers": 1, "transferMinutes": transferred, "transferEvents": 3, "transferEventMinutes": 9}
            columns["transfer_data"] = {"id": "t", "transferEvents": [], "metrics": metrics}
        return add_log(VoiceLog, worker, start_time=start, duration=seconds, **columns)

    return add


@pytest.fixture
def analyze(api):
    """Return the answer to an analysis."""

    def analyze(api=api, **asked):
        answer = api.post("/voice-analysis", asked)
        assert answer.status_code == 200, answer.text
        return answer.json

    return analyze


def periods(answer):
    return {entry["period"]: entry["totalCalls"] for entry in answer["breakdown"]}


def test_no_calls_add_up_to_nothing(analyze):
    assert analyze() == {"summary": NOTHING | {"averageCallDuration": 0}, "breakdown": []}


def test_minutes_and_transfers_are_summed_up(analyze, add_call):
    add_call("2026-11-01T10:00:00.000Z", 90, transferred=2.5)
    add_call("2026-11-02T10:00:00.000Z", 30)
    add_call("2026-11-03T10:00:00.000Z", None)
    assert analyze()["summary"] == {
        "totalCalls": 3, "totalMinutes": 2, "totalTransfers": 1, "totalTransferMinutes": 2.5,
        "averageCallDuration": pytest.approx(2 / 3),
    }  # fmt: skip


def test_a_period_that_has_only_a_start_ends_now(analyze, add_call, control):
    control.put("/clock", {"now": "2026-11-02T10:00:00Z", "frozen": True})
    add_call("2026-11-02T10:00:00.000Z")
    add_call("2026-11-02T10:00:00.001Z")
    assert analyze(startDate="2026-11-01")["summary"]["totalCalls"] == 1
    assert analyze()["summary"]["totalCalls"] == 2


def test_without_transfers_their_figures_are_0(analyze, add_call):
    add_call("2026-11-01T10:00:00.000Z", 60, transferred=2.5)
    answer = analyze(includeTransfers=False, includeCallDetails=True)
    for figures in (answer["summary"], answer["breakdown"][0], answer["breakdown"][0]["perWorker"][0]):
        assert (figures["totalTransfers"], figures["totalTransferMinutes"], figures["totalCalls"]) == (0, 0, 1)
    assert answer["callDetails"][0]["transfers"] == 0


@pytest.mark.parametrize(
    ("granularity", "expected"),
    [
        ("daily", {"2025-12-29": 1, "2026-01-04": 1, "2026-01-05": 1, "2026-11-21": 1}),
        ("weekly", {"2026-W01": 2, "2026-W02": 1, "2026-W47": 1}),
        ("monthly", {"2025-12": 1, "2026-01": 2, "2026-11": 1}),
        ("yearly", {"2025": 1, "2026": 3}),
    ],
)
def test_periods_are_days_iso_weeks_months_and_years(analyze, add_call, granularity, expected):
    for day in ("2026-11-21", "2026-01-05", "2026-01-04", "2025-12-29"):
        add_call(f"{day}T12:00:00.000Z")
    labels = periods(analyze(granularity=granularity))
    assert labels == expected
    assert list(labels) == sorted(labels)


@pytest.mark.parametrize(
    ("zone", "expected"),
    [
        ("UTC", {"2026-03-28": 1, "2026-03-29": 2}),
        ("Europe/Berlin", {"2026-03-29": 2, "2026-03-30": 1}),
        ("America/New_York", {"2026-03-28": 2, "2026-03-29": 1}),
        ("Asia/Kathmandu", {"2026-03-29": 2, "2026-03-30": 1}),
    ],
)
def test_days_begin_at_midnight_of_the_zone_summer_time_or_not(analyze, add_call, zone, expected):
    # Berlin's clocks go forward on 29 March: the day lasts from 23:00 to 22:00 UTC.
    for moment in ("2026-03-28T23:00:00.000Z", "2026-03-29T00:30:00.000Z", "2026-03-29T22:00:00.000Z"):
        add_call(moment)
    assert periods(analyze(granularity="daily", timezone=zone)) == expected


@pytest.mark.parametrize(
    ("zone", "first", "last", "expected"),
    [
        ("America/New_York", "2026-05-05", "2026-05-05", {"2026-05-05": 2}),
        ("America/New_York", "2026-05-06", "2026-05-07", {"2026-05-06": 1}),
        ("UTC", "2026-05-05", "2026-05-05", {"2026-05-05": 1}),
        ("UTC", "2026-05-06", None, {"2026-05-06": 2}),
        ("Asia/Tokyo", "2026-05-05", "20260506", {"2026-05-05": 1, "2026-05-06": 2}),
        # With its time, a border is that moment, whatever the zone.
        ("America/New_York", "2026-05-05T00:00:00Z", "2026-05-06T00:00:00Z", {"2026-05-05": 1}),
    ],
)
def test_a_day_as_a_border_is_whole_and_of_the_zone(analyze, add_call, control, zone, first, last, expected):
    control.put("/clock", {"now": "2026-05-20T00:00:00Z"})
    # In New York: half past ten in the morning, ten at night, and the first second of the next day.
    for moment in ("2026-05-05T14:30:00.000Z", "2026-05-06T02:00:00.000Z", "2026-05-06T04:00:00.000Z"):
        add_call(moment)
    dates = {"startDate": first} | ({"endDate": last} if last else {})
    assert periods(analyze(granularity="daily", timezone=zone, **dates)) == expected


@pytest.mark.parametrize(
    "zone", [pytest.param("America/Los_Angeles" * 200, id="long"), "Nowhere/City", "America", "", "../UTC", "UTC\0"]
)
def test_an_unknown_zone_is_refused_and_named(api, zone):
    answer = api.post("/voice-analysis", {"timezone": zone})
    assert answer.status_code == 400
    assert [detail["path"] for detail in answer.json["details"]] == ["timezone"]


def test_an_end_before_the_start_is_refused(api):
    answer = api.post("/voice-analysis", {"startDate": "2026-11-02", "endDate": "2026-11-01"})
    assert answer.status_code == 400
    assert answer.json["details"][0]["path"] == "endDate"


def test_worker_and_deployments_narrow_it(analyze, add_call, make_worker):
    other = make_worker()
    add_call("2026-11-01T10:00:00.000Z", deployment_id="deploy_1")
    add_call("2026-11-01T10:00:00.000Z", deployment_id="deploy_2")
    add_call("2026-11-01T10:00:00.000Z", deployment_id="deploy_3", worker=other)
    assert analyze(workerId=other["id"])["summary"]["totalCalls"] == 1
    assert analyze(deploymentIds=["deploy_1", "deploy_3"])["summary"]["totalCalls"] == 2
    assert analyze(deploymentIds=["deploy_1"], workerId=other["id"])["summary"]["totalCalls"] == 0
    assert analyze(deploymentIds=[])["summary"]["totalCalls"] == 3
    assert analyze(workerId="worker_none")["summary"]["totalCalls"] == 0


def test_call_details_come_when_asked_for(analyze, add_call, worker):
    id = add_call("2026-11-01T10:00:00.000Z", 90, transferred=0.5, direction="inbound", status="completed")
    assert "callDetails" not in analyze()
    assert analyze(includeCallDetails=True)["callDetails"] == [
        {
            "id": id, "workerId": worker["id"], "deploymentId": None, "period": "2026-11",
            "startTime": "2026-11-01T10:00:00.000Z", "endTime": None, "direction": "inbound", "fromNumber": None,
            "toNumber": None, "status": "completed", "minutes": 1.5, "transfers": 1, "transferMinutes": 0.5,
        }
    ]  # fmt: skip


# Against plain sums over the logs

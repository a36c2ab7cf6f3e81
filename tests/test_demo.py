"""The demo scenario: what a new server shows."""

import csv
import io
from datetime import timedelta

import pytest

from dryline.settings import Settings
from dryline.tools import demo
from dryline.world.clock import parse


@pytest.fixture
def settings():
    return Settings(ephemeral=True, scenario="demo")


@pytest.fixture
def workers(api):
    return api.get("/workers").json


@pytest.fixture
def calls(api, workers):
    """All voice logs."""

    def of(worker):
        found = api.get(f"/workers/{worker['id']}/deploymentLogs/voice?limit=100&page=1").json["data"]
        return found + api.get(f"/workers/{worker['id']}/deploymentLogs/voice?limit=100&page=2").json["data"]

    return [log for worker in workers for log in of(worker)]


def now(control):
    return parse(control.get("/clock").json["now"])


def test_four_workers_carry_tags(workers, api):
    assert len(workers) == 4
    assert all(worker["tags"] for worker in workers)


def test_each_worker_has_flows_with_code_and_versions(workers, api):
    counts = []
    for worker in workers:
        for flow in api.get(f"/workers/{worker['id']}/flows").json:
            versions = api.get(f"/workers/{worker['id']}/flows/{flow['id']}/versions").json["data"]
            assert "loop:" in flow["code"] and "until" in flow["code"]
            assert versions[0]["code"] == flow["code"]
            counts.append(len(versions))
    assert len(counts) == 5 and max(counts) >= 3


def test_numbers_belong_to_the_integration_and_to_deployments(workers, api):
    (integration,) = api.get("/team/integrations").json
    numbers = api.get(f"/team/assets/phone_numbers?integrationId={integration['id']}").json
    lines = [line for worker in workers for line in api.get(f"/workers/{worker['id']}/deployments/voice").json]
    assert {number["phoneNumber"] for number in numbers} == {line["phoneNumber"] for line in lines}


def test_there_are_300_calls_of_the_last_30_days(calls, control):
    assert len(calls) == 300
    today = now(control)
    for log in calls:
        assert today - timedelta(days=30) <= parse(log["startTime"]) <= parse(log["endTime"]) <= today


def test_every_kind_of_outcome_occurs(calls):
    assert {log["status"] for log in calls} == {
        "completed",
        "transferred",
        "voicemail",
        "no-answer",
        "busy",
        "failed",
    }


def test_every_call_has_its_session_and_deployment(calls, api):
    for log in calls[::7]:
        assert api.get(f"/workers/{log['workerId']}/sessions/{log['bbEngineSessionId']}").status_code == 200
        assert api.get(f"/deployments/{log['deploymentId']}").status_code == 200


def test_the_latest_calls_have_llm_logs_and_their_program(workers, api):
    for worker in workers:
        log = api.get(f"/workers/{worker['id']}/deploymentLogs/voice?limit=1").json["data"][0]
        assert log["flowSnapshot"] and log["sessionLogData"]
        assert api.get(f"/workers/{worker['id']}/llm-logs/by-call/{log['call_sid']}").json


def test_there_are_chats_of_both_kinds(workers, api):
    for path in ("chat", "chat-embed"):
        logs = [log for worker in workers for log in api.get(f"/workers/{worker['id']}/deploymentLogs/{path}").json]
        assert len(logs) == 12


def test_the_finished_export_can_be_downloaded(api, advance):
    advance()
    (export,) = api.get("/team/exports").json
    assert (export["status"], export["format"]) == ("COMPLETED", "CSV")
    with api.client.get(export["downloadUrl"]) as answer:
        assert answer.status_code == 200
        content = answer.data
    assert len(content) == export["fileSizeBytes"]
    rows = list(csv.DictReader(io.StringIO(content.decode())))
    assert len(rows) == export["rowCount"] > 20


def test_hours_and_echo_are_set_up(api):
    (suite,) = api.get("/echo/suites").json
    (scorecard,) = api.get("/echo/scorecards").json
    assert suite["echoScorecardIds"] == [scorecard["id"]]
    (hours,) = api.get("/workers/business-hours?includeTeamPhoneHours=true").json
    assert hours["teamPhoneHours"]


def test_more_calls_can_be_simulated(workers, api, control):
    for worker in workers:
        line = api.get(f"/workers/{worker['id']}/deployments/voice").json[0]
        body = {"workerId": worker["id"], "deploymentId": line["id"]}
        assert control.post("/simulate/calls", body).status_code == 201


def test_the_file_loads_fast_because_it_is_small():
    assert demo.PATH.stat().st_size < 2_000_000


def test_the_script_still_makes_such_a_document():
    """Names may differ with another release of faker, the scenario may not."""
    import orjson

    shipped, made = orjson.loads(demo.PATH.read_bytes()), demo.make()
    assert {name: len(rows) for name, rows in made.items() if isinstance(rows, list)} == {
        name: len(rows) for name, rows in shipped.items() if isinstance(rows, list)
    }
    assert made["workers"] == shipped["workers"]

"""Requests for log exports, and their records."""

from datetime import datetime, timedelta

import pytest

from dryline.tests.exports.conftest import REQUEST


def test_a_new_export_is_pending_and_has_the_members_of_its_request(api):
    made = api.post("/team/exports", REQUEST | {"logType": "voice"}).json
    assert (made["status"], made["format"], made["logType"]) == ("PENDING", "CSV", "voice")
    rest = ("rowCount", "fileSizeBytes", "downloadUrl", "errorMessage", "expiresAt")
    assert [made[name] for name in rest] == [None] * 5
    assert made["id"].startswith("export_")


def test_a_window_of_90_days_is_allowed_and_a_longer_one_is_not(api):
    start = datetime.fromisoformat(REQUEST["startDate"])
    end = start + timedelta(days=90)
    longer = api.post("/team/exports", REQUEST | {"endDate": (end + timedelta(milliseconds=1)).isoformat()})
    assert (longer.status_code, longer.json["details"][0]["path"]) == (400, "endDate")
    assert api.post("/team/exports", REQUEST | {"endDate": end.isoformat()}).status_code == 201


def test_a_window_must_not_run_backwards(api):
    answer = api.post("/team/exports", REQUEST | {"endDate": "2025-12-31T23:59:59.999Z"})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "endDate")
    assert api.post("/team/exports", REQUEST | {"endDate": REQUEST["startDate"]}).status_code == 201


@pytest.mark.parametrize("fields", [["id", "colour"], "id,colour"])
def test_an_unknown_field_is_named(api, fields):
    answer = api.post("/team/exports", REQUEST | {"logType": "voice", "fields": fields})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "fields")
    assert "colour" in answer.json["error"]


@pytest.mark.parametrize(
    ("filters", "path"),
    [
        ({"colour": "red"}, "filtersJson.colour"),
        ({"direction": "sideways"}, "filtersJson.direction"),
        ({"minDuration": -1}, "filtersJson.minDuration"),
        ({"limit": 5}, "filtersJson.limit"),
        ({"status": None}, "filtersJson.status"),
        ('{"colour": "red"}', "filtersJson.colour"),
    ],
)
def test_a_bad_filter_is_named(api, filters, path):
    answer = api.post("/team/exports", REQUEST | {"logType": "voice", "filtersJson": filters})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, path)


def test_a_team_has_one_active_export_at_a_time(api, other_api, advance):
    assert api.post("/team/exports", REQUEST).status_code == 201
    assert api.post("/team/exports", REQUEST).status_code == 409
    assert other_api.post("/team/exports", REQUEST).status_code == 201
    advance()
    assert api.post("/team/exports", REQUEST).status_code == 201


def test_a_deployment_must_belong_to_the_worker(api, make_worker, make_voice_deployment):
    deployment = make_voice_deployment()
    body = {"deploymentId": deployment["id"], "workerId": make_worker()["id"]}
    assert api.post("/team/exports", REQUEST | body).status_code == 404
    assert api.post("/team/exports", REQUEST | body | {"workerId": deployment["workerId"]}).status_code == 201


def test_the_list_shows_the_20_newest_first(api, export):
    made = [export()["id"] for _ in range(21)]
    assert [one["id"] for one in api.get("/team/exports").json] == made[:0:-1]

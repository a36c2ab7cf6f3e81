"""Back to the start."""

import json
import os
import re
from datetime import timedelta

import pytest

from dryline.tests.contract.two_teams import document
from dryline.tests.control.documents import WHEN
from dryline.world.clock import parse


@pytest.fixture
def scenario(tmp_path):
    path = tmp_path / "scenario.json"
    rows = [{"id": "w", "name": "From the file", "createdAt": WHEN}]
    path.write_text(json.dumps({"version": 1, "workers": rows}))
    return path


def test_a_reset_empties_every_table_and_keeps_the_start_team(app, control):
    team = control.get("/teams").json[0]["id"]
    assert control.put("/state", document()).status_code == 204
    assert control.post("/reset").status_code == 204
    assert [each["id"] for each in control.get("/teams").json] == [team]
    tables = app.world.db.get_tables()
    remaining = {"server", "team", "api_key", "schema_migration"}
    sizes = {name: app.world.db.execute_sql(f'SELECT count(*) FROM "{name}"').fetchone()[0] for name in tables}
    assert not {name for name, size in sizes.items() if size and name not in remaining and "resource_index" not in name}


def test_a_reset_takes_back_clock_settings_faults_and_record(control, api):
    control.put("/clock", {"now": WHEN, "frozen": True})
    control.put("/settings", {"strict": True, "exportMode": "manual"})
    control.post("/faults", {"status": 503})
    assert api.get("/team").status_code == 503
    control.post("/reset")
    assert control.get("/clock").json["frozen"] is False
    assert control.get("/clock").json["now"] > WHEN
    assert control.get("/settings").json["exportMode"] == "auto"
    assert control.get("/faults").json == []
    assert control.get("/requests").json == []
    assert api.get("/team").status_code == 200


def test_a_reset_may_name_another_scenario(control, scenario):
    assert control.post("/reset", {"scenario": "demo"}).status_code == 204
    assert len(control.get("/state").json["voiceLogs"]) > 100
    assert control.post("/reset", {"scenario": str(scenario)}).status_code == 204
    assert [row["name"] for row in control.get("/state").json["workers"]] == ["From the file"]
    assert control.post("/reset").status_code == 204
    assert control.get("/state").json["workers"] == []


@pytest.mark.parametrize("content", ["{", "[]", '{"version": 1, "workers": [{"id": "w"}]}', None])
def test_a_scenario_that_cannot_be_is_refused_and_nothing_has_changed(control, make_worker, scenario, content):
    if content is None:
        scenario.unlink()
    else:
        scenario.write_text(content)
    control.put("/clock", {"now": WHEN, "frozen": True})
    make_worker()
    before = control.get("/state").data
    answer = control.post("/reset", {"scenario": str(scenario)})
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "scenario")
    assert control.get("/state").data == before
    assert control.get("/clock").json["frozen"] is True


def rows_of_present(control):
    """Return all rows as text, in which every time of the last minute is the same."""
    present = re.compile(r"\d{4}-\d\d-\d\dT[\d:.]+Z")
    now = parse(control.get("/clock").json["now"])

    def as_now(match):
        return "NOW" if abs(parse(match[0]) - now) < timedelta(minutes=1) else match[0]

    state = control.get("/state").json
    for row in state["resources"]:
        del row["status"]  # it changes in the moments after the reset
    return present.sub(as_now, json.dumps(state))


@pytest.mark.parametrize("name", ["demo", "clinic", "campaign", "trouble", "two teams"])
def test_each_reset_to_a_scenario_gives_the_same_rows(control, scenario, name):
    if name == "two teams":
        scenario.write_text(json.dumps(document() | {"asOf": "2026-03-03T03:03:03Z"}))
        name = str(scenario)
    states = []
    for _ in range(3):
        assert control.post("/reset", {"scenario": name}).status_code == 204
        states.append(rows_of_present(control))
        control.put("/clock", {"now": "2031-01-01T00:00:00Z"})
    assert states[0] == states[1] == states[2]
    assert control.put("/state", json.loads(control.get("/state").data)).status_code == 204


@pytest.mark.parametrize("in_between", [None, "empty", "demo"])
def test_a_reset_reads_a_file_again_that_has_changed(control, scenario, in_between):
    before = scenario.read_text()
    control.post("/reset", {"scenario": str(scenario)})
    if in_between:
        control.post("/reset", {"scenario": in_between})
    scenario.write_text(before.replace("From the file", "From the fine"))
    control.post("/reset", {"scenario": str(scenario)})
    assert [row["name"] for row in control.get("/state").json["workers"]] == ["From the fine"]


def test_a_file_that_was_read_leniently_is_refused_otherwise(control, scenario):
    scenario.write_text('{"version": 1, "workers": [{"id": "w", "name": "A", "nam": 1}]}')
    assert control.post("/reset?lenient=true", {"scenario": str(scenario)}).status_code == 204
    assert control.post("/reset", {"scenario": str(scenario)}).status_code == 400


def test_one_teams_data_goes_alone(control, api):
    control.put("/state", document())
    south = control.get("/state?team=south-teams").data
    team = control.get("/state?team=north-teams").json["teams"]
    assert control.post("/reset?team=north-teams").status_code == 204
    north = control.get("/state?team=north-teams").json
    assert north.pop("teams") == team
    assert [name for name, rows in north.items() if isinstance(rows, list) and rows] == []
    assert control.get("/state?team=south-teams").data == south
    assert control.post("/reset?team=nobody").status_code == 404


# Starts


def test_a_new_world_starts_with_its_scenario_and_a_restart_keeps_what_is_there(restart, scenario):
    for name in ("From the file", "New name"):
        api, _ = restart(scenario=str(scenario))
        assert api.get("/workers/w").json["name"] == name
        assert api.patch("/workers/w", {"name": "New name"}).status_code == 200


@pytest.mark.parametrize("make", [os.mkfifo, os.mkdir])
def test_a_scenario_that_is_no_regular_file_is_refused_and_never_waited_for(control, tmp_path, make):
    make(tmp_path / "scenario.json")
    answer = control.post("/reset", {"scenario": str(tmp_path / "scenario.json")})
    assert answer.status_code == 400
    assert "it is not a regular file" in answer.json["error"]

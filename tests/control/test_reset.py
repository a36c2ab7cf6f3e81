"""Back to the start."""

import json
import os

import pytest

from dryline.tests.contract.two_teams import document
from dryline.tests.control.documents import WHEN


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

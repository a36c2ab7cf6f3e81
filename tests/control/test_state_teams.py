"""The state document: teams and keys, adding, one team's part, exports. Contract: state.md, rules 4, 5 and 8."""

import hashlib

from dryline.state.parsing import row_schemas
from dryline.tests.contract.two_teams import document
from dryline.tests.control.documents import WHEN, faults, of_north

ROW_SCHEMAS = row_schemas()


def test_a_document_without_teams_leaves_the_start_team_and_its_keys(control, api, put):
    before = control.get("/state").json["teams"]
    assert put(workers=[{"id": "w", "name": "W"}])["teams"] == before
    assert api.get("/workers/w").json["teamId"] == before[0]["id"]


def test_with_one_team_rows_need_not_name_it_with_two_they_must(control):
    one = {"version": 1, "teams": [{"id": "t", "name": "T"}], "tags": [{"id": "a", "label": "A", "color": "#000000"}]}
    assert control.put("/state", one).status_code == 204
    assert control.get("/state").json["tags"][0]["teamId"] == "t"
    one["teams"].append({"id": "u", "name": "U"})
    assert list(faults(control.put("/state", one))) == ["tags[0].teamId"]


def test_keys_are_taken_in_clear_and_hashed_and_given_hashed(control, put, api):
    hashed = hashlib.sha256(b"second").hexdigest()
    keys = ["first", {"id": "k", "name": "CI", "sha256": hashed, "createdAt": WHEN}]
    state = put(teams=[{"id": "t", "name": "T", "apiKeys": keys}])
    shown = state["teams"][0]["apiKeys"]
    assert shown[0] == {"id": "k", "name": "CI", "sha256": hashed, "createdAt": WHEN}
    assert "first" not in control.get("/state").text
    for key in ("first", "second"):
        assert api.client.get("/api/team", headers={"x-api-key": key}).json["id"] == "t"


def test_start_keys_belong_to_the_first_team_unless_another_claims_them(put, api):
    two = [{"id": "b", "name": "B"}, {"id": "a", "name": "A"}]
    put(teams=two)
    assert api.get("/team").json["id"] == "b"
    two[1]["apiKeys"] = ["dryline-local-key"]
    put(teams=two)
    assert api.get("/team").json["id"] == "a"


def test_rows_are_added_and_may_lead_to_what_is_there(control, make_worker):
    worker = make_worker()
    flow = {"id": "f", "workerId": worker["id"], "name": "Main", "code": "x"}
    assert control.post("/state", {"version": 1, "flows": [flow]}).status_code == 204
    state = control.get("/state").json
    assert [row["id"] for row in state["workers"]] == [worker["id"]]
    assert state["flows"][0]["workerId"] == worker["id"]


def test_adding_an_id_that_is_there_is_a_conflict_and_adds_nothing(control):
    control.put("/state", of_north())
    before = control.get("/state").data
    of_another_channel = {"id": "north-voiceLogs", "workerId": "north-workers"}
    rows = {name: rows for name, rows in of_north().items() if name not in ("version", "teams")}
    for name, existing in (*rows.items(), ("smsLogs", [of_another_channel])):
        sent = {"version": 1, "echoAgents": [{"id": "new", "name": "New"}], name: existing}
        assert control.post("/state", sent).status_code == 409, name
    assert control.get("/state").data == before


def test_replacing_one_teams_part_leaves_the_others(control):
    control.put("/state", document())
    south = control.get("/state?team=south-teams").data
    sent = {"version": 1, "workers": [{"id": "w", "name": "W"}]}
    assert control.put("/state?team=north-teams", sent).status_code == 204
    north = control.get("/state?team=north-teams").json
    assert [row["teamId"] for row in north["workers"]] == ["north-teams"]
    assert [name for name in ROW_SCHEMAS if north[name]] == ["teams", "workers"]
    assert control.get("/state?team=south-teams").data == south


def test_a_teams_part_holds_no_other_teams_rows(control):
    control.put("/state", document())
    before = control.get("/state").data
    for row in ({"id": "w", "name": "W", "teamId": "south-teams"}, {"id": "south-workers", "name": "W"}):
        sent = {"version": 1, "workers": [row]}
        assert control.put("/state?team=north-teams", sent).status_code in (409, 422)
    assert control.post("/state?team=nobody", {"version": 1}).status_code == 404
    assert control.get("/state").data == before


def asked(**more):
    return {"id": "e", "format": "JSON", "status": "COMPLETED", "logType": "voice", "createdAt": WHEN, **more}


def test_the_file_of_a_finished_export_is_made_anew_from_the_documents_logs(put, api):
    logs = [{"id": f"log{n}", "workerId": "w", "startTime": WHEN} for n in range(3)]
    state = put(workers=[{"id": "w", "name": "W"}], voiceLogs=logs, exports=[asked(fields=["id"], rowCount=99)])
    assert state["exports"][0]["rowCount"] == 3
    export = api.get("/team/exports/e").json
    with api.client.get(export["downloadUrl"]) as file:
        assert file.json == [{"id": log["id"]} for log in logs]
        assert export["fileSizeBytes"] == len(file.data)

"""Teams and their keys on the control plane."""

from dryline.tests.contract.two_teams import document


def test_one_call_makes_a_team_with_a_key_that_works(control, api):
    made = control.post("/teams", {"name": "Harbour"})
    assert made.status_code == 201
    headers = {"x-api-key": made.json["apiKey"]}
    team = api.client.get("/api/team", headers=headers).json
    assert (team["id"], team["name"]) == (made.json["id"], "Harbour") == (made.json["id"], made.json["name"])
    assert api.client.get("/api/workers", headers=headers).json == []


def test_a_key_may_be_chosen_but_not_anothers(control, api):
    assert control.post("/teams", {"key": "My API Key"}).json["apiKey"] == "My API Key"
    assert control.post("/teams", {"key": "My API Key"}).status_code == 409
    assert len(control.get("/teams").json) == 2
    assert api.client.get("/api/team", headers={"x-api-key": "My API Key"}).status_code == 200


def test_teams_are_listed_oldest_first_and_keys_never_in_clear(control):
    made = control.post("/teams", {"name": "Second"}).json
    key = made.pop("apiKey")
    answer = control.get("/teams")
    assert [team["name"] for team in answer.json] == ["Team", "Second"]
    assert answer.json[1] == made
    assert set(made["apiKeys"][0]) == {"id", "name", "createdAt"}
    assert key not in answer.text and "dryline-local-key" not in answer.text


def test_a_further_key_opens_the_team_until_it_is_revoked(control, api):
    team = control.get("/teams").json[0]["id"]
    made = control.post(f"/teams/{team}/keys", {"name": "CI"})
    assert (made.status_code, made.json["name"]) == (201, "CI")
    headers = {"x-api-key": made.json["key"]}
    assert api.client.get("/api/team", headers=headers).json["id"] == team
    assert control.delete(f"/teams/{team}/keys/{made.json['id']}").status_code == 204
    assert api.client.get("/api/team", headers=headers).status_code == 401
    assert control.delete(f"/teams/{team}/keys/{made.json['id']}").status_code == 404


def test_a_key_of_another_team_is_not_found(control):
    made = control.post("/teams").json
    start = control.get("/teams").json[0]["id"]
    assert control.delete(f"/teams/{start}/keys/{made['apiKeys'][0]['id']}").status_code == 404
    assert control.post("/teams/nobody/keys").status_code == 404


def test_a_deleted_team_is_gone_with_all_that_it_had(control, api):
    control.put("/state", document())
    other = control.get("/state?team=north-teams").data
    assert control.delete("/teams/south-teams").status_code == 204
    assert control.get("/state").data == other
    assert api.client.get("/api/team", headers={"x-api-key": "south-key"}).status_code == 401
    assert control.delete("/teams/south-teams").status_code == 404


def test_the_start_team_stays(control):
    team = control.get("/teams").json[0]["id"]
    assert control.delete(f"/teams/{team}").status_code == 409

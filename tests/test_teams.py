"""The team of the key."""


def test_the_team_of_the_key_is_shown_whole(api):
    team = api.get("/team").json
    assert set(team) == {
        *("id", "name", "createdAt", "updatedAt", "teamOwnerId", "twilioSubaccountSid", "twilioSubaccountAuthToken")
    }
    assert team["name"] == "Team"


def test_integrations_come_only_when_asked_for(api, make_integration):
    integration = make_integration()
    assert "integrations" not in api.get("/team").json
    assert "integrations" not in api.get("/team?includeIntegrations=false").json
    assert api.get("/team?includeIntegrations=true").json["integrations"] == [integration]


def test_another_teams_integrations_are_not_shown(other_api, make_integration):
    make_integration()
    assert other_api.get("/team?includeIntegrations=true").json["integrations"] == []


def test_a_switch_that_is_neither_true_nor_false_is_refused(api):
    answer = api.get("/team?includeIntegrations=perhaps")
    assert answer.status_code == 400
    assert answer.json["details"][0]["path"] == "includeIntegrations"


def test_a_team_without_bought_numbers_has_no_subaccount(api):
    assert api.get("/team/subaccount-credentials").json == {"accountSid": None, "authToken": None}


def test_the_first_purchase_opens_the_teams_subaccount(api):
    api.post("/team/assets/purchase_phone_numbers", {"phoneNumbers": ["+14155550101"]})
    credentials = api.get("/team/subaccount-credentials").json
    assert credentials["accountSid"].startswith("AC")
    assert len(credentials["accountSid"]) == 34
    team = api.get("/team").json
    assert credentials == {
        "accountSid": team["twilioSubaccountSid"],
        "authToken": team["twilioSubaccountAuthToken"],
    }
    api.post("/team/assets/purchase_phone_numbers", {"phoneNumbers": ["+14155550102"]})
    assert api.get("/team/subaccount-credentials").json == credentials


def test_a_purchase_that_fails_opens_no_subaccount(api):
    answer = api.post("/team/assets/purchase_phone_numbers", {"phoneNumbers": ["+14155550101", "none"]})
    assert answer.status_code == 400
    assert api.get("/team/subaccount-credentials").json["accountSid"] is None

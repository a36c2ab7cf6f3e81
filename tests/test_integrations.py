"""Accounts at telephony providers."""


def test_a_twilio_account_is_connected_without_showing_its_token(api, make_integration):
    integration = make_integration(accountSid="AC1", authToken="secret-token", name="Main", description="Front desk")
    assert integration["appType"] == "twilio"
    assert integration["config"] == {"accountSid": "AC1"}
    assert (integration["name"], integration["description"]) == ("Main", "Front desk")
    assert (integration["teamId"], integration["workerId"]) == (api.get("/team").json["id"], None)
    assert "secret-token" not in api.get("/team/integrations").text
    assert api.get(f"/team/integrations/{integration['id']}").json == integration


def test_only_name_and_description_change(api, make_integration):
    integration = make_integration(accountSid="AC1")
    body = {"name": "New", "accountSid": "AC2", "appType": "other"}
    changed = api.patch(f"/team/integrations/{integration['id']}", body).json
    assert changed == integration | {"name": "New", "updatedAt": changed["updatedAt"]}


def test_a_deleted_integration_leaves_its_numbers(api, make_integration):
    integration = make_integration()
    body = {"phoneNumber": "+14155550100", "integrationId": integration["id"]}
    number = api.post("/team/assets/register_phone_number", body).json
    assert api.delete(f"/team/integrations/twilio/{integration['id']}/delete").status_code == 204
    assert api.get(f"/team/integrations/{integration['id']}").status_code == 404
    assert api.get("/team/assets/phone_numbers").json == [number | {"integrationId": None}]

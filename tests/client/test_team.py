"""The team, its integrations, phone numbers, WhatsApp senders and custom voices."""

import brainbase_labs
import pytest

SID = "AC" + "0" * 32


def test_an_integration_from_creation_to_deletion(client, api):
    made = client.team.integrations.twilio.create(
        account_sid=SID, auth_token="secret", name="Main", description="The first"
    )
    assert (made.app_type, made.config, made.name) == ("twilio", {"accountSid": SID}, "Main")
    assert client.team.integrations.retrieve(made.id) == made

    changed = client.team.integrations.update(made.id, name="Second", description="Not the first")
    assert (changed.name, changed.description) == ("Second", "Not the first")
    assert client.team.integrations.list() == [changed]

    client.team.integrations.twilio.delete(made.id)
    assert client.team.integrations.list() == []
    assert api.get(f"/team/integrations/{made.id}").status_code == 404


def test_the_team_with_its_integrations_and_its_subaccount(client, make_integration):
    integration = make_integration()
    team = client.team.retrieve(include_integrations=True)
    assert [row["id"] for row in team.integrations] == [integration["id"]]
    assert team.id == integration["teamId"]
    credentials = client.team.retrieve_subaccount_credentials()
    assert credentials.account_sid == team.twilio_subaccount_sid


def test_a_number_of_an_integration(client, make_integration):
    integration = make_integration()["id"]
    number = client.team.assets.register_phone_number(phone_number="+14155550199", integration_id=integration)
    assert (number.phone_number, number.integration_id) == ("+14155550199", integration)
    listed = client.team.assets.list_phone_numbers(integration_id=integration)
    assert [row.to_dict() for row in listed] == [number.to_dict()]
    with pytest.raises(brainbase_labs.ConflictError):
        client.team.assets.register_phone_number(phone_number="+14155550199", integration_id=integration)

    client.team.assets.delete_phone_number(number.id)
    assert client.team.assets.list_phone_numbers() == []


def test_a_number_is_found_and_bought(client, api):
    answer = client.team.assets.list_available_phone_numbers(
        country_code="US",
        number_type="Local",
        area_code="415",
        contains="55",
        sms_enabled=True,
        mms_enabled=True,
        voice_enabled=True,
    )
    assert answer is None  # the client drops the body
    query = {"countryCode": "US", "numberType": "Local", "areaCode": "415"}
    offered = api.get("/team/assets/available_phone_numbers", query_string=query).json[0]["phoneNumber"]
    assert offered.startswith("+1415")

    client.team.assets.purchase_phone_numbers(phone_numbers=[offered])
    bought = client.team.assets.list_phone_numbers()
    assert [(number.phone_number, number.provider) for number in bought] == [(offered, "brainbase")]


def test_a_whatsapp_sender_comes_online(client, control, api, advance):
    profile = {
        "name": "Harbour",
        "about": "Boats",
        "address": "Pier 1",
        "description": "Rents boats",
        "emails": ["post@example.com"],
        "logo_url": "https://example.com/logo.png",
        "vertical": "TRAVEL",
        "websites": ["https://example.com"],
    }
    client.team.assets.purchase_whatsapp_sender(phone_number="+14155550123", profile=profile)
    sender = control.get("/state").json["whatsappSenders"][0]
    assert (sender["phoneNumber"], sender["profile"]["logoUrl"]) == ("+14155550123", profile["logo_url"])
    assert sender["status"] == "PENDING"

    advance(3600)
    client.team.assets.retrieve_whatsapp_sender_status(sender["senderSid"])
    path = f"/team/assets/whatsapp_sender_status/{sender['senderSid']}"
    assert api.get(path).json["status"] == "ONLINE"


def test_a_custom_voice_from_creation_to_deletion(client, api):
    client.team.custom_voices.create(elevenlabs_voice_id="21m00Tcm4TlvDq8ikWAM")
    client.team.custom_voices.list()
    voices = api.get("/team/customVoices").json
    assert [voice["elevenlabsVoiceId"] for voice in voices] == ["21m00Tcm4TlvDq8ikWAM"]

    client.team.custom_voices.delete(voices[0]["id"])
    assert api.get("/team/customVoices").json == []

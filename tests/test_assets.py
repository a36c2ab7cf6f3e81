"""The team's telephone numbers."""

import pytest

NUMBER = "+14155550100"


@pytest.fixture
def integration(make_integration):
    return make_integration()


@pytest.fixture
def register(api, integration):
    def register(number=NUMBER, **body):
        body = {"phoneNumber": number, "integrationId": integration["id"]} | body
        return api.post("/team/assets/register_phone_number", body)

    return register


def purchase(api, *numbers, **body):
    return api.post("/team/assets/purchase_phone_numbers", {"phoneNumbers": numbers, **body})


def test_a_long_text_is_no_number(register):
    """Would take minutes if its time grew with the square of the text."""
    assert register(" " * 300_000 + "x").status_code == 400


def test_a_registered_number_comes_back_in_the_list(api, register, integration):
    answer = register()
    assert answer.status_code == 201
    number = answer.json
    assert number == {
        **{"id": number["id"], "createdAt": number["createdAt"], "updatedAt": number["updatedAt"]},
        **{"phoneNumber": NUMBER, "provider": "twilio", "a2pVerified": False, "integrationId": integration["id"]},
        **{"workerId": None, "teamId": integration["teamId"], "countryCode": "US", "callerName": None},
        "metadata": None,
    }
    assert api.get("/team/assets/phone_numbers").json == [number]


@pytest.mark.parametrize(
    ("number", "country"), [("+442079460000", "GB"), ("+16045550100", "CA"), ("+80012345678", None)]
)
def test_the_country_follows_from_the_prefix(register, number, country):
    assert register(number).json["countryCode"] == country


@pytest.mark.parametrize(
    "number", ["(415) 555-0100", "tel:+1-415-555-0100", "001.415.555.0100", "whatsapp:+14155550100", "4155550100 x12"]
)
def test_a_number_in_any_notation_is_stored_in_e164_form(register, number):
    assert register(number).json["phoneNumber"] == NUMBER


@pytest.mark.parametrize("text", ["", "front desk", "+", "+1234567890123456", "02079460000", "1" * 99, "+1\x00415"])
def test_a_text_that_is_no_number_is_refused(api, register, text):
    answer = register(text)
    assert (answer.status_code, answer.json["details"][0]["path"]) == (400, "phoneNumber")
    assert api.get("/team/assets/phone_numbers").json == []


def test_a_number_is_registered_once_a_team(register):
    register()
    assert register().status_code == 409
    assert register("(415) 555-0100").status_code == 409


def test_bought_numbers_are_the_vendors(api):
    answer = purchase(api, "+14155550101", "+442079460000")
    assert answer.status_code == 201
    assert [(n["phoneNumber"], n["provider"], n["integrationId"], n["countryCode"]) for n in answer.json] == [
        ("+14155550101", "brainbase", None, "US"),
        ("+442079460000", "brainbase", None, "GB"),
    ]
    assert {n["id"] for n in api.get("/team/assets/phone_numbers").json} == {n["id"] for n in answer.json}


def test_a_number_of_a_document_is_the_vendors_unless_it_names_an_integration(api, control, integration):
    numbers = [{"id": "own", "phoneNumber": NUMBER, "integrationId": integration["id"]}]
    numbers += [{"id": "bought", "phoneNumber": "+442079460000"}]
    assert control.post("/state", {"version": 1, "phoneNumbers": numbers}).status_code == 204
    providers = {n["id"]: (n["provider"], n["countryCode"]) for n in api.get("/team/assets/phone_numbers").json}
    assert providers == {"own": ("twilio", "US"), "bought": ("brainbase", "GB")}


def test_a_purchase_is_all_or_nothing(api, register):
    register()
    assert purchase(api, "+14155550101", NUMBER).status_code == 409
    assert purchase(api, "+14155550101", "+14155550101").status_code == 409
    assert [n["phoneNumber"] for n in api.get("/team/assets/phone_numbers").json] == [NUMBER]


def test_the_list_can_be_of_one_integration(api, register, integration, make_integration):
    registered = register().json
    bought = purchase(api, "+14155550101", integrationId=integration["id"]).json[0]
    purchase(api, "+14155550102")
    path = "/team/assets/phone_numbers?integrationId="
    assert api.get(path + integration["id"]).json == [bought, registered]
    assert api.get(path + make_integration()["id"]).json == []

"""Search for numbers that can be bought."""

import pytest


@pytest.fixture
def offers(api):
    def offers(api=api, **query):
        query = {"countryCode": "US", "numberType": "Local"} | query
        answer = api.get("/team/assets/available_phone_numbers", query_string=query)
        assert answer.status_code == 200, answer.text
        return answer.json

    return offers


def test_an_offer_is_whole(offers):
    offer = offers()[0]
    assert set(offer) == {
        *("phoneNumber", "friendlyName", "countryCode", "numberType", "locality", "region", "capabilities")
    }
    assert set(offer["capabilities"]) == {"voice", "sms", "mms"}
    assert (offer["countryCode"], offer["numberType"]) == ("US", "Local")


def test_the_same_question_gets_the_same_answer(offers):
    assert offers() == offers()
    assert offers() != offers(areaCode="415")


@pytest.mark.parametrize(
    ("country", "number_type", "start"),
    [("US", "TollFree", "+18"), ("gb", "Mobile", "+447"), ("DE", "Local", "+49"), ("CA", "Local", "+1")],
)
def test_offers_begin_as_numbers_of_their_country_and_kind(offers, country, number_type, start):
    numbers = offers(countryCode=country, numberType=number_type)
    assert len(numbers) == 20
    assert all(offer["phoneNumber"].startswith(start) for offer in numbers)
    assert {offer["countryCode"] for offer in numbers} == {country.upper()}


def test_offers_of_an_area_code_lie_in_its_place(offers):
    numbers = offers(areaCode="415")
    assert all(offer["phoneNumber"].startswith("+1415") for offer in numbers)
    assert {(offer["locality"], offer["region"]) for offer in numbers} == {("San Francisco", "CA")}


def test_an_area_code_that_is_not_known_still_has_numbers_in_north_america(offers):
    numbers = offers(areaCode="907")
    assert all(offer["phoneNumber"].startswith("+1907") for offer in numbers)
    assert {offer["locality"] for offer in numbers} == {None}


def test_an_area_code_that_cannot_be_has_no_numbers(offers):
    assert offers(areaCode="100") == offers(countryCode="DE", areaCode="9999") == []


@pytest.mark.parametrize("contains", ["2626", "555", "+1 415", "4155551", "26*26"])
def test_offers_hold_the_digits_asked_for(offers, contains):
    numbers = offers(contains=contains)
    pattern = contains.replace("+", "").replace(" ", "")
    assert numbers
    for offer in numbers:
        digits = offer["phoneNumber"][1:]
        windows = [digits[i : i + len(pattern)] for i in range(len(digits) - len(pattern) + 1)]
        assert any(all(w in ("*", d) for w, d in zip(pattern, window, strict=True)) for window in windows)


def test_digits_that_no_number_holds_find_none(offers):
    assert offers(contains="999999999999") == []


@pytest.mark.parametrize("member", ["sms", "mms"])
@pytest.mark.parametrize("value", [True, False])
def test_offers_can_do_what_is_asked_for(offers, member, value):
    numbers = offers(**{f"{member}Enabled": str(value).lower()})
    assert numbers
    assert {offer["capabilities"][member] for offer in numbers} == {value}


def test_every_number_can_do_voice(offers):
    assert offers(voiceEnabled="true") == offers()
    assert offers(voiceEnabled="false") == []


def test_a_number_that_the_team_has_is_not_offered(api, other_api, offers):
    number = offers()[0]["phoneNumber"]
    api.post("/team/assets/purchase_phone_numbers", {"phoneNumbers": [number]})
    assert number not in {offer["phoneNumber"] for offer in offers()}
    assert number in {offer["phoneNumber"] for offer in offers(api=other_api)}


def test_a_country_that_nobody_sells_numbers_in_has_none(offers):
    assert offers(countryCode="ZZ") == []


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"countryCode": "USA", "numberType": "Local"}, "countryCode"),
        ({"countryCode": "US", "numberType": "Local", "contains": "CALL"}, "contains"),
        ({"countryCode": "US", "numberType": "Local", "areaCode": "4x5"}, "areaCode"),
    ],
)
def test_a_bad_query_names_the_parameter(api, query, path):
    answer = api.get("/team/assets/available_phone_numbers", query_string=query)
    assert (answer.status_code, [detail["path"] for detail in answer.json["details"]]) == (400, [path])

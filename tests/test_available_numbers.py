"""Search for numbers that can be bought."""

import re

import pytest


@pytest.fixture
def offers(api):
    def offers(api=api, **query):
        query = {"countryCode": "US", "numberType": "Local"} | query
        answer = api.get("/team/assets/available_phone_numbers", query_string=query)
        assert answer.status_code == 200, answer.text
        return answer.json

    return offers


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
    assert {(offer["countryCode"], offer["numberType"]) for offer in numbers} == {(country.upper(), number_type)}


@pytest.mark.parametrize(("area_code", "place"), [("415", ("San Francisco", "CA")), ("907", (None, None))])
def test_offers_of_an_area_code_lie_in_its_place_if_that_is_known(offers, area_code, place):
    numbers = offers(areaCode=area_code)
    assert all(offer["phoneNumber"].startswith(f"+1{area_code}") for offer in numbers)
    assert {(offer["locality"], offer["region"]) for offer in numbers} == {place}


@pytest.mark.parametrize(
    "query",
    [{"areaCode": "100"}, {"countryCode": "DE", "areaCode": "9999"}, {"contains": "9" * 12}, {"countryCode": "ZZ"}],
)
def test_a_search_for_numbers_that_cannot_be_finds_none(offers, query):
    assert offers(**query) == []


@pytest.mark.parametrize("contains", ["2626", "555", "+1 415", "4155551", "26*26"])
def test_offers_hold_the_digits_of_the_search(offers, contains):
    numbers = offers(contains=contains)
    pattern = contains.replace("+", "").replace(" ", "").replace("*", r"\d")
    assert numbers
    assert all(re.search(pattern, offer["phoneNumber"]) for offer in numbers)


@pytest.mark.parametrize(("member", "value"), [("sms", True), ("sms", False), ("mms", True), ("voice", True)])
def test_offers_have_the_capabilities_of_the_search(offers, member, value):
    numbers = offers(**{f"{member}Enabled": str(value).lower()})
    assert {offer["capabilities"][member] for offer in numbers} == {value}


def test_a_number_that_the_team_has_is_not_offered(api, other_api, offers):
    number = offers()[0]["phoneNumber"]
    api.post("/team/assets/purchase_phone_numbers", {"phoneNumbers": [number]})
    assert number not in {offer["phoneNumber"] for offer in offers()}
    assert number in {offer["phoneNumber"] for offer in offers(api=other_api)}

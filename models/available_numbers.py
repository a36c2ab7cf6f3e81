"""Numbers offered for sale. They are made up from the query, so that the same query gets the same numbers."""

from random import Random
from typing import Any

from dryline.models.assets import PhoneNumber
from dryline.models.numbering import example_number
from dryline.models.teams import Team

PAGE = 20  # numbers in an answer
TRIES = 400  # numbers made up to fill a page

# The cities of some area codes in North America, by country.
_CITIES = {
    "US": {
        "415": ("San Francisco", "CA"),
        "212": ("New York", "NY"),
        "305": ("Miami", "FL"),
        "312": ("Chicago", "IL"),
    },
    "CA": {"416": ("Toronto", "ON"), "604": ("Vancouver", "BC"), "514": ("Montreal", "QC")},
}
_TOLL_FREE = ("800", "833", "844", "855", "866", "877", "888")
# Patterns of numbers: N is a digit from 2 to 9, * any digit.
_DIGITS = {"N": "23456789", "*": "0123456789"}


def available_numbers(
    team: Team,
    *,
    country_code: str,
    number_type: str,
    area_code: str | None = None,
    contains: str = "",
    **criteria: bool,
) -> list[dict[str, Any]]:
    """Return up to a page of numbers that the team does not have. Contract: listAvailablePhoneNumbers.

    `criteria` are `sms_enabled`, `mms_enabled` and `voice_enabled`.
    """
    country = country_code.upper()
    patterns = _number_patterns(country, number_type, area_code)
    contains = "".join(c for c in contains if c in "0123456789*")
    random = Random(f"{country}/{number_type}/{area_code}/{contains}")
    owned = {number.phone_number for number in PhoneNumber.listing(team)}
    if not patterns:
        return []
    offers: dict[str, dict[str, Any]] = {}
    for _ in range(TRIES):
        number = _make_number(random.choice(patterns), contains, random)
        if number is None or number in owned:
            continue
        offer = _describe_number(number, country, number_type)
        if all(offer["capabilities"][name.removesuffix("_enabled")] == value for name, value in criteria.items()):
            offers[number] = offer
        if len(offers) == PAGE:
            break
    return [offers[number] for number in sorted(offers)]


def _number_patterns(country: str, number_type: str, area_code: str | None) -> list[str]:
    """Return the patterns of whole numbers, calling code included. North America has every three-digit area code."""
    area = (area_code or "").lstrip("0") or area_code
    if country in _CITIES:
        is_toll_free = number_type == "TollFree"
        codes = list(_TOLL_FREE if is_toll_free else _CITIES[country])
        if area is not None:
            codes = [code for code in codes if code.startswith(area)]
            is_area_code = len(area) == 3 and area[0] not in "01"
            if not codes and is_area_code and not is_toll_free:
                codes = [area]
        return [f"1{code}N******" for code in codes]
    example = example_number(country, number_type)
    if example is None:
        return []
    calling_code, national = example
    free = 4 if number_type == "TollFree" else 6
    pattern = national[:-free] + "N" + "*" * (free - 1)
    if area is not None and not pattern.lstrip("0").startswith(area):
        return []
    return [calling_code + pattern]


def _make_number(pattern: str, contains: str, random: Random) -> str | None:
    """Return a number of the pattern with `contains` in it, where `*` is any digit; None when it does not fit."""
    last_start = len(pattern) - len(contains)
    starts = [start for start in range(last_start + 1) if _fits(contains, pattern[start:])]
    if not starts:
        return None
    start = random.choice(starts)
    symbols = list(pattern)
    for index, digit in enumerate(contains, start):
        symbols[index] = symbols[index] if digit == "*" else digit
    return "+" + "".join(random.choice(_DIGITS.get(symbol, symbol)) for symbol in symbols)


def _fits(contains: str, pattern: str) -> bool:
    """Return whether numbers of the pattern can begin with `contains`, where `*` is any digit."""
    for digit, character in zip(contains, pattern, strict=False):
        if digit != "*" and digit not in _DIGITS.get(character, character):
            return False
    return True


def _describe_number(number: str, country: str, number_type: str) -> dict[str, Any]:
    """Return a number as it is listed: each does voice, and SMS and MMS as is usual for its country and type."""
    is_american = country in _CITIES
    sms = {"Local": is_american and number[-1] != "0", "Mobile": True, "TollFree": is_american}[number_type]
    mms = sms and is_american and int(number[-1]) % 4 != 3
    area = _CITIES[country].get(number[2:5]) if is_american else None
    locality, region = area or (None, None)
    return {
        "phone_number": number,
        "friendly_name": f"({number[2:5]}) {number[5:8]}-{number[8:]}" if is_american else number,
        "country_code": country,
        "number_type": number_type,
        "locality": locality,
        "region": region,
        "capabilities": {"voice": True, "sms": sms, "mms": mms},
    }

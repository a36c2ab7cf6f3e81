"""Telephone numbers: one form for every notation, and a number's country."""

import re
from functools import lru_cache

import phonenumbers

# Assumed: the vendor's home market.
HOME = "US"


_LONGEST = 250  # characters; the library refuses longer texts, too


def e164(text: str, country: str = HOME) -> str | None:
    """Return the number in the form `+14155550100`, or None when no telephone number can look like the text.

    Takes any notation. A number without a country code is one of `country`.
    """
    return _read_e164(text, country) if len(text) <= _LONGEST else None


# 60 µs a number. The page of a campaign asks again for each of its rows.
@lru_cache(maxsize=10_000)
def _read_e164(text: str, country: str) -> str | None:
    text = re.sub(r"^\s*([a-z]{1,10}:)?\s*00", "+", text, flags=re.IGNORECASE)
    try:
        number = phonenumbers.parse(text, country)
    except phonenumbers.NumberParseException:
        return None
    if not phonenumbers.is_possible_number(number):
        return None
    return phonenumbers.format_number(number, phonenumbers.PhoneNumberFormat.E164)


def country_of(number: str) -> str | None:
    """Return the ISO country of a number in E.164 form, or None when it belongs to no country."""
    try:
        parsed = phonenumbers.parse(number)
    except phonenumbers.NumberParseException:
        return None
    region = phonenumbers.region_code_for_number(parsed)
    if region is None and parsed.country_code is not None:
        region = phonenumbers.region_code_for_country_code(parsed.country_code)
    return region if region in phonenumbers.SUPPORTED_REGIONS else None


def example_number(country: str, number_type: str) -> tuple[str, str] | None:
    """Return the calling code and the national number of an example that is Local, Mobile or TollFree, if known."""
    types = phonenumbers.PhoneNumberType
    kind = {"Local": types.FIXED_LINE, "Mobile": types.MOBILE, "TollFree": types.TOLL_FREE}[number_type]
    example = phonenumbers.example_number_for_type(country, kind)
    return (str(example.country_code), phonenumbers.national_significant_number(example)) if example else None
